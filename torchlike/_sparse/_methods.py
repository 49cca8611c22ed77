"""The methods of sparse tensors.

Every other method of `Tensor` is replaced by one that raises an error with its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import modes
from torchlike._ops import REGISTRY
from torchlike._sparse import _convert, _show, _write
from torchlike._sparse import _legacy_types as legacy_types
from torchlike._sparse import _tensor as s
from torchlike._sparse._rules import mul, neg, select, sub, transpose
from torchlike._sparse._tensor import SparseTensor
from torchlike._tensor.tensor import Tensor

# Members that describe the whole tensor: shape, dtype, device, flags. They are inherited unchanged.
_SHARED = (
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
    "is_quantized",
    "is_mkldnn",
    "is_nested",
    "is_floating_point",
    "is_complex",
    "is_signed",
    "get_device",
    "requires_grad",
    "is_leaf",
    "grad_fn",
    "output_nr",
    "is_same_size",
    "item",
    "retains_grad",
)


# -- members -----------------------------------------------------------------------------------------------------------


def indices(self: Any) -> Tensor:
    """Return the indices of a coalesced tensor: (sparse dims, elements).

    >>> torchlike.tensor([0, 5, 0, 6]).to_sparse().indices()
    tensor([[1, 3]])
    """
    _convert.coo(self, "indices")
    if not self._coalesced:
        raise _errors.layouts.uncoalesced("indices")
    return self._indices_[0]


def values(self: Any) -> Tensor:
    """Return the stored elements: (elements, dense dims)."""
    if self.layout is mf.strided:
        raise _errors.layouts.expected("values", "tensor", self.layout)
    if self.layout is mf.sparse_coo and not self._coalesced:
        raise _errors.layouts.uncoalesced("values")
    return s.passed_on(self._values_, "ValuesBackward0")


def _indices(self: Any) -> Tensor:
    """Return the indices of a COO tensor, coalesced or not."""
    if self.layout is not mf.sparse_coo:
        raise _errors.layouts.not_for("_indices", self.layout)
    return self._indices_[0]


def _values(self: Any) -> Tensor:
    """Return the detached elements of a COO tensor, coalesced or not."""
    if self.layout is not mf.sparse_coo:
        raise _errors.layouts.not_for("_values", self.layout)
    return self._values_.detach()


def _nnz(self: Any) -> int:
    """Return the number of stored elements."""
    if self.layout is mf.strided:
        raise _errors.layouts.not_for("_nnz", self.layout)
    return s.nnz(self)


def is_coalesced(self: Any) -> bool:
    """Return whether the indices are known to be sorted and unique."""
    _convert.coo(self, "is_coalesced")
    return self._coalesced


def _member(name: str, lines: str, layout: mf.layout, place: int) -> Callable:
    def member(self: Any) -> Tensor:
        if self.layout is not layout:
            raise _errors.layouts.expected(name, f"{lines} compressed tensor", self.layout)
        return self._indices_[place]

    member.__name__ = member.__qualname__ = name
    member.__doc__ = f"Return the {name.replace('_', ' ')} of a matrix in compressed {lines} format."
    return member


def sparse_dim(self: Any) -> int:
    """Return the number of sparse dims."""
    return 0 if self.layout is mf.strided else s.sparse_dim(self)


def dense_dim(self: Any) -> int:
    """Return the number of dense dims."""
    return self.ndim if self.layout is mf.strided else self._values_.ndim - 1


def sparse_mask(self: Any, mask: Any) -> Any:
    """Return the elements of a strided tensor at the indices of the sparse tensor `mask`.

    Args:
      mask: a sparse tensor of the same shape. Its values are not used.
    """
    if not hasattr(mask, "layout"):
        raise _errors.arguments.wrong_type("sparse_mask", "mask", 1, "Tensor", mask)
    if mask.layout is mf.strided:
        raise _errors.layouts.not_for("sparse_mask", mask.layout)
    if self.shape != mask.shape:
        raise _errors.layouts.mask_sizes(self.shape, mask.shape)
    if self.layout is not mf.strided:
        raise _errors.layouts.refused("sparse_mask", self.layout)
    kept = s.sparse_dim(mask)
    lines = self.reshape((-1, *self.shape[kept:]))
    found = _convert.picked(lines, s.flat(s.places(mask), tuple(self.shape[:kept])))
    return s.like(mask, s.passed_on(found, "SparseMaskBackward0"))


def is_conj(self: Any) -> bool:
    """Return False: a sparse tensor is never a conjugate view."""
    return False


def is_neg(self: Any) -> bool:
    """Return False: a sparse tensor is never a negative view."""
    return False


# Methods that strided tensors have too. Many of them raise for a strided tensor.
OF_ALL = {
    f.__name__: f
    for f in (
        _convert.to_dense,
        _convert.to_sparse,
        _convert.to_sparse_csr,
        _convert.to_sparse_csc,
        _convert.coalesce,
        indices,
        values,
        _indices,
        _values,
        _nnz,
        is_coalesced,
        sparse_dim,
        dense_dim,
        sparse_mask,
        _member("crow_indices", "row", mf.sparse_csr, 0),
        _member("col_indices", "row", mf.sparse_csr, 1),
        _member("ccol_indices", "column", mf.sparse_csc, 0),
        _member("row_indices", "column", mf.sparse_csc, 1),
    )
}
OF_ALL["to_sparse_coo"] = _convert.to_sparse


# -- methods of sparse tensors only ------------------------------------------------------------------------------------


def clone(self: Any, *, memory_format: Any = None) -> Any:
    """Return a copy."""
    return s.like(self, self._values_.clone())


def detach(self: Any) -> Any:
    """Return the tensor detached from the gradient graph."""
    return s.like(self, self._values_.detach())


def to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the tensor with another dtype or device, or the tensor itself if both are unchanged."""
    values = self._values_.to(*args, **kwargs)
    if values is self._values_:
        return self
    return s.make(self.layout, tuple(i.to(values.device) for i in self._indices_), values, self.shape, self._coalesced)


