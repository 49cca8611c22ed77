"""The attention kernels of accelerators: which calls they get, and their numbers, without an accelerator."""

import functools
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas import tpu as pallas_tpu

from torchlike._dtypes import attention as settings
from torchlike._engine.xla.target import in_each_form, tracing_for, tracing_for_any
from torchlike._ops.nn import attention_kernels as kernels
from torchlike._ops.nn.attention import _flash_attention
from torchlike._ops.nn.attention_blockwise import BLOCK, Blocks, even
from torchlike._ops.nn.attention_rules import Form, attend, whole
from torchlike._ops.schema.rounding import unchanged

HEADS, LONG = (2, 4, 256, 64), (2, 4, 1024, 64)
PALLAS, LOOP = "tpu_custom_call", "stablehlo.while"


def _text(platform, query, key=None, mask=None, dtype="bfloat16", context=tracing_for, **options):
    """Return the text of the operator and its gradient, lowered for a platform."""
    given = [jax.ShapeDtypeStruct(shape, dtype) for shape in (query, key or query, key or query)]
    given += [] if mask is None else [jax.ShapeDtypeStruct(*mask)]

    def run(*arrays):
        kernel = lambda *some: _flash_attention.kernel(*some, **options).astype(dtype)
        function = lambda *some: in_each_form(kernel, *some, *arrays[3:])
        out, pull = jax.vjp(function, *arrays[:3])
        return out, pull(out)

    with context(platform) if context is tracing_for else context():
        traced = jax.jit(run).trace(*given)
    return traced.lower(lowering_platforms=(platform,)).as_text()


@pytest.mark.parametrize(
    ("options", "calls"),
    [
        ({"query": HEADS}, 3),
        ({"query": HEADS, "is_causal": True}, 3),
        ({"query": HEADS, "is_causal": True, "dtype": "float32"}, 3),
        ({"query": HEADS, "key": (2, 2, 384, 64), "enable_gqa": True}, 3),
        ({"query": HEADS, "mask": ((2, 1, 1, 256), "bool")}, 3),
        ({"query": HEADS, "mask": ((256, 256), "bool")}, 0),
        ({"query": HEADS, "mask": ((2, 4, 256, 256), "bfloat16")}, 0),
        ({"query": HEADS, "dtype": "float16"}, 0),
        ({"query": (2, 4, 250, 64)}, 0),
        ({"query": HEADS, "backends": (settings.EFFICIENT, settings.MATH)}, 0),
    ],
)
def test_pallas_on_tpu(options, calls):
    assert _text("tpu", **options).count(PALLAS) == calls


@pytest.mark.parametrize("platform", ["tpu", "cuda"])
def test_short_calls_without_a_kernel_have_no_blocks(platform):
    short, long = ({"query": shape, "dtype": "float16"} for shape in (HEADS, LONG))
    if platform == "tpu":
        assert LOOP not in _text(platform, **short)
        assert LOOP in _text(platform, **long)
    assert LOOP in _text(platform, **short, backends=(settings.EFFICIENT,))
    assert LOOP not in _text(platform, **{**short, "dtype": "float64"})


def test_the_users_trace_has_no_kernel_of_a_platform():
    found = {name: _text(name, LONG, context=tracing_for_any) for name in ("cpu", "cuda", "tpu")}
    assert all(LOOP in text and PALLAS not in text and "cudnn" not in text for text in found.values())


ON_CUDA = """
from jax._src.cudnn import fused_attention_stablehlo
fused_attention_stablehlo.check_cudnn_version = lambda: 91000
from tests.targets.test_attention_kernels import cudnn_calls
print(cudnn_calls())
"""


def cudnn_calls() -> list[tuple[int, int]]:
    """Return the numbers of calls of cuDNN and of loops in each of some programs."""
    programs = [
        {"query": HEADS},
        {"query": HEADS, "is_causal": True, "dtype": "float16"},
        {"query": HEADS, "key": (2, 2, 384, 64), "enable_gqa": True},
        {"query": HEADS, "mask": ((2, 1, 1, 256), "bool")},
        {"query": HEADS, "mask": ((4, 256, 256), "float32")},
        {"query": LONG, "dtype": "float32"},
        {"query": (2, 4, 1024, 60)},
        {"query": (2, 4, 1023, 64), "mask": ((1023, 1023), "bool")},
        {"query": LONG, "backends": (settings.FLASH, settings.MATH)},
        {"query": LONG, "backends": (settings.CUDNN,)},
    ]
    texts = [_text("cuda", **each) for each in programs]
    return [(text.count("@__cudnn$fmha"), min(text.count(LOOP), 1)) for text in texts]


