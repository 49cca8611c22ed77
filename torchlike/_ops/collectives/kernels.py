"""Kernels of collectives, over the arrays of one rank. They run inside `jax.shard_map`, along the axis of a mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._engine.ranks.mesh import RankMesh
from torchlike._engine.xla.target import for_cpu, platform

SMALL = 1 << 18  # bytes; arrays up to this size are concatenated before they are reduced
SEGMENT = 1 << 20  # bytes; the maximum size of a segment in Gloo's reduction to one member
# On a TPU, a vector is stored in tiles of this many elements. XLA gathers and scatters whole tiles only: for other
# lengths, it reduces all members' vectors to each member, which moves twice as much.
TILE = 1024
LANES = 128
MOST_PARTS = 64


def _least(total: Any, array: Any) -> Any:
    return jnp.where(total < array, total, array)  # this order of operands treats NaN as Gloo does


def _most(total: Any, array: Any) -> Any:
    return jnp.where(total > array, total, array)


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "SUM": jnp.add,
    "PRODUCT": lambda total, array: (total * array).astype(total.dtype),
    "MIN": _least,
    "MAX": _most,
    "BAND": jnp.bitwise_and,
    "BOR": jnp.bitwise_or,
    "BXOR": jnp.bitwise_xor,
}


def all_reduce(mesh: RankMesh, op: str, *arrays: Any) -> tuple:
    """Return the reductions of the members' arrays. Small arrays of one dtype are reduced together."""
    found: dict[int, Any] = {}
    together: dict[Any, list[int]] = {}
    for i, array in enumerate(arrays):
        if len(arrays) > 1 and array.nbytes <= SMALL:
            together.setdefault(array.dtype, []).append(i)
        else:
            found[i] = _reduced(mesh, op, array)
    for places in together.values():
        flat = _reduced(mesh, op, jnp.concatenate([arrays[i].reshape(-1) for i in places]))
        begin = 0
        for i in places:
            found[i] = flat[begin : begin + arrays[i].size].reshape(arrays[i].shape)
            begin += arrays[i].size
    return tuple([found[i] for i in range(len(arrays))])


def _reduced(mesh: RankMesh, op: str, array: Any) -> Any:
    if array.size == 0:
        return array
    if op == "SUM" and array.dtype != np.bool_ and not _is_widened(array):
        return lax.psum(array, mesh.axis)
    return _by_ring(lax.all_gather(array, mesh.axis), mesh.size, op)


def _is_widened(array: Any) -> bool:
    """Return whether XLA sums the array in float32. Gloo rounds each partial sum."""
    return for_cpu() and array.dtype == jnp.bfloat16


def _by_ring(stacked: Any, size: int, op: str, largest: int | None = None) -> Any:
    """Reduce the members' arrays in the order of Gloo's ring algorithm.

    Each chunk is passed around the ring of members, towards lower ranks, and ends at the member whose rank is the
    chunk's number.
    """
    flat = stacked.reshape(size, -1)
    count, made = flat.shape[1], []
    for number, (begin, end) in enumerate(_chunks(count, flat.dtype.itemsize, size, largest)):
        made.append(_around(flat[:, begin:end], number, size, op))
    return jnp.concatenate(made).reshape(stacked.shape[1:])


def _around(parts: Any, number: int, size: int, op: str) -> Any:
    total = parts[number - 1]
    for i in range(2, size + 1):
        total = STEPS[op](total, parts[(number - i) % size])
    return total