def _cast(dtype: Any) -> Callable:
    return lambda self: to(self, dtype)


def requires_grad_(self: Any, requires_grad: bool = True) -> Any:
    """Set `requires_grad` of this leaf."""
    if modes.local.transforms:
        raise _errors.func.inside_a_transform("requires_grad_")
    return _require_grad(self, requires_grad)


def _require_grad(self: Any, requires_grad: bool = True) -> Any:
    values = self._values_
    self._values_ = values.detach() if values.is_leaf and not values.requires_grad else values
    self._values_._require_grad(requires_grad)
    return self


def _turned(self: Any) -> Any:
    if self.ndim > 2 or s.sparse_dim(self) < self.ndim:
        raise _errors.layouts.too_many_dims(s.sparse_dim(self), dense_dim(self))
    return self if self.ndim < 2 else transpose(self, 0, 1)


def stride(self: Any, dim: Any = None) -> Any:
    """Return zeros, because a COO tensor has no strided memory."""
    if self.layout is not mf.sparse_coo:
        raise _errors.layouts.no_strides(self.layout, "strides")
    return (0,) * self.ndim if dim is None else 0


def is_contiguous(self: Any, *, memory_format: Any = None) -> bool:
    """Return False. Raise RuntimeError for CSR and CSC tensors, which have no strides."""
    if self.layout is not mf.sparse_coo:
        raise _errors.layouts.no_strides(self.layout, "is_contiguous")
    return False


def type(self: Any, dtype: Any = None) -> Any:
    """Return the type name of the tensor, or the tensor converted to `dtype`: a dtype, a legacy type or its name."""
    if isinstance(dtype, str):
        return to(self, legacy_types.of_name(dtype)[0])
    if dtype is not None:
        return to(self, dtype.dtype if isinstance(dtype, legacy_types.TensorType) else dtype)
    if self.layout is mf.sparse_coo:
        return legacy_types.name_of(self)
    return _errors.dtypes.type_text(self).replace("torch.", "torch.sparse_csr.", 1)


def cpu(self: Any, *, memory_format: Any = None) -> Any:
    """Return the tensor on the CPU, or the tensor itself if it is already there."""
    return to(self, "cpu")


def _item(self: Any, index: Any) -> Any:
    """Return `self[index]`. Only ints and tuples of ints are supported."""
    for i in index if isinstance(index, tuple) else (index,):
        if not isinstance(i, int) or isinstance(i, bool) or not isinstance(self, SparseTensor):
            raise _errors.layouts.refused("getitem with an index other than integers", mf.sparse_coo)
        self = select(self, 0, i)
    return self


def _iterated(self: Any) -> Any:
    return iter([select(self, 0, i) for i in range(len(self))])


