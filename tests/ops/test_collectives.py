"""Kernels of collectives for groups of one and three members, against NumPy.

`jax.vmap` with an axis name stands in for the members, so one process is enough.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from torchlike._engine.ranks.mesh import AXIS
from torchlike._engine.xla.target import tracing_for
from torchlike._ops.collectives import kernels

DTYPES = ["float32", "bfloat16", "int64", "bool", "complex64"]
PLACES = [("float32", "gpu"), ("float32", "tpu"), ("bfloat16", "tpu"), *[(dtype, "cpu") for dtype in DTYPES]]
SIZES = (1, 3)
SHAPES = [(), (0,), (5,), (1, 1500), (2, 3)]
REDUCTIONS = {
    "SUM": np.add.reduce,
    "PRODUCT": np.multiply.reduce,
    "MIN": np.minimum.reduce,
    "MAX": np.maximum.reduce,
    "BAND": np.bitwise_and.reduce,
    "BOR": np.bitwise_or.reduce,
    "BXOR": np.bitwise_xor.reduce,
}


class Members(NamedTuple):
    """The size and the axis of a mesh, which are all that a kernel reads."""

    size: int
    axis: str = AXIS


def given(size, shape, dtype, seed=0):
    """Return an array for each member. Sums and products of the elements are exact in every dtype."""
    drawn = np.random.default_rng(seed).integers(0, 3, (size, *shape))
    return jnp.asarray(drawn).astype(dtype)


def run(kernel, *arrays, platform="cpu"):
    """Compile a kernel of one member, run it for all members, and return its results as arrays of NumPy."""
    with tracing_for(platform):
        return jax.tree.map(np.asarray, jax.jit(jax.vmap(kernel, axis_name=AXIS))(*arrays))


def reductions(dtype, shape):
    if dtype == "complex64":
        return ["SUM"]
    if not all(shape):
        return ["SUM", "MAX"]
    return [op for op in REDUCTIONS if not op.startswith("B") or jnp.dtype(dtype).kind in "iub"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("dtype", "platform"), PLACES)
def test_reductions(dtype, platform, size):
    cases = [(shape, op) for shape in SHAPES for op in reductions(dtype, shape or (0,))]
    pairs = [(given(size, shape, dtype), given(size, (3,), dtype, 1)) for shape, _ in cases]

    def kernel(*pairs):
        return [kernels.all_reduce(Members(size), op, *pair) for (_, op), pair in zip(cases, pairs)]

    for (shape, op), pair, found in zip(cases, pairs, run(kernel, *pairs, platform=platform), strict=True):
        for array, made in zip(pair, found, strict=True):
            wide = np.asarray(array).astype("float64") if dtype == "bfloat16" else np.asarray(array)
            expected = REDUCTIONS[op](wide).astype(made.dtype)
            np.testing.assert_array_equal(made, np.broadcast_to(expected, made.shape), f"{op} {shape}")
            assert made.dtype == array.dtype


@pytest.mark.one_in(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("dtype", "platform"), PLACES)
def test_parts(dtype, platform, size):
    members, arrays = Members(size), [given(size, (size, *shape), dtype) for shape in SHAPES]

    def parts(x, shape):
        ops = reductions(dtype, shape or (0,))
        scattered = [kernels.reduce_scatter(members, op, x)[0] for op in ops]
        whole = [kernels.all_reduce(members, op, x)[0] for op in ops]
        return kernels.all_gather(members, x)[0], kernels.all_to_all(members, x)[0], scattered, whole

    kernel = lambda *arrays: [parts(x, shape) for x, shape in zip(arrays, SHAPES)]
    for x, made in zip(arrays, run(kernel, *arrays, platform=platform), strict=True):
        gathered, exchanged, scattered, whole = made
        np.testing.assert_array_equal(gathered, np.broadcast_to(x, (size, *x.shape)))
        np.testing.assert_array_equal(exchanged, np.swapaxes(x, 0, 1))
        for part, total in zip(scattered, whole, strict=True):
            np.testing.assert_array_equal(part, total[0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_broadcast_keeps_the_bits(dtype):
    x = given(3, (4,), dtype)
    if jnp.dtype(dtype).kind not in "iub":
        x = x.at[:, 0].set(-0.0).at[:, 1].set(jnp.nan)
    for source in range(3):
        made, alone = run(lambda a, b, s=source: kernels.broadcast(Members(len(x)), s, a, b), x, x[:, 0])
        expected = np.asarray(x)
        assert all(row.tobytes() == expected[source].tobytes() for row in made)
        assert all(np.asarray(row).tobytes() == expected[source, 0].tobytes() for row in alone)


@pytest.mark.parametrize(
    ("length", "gathered", "scattered"),
    [(1, 1024, 2048), (1024, 1024, 2048), (3000, 3072, 4096), (500_000, 500_736, 507_904)],
)
def test_vectors_are_gathered_and_scattered_in_whole_tiles_on_a_tpu(length, gathered, scattered):
    def traced(kernel, *shape):
        with tracing_for("tpu"):
            return str(jax.make_jaxpr(jax.vmap(kernel, axis_name=AXIS))(jnp.zeros((2, *shape), "float32")))

    assert f"f32[2,{gathered}]" in traced(functools.partial(kernels.all_gather, Members(2)), length)
    assert f"f32[2,2,{scattered // 128},128]" in traced(
        functools.partial(kernels.reduce_scatter, Members(2), "SUM"), 2, length
    )


def test_small_arrays_are_reduced_together():
    arrays = [given(2, (n,), "float32") for n in (3, 100_000, 4)] + [given(2, (5,), "int32")]
    traced = jax.make_jaxpr(jax.vmap(lambda *xs: kernels.all_reduce(Members(2), "SUM", *xs), axis_name=AXIS))
    concatenations = str(traced(*arrays)).count("concatenate")
    assert concatenations == 1  # the large array and the only array of a dtype are reduced alone
