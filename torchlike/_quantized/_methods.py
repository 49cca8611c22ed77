"""The methods of quantized tensors. Every other method of `Tensor` is replaced by one that raises an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import quantized as q
from torchlike._quantized import _rules, _show
from torchlike._quantized import _tensor as t
from torchlike._tensor.tensor import Tensor

# Members that describe the whole tensor. They are inherited unchanged.
_SHARED = [
    "shape",
    "size",
    "dtype",
    "device",
    "ndim",
    "dim",
    "ndimension",
    "numel",
    "nelement",
    "itemsize",
    "element_size",
    "is_cuda",
    "is_cpu",
    "is_meta",
    "is_mkldnn",
    "is_nested",
    "is_floating_point",
    "is_complex",
    "get_device",
    "is_same_size",
    "is_sparse",
    "is_sparse_csr",
    "sparse_dim",
    "dense_dim",
    "retains_grad",
    "output_nr",
]

# Methods that move elements without looking at them. They are applied to the integers.
_MOVES = [
    "clone",
    "detach",
    "contiguous",
    "view",
    "reshape",
    "flatten",
    "unflatten",
    "permute",
    "transpose",
    "t",
    "unsqueeze",
    "squeeze",
    "expand",
    "expand_as",
    "view_as",
    "reshape_as",
    "movedim",
    "swapaxes",
    "swapdims",
    "narrow",
    "select",
    "index_select",
    "repeat",
    "flip",
    "roll",
]


# -- methods of all tensors --------------------------------------------------------------------------------------------


def int_repr(self: Any) -> Tensor:
    """Return the integers of a quantized tensor.

    >>> torchlike.quantize_per_tensor(torchlike.ones(2), 0.5, 3, torchlike.quint8).int_repr()
    tensor([5, 5], dtype=torch.uint8)
    """
    return _asked(self, "int_repr")._ints.clone()


def qscheme(self: Any) -> q.qscheme:
    """Return the quantization scheme of a quantized tensor."""
    return _asked(self, "qscheme")._quantizer.scheme


def q_scale(self: Any) -> float:
    """Return the scale of a quantized tensor with one scale."""
    return _one(self, "q_scale").scale


def q_zero_point(self: Any) -> int:
    """Return the integer that stands for 0 in a quantized tensor with one scale."""
    return _one(self, "q_zero_point").zero_point


def q_per_channel_scales(self: Any) -> Tensor:
    """Return the scales of a quantized tensor with one scale for each channel."""
    return _many(self, "q_per_channel_scales").scales


def q_per_channel_zero_points(self: Any) -> Tensor:
    """Return the zero points of a quantized tensor with one scale for each channel."""
    return _many(self, "q_per_channel_zero_points").zero_points


def q_per_channel_axis(self: Any) -> int:
    """Return the dim of the channels of a quantized tensor with one scale for each channel."""
    return _many(self, "q_per_channel_axis").axis


def _asked(x: Any, name: str) -> Any:
    if not isinstance(x, t.QuantizedTensor):
        raise _errors.quantized.of_plain(name)
    return x


def _one(x: Any, name: str) -> t.PerTensor:
    found = _asked(x, name)._quantizer
    if not isinstance(found, t.PerTensor):
        raise _errors.quantized.expected_scheme(per_channel=False)
    return found


def _many(x: Any, name: str) -> t.PerChannel:
    found = _asked(x, name)._quantizer
    if not isinstance(found, t.PerChannel):
        raise _errors.quantized.expected_scheme(per_channel=True)
    return found


OF_ALL: dict[str, Any] = {
    f.__name__: f
    for f in (
        int_repr,
        qscheme,
        q_scale,
        q_zero_point,
        q_per_channel_scales,
        q_per_channel_zero_points,
        q_per_channel_axis,
    )
}


# -- methods of quantized tensors only ---------------------------------------------------------------------------------


def _moved(name: str) -> Callable:
    def move(self: Any, *args: Any, **kwargs: Any) -> Any:
        if name not in ("clone", "detach", "contiguous"):
            t.per_tensor(self, name)
        return t.like(self, getattr(self._ints, name)(*args, **kwargs))

    move.__name__ = name
    return move


def _to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the tensor on another device, or the tensor itself if it is already there."""
    if any(isinstance(x, _dtypes.dtype) for x in (*args, kwargs.get("dtype"))):
        raise RuntimeError("Creation of quantized tensor requires quantized dtype like torch.quint8")
    ints = self._ints.to(*args, **kwargs)
    if ints is self._ints:
        return self
    quantizer = self._quantizer
    if isinstance(quantizer, t.PerChannel):
        scales, zero_points = (x.to(ints.device) for x in (quantizer.scales, quantizer.zero_points))
        quantizer = t.PerChannel(scales, zero_points, quantizer.axis)
    return t.make(ints, self._dtype_, quantizer)


