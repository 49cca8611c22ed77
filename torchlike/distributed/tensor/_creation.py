"""Functions that make a `DTensor` of constants or of random numbers, without communication."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike.distributed.device_mesh import DeviceMesh, current_mesh
from torchlike.distributed.tensor._api import DTensor
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torchlike.distributed.tensor._layout import contiguous_strides, local_shape
from torchlike.distributed.tensor.placement_types import Placement, Replicate, Shard


def _made(
    make: Callable[..., torchlike.Tensor],
    size: Sequence[int],
    given: tuple,
    *,
    dtype: torchlike.dtype | None,
    layout: Any,
    requires_grad: bool,
    device_mesh: DeviceMesh | None,
    placements: Sequence[Placement] | None,
) -> DTensor:
    """Make the local part with a function of its shape."""
    mesh = device_mesh or current_mesh()
    placed = tuple(placements) if placements else (Replicate(),) * mesh.ndim
    if mesh.ndim != len(placed):
        raise AssertionError("mesh dimension does not match the length of placements")
    for placement in placed:
        if isinstance(placement, Shard) and placement.dim < 0:
            raise AssertionError(f"Shard dim {placement.dim} in placements {placed} must be normalized")
    if layout != torchlike.strided:
        raise AssertionError("layout value not supported!")
    shape = torchlike.Size(size)
    local = make(local_shape(shape, mesh, placed), *given, dtype=dtype, device=mesh.device_type)
    spec = DTensorSpec(mesh, placed, TensorMeta(shape, contiguous_strides(shape), local.dtype))
    return DTensor(local, spec, requires_grad=requires_grad)


def _size(size: tuple) -> Sequence[int]:
    return size[0] if len(size) == 1 and not isinstance(size[0], int) else size


def _maker(make: Callable[..., torchlike.Tensor], contents: str, note: str = "") -> Callable[..., DTensor]:
    def made(
        *size: Any,
        requires_grad: bool = False,
        dtype: torchlike.dtype | None = None,
        layout: Any = torchlike.strided,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
    ) -> DTensor:
        options: dict[str, Any] = {"dtype": dtype, "layout": layout, "requires_grad": requires_grad}
        return _made(make, _size(size), (), device_mesh=device_mesh, placements=placements, **options)

    made.__doc__ = f"""Return a `DTensor` {contents}. Each process makes its own part.{note}

    Args:
      size: the global shape, as numbers or as one sequence.
      requires_grad: whether the tensor requires grad.
      dtype: the dtype. By default, `torch.get_default_dtype()`.
      layout: only `torch.strided` is supported.
      device_mesh: the mesh. By default, the mesh of the enclosing `with` statement.
      placements: the placement along each dim of the mesh. By default, all are `Replicate()`.
    """
    made.__name__ = made.__qualname__ = make.__name__
    return made


_DRAWS = " It draws them from its own generator, as PyTorch does on the CPU."

zeros = _maker(torchlike.zeros, "of zeros")
ones = _maker(torchlike.ones, "of ones")
empty = _maker(torchlike.empty, "without defined elements")
rand = _maker(torchlike.rand, "of uniform random numbers", _DRAWS)
randn = _maker(torchlike.randn, "of normal random numbers", _DRAWS)


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: torchlike.dtype | None = None,
    layout: Any = torchlike.strided,
    requires_grad: bool = False,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Return a `DTensor` whose elements are all `fill_value`. Each process makes its own part.

    Args:
      size: the global shape, as a number or as a sequence.
      fill_value: the value.
      dtype: the dtype. By default, that of the value.
      layout: only `torch.strided` is supported.
      requires_grad: whether the tensor requires grad.
      device_mesh: the mesh. By default, the mesh of the enclosing `with` statement.
      placements: the placement along each dim of the mesh. By default, all are `Replicate()`.
    """
    options: dict[str, Any] = {"dtype": dtype, "layout": layout, "requires_grad": requires_grad}
    shape = (size,) if isinstance(size, int) else size
    return _made(torchlike.full, shape, (fill_value,), device_mesh=device_mesh, placements=placements, **options)
