"""`NestedTensor`: a tensor of the jagged layout."""

from __future__ import annotations

import copy
from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike._internal import adopt
from torchlike.nested._base import Nested, plain
from torchlike.nested._internal import structure as st
from torchlike.nested._internal.structure import Structure


class NestedTensor(Nested):
    """A batch of components whose sizes differ in one dim, the ragged one.

    This object's own storage holds the rows of all components, one after the other. `torch.nested.nested_tensor` makes
    one.

    Args:
      values: the rows of all components, without the dim of the batch.
      structure: how the rows are divided into components.
    """

    _structure: Structure

    def __new__(cls, values: Tensor, structure: Structure) -> Any:
        made = adopt(cls, values)
        made._structure = structure
        structure.symbol  # noqa: B018 - symbols are numbered in the order of construction
        return made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        """Call the rule of the function."""
        from torchlike.nested._internal import rules

        return rules.TABLE.call(func, args, kwargs or {})

    # -- sizes ---------------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The sizes, with a symbol for the ragged dim."""
        structure = self._structure
        sizes: list[Any] = [structure.count, *self._aval.shape]
        sizes[structure.dim] = structure.symbol
        return tuple.__new__(Size, sizes)  # `Size(...)` accepts only ints

    _all_sizes = property(lambda self: self.shape)
    _size = property(lambda self: tuple(self.shape))
    _ragged_idx = property(lambda self: self._structure.dim)
    _lengths = property(lambda self: self._structure.lengths)
    _max_seqlen = property(lambda self: self._structure.longest())
    _min_seqlen = property(lambda self: self._structure.shortest())

    def _get_max_seqlen(self) -> int:
        return self._structure.longest()

    def _get_min_seqlen(self) -> int:
        return self._structure.shortest()

    def size(self, dim: int | None = None) -> Any:
        """Return the sizes, or the size of one dim.

        Args:
          dim (int, optional): the dim.
        """
        return self.shape if dim is None else self.shape[self._nonnegative(dim)]

    @property
    def ndim(self) -> int:
        """The number of dims, with that of the batch."""
        return self._aval.ndim + 1

    def numel(self) -> int:
        """Return the number of elements of all components."""
        rows = plain(self)
        if self._structure.lengths is None:
            return rows.numel()
        return sum(self._structure.counts()) * (rows.numel() // max(rows.shape[self._structure.dim - 1], 1))

    def stride(self, dim: int | None = None) -> Any:
        """Return the strides, or the stride of one dim. That of the batch contains the size of the ragged dim.

        Args:
          dim (int, optional): the dim.
        """
        sizes, inner = self._size[1:], plain(self).stride()
        outermost = max(range(len(inner)), key=inner.__getitem__, default=0)
        strides = (sizes[outermost] * inner[outermost], *inner)
        return strides if dim is None else strides[self._nonnegative(dim)]

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """Return whether the rows are contiguous, without gaps, and the ragged dim is the outermost one.

        Args:
          memory_format: the order of the dims in memory.
        """
        if memory_format is torchlike.preserve_format:
            return True
        if self._structure.lengths is not None:
            return False
        rows = plain(self)
        return rows.is_contiguous()

    layout = property(lambda self: torchlike.jagged, doc="The layout, `torch.jagged`.")  # type: ignore[assignment]

    @property
    def nbytes(self) -> int:
        """The size of all elements in bytes."""
        return plain(self).nbytes

    # -- members -------------------------------------------------------------------------------------------------------

    def offsets(self) -> Tensor:
        """Return the index of the first row of each component, and the number of rows."""
        return self._structure.offsets

    def lengths(self) -> Tensor | None:
        """Return the number of rows of each component, or None if the components have no gaps between them."""
        return self._structure.lengths

    def __len__(self) -> int:
        return self._structure.count

    def __iter__(self) -> Any:
        return iter(torchlike.unbind(self))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        history = ""
        if self.grad_fn is not None:
            history = f", grad_fn={self.grad_fn}"
        elif self.requires_grad:
            history = ", requires_grad=True"
        return (
            f"NestedTensor(size={self._size}, offsets={self._structure.offsets}{history}, "
            f"contiguous={self.is_contiguous()})"
        )

    def _like(self, rows: Tensor) -> NestedTensor:
        return NestedTensor(rows, self._structure)

    def _take_structure(self, other: NestedTensor) -> None:
        self._structure = other._structure

    def _check_grad(self, grad: Any) -> None:
        if tuple(grad.shape) != self._size:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{[*grad.shape]}' to a tensor of size '{[*self._size]}'. "
                "Please ensure that the gradient and the tensor are the same size"
            )

    # -- copies --------------------------------------------------------------------------------------------------------

    def __reduce_ex__(self, protocol: Any) -> tuple:
        structure = self._structure
        members = plain(self).detach(), structure.offsets, structure.lengths
        return rebuilt, (*members, structure.dim, self.requires_grad)

    def __deepcopy__(self, memo: dict) -> NestedTensor:
        if id(self) not in memo:
            if not self.is_leaf:
                copy.deepcopy(plain(self), memo)  # raises
            made = NestedTensor(plain(self).detach().clone(), self._structure)
            memo[id(self)] = made.requires_grad_() if self.requires_grad else made
            if self._grad is not None:
                made._grad = copy.deepcopy(self._grad, memo)
        return memo[id(self)]

    # -- conversions that have no meaning ------------------------------------------------------------------------------

    def tolist(self) -> Any:
        """Raise RuntimeError: there are no lists of nested tensors."""
        raise RuntimeError(".tolist() is not supported for tensor subclasses, got NestedTensor")

    def numpy(self, *, force: bool = False) -> Any:
        """Raise RuntimeError: there are no arrays of nested tensors.

        Args:
          force: not used.
        """
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    # -- other forms ---------------------------------------------------------------------------------------------------

    def to_padded_tensor(self, padding: float, output_size: Any = None) -> Tensor:
        """Return the components, padded to the same number of rows.

        Args:
          padding: the number in the padded positions.
          output_size: the size of the result. Only that of the ragged dim is used; shorter ones cut components off.
        """
        structure = self._structure
        if structure.lengths is not None:
            raise RuntimeError("to_padded_tensor(): not supported for nested tensors with holes")
        longest = None if output_size is None else output_size[structure.dim]
        rows = plain(self)
        padding = padding if rows.is_floating_point() or rows.is_complex() else int(padding)
        return padded_components(self, padding, longest)

    @property
    def T(self) -> Any:
        """The dims in reverse order, which raises: the batch must stay first."""
        return self.permute(*reversed(range(self.ndim)))

    @property
    def real(self) -> Any:
        """The real parts: the tensor itself, unless it is complex."""
        return self._like(plain(self).real) if self.is_complex() else self