def _item(self: Any, index: Any) -> Any:
    t.per_tensor(self, "getitem")
    return t.like(self, self._ints[index])


def _copied(self: Any, memo: dict) -> Any:
    made = memo[id(self)] = t.like(self, self._ints.clone())
    return made


def _reduce(self: Any, protocol: Any) -> tuple:
    return t.make, (self._ints, self._dtype_, self._quantizer)


def _requires_grad_(self: Any, requires_grad: bool = True) -> Any:
    if requires_grad:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return self


def _not_an_array(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise TypeError("Got unsupported ScalarType " + self._dtype_.name.replace("qu", "QU").replace("int", "Int"))


_OF_QUANTIZED: dict[str, Any] = {name: _moved(name) for name in _MOVES}
_OF_QUANTIZED |= _rules.METHODS
_OF_QUANTIZED |= {
    "dequantize": t.dequantized,
    "to": _to,
    "cpu": lambda self, memory_format=None: _to(self, "cpu"),
    "cuda": lambda self, device="cuda": _to(self, device),
    "is_quantized": property(lambda self: True),
    "layout": property(lambda self: mf.strided),
    "requires_grad": property(lambda self: False, _requires_grad_),
    "requires_grad_": _requires_grad_,
    "is_leaf": property(lambda self: True),
    "grad": property(lambda self: None),
    "grad_fn": property(lambda self: None),
    "data": property(lambda self: t.like(self, self._ints.detach())),
    "is_contiguous": lambda self, memory_format=mf.contiguous_format: self._ints.is_contiguous(
        memory_format=memory_format
    ),
    "stride": lambda self, *dim: self._ints.stride(*dim),
    "storage_offset": lambda self: self._ints.storage_offset(),
    "type": lambda self: (
        f"torch.quantized.{'QUInt8' if self._dtype_ is q.quint8 else self._dtype_.name.replace('qint', 'QInt')}Tensor"
    ),
    "numpy": _not_an_array,
    "__array__": _not_an_array,
    "__repr__": lambda self, *, tensor_contents=None: _show.text(self),
    "__reduce_ex__": _reduce,
    "__deepcopy__": _copied,
    "__len__": lambda self: len(self._ints),
    "__hash__": lambda self: id(self),
    "__format__": object.__format__,
    "__getitem__": _item,
    "is_pinned": lambda self, device=None: False,
    "is_conj": lambda self: False,
    "is_neg": lambda self: False,
}


def _refusing(name: str) -> Callable:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise _errors.quantized.refused(name)

    return refuse


_OF_PYTHON = [
    "__dict__",
    "__weakref__",
    "__slots__",
    "__module__",
    "__doc__",
    "__new__",
    "__init_subclass__",
    "__array_priority__",
    "__annotations__",
]


def bind() -> None:
    """Bind the methods and the refusals of quantized tensors to their class."""
    for name, method in _OF_QUANTIZED.items():
        setattr(t.QuantizedTensor, name, method)
    known = {*_SHARED, *OF_ALL, *_OF_QUANTIZED, *_OF_PYTHON, *vars(t.QuantizedTensor)}
    for name, found in list(vars(Tensor).items()):
        is_internal = name.startswith("_") and not name.startswith("__")
        if name not in known and (callable(found) or isinstance(found, property)) and not is_internal:
            refusing = _refusing(name.strip("_") if name.startswith("__") else name)
            setattr(t.QuantizedTensor, name, property(refusing) if isinstance(found, property) else refusing)
