"""The `repr` of sparse tensors."""

from __future__ import annotations

from typing import Any

from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import modes
from torchlike._sparse import _tensor as s
from torchlike._tensor import printing as _repr
from torchlike._tensor.tensor import Tensor

_INDENT = len("tensor(")
_MEMBERS = {
    "sparse_coo": ("indices",),
    "sparse_csr": ("crow_indices", "col_indices"),
    "sparse_csc": ("ccol_indices", "row_indices"),
}


def text(t: Any) -> str:
    """Return PyTorch's `repr` of a sparse tensor, character by character."""
    named = zip((*_MEMBERS[t.layout.name], "values"), (*t._indices_, t._values_))
    members = (",\n" + " " * _INDENT).join(_member(name, part) for name, part in named)
    node = t.grad_fn
    suffixes = [] if t.device.type == "cpu" else [f"device='{t.device}'"]
    suffixes += [f"size={tuple(t.shape)}", f"nnz={s.nnz(t)}"]
    if t.dtype not in (modes.default_dtype, modes.default_complex()) and str(t.dtype) not in _repr.SELF_EVIDENT:
        suffixes.append(f"dtype={t.dtype}")
    suffixes.append(f"layout={t.layout}")
    if node is not None or t.requires_grad:
        suffixes.append("requires_grad=True" if node is None else f"grad_fn=<{type(node).__name__}>")
    return _repr.with_suffixes("tensor(" + members, suffixes, _INDENT, new_line=t.layout is mf.sparse_coo)


def _member(name: str, t: Tensor) -> str:
    opening = f"{name}=tensor("
    shown = _repr.numbers(t.detach()._host(), _INDENT + len(opening))
    size = "" if t.numel() else f", size={tuple(t.shape)}"
    return f"{opening}{shown}{size})"