def padded_components(nested: NestedTensor, padding: Any, longest: int | None = None) -> Tensor:
    """Return the components, padded to the same number of rows. The dims are those of the nested tensor."""
    at = nested._structure.dim - 1
    dense = st.padded(plain(nested).movedim(at, 0), nested._structure, padding, longest)
    return dense.movedim(1, at + 1)


def rows_of_padded(dense: Tensor, like: NestedTensor) -> Tensor:
    """Return the rows of padded components, whose dims are those of `like`."""
    at = like._structure.dim
    rows = st.unpadded(dense.movedim(at, 1), like._structure, like._aval.shape[at - 1])
    return rows.movedim(0, at - 1)


def of_padded(dense: Tensor, like: NestedTensor) -> NestedTensor:
    """Return padded components as a nested tensor with the structure of another one."""
    return NestedTensor(rows_of_padded(dense, like), like._structure)


def of_components(components: Any, dim: int) -> NestedTensor:
    """Return a nested tensor with copies of the components, joined along the dim `dim - 1` of each."""
    rows = torchlike.cat([*components], dim - 1)
    return NestedTensor(rows, st.of_counts([x.shape[dim - 1] for x in components], rows.device, dim))


def rebuilt(values: Tensor, offsets: Tensor, lengths: Tensor | None, dim: int, requires_grad: bool) -> NestedTensor:
    """Return a nested tensor of its members, which are checked."""
    structure = Structure(offsets, lengths, dim)
    structure.check(values.shape[dim - 1])
    made = NestedTensor(values, structure)
    return made.requires_grad_() if requires_grad else made
