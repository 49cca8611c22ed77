"""Views whose elements are conjugated or negated when they are read: `conj()`, `imag` of a conjugate, and what undoes
them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._autograd import versions
from torchlike._composite.views import conversions
from torchlike._dtypes import modes
from torchlike._dtypes.unsupported import NAMES
from torchlike._ops import REGISTRY
from torchlike._tensor import public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.copying import MARKS
from torchlike._tensor.out import row_into
from torchlike._tensor.storage import marks as marks_of
from torchlike._tensor.tensor import Tensor, alias


def is_conj(input: Tensor) -> bool:
    """Whether this is a view that conjugates what its memory holds."""
    return "conj" in marks_of(input)


def is_neg(input: Tensor) -> bool:
    """Whether this is a view that negates what its memory holds."""
    return "neg" in marks_of(input)


def conj(input: Tensor) -> Tensor:
    """The complex conjugate, as a view of the same memory; a real tensor is returned itself."""
    return rows["conj"](input) if input.is_complex() else input


def _neg_view(input: Tensor) -> Tensor:
    """The negative, as a view of the same memory."""
    return rows["_neg_view"](input)


def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate, with memory of its own; a real tensor is returned itself."""
    if out is not None:
        return row_into(REGISTRY["conj_physical"], conj_physical, (input,), {}, out)
    return rows["conj_physical"](input) if input.is_complex() else input


def resolve_conj(input: Tensor) -> Tensor:
    """A copy of a view that conjugates; any other tensor is returned itself."""
    return conversions.clone(input) if is_conj(input) else input


def resolve_neg(input: Tensor) -> Tensor:
    """A copy of a view that negates; any other tensor is returned itself."""
    return conversions.clone(input) if is_neg(input) else input


def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a real one with a last dim of two: the real and the imaginary part.

    Raises RuntimeError for a view that conjugates; `resolve_conj` makes a copy that can be seen so.
    """
    if is_conj(input):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor "
            "so you can view it as real, use self.resolve_conj(); however, be warned that the resulting "
            "tensor will NOT alias the original."
        )
    return rows["view_as_real"](input)


def real(input: Tensor) -> Tensor:
    """The real part, as a view; of a real tensor the tensor itself."""
    if not input.is_complex():
        return input
    plain = rows["conj"](input) if is_conj(input) else input
    return rows["_select"](rows["view_as_real"](plain), input.ndim, 0)


def imag(input: Tensor) -> Tensor:
    """The imaginary part, as a view; that of a conjugate is a view that negates."""
    if not input.is_complex():
        raise _errors.dtypes.only_complex_has("imag")
    if not is_conj(input):
        return rows["_select"](rows["view_as_real"](input), input.ndim, 1)
    parts = rows["_neg_view"](rows["view_as_real"](rows["conj"](input)))
    return rows["_select"](parts, input.ndim, 1)


def chalf(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """This tensor as complex32. Raises NotImplementedError: there are no tensors of that dtype."""
    return self.to(NAMES["complex32"])


def show_as(view: Tensor, like: Tensor) -> Tensor:
    """Give a new view the pending conjugation and negation of `like`, and return it.

    The view must have no other reference. Its history, if it has one, is already that of the conjugated elements.
    """
    for mark in {*marks_of(view)} ^ {*marks_of(like)}:
        _append(view, MARKS[mark])
    return view


def _append(view: Tensor, row: str) -> None:
    with modes.no_grad():
        turned = rows[row](alias(view))
    cache, value = view._cache, turned._value
    view._chain = turned._chain
    if cache is not None:
        value.stamp = versions.of(view._storage.value)
        view._cache = (cache[0], cache[1], value)


def _part(read: Callable) -> property:
    def write(self: Tensor, value: Any) -> None:
        read(self).copy_(value)

    return property(read, write, doc=read.__doc__)


_ALL = (conj, conj_physical, resolve_conj, resolve_neg, is_conj, is_neg, _neg_view)
FUNCTIONS = public_calls.functions(*_ALL, view_as_real, real, imag)
METHODS = public_calls.methods(*_ALL)
METHODS |= {"real": _part(real), "imag": _part(imag), "chalf": chalf}