def _chunks(count: int, width: int, size: int, largest: int | None) -> list[tuple[int, int]]:
    """Split `count` elements of `width` bytes into a chunk for each of `size` members. Return each begin and end.

    A chunk consists of segments of equal length: of two segments, or of more if a segment would exceed `largest` bytes.
    """
    if not count:
        return [(0, 0)] * size
    segment = _up(count * width, 2 * size) // (2 * size)
    segment = _up(segment if largest is None else min(segment, largest), width)
    segments = max(_up(count * width, segment) // segment, 2 * size)
    chunk = _up(segments, size) // size * segment // width
    return [(min(i * chunk, count), min((i + 1) * chunk, count)) for i in range(size)]


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def all_gather(mesh: RankMesh, array: Any) -> tuple:
    """Return the members' arrays, stacked along a new first dim."""
    if array.ndim == 1 and array.size % TILE and platform() == "tpu":
        return (lax.all_gather(_extended(array, TILE), mesh.axis)[:, : array.size],)
    return (lax.all_gather(array, mesh.axis),)


def _extended(array: Any, multiple: int) -> Any:
    """Return the array with zeros at the end of its last dim, so that its length is a multiple of a number."""
    missing = -array.shape[-1] % multiple
    return jnp.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, missing)])


def _unit(length: int, size: int) -> int:
    """Return a number of elements that the length of a scattered vector must be a multiple of on a TPU.

    XLA scatters a few parts of equal length: if the number of tiles has a large prime factor, it reduces the whole
    vectors. The padding is at most 3% of a long vector.
    """
    unit = TILE * size
    while length > MOST_PARTS * unit:
        unit *= 2
    return unit


def reduce_scatter(mesh: RankMesh, op: str, array: Any) -> tuple:
    """Reduce the members' arrays, which have a row for each member, and return the row of this rank.

    On the CPU, this rank receives the rows and adds them in Gloo's order. XLA's own form is slower there.
    """
    if op == "SUM" and array.size and array.dtype != np.bool_ and not for_cpu():
        length = array.size // mesh.size
        if max(array.shape[1:], default=1) == length and platform() == "tpu":  # the rows are vectors
            rows = array.reshape(mesh.size, length)
            whole = _extended(rows, _unit(length, mesh.size)).reshape(mesh.size, -1, LANES)
            return (lax.psum_scatter(whole, mesh.axis).reshape(-1)[:length].reshape(array.shape[1:]),)
        return (lax.psum_scatter(array, mesh.axis),)
    parts = lax.all_to_all(array, mesh.axis, 0, 0)
    return (_by_ring(parts, mesh.size, op, SEGMENT),)


def all_to_all(mesh: RankMesh, array: Any) -> tuple:
    """Send row i of each member's array to member i. Return the received rows."""
    return (lax.all_to_all(array, mesh.axis, 0, 0),)


def broadcast(mesh: RankMesh, source: int, *arrays: Any) -> tuple:
    """Return the arrays of the member `source`.

    The members sum the bits as integers, because a sum of floating-point numbers would lose the sign of zero.
    """
    is_source = lax.axis_index(mesh.axis) == source
    return tuple([_unbits(_chosen(mesh, is_source, _bits(x)), x) for x in arrays])


def _chosen(mesh: RankMesh, is_source: Any, bits: Any) -> Any:
    return lax.psum(jnp.where(is_source, bits, jnp.zeros_like(bits)), mesh.axis) if bits.size else bits


_WORDS = {1: np.uint8, 2: np.uint32, 4: np.uint32, 8: np.uint64}


def _bits(array: Any) -> Any:
    if array.dtype == np.bool_:
        return array.astype(np.uint8)
    if jnp.iscomplexobj(array):
        array = jnp.stack([array.real, array.imag])
    width = array.dtype.itemsize
    bits = lax.bitcast_convert_type(array, np.dtype(f"uint{8 * width}"))
    return bits.astype(_WORDS[width])


def _unbits(bits: Any, like: Any) -> Any:
    if like.dtype == np.bool_:
        return bits.astype(np.bool_)
    is_complex = jnp.iscomplexobj(like)
    dtype = like.real.dtype if is_complex else like.dtype
    array = lax.bitcast_convert_type(bits.astype(np.dtype(f"uint{8 * dtype.itemsize}")), dtype)
    return lax.complex(array[0], array[1]) if is_complex else array


__all__ = ["all_gather", "all_reduce", "all_to_all", "broadcast", "reduce_scatter"]
