"""The `repr` of tensors."""

from __future__ import annotations

import textwrap

from torchlike._dtypes import modes
from torchlike._engine.trace.batching import Row
from torchlike._tensor import printing as _repr
from torchlike._tensor.tensor import Tensor, wrap


def tensor_text(t: Tensor, contents: str | None = None) -> str:
    """Return PyTorch's `repr` of a tensor, character by character. `contents` replaces the numbers."""
    value = t._value
    if isinstance(value, Row):
        inside = textwrap.indent(tensor_text(wrap(value.whole)), "    ")
        return f"BatchedTensor(lvl={value.level.depth}, bdim=0, value=\n{inside}\n)"
    node, kind = t.grad_fn, type(t)
    plain = kind.__module__.partition(".")[0] in ("torchlike", "torch")  # the names of the package in programs
    array = t._host() if not t.is_meta else None
    made_by = None if node is None else type(node).__name__
    text = _repr.tensor_repr(
        array,
        t.dtype,
        default_dtype=modes.default_dtype,
        requires_grad=t.requires_grad,
        grad_fn=made_by,
        device=str(t.device),
        size=tuple(t.shape),
        contents=contents,
        prefix="tensor(" if plain else f"{kind.__name__}(",
    )
    return text if plain or not hasattr(t, "_is_parameter") else f"Parameter({text})"
