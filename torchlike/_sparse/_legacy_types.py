"""The legacy types of sparse COO tensors, such as `torch.sparse.FloatTensor`."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._composite.legacy_types import NAMES, TensorType
from torchlike._dtypes import memory_format as mf
from torchlike._engine import Size
from torchlike._errors.warned import once
from torchlike._sparse._make import sparse_coo_tensor
from torchlike._tensor.tensor import Tensor


class SparseTensorType(TensorType):
    """The metaclass of the legacy sparse types: `isinstance(t, sparse.FloatTensor)` also compares the layout."""

    layout = mf.sparse_coo

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        if args and isinstance(args[0], Tensor):
            if len(args) not in (2, 3) or not all(map(isinstance, args, (Tensor, Tensor, tuple | list))):
                raise _errors.arguments.no_overload("new", ", ".join(map(_errors.arguments.type_name, args)))
            once(_errors.layouts.old_constructor("indices, values" + ", shape" * (len(args) == 3)))
            return sparse_coo_tensor(*args, dtype=args[1].dtype, device=device, requires_grad=False)
        if len(args) == 1 and isinstance(args[0], tuple | list):
            if not isinstance(args[0], Size):
                raise TypeError(_errors.layouts.ONLY_SIZES)
            args = tuple(args[0])
        once(_errors.layouts.old_constructor("shape") if args else _errors.layouts.OLD_EMPTY_CONSTRUCTOR)
        return sparse_coo_tensor(size=args or (0,), dtype=cls.dtype, device=device)


def _make(stem: str) -> SparseTensorType:
    doc = f"PyTorch's legacy constructor of sparse {NAMES[stem]!r} tensors, from indices and values, or from a shape."
    space = {"dtype": NAMES[stem], "kind": "cpu", "__module__": "torch.sparse", "__doc__": doc}
    return SparseTensorType(f"{stem}Tensor", (), space)


TYPES = {f"{stem}Tensor": _make(stem) for stem in NAMES if stem != "Bool"}
