"""The class `MaskedTensor`."""

from __future__ import annotations

from typing import Any, TypeGuard

import torchlike
from torchlike import Tensor
from torchlike._internal import adopt, cannot, warn

__all__ = ["MaskedTensor", "is_masked_tensor"]

_PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a Github "
    "issue for features requests and see our documentation on the torch.masked module for further information about "
    "the project."
)
_WITH_HISTORY = (
    "It is not recommended to create a MaskedTensor with a tensor that requires_grad. "
    "To avoid this, you can use data.detach().clone()"
)
_SITE = "MaskedTensor"  # as in PyTorch, the warnings are shown once and not at each line
_DTYPES = ("float16", "float32", "float64", "bool", "int8", "int16", "int32", "int64")


def is_masked_tensor(obj: Any, /) -> TypeGuard[MaskedTensor]:
    """Return whether an object is a `MaskedTensor`.

    Args:
      obj: any object.

    >>> import torchlike as torch
    >>> is_masked_tensor(torch.ones(2))
    False
    """
    return isinstance(obj, MaskedTensor)


class MaskedTensor(Tensor):
    """A tensor with a mask. Operations keep the mask, and reductions take the elements at which it is True.

    The data and the mask are copied. A function that masked tensors do not support raises `TypeError`.

    Args:
      data: the elements, a dense tensor.
      mask: a bool tensor of the same shape. True marks a valid element.
      requires_grad: whether the masked tensor is a leaf that records gradients.

    >>> import warnings
    >>> import torchlike as torch
    >>> warnings.simplefilter("ignore")
    >>> x = MaskedTensor(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([True, False, True]))
    >>> x + 1
    MaskedTensor(
      [  2.0000,       --,   4.0000]
    )
    >>> x.sum()
    MaskedTensor(  4.0000, True)
    """

    _masked_mask: Tensor

    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> Any:
        _check_types(data, mask)
        warn(_PROTOTYPE, site=_SITE)
        if data.requires_grad:
            warn(_WITH_HISTORY, site=_SITE)
        check(data, mask)
        made = adopt(cls, data.detach().clone())
        made._masked_mask = mask.clone()
        return made._require_grad(requires_grad)

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        """Do nothing: `__new__` has made the tensor."""

    @staticmethod
    def _from_values(data: Tensor, mask: Tensor) -> MaskedTensor:
        """Return a masked tensor that keeps the gradient history of `data`."""
        _check_types(data, mask)
        if data.requires_grad:
            warn(_WITH_HISTORY, site=_SITE)
        data = data.clone()
        check(data, mask)
        if data.requires_grad:  # hidden elements have the gradient 0, also if a derivative is infinite
            data = torchlike.where(mask, data, data.detach())
        return masked_like(data, mask)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        """Call the rule of the function."""
        from torchlike.masked.maskedtensor import _ops_refs

        if not all(issubclass(cls, each) for each in types):
            return NotImplemented
        return _ops_refs.call(func, args, kwargs or {})

    @classmethod
    def unary(cls, fn: Any, data: Tensor, mask: Tensor) -> MaskedTensor:
        """Return the masked tensor of `fn(data)` and the mask.

        Args:
          fn (function): a function of a tensor.
          data (Tensor): its argument.
          mask (Tensor): the mask.
        """
        return MaskedTensor(fn(data), mask)

    def get_data(self) -> Tensor:
        """Return the elements as a plain tensor over the same memory, also those that the mask hides."""
        return adopt(Tensor, self).view_as(self.get_mask()) if self.requires_grad else adopt(Tensor, self)

    def get_mask(self) -> Tensor:
        """Return the mask."""
        return self._masked_mask

    def to_tensor(self, value: Any) -> Tensor:
        """Return a plain tensor in which hidden elements are replaced.

        Args:
          value (float): the value of the hidden elements.
        """
        return self.get_data().masked_fill(~self.get_mask(), value)

    _masked_data = property(lambda self: adopt(Tensor, self).detach(), doc="The elements, without history.")

    # -- layouts -------------------------------------------------------------------------------------------------------

    def is_sparse_coo(self) -> bool:
        """Return False: all masked tensors are dense."""
        return False

    def is_sparse_csr(self) -> bool:
        """Return False: all masked tensors are dense."""
        return False

    is_sparse = property(lambda self: False, doc="False: all masked tensors are dense.")

    # -- one element ---------------------------------------------------------------------------------------------------

    def item(self) -> Any:
        """Return the only element.

        Raises:
          ValueError: The mask hides the element.
        """
        if self.numel() == 1 and not self.get_mask():
            raise ValueError("__torch_dispatch__, aten._local_scalar_dense: expected a mask tensor")
        return adopt(Tensor, self).item()

    def numpy(self, *, force: bool = False) -> Any:
        """Raise RuntimeError, as PyTorch does."""
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def tolist(self) -> Any:
        """Raise RuntimeError, as PyTorch does."""
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")

    def __bool__(self) -> bool:
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    # -- attributes ----------------------------------------------------------------------------------------------------

    @property
    def grad(self) -> Any:
        """The gradient accumulated by `backward()`, a masked tensor with the mask of this one."""
        found = Tensor.grad.fget(self)  # type: ignore[attr-defined]
        if found is not None and not is_masked_tensor(found):
            found = masked_like(found.clone(), self.get_mask())
        return found

    @grad.setter
    def grad(self, grad: Any) -> None:
        plain = adopt(Tensor, grad) if is_masked_tensor(grad) else grad
        Tensor.grad.fset(self, plain)  # type: ignore[attr-defined]

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def data(self) -> Any:
        """A detached masked tensor with the same elements."""
        return self.detach()

    @data.setter
    def data(self, other: Any) -> None:
        if not is_masked_tensor(other):
            raise RuntimeError("Attempted to call `variable.set_data(tensor)`, but the tensor is not a MaskedTensor")
        Tensor.data.fset(self, adopt(Tensor, other))  # type: ignore[attr-defined]
        self._masked_mask = other.get_mask().clone()

    @data.deleter
    def data(self) -> None:
        Tensor.data.fdel(self)  # type: ignore[attr-defined]

    @property
    def real(self) -> Any:
        """This tensor, which is not complex."""
        return self

    @property
    def mT(self) -> Any:
        """The last two dims swapped."""
        return self.transpose(-2, -1)

    @property
    def mH(self) -> Any:
        """The last two dims swapped."""
        return self.transpose(-2, -1)

    @property
    def H(self) -> Any:
        """The transpose of a matrix."""
        return self.transpose(0, 1)

    @property
    def T(self) -> Any:
        """Not supported, as `permute`."""
        return self.permute(*range(self.ndim - 1, -1, -1))

    # -- comparison and text -------------------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        right = other.get_data() if is_masked_tensor(other) else other
        return MaskedTensor(self.get_data() < right, self.get_mask())

    __hash__ = Tensor.__hash__

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        data, mask = self._masked_data.tolist(), self.get_mask().tolist()
        if not self.ndim:
            return f"MaskedTensor({_shown(data) if mask else '--'}, {mask})"
        return f"MaskedTensor(\n{_indented(_lines(data, mask, self.ndim))}\n)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)


