"""Lazily conjugated and negated views: `conj()`, `imag` of a conjugate, and their resolution."""

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
from torchlike._tensor.tensor import Tensor, same_memory


def is_conj(input: Tensor) -> bool:
    """Return whether this is a lazily conjugated view."""
    return "conj" in marks_of(input)


def is_neg(input: Tensor) -> bool:
    """Return whether this is a lazily negated view."""
    return "neg" in marks_of(input)


def conj(input: Tensor) -> Tensor:
    """Return the complex conjugate, as a view of the same memory. A real tensor is returned itself.

    >>> torchlike.conj(torchlike.tensor([1 + 2j])).resolve_conj()
    tensor([1.-2.j])
    """
    return rows["conj"](input) if input.is_complex() else input


def _neg_view(input: Tensor) -> Tensor:
    """Return the negative, as a view of the same memory."""
    return rows["_neg_view"](input)


def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complex conjugate, as a copy. A real tensor is returned itself."""
    if out is not None:
        return row_into(REGISTRY["conj_physical"], conj_physical, (input,), {}, out)
    return rows["conj_physical"](input) if input.is_complex() else input


def resolve_conj(input: Tensor) -> Tensor:
    """Return a conjugated copy of a lazily conjugated view. Any other tensor is returned itself."""
    return conversions.clone(input) if is_conj(input) else input


def resolve_neg(input: Tensor) -> Tensor:
    """Return a negated copy of a lazily negated view. Any other tensor is returned itself."""
    return conversions.clone(input) if is_neg(input) else input


def view_as_real(input: Tensor) -> Tensor:
    """View a complex tensor as a real one whose last dim of size two has the real and the imaginary part.

    Raises:
      RuntimeError: the tensor is a lazily conjugated view; use `resolve_conj` first.

    >>> torchlike.view_as_real(torchlike.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    if is_conj(input):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor "
            "so you can view it as real, use self.resolve_conj(); however, be warned that the resulting "
            "tensor will NOT alias the original."
        )
    return rows["view_as_real"](input)


def real(input: Tensor) -> Tensor:
    """Return the real part, as a view. A real tensor is returned itself.

    >>> torchlike.real(torchlike.tensor([1 + 2j, 3 - 1j]))
    tensor([1., 3.])
    """
    if not input.is_complex():
        return input
    plain = rows["conj"](input) if is_conj(input) else input
    return rows["_select"](rows["view_as_real"](plain), input.ndim, 0)


def imag(input: Tensor) -> Tensor:
    """Return the imaginary part, as a view; for a lazily conjugated view, it is lazily negated."""
    if not input.is_complex():
        raise _errors.dtypes.only_complex_has("imag")
    if not is_conj(input):
        return rows["_select"](rows["view_as_real"](input), input.ndim, 1)
    parts = rows["_neg_view"](rows["view_as_real"](rows["conj"](input)))
    return rows["_select"](parts, input.ndim, 1)


def chalf(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """Raise NotImplementedError: torchlike does not support complex32."""
    return self.to(NAMES["complex32"])


def show_as(view: Tensor, like: Tensor) -> Tensor:
    """Give a new view the lazy conjugation and negation of `like`, and return it.

    The view must have no other reference. Its autograd history, if any, must already include the conjugation and
    negation.
    """
    for mark in {*marks_of(view)} ^ {*marks_of(like)}:
        _append(view, MARKS[mark])
    return view


def _append(view: Tensor, row: str) -> None:
    with modes.no_grad():
        turned = rows[row](same_memory(view))
    cache, value = view._cache, turned._value
    view._chain = turned._chain
    if cache is not None:
        value.stamp = versions.stamp_of(view._storage.value)
        view._cache = (cache[0], cache[1], value)


def _part(read: Callable) -> property:
    def write(self: Tensor, value: Any) -> None:
        read(self).copy_(value)

    return property(read, write, doc=read.__doc__)


_ALL = (conj, conj_physical, resolve_conj, resolve_neg, is_conj, is_neg, _neg_view)
FUNCTIONS = public_calls.functions(*_ALL, view_as_real, real, imag)
METHODS = public_calls.methods(*_ALL)
METHODS |= {"real": _part(real), "imag": _part(imag), "chalf": chalf}