def test_cudnn_on_cuda():
    done = subprocess.run([sys.executable, "-c", ON_CUDA], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    due = [(2, 0)] * 5 + [(0, 1)] * 4 + [(2, 0)]
    assert done.stdout.strip() == str(due)


# -- numbers -----------------------------------------------------------------------------------------------------------


def _arguments(lead, group, length, keys, mask, causal):
    random = np.random.default_rng(0)
    count = int(np.prod(lead)) // group
    shapes = (count, group, length, 64), (count, keys, 64), (count, keys, 64)
    arrays = [jnp.asarray(random.standard_normal(shape), "float32") for shape in shapes]
    mask_lead = ()
    if mask is not None:
        mask_lead, *size = mask
        seen = random.random((int(np.prod(mask_lead)), *size)) > 0.4
        seen[0, 0] = False
        if mask_lead[-1] == 1 or size[0] > 1:
            mask = jnp.asarray(seen)
        else:
            mask = jnp.asarray(np.where(seen, random.standard_normal(seen.shape), -np.inf), "float32")
    blocks = Blocks(lead, mask_lead, causal, 0.3, unchanged, None, even(length, BLOCK), even(keys, BLOCK), count)
    return blocks, (*arrays, mask, None)


CALLS = {
    "plain": ((2, 4), 1, 128, 256, None, False),
    "causal": ((2, 4), 1, 256, 128, None, True),
    "groups": ((2, 4), 2, 256, 256, None, True),
    "keys": ((3, 4), 2, 128, 256, ((3, 1), 1, 256), False),
    "keys of a head": ((2, 2, 3), 1, 128, 256, ((2, 1, 1), 1, 256), True),
    "matrix": ((4,), 1, 128, 128, ((1,), 1, 128), False),
}
MASKED = {
    "bool": ((2, 4), 2, 128, 256, ((1, 4), 128, 256), False),
    "bias": ((2, 4), 2, 128, 256, ((2, 4), 1, 256), False),
    "bias of heads": ((2, 2, 4), 2, 128, 256, ((1, 2, 4), 1, 256), False),
}


def _agree(kernel, arguments, tolerance):
    blocks, arrays = _arguments(*arguments)
    form = Form(blocks, functools.partial(kernels._forward, kernel), functools.partial(kernels._backward, kernel))
    wanted = tuple(range(4 if arrays[3] is not None and arrays[3].dtype != bool else 3))
    ours = lambda *some: jnp.sum(jnp.sin(attend(form, *some)[0]))
    due = lambda *some: jnp.sum(jnp.sin(whole(blocks, *some)))
    for a, b in zip(
        *[jax.tree.leaves(jax.jit(jax.value_and_grad(function, wanted))(*arrays)) for function in (ours, due)],
        strict=True,
    ):
        np.testing.assert_allclose(a, b, tolerance, tolerance)


@pytest.mark.parametrize("name", ["plain", "groups", "keys of a head"])
def test_numbers_of_the_pallas_kernel(name):
    """The kernel runs in JAX's interpreter of TPU kernels."""
    with pallas_tpu.force_tpu_interpret_mode():
        _agree(kernels._pallas, CALLS[name], 1e-4)


@pytest.mark.parametrize("name", [*CALLS, *MASKED])
def test_arguments_of_the_cudnn_kernel(name, monkeypatch):
    """JAX's other implementation of the same function stands in for cuDNN."""
    monkeypatch.setitem(kernels._LOWEST, "float32", -1e9)
    _agree(functools.partial(kernels._cudnn, implementation="xla"), {**CALLS, **MASKED}[name], 1e-4)


def test_second_derivatives_of_a_kernel():
    blocks, arrays = _arguments(*CALLS["groups"])
    kernel = functools.partial(kernels._cudnn, implementation="xla")
    form = Form(blocks, functools.partial(kernels._forward, kernel), functools.partial(kernels._backward, kernel))
    slopes = []
    for function in (lambda *some: attend(form, *some)[0], lambda *some: whole(blocks, *some)):
        slope = jax.grad(lambda *some, f=function: jnp.sum(jnp.sin(f(*some))), (0, 1, 2))
        total = lambda q, slope=slope: sum(jnp.sum(x) for x in slope(q, *arrays[1:]))
        slopes.append(jax.jit(jax.grad(total))(arrays[0]))
    np.testing.assert_allclose(slopes[0], slopes[1], 1e-3, 1e-3)