def norm(self: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """Return the norm of all elements."""
    if self.layout is not mf.sparse_coo or p == "nuc":
        raise _errors.layouts.refused("norm", self.layout)
    if dtype is not None:
        raise _errors.arguments.unsupported("norm of a sparse tensor", "dtype")
    if dim is not None:
        raise _errors.layouts.norm_of_all(
            "only supports full reductions, so 'dim' must either be empty or contain all dimensions of the input"
        )
    if keepdim:
        raise _errors.layouts.norm_of_all("does not support keepdim=True")
    return _convert.coalesce(self)._values_.norm(p)


def _set_data(self: Any, other: Any) -> None:
    if not isinstance(other, SparseTensor) or other.layout is not self.layout:
        raise _errors.layouts.refused("data of another layout", self.layout)
    values = other._values_.detach()
    self._indices_, self._size, self._coalesced = other._indices_, other._size, other._coalesced
    self._values_ = values._require_grad() if self.requires_grad and self.is_leaf else values


def numpy(self: Any, *, force: bool = False) -> Any:
    """Raise PyTorch's error, because a sparse tensor cannot be converted to an array."""
    raise _errors.layouts.no_array(self.layout)


def data_ptr(self: Any) -> int:
    """Raise PyTorch's error, because a sparse tensor has no storage."""
    raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


def _length(self: Any) -> int:
    return self.shape[0]


def _reduce(self: Any, protocol: Any) -> tuple:
    return _rebuild, (
        self.layout,
        self._indices_,
        self._values_.detach(),
        tuple(self.shape),
        self._coalesced,
        self.requires_grad and self.is_leaf,
    )


def _rebuild(layout: Any, members: tuple, values: Tensor, size: tuple, coalesced: bool, requires_grad: bool) -> Any:
    made = s.make(layout, members, values, size, coalesced)
    return _require_grad(made) if requires_grad else made


def _copied(self: Any, memo: dict) -> Any:
    if not self.is_leaf:
        raise _errors.memory.non_leaf_deepcopy()
    made = s.like(self, self._values_.detach().clone())
    memo[id(self)] = made
    return _require_grad(made) if self.requires_grad else made


def new(self: SparseTensor, *args: Any, device: Any = None) -> Tensor:
    """Return a sparse tensor from indices, values and an optional size, or an empty one of a size."""
    if self.layout is not mf.sparse_coo:
        raise _errors.layouts.refused("new", self.layout)
    return legacy_types.new(self, *args, device=self.device if device is None else device)


def _rule(name: str) -> Any:
    return REGISTRY[name].sparse


OF_SPARSE: dict[str, Any] = {
    f.__name__: f
    for f in (
        clone,
        detach,
        to,
        type,
        cpu,
        requires_grad_,
        _require_grad,
        stride,
        is_contiguous,
        numpy,
        data_ptr,
        select,
        is_conj,
        is_neg,
        norm,
        new,
    )
}
OF_SPARSE |= {name: _cast(dtype) for name, dtype in {**_dtypes.ALIASES, "bfloat16": _dtypes.bfloat16}.items()}
OF_SPARSE |= {
    "t": _turned,
    "tolist": data_ptr,
    "sum": _rule("sum"),
    "div": _rule("div"),
    "grad": vars(SparseTensor)["grad"],
    "__repr__": lambda self, *, tensor_contents=None: _show.text(self),
    "__reduce_ex__": _reduce,
    "__deepcopy__": _copied,
    "__len__": _length,
    "__neg__": neg,
    "__mul__": mul,
    "__rmul__": mul,
    "__add__": _rule("add"),
    "__radd__": lambda self, other: _rule("add")(other, self),
    "__sub__": sub,
    "__rsub__": lambda self, other: sub(other, self),
    "__truediv__": _rule("div"),
    "__matmul__": _rule("matmul"),
    "__rmatmul__": lambda self, other: _rule("matmul")(other, self),
    "__pow__": _rule("pow"),
    "__abs__": _rule("abs"),
    "__hash__": lambda self: id(self),
    "__array__": lambda self, dtype=None, copy=None: numpy(self),
    "__format__": object.__format__,
    "__getitem__": _item,
    "__iter__": _iterated,
    "is_pinned": lambda self, device=None: False,
}
OF_SPARSE |= {
    "T": property(_turned),
    "mT": property(lambda self: transpose(self, -2, -1)),
    "is_sparse": property(lambda self: self.layout is mf.sparse_coo),
    "is_sparse_csr": property(lambda self: self.layout is mf.sparse_csr),
    "data": property(detach, _set_data),
}


OF_SPARSE |= _write.METHODS


def _refusing(name: str) -> Callable:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise _errors.layouts.refused(name, self.layout)

    return refuse


_OF_PYTHON = (
    "__dict__",
    "__weakref__",
    "__slots__",
    "__module__",
    "__doc__",
    "__new__",
    "__init_subclass__",
    "__array_priority__",
    "__annotations__",
)


def bind() -> None:
    """Bind the methods of all layouts to `Tensor`, and the sparse methods and refusals to `SparseTensor`."""
    for name, method in OF_ALL.items():
        setattr(Tensor, name, method)
    for name, op in REGISTRY.items():
        if op.sparse is not None and hasattr(Tensor, name):
            OF_SPARSE.setdefault(name, op.sparse)
    for name, method in OF_SPARSE.items():
        setattr(SparseTensor, name, method)
    known = {*_SHARED, *OF_ALL, *OF_SPARSE, *_OF_PYTHON, *vars(SparseTensor)}
    for name, found in list(vars(Tensor).items()):
        if name not in known and (callable(found) or isinstance(found, property)) and not _is_internal(name):
            refusing = _refusing(name.strip("_") if name.startswith("__") else name)
            setattr(SparseTensor, name, property(refusing) if isinstance(found, property) else refusing)


def _is_internal(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
