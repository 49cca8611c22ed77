"""The class of nested tensors of the strided layout."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import adopt
from torchlike.nested._base import Nested, on_rows

_NO_SIZES = "Internal error: NestedTensorImpl doesn't support {}. Please file an issue."


@dataclass(frozen=True)
class Parts:
    """Where the components are in the buffer: their sizes, strides and first elements."""

    sizes: tuple[tuple[int, ...], ...]
    strides: tuple[tuple[int, ...], ...]
    starts: tuple[int, ...]


def packed(sizes: Sequence[tuple[int, ...]]) -> Parts:
    """Return contiguous components, one after the other."""
    starts = [0, *itertools.accumulate(map(math.prod, sizes))][:-1]
    return Parts(tuple(sizes), tuple(map(row_major, sizes)), tuple(starts))


def row_major(size: tuple[int, ...]) -> tuple[int, ...]:
    """Return PyTorch's strides of a contiguous component, which are 0 before a dim of size 0."""
    return tuple([math.prod(size[d + 1 :]) for d in range(len(size))])


class StridedNestedTensor(Nested):
    """A batch of components of any sizes, with the same number of dims.

    This object's own storage is a buffer with the elements of all components.

    Args:
      buffer: the elements, a tensor with one dim.
      parts: where the components are in the buffer.
    """

    _parts: Parts

    def __new__(cls, buffer: Tensor, parts: Parts) -> Any:
        made = adopt(cls, buffer)
        made._parts = parts
        return made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        """Call the rule of the function."""
        from torchlike.nested._strided import rules

        return rules.TABLE.call(func, args, kwargs or {})

    # -- sizes ---------------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Any:
        """Raise RuntimeError: the sizes differ."""
        raise RuntimeError(_NO_SIZES.format("sizes"))

    _all_sizes = property(lambda self: self._parts.sizes)

    def size(self, dim: int | None = None) -> Any:
        """Return the size of a dim in which the components do not differ.

        Args:
          dim (int): the dim.
        """
        if dim is None:
            return self.shape
        at = self._nonnegative(dim)
        sizes = {size[at - 1] for size in self._parts.sizes} if at else {len(self._parts.sizes)}
        if len(sizes) != 1:
            raise RuntimeError(f"Given dimension {at} is irregular and does not have a size.")
        return sizes.pop()

    def stride(self, dim: int | None = None) -> Any:
        """Raise RuntimeError: the strides differ.

        Args:
          dim (int): not used.
        """
        raise RuntimeError(_NO_SIZES.format("strides"))

    @property
    def ndim(self) -> int:
        """The number of dims, with that of the batch."""
        return len(self._parts.sizes[0]) + 1 if self._parts.sizes else 1

    def numel(self) -> int:
        """Return the number of elements of all components."""
        return sum(map(math.prod, self._parts.sizes))

    def __len__(self) -> int:
        return len(self.shape)

    def __iter__(self) -> Any:
        return iter(self.shape)

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """Return whether the components are contiguous, one after the other.

        Args:
          memory_format: the order of the dims in memory.
        """
        return self._parts == packed(self._parts.sizes) and self._aval.numel == self.numel()

    layout = property(lambda self: torchlike.strided, doc="The layout, `torch.strided`.")  # type: ignore[assignment]

    @property
    def nbytes(self) -> int:
        """The size of all elements in bytes."""
        return self.numel() * self.dtype.itemsize

    def _nested_tensor_size(self) -> Tensor:
        return torchlike.tensor(self._parts.sizes, dtype=torchlike.int64)

    def _nested_tensor_strides(self) -> Tensor:
        return torchlike.tensor(self._parts.strides, dtype=torchlike.int64)

    def _nested_tensor_storage_offsets(self) -> Tensor:
        return torchlike.tensor(self._parts.starts, dtype=torchlike.int64)

    # -- members -------------------------------------------------------------------------------------------------------

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        body = ",\n".join("  " + repr(x).replace("\n", "\n  ") for x in self._leaves())
        history = ""
        if self.grad_fn is not None:
            history = f", grad_fn=<{type(self.grad_fn).__name__}>"
        elif self.requires_grad:
            history = ", requires_grad=True"
        return f"nested_tensor([\n{body}\n]{history})"

    def _leaves(self) -> list[Tensor]:
        """Return the components as PyTorch shows them: as leaves."""
        return [x.requires_grad_(self.requires_grad) for x in components(self.detach())]

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return rebuilt, ([x.detach() for x in components(self)], self.requires_grad)

    def __deepcopy__(self, memo: dict) -> Any:
        raise NotImplementedError("Could not run 'aten::new_empty' with arguments from the 'NestedTensorCPU' backend.")

    def tolist(self) -> Any:
        """Raise RuntimeError: the strides differ."""
        return self.stride()

    def numpy(self, *, force: bool = False) -> Any:
        """Raise RuntimeError: the sizes differ.

        Args:
          force: not used.
        """
        return self.shape

    def _like(self, rows: Tensor) -> StridedNestedTensor:
        return StridedNestedTensor(rows, self._parts)

    def _take_structure(self, other: StridedNestedTensor) -> None:
        self._parts = other._parts

    def _check_grad(self, grad: Any) -> None:
        if not isinstance(grad, StridedNestedTensor) or grad._parts.sizes != self._parts.sizes:
            raise RuntimeError("attempting to assign a gradient of another size to a nested tensor")

    # -- other forms ---------------------------------------------------------------------------------------------------

    def to_padded_tensor(self, padding: float, output_size: Any = None) -> Tensor:
        """Return the components, padded to the same sizes.

        Args:
          padding: the number in the padded positions.
          output_size: the size of the result. It must not be smaller than that of the largest components.
        """
        needed = [max(sizes) for sizes in zip(*self._parts.sizes)]
        wanted = needed if output_size is None else [*output_size][1:]
        if any(n > m for n, m in zip(needed, wanted)):
            raise RuntimeError(
                "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
            )
        return torchlike.stack([_padded(x, wanted, padding) for x in components(self)])


def _padded(x: Tensor, sizes: list[int], padding: float) -> Tensor:
    ends = [(0, wanted - n) for n, wanted in zip(x.shape, sizes)]
    return torchlike.nn.functional.pad(x, [n for pair in reversed(ends) for n in pair], value=padding)


def component(nested: StridedNestedTensor, index: int) -> Tensor:
    """Return a component, a view."""
    parts = nested._parts
    return on_rows(Tensor.as_strided, (nested, parts.sizes[index], parts.strides[index], parts.starts[index]), {})


def components(nested: StridedNestedTensor) -> list[Tensor]:
    """Return the components, which are views."""
    return [component(nested, i) for i in range(len(nested._parts.sizes))]


def of_components(given: Sequence[Tensor]) -> StridedNestedTensor:
    """Return a nested tensor with copies of the components."""
    buffer = torchlike.cat([x.reshape(-1) for x in given]) if given else torchlike.empty(0)
    return StridedNestedTensor(buffer, packed([tuple(x.shape) for x in given]))


def rebuilt(given: Sequence[Tensor], requires_grad: bool) -> StridedNestedTensor:
    """Return a nested tensor of its components."""
    made = of_components(given)
    return made.requires_grad_() if requires_grad else made


StridedNestedTensor.__name__ = StridedNestedTensor.__qualname__ = "Tensor"
