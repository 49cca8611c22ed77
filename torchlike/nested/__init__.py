"""`torch.nested`: batches of tensors of different sizes, in the jagged and the strided layout."""

from __future__ import annotations

import functools as _functools
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import settle as _settle
from torchlike._internal import unsupported as _unsupported
from torchlike._internal import warn as _warn
from torchlike.nested._base import Nested as _Nested
from torchlike.nested._internal import structure as _st
from torchlike.nested._internal.nested_tensor import NestedTensor as _NestedTensor
from torchlike.nested._internal.nested_tensor import of_components as _of_components
from torchlike.nested._strided.tensor import of_components as _of_strided

__all__ = [
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
]


def _is_jagged(layout: Any) -> bool:
    if layout is None or layout is torchlike.strided:
        _warn_once()
        return False
    if layout is not torchlike.jagged:
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")
    return True


@_functools.cache
def _warn_once() -> None:
    """Warn as PyTorch does for the first nested tensor of the strided layout."""
    _warn(
        "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
        "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, "
        "has better operator coverage, and works with torch.compile."
    )


def nested_tensor(
    tensor_list: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a nested tensor with copies of the given tensors: a leaf of the gradient graph.

    Args:
      tensor_list: tensors, or nested lists of numbers. In the jagged layout they differ in the size of one dim.
      dtype: the dtype. Default: that of the tensors.
      layout: `torch.jagged`, or `torch.strided`, the default.
      device: the device. Default: that of the tensors.
      requires_grad: whether the nested tensor requires grad.
      pin_memory: place the memory where the accelerator reads it faster.

    >>> import torchlike as torch
    >>> torch.nested.nested_tensor([torch.ones(2), torch.zeros(1)], layout=torch.jagged).values()
    tensor([1., 1., 0.])
    """
    if not _is_jagged(layout):
        return _strided_tensor(tensor_list, dtype, device, requires_grad, pin_memory)
    if requires_grad and dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    given = tensor_list.unbind() if isinstance(tensor_list, Tensor) else tensor_list
    tensors = [x.detach() if isinstance(x, Tensor) else torchlike.as_tensor(x, dtype=dtype) for x in given]
    with torchlike.no_grad():
        made = _joined(tensors, dtype, device)
    if pin_memory:
        made = made.pin_memory()
    return made.requires_grad_() if requires_grad else made


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
    """Return a nested tensor of the given tensors, through which gradients flow to them.

    Args:
      ts: tensors, which in the jagged layout differ in the size of one dim, or one tensor, whose components are along
        its first dim.
      dtype: the dtype. Default: that of the tensors.
      device: the device. Default: that of the tensors.
      layout: `torch.jagged`, or `torch.strided`, the default.

    >>> import torchlike as torch
    >>> x = torch.ones(3, requires_grad=True)
    >>> torch.nested.as_nested_tensor([x, x[:1]], layout=torch.jagged).sum().backward()
    >>> x.grad
    tensor([2., 1., 1.])
    """
    is_list = isinstance(ts, list | tuple) and all(isinstance(t, Tensor) for t in ts)
    if not isinstance(ts, Tensor) and not is_list:
        raise TypeError("as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors ")
    if isinstance(ts, _Nested):
        if not isinstance(ts, _NestedTensor) or layout is not torchlike.jagged:
            raise RuntimeError("as_nested_tensor(): Converting between nested tensor layouts is not supported")
        return ts.to(device=device, dtype=dtype)
    if isinstance(ts, Tensor) and ts.dim() < 2:
        raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
    if not _is_jagged(layout):
        return _strided([x.to(device=device, dtype=dtype) for x in (ts.unbind() if isinstance(ts, Tensor) else ts)])
    if not isinstance(ts, Tensor):
        return _joined([*ts], dtype, device)
    count, length = ts.shape[:2]
    rows = ts.to(device=device, dtype=dtype).flatten(0, 1)
    rows = rows.view(rows.shape) if rows is ts else rows
    return _NestedTensor(rows, _st.of_counts([length] * count, rows.device))


def _strided_tensor(given: Any, dtype: Any, device: Any, requires_grad: bool, pin_memory: bool) -> Any:
    """Return a nested tensor of the strided layout, a leaf with copies of the given tensors."""
    if not isinstance(given, list | tuple):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    dtype = given[0].dtype if dtype is None and given and isinstance(given[0], Tensor) else dtype
    with torchlike.no_grad():
        tensors = [torchlike.as_tensor(x, dtype=dtype, device=device) for x in given]
        made = _strided(tensors)
    made = made.pin_memory() if pin_memory else made
    return made.requires_grad_() if requires_grad else made


def _strided(tensors: list[Tensor]) -> Any:
    """Return a nested tensor of the strided layout with copies of the tensors."""
    for i, x in enumerate(tensors):
        if x.ndim != tensors[0].ndim:
            raise RuntimeError(
                f"All Tensors given to nested_tensor must have the same dimension. Found dimension {x.ndim} for Tensor "
                f"at index {i} and dimension {tensors[0].ndim} for Tensor at index 0."
            )
    return _of_strided(tensors)


def _joined(tensors: list[Tensor], dtype: Any, device: Any) -> Any:
    """Return a nested tensor with copies of the tensors."""
    if not tensors:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    for what in ("dtype", "dim", "device"):
        if len({x.ndim if what == "dim" else getattr(x, what) for x in tensors}) > 1:
            raise RuntimeError(f"When constructing a nested tensor, all tensors in list must have the same {what}")
    first = tensors[0]
    if first.ndim == 0:
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")
    differing = [d for d in range(first.ndim) if len({x.shape[d] for x in tensors}) > 1]
    if len(differing) > 1:
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note that the jagged layout "
            "only allows for a single ragged dimension. For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    converted = [x.to(device=device, dtype=dtype) for x in tensors]
    return _of_components(converted, differing[0] + 1 if differing else 1)


def nested_tensor_from_jagged(
    values: Tensor,
    offsets: Tensor | None = None,
    lengths: Tensor | None = None,
    jagged_dim: int | None = None,
    min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Tensor:
    """Return a nested tensor that is a view of the given rows.

    Args:
      values: the rows of all components, one after the other.
      offsets: the index of the first row of each component, and the number of rows: (components + 1,).
      lengths: the number of rows of each component: (components,). With `offsets`, the components may have gaps
        between them.
      jagged_dim: the ragged dim of the nested tensor. Default: 1.
      min_seqlen: the smallest number of rows of a component. Default: it is computed when it is needed.
      max_seqlen: the largest number of rows of a component. Default: it is computed when it is needed.

    >>> import torchlike as torch
    >>> x = torch.nested.nested_tensor_from_jagged(torch.arange(3), torch.tensor([0, 1, 3]))
    >>> x.unbind()
    (tensor([0]), tensor([1, 2]))
    """
    if isinstance(values, _Nested):
        raise ValueError("nested_tensor_from_jagged(): expected values to be a dense tensor")
    for place, (name, given) in enumerate({"offsets": offsets, "lengths": lengths}.items(), 2):
        if given is not None and not isinstance(given, Tensor):
            kind = type(given).__name__
            raise TypeError(
                f"_nested_view_from_jagged(): argument '{name}' (position {place}) must be Tensor, not {kind}"
            )
    if offsets is None:
        if lengths is None:
            raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
        offsets, lengths = torchlike.cat([lengths.new_zeros(1), lengths.cumsum(0)]), None
    dim = 1 if jagged_dim is None else jagged_dim
    if dim < 1:
        raise ValueError(f"Expected jagged_dim >=1, but got {dim}.")
    values.shape[dim - 1]  # raises if there is no such dim
    known = {name: n for name, n in {"min": min_seqlen, "max": max_seqlen}.items() if n is not None}
    return _NestedTensor(values.view(values.shape), _st.Structure(offsets, lengths, dim, known))


def narrow(tensor: Tensor, dim: int, start: Any, length: Any, layout: Any = torchlike.strided) -> Tensor:
    """Return a part of each component of a tensor as a nested tensor, which is a view.

    Args:
      tensor: the components along its first dim: (components, rows, *).
      dim: the dim of the rows: 1.
      start: the first row, or those of each component: (components,).
      length: the number of rows, or those of each component: (components,).
      layout: must be `torch.jagged`.

    >>> import torchlike as torch
    >>> x = torch.arange(6).reshape(2, 3)
    >>> torch.nested.narrow(x, 1, torch.tensor([0, 2]), torch.tensor([2, 1]), layout=torch.jagged).unbind()
    (tensor([0, 1]), tensor([5]))
    """
    if layout is torchlike.strided and not (isinstance(start, int) and isinstance(length, int)):
        raise RuntimeError("start and length must be integers for the strided layout NT impl")
    if not _is_jagged(layout):
        raise _unsupported("nested.narrow", "layout=torch.strided")
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    count, size = tensor.shape[:2]
    try:
        starts, lengths = [
            torchlike.as_tensor(x, dtype=torchlike.int64, device=tensor.device).expand(count).clone()
            for x in (start, length)
        ]
    except RuntimeError:
        raise RuntimeError(
            "When constructing a jagged nested tensor using narrow(), your start and length must be Tensors that "
            "broadcast to input.shape[0]"
        ) from None
    first = torchlike.arange(count, device=tensor.device) * size + starts
    return _NestedTensor(
        tensor.flatten(0, 1), _st.Structure(torchlike.cat([first, first[-1:] + lengths[-1:]]), lengths)
    )


def masked_select(tensor: Tensor, mask: Tensor) -> Tensor:
    """Return the selected elements of each row of a tensor as a nested tensor.

    Args:
      tensor: the elements.
      mask: which elements are selected, a tensor of bools that broadcasts to the shape of `tensor`.

    >>> import torchlike as torch
    >>> torch.nested.masked_select(torch.arange(4).reshape(2, 2), torch.tensor([[True, True], [False, True]])).unbind()
    (tensor([0, 1]), tensor([3]))
    """
    if isinstance(tensor, _Nested):
        raise RuntimeError("masked_select only support 2-D selections currently")
    tensor, mask = torchlike.broadcast_tensors(tensor, mask)
    values = tensor.masked_select(mask)
    counts = mask.sum(-1).flatten()
    return nested_tensor_from_jagged(values, lengths=counts)


def to_padded_tensor(input: Tensor, padding: float, output_size: Any = None, out: Any = None) -> Tensor:
    """Return the components of a nested tensor, padded to the same number of rows.

    Args:
      input: the nested tensor.
      padding: the number in the padded positions.
      output_size: the size of the result. Only that of the ragged dim is used.
      out: not supported.

    >>> import torchlike as torch
    >>> x = torch.nested.nested_tensor([[1, 2], [3]], layout=torch.jagged)
    >>> torch.nested.to_padded_tensor(x, 0)
    tensor([[1, 2],
            [3, 0]])
    """
    if out is not None:
        raise _unsupported("to_padded_tensor", "out")
    return input.to_padded_tensor(padding, output_size)


_settle(__name__, globals())