def _check_types(data: Any, mask: Any) -> None:
    for name, given in (("data", data), ("mask", mask)):
        if is_masked_tensor(given) or not isinstance(given, Tensor):
            raise TypeError(f"{name} must be a Tensor")


def check(data: Tensor, mask: Tensor) -> None:
    """Raise an error if two tensors are not the data and the mask of a masked tensor."""
    if data.layout != mask.layout:
        raise TypeError("data and mask must have the same layout.")
    if data.layout != torchlike.strided:
        raise cannot("masked.MaskedTensor of sparse tensors", "use dense data with a dense mask")
    if type(data) is not type(mask):
        raise TypeError(f"data and mask must have the same type. Got {type(data)} and {type(mask)}")
    if mask.dtype != torchlike.bool:
        raise TypeError("mask must have dtype bool.")
    if str(data.dtype).removeprefix("torch.") not in _DTYPES:
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if data.dim() != mask.dim():
        raise ValueError("data.dim() must equal mask.dim()")
    if data.size() != mask.size():
        raise ValueError("data.size() must equal mask.size()")


def masked_like(data: Tensor, mask: Tensor) -> MaskedTensor:
    """Return a masked tensor over `data`, with its gradient history. `data` is not copied, and the mask is."""
    warn(_PROTOTYPE, site=_SITE)
    check(data, mask)
    made = adopt(MaskedTensor, data)
    made._masked_mask = mask.clone()
    return made


def masks_match(a: Any, b: Any) -> bool:
    """Return whether two operands have equal masks. An operand that is not a masked tensor matches."""
    if not (is_masked_tensor(a) and is_masked_tensor(b)):
        return True
    one, other = a.get_mask(), b.get_mask()
    return one is other or (one.ndim == other.ndim and bool(torchlike.eq(one, other).all()))


def _shown(element: Any) -> str:
    return f"{element:8.4f}" if isinstance(element, float) else str(element)


def _lines(data: list, mask: list, ndim: int) -> str:
    """Return the text of the elements. Each row of the last dim is a line."""
    if ndim == 1:
        texts = [_shown(element) for element in data]
        width = max(len(text) if valid else 8 for text, valid in zip(texts, mask))
        return "[" + ", ".join(text if valid else "--".rjust(width) for text, valid in zip(texts, mask)) + "]"
    return "[\n" + ",\n".join(_indented(_lines(*pair, ndim - 1)) for pair in zip(data, mask)) + "\n]"


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.split("\n"))
