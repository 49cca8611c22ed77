"""PyTorch's legacy tensor types, such as `FloatTensor` and `sparse.FloatTensor`: constructors, and names."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices, modes
from torchlike._dtypes import memory_format as mf
from torchlike._engine import Size
from torchlike._errors.warned import once
from torchlike._sparse._make import sparse_coo_tensor
from torchlike._tensor import factories
from torchlike._tensor.tensor import Tensor

NAMES = {
    "Float": _dtypes.float32,
    "Double": _dtypes.float64,
    "Half": _dtypes.float16,
    "Long": _dtypes.int64,
    "Int": _dtypes.int32,
    "Short": _dtypes.int16,
    "Char": _dtypes.int8,
    "Byte": _dtypes.uint8,
    "Bool": _dtypes.bool_,
    "BFloat16": _dtypes.bfloat16,
}
_STEMS = (
    {d: name for name, d in NAMES.items()}
    | {d: _errors.dtypes.scalar_name(d) for d in _dtypes.FLOAT8}
    | {
        _dtypes.complex64: "ComplexFloat",
        _dtypes.complex128: "ComplexDouble",
    }
)


class TensorType(type):
    """The metaclass of the legacy types: `isinstance(t, FloatTensor)` compares the dtype, device type and layout."""

    dtype: _dtypes.dtype
    kind: str

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        if cls.kind == "cuda" and not devices.jax_devices("cuda"):
            raise TypeError(f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled.")
        if len(args) == 1 and isinstance(args[0], Tensor) and args[0].dtype is not cls.dtype:
            raise TypeError(_errors.making.other_options(cls.dtype, args[0].dtype))
        return factories.legacy_tensor(*args, dtype=cls.dtype, device=cls.kind if device is None else device)

    layout = mf.strided

    def __instancecheck__(cls, instance: Any) -> bool:
        if not isinstance(instance, Tensor) or instance.layout is not cls.layout:
            return False
        return instance.dtype is cls.dtype and instance.device.type == cls.kind


def _make(stem: str, kind: str) -> TensorType:
    module = "torch" if kind == "cpu" else f"torch.{kind}"
    space = {
        "dtype": NAMES[stem],
        "kind": kind,
        "__module__": module,
        "__doc__": f"PyTorch's legacy constructor of {NAMES[stem]!r} tensors, from sizes or data.",
    }
    return TensorType(f"{stem}Tensor", (), space)


def new(like: Any, *args: Any, device: Any = None) -> Tensor:
    """Return a sparse tensor from indices, values and an optional size, or an empty one of a size.

    `like` is a sparse tensor, or a sparse type. An empty tensor has its dtype.
    """
    if args and isinstance(args[0], Tensor):
        if len(args) not in (2, 3) or not all(map(isinstance, args, (Tensor, Tensor, tuple | list))):
            raise _errors.arguments.no_overload("new", ", ".join(map(_errors.arguments.type_name, args)))
        return sparse_coo_tensor(*args, dtype=args[1].dtype, device=device, requires_grad=False)
    if len(args) == 1 and isinstance(args[0], tuple | list):
        if not isinstance(args[0], Size):
            name = "SparseTensor.new" if isinstance(like, Tensor) else "torch.sparse.SparseTensor"
            raise TypeError(_errors.layouts.only_sizes(name))
        args = tuple(args[0])
    return sparse_coo_tensor(size=args or (0,), dtype=like.dtype, device=device)


class SparseTensorType(TensorType):
    """The metaclass of the legacy sparse types: `isinstance(t, sparse.FloatTensor)` also compares the layout."""

    layout = mf.sparse_coo

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        of_indices = bool(args) and isinstance(args[0], Tensor)
        shown = "indices, values" + ", shape" * (len(args) == 3) if of_indices else "shape"
        made = new(cls, *args, device=device)
        once(_errors.layouts.old_constructor(shown) if args else _errors.layouts.OLD_EMPTY_CONSTRUCTOR)
        return made


def _make_sparse(stem: str) -> SparseTensorType:
    doc = f"PyTorch's legacy constructor of sparse {NAMES[stem]!r} tensors, from indices and values, or from a shape."
    space = {"dtype": NAMES[stem], "kind": "cpu", "__module__": "torch.sparse", "__doc__": doc}
    return SparseTensorType(f"{stem}Tensor", (), space)


TYPES = {f"{stem}Tensor": _make_sparse(stem) for stem in NAMES if stem != "Bool"}
FUNCTIONS: dict[str, Any] = {f"{stem}Tensor": _make(stem, "cpu") for stem in NAMES}
_ON_CUDA = {f"{stem}Tensor": _make(stem, "cuda") for stem in NAMES}


def on_cuda(name: str) -> TensorType:
    """Return the type `torch.cuda.<name>`."""
    if name not in _ON_CUDA:
        raise _errors.arguments.unknown_name("torch.cuda", name, list(_ON_CUDA))
    return _ON_CUDA[name]


def name_of(tensor: Tensor) -> str:
    """Return the legacy name of a tensor's type, such as `torch.FloatTensor`."""
    place = "" if tensor.device.type == "cpu" else f"{tensor.device.type}."
    place += "sparse." if tensor.layout is mf.sparse_coo else ""
    return f"torch.{place}{_STEMS[tensor.dtype]}Tensor"


def of_name(name: str) -> tuple[_dtypes.dtype, str]:
    """Return the dtype and the device type that a legacy name denotes."""
    parts = [part for part in name.split(".") if part != "sparse"]  # the layout stays as it is
    stem = parts[-1].removesuffix("Tensor")
    if parts[0] != "torch" or len(parts) not in (2, 3) or not (stem in NAMES or parts[-1] == "Tensor"):
        raise ValueError(f"invalid type: '{name}'")
    return NAMES.get(stem, modes.default_dtype), "cpu" if len(parts) == 2 else parts[1]


def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the legacy name of the tensor's type.

    With `dtype`, convert the tensor to this dtype or legacy type, or to the legacy type that a string names.

    Args:
      dtype: a dtype, a legacy type or its name.

    >>> torchlike.ones(2).type()
    'torch.FloatTensor'
    >>> torchlike.ones(2).type(torchlike.int64)
    tensor([1, 1])
    """
    if dtype is None:
        return name_of(self)
    if isinstance(dtype, _dtypes.dtype):
        return self.to(dtype)
    if isinstance(dtype, str):
        return self.to(*of_name(dtype)[::-1])
    if isinstance(dtype, TensorType):
        return self.to(dtype.kind, dtype.dtype)
    if dtype is Tensor:
        return self.to(modes.default_dtype)
    raise TypeError("dtype must be a type, str, or dtype object")


def set_default_tensor_type(t: Any) -> None:
    """Set the default dtype and device by a legacy type or its name (deprecated in PyTorch).

    Args:
      t: a type such as `torch.DoubleTensor`, or its name.
    """
    once(_errors.making.DEFAULT_TENSOR_TYPE)
    dtype, kind = of_name(t) if isinstance(t, str) else (t.dtype, t.kind)
    if kind == "cuda" and not devices.jax_devices("cuda"):
        raise TypeError(f"type torch.cuda.{_STEMS[dtype]}Tensor not available. Torch not compiled with CUDA enabled.")
    modes.set_default_dtype(dtype)
    modes.set_process_device(None if kind == "cpu" else kind)


METHODS = {"type": _type}
FUNCTIONS["set_default_tensor_type"] = set_default_tensor_type
