"""Random statements that make views, for the generated programs."""

from __future__ import annotations

import torch

from tests.fuzz.programs import Writer

Maker = str | None


def view(w: Writer) -> str | None:
    """Return a statement that makes a view of a live tensor, or None. One in fourteen has invalid arguments."""
    name = w.tensor()
    assert name is not None
    several = w.number(8) == 0
    if several:
        made = _several(w, name)
        if made is None:
            return None
        targets = [w.fresh() if i == 0 else w.pick("abcdefgh") for i in range(2)]
        if w.chance(50) and targets[0] != targets[1]:
            return f"{targets[0]}, {targets[1]} = {name}.{made}[:2]"
        return f"{targets[0]} = {name}.{made}[{w.pick([0, -1, 1])}]"
    made = one(w, name)
    return None if made is None else f"{w.fresh()} = {made}"


def one(w: Writer, name: str) -> Maker:
    """Return an expression for one view of a tensor, or None if the chosen kind of view does not fit."""
    t = w[name]
    makers = _ANY + (_WITH_DIMS if t.ndim else []) + (_MATRIX if t.ndim >= 2 else [])
    if t.is_complex():
        makers = [*makers, _complex, _complex, _complex]
    made = w.pick(makers)(w, t)
    if made is None:
        return None
    return made.replace("SELF", name) if "SELF" in made else f"{name}.{made}"


def dim(w: Writer, t: torch.Tensor) -> int:
    """Return a dim, counted from either end. In 2% of the calls it is out of range by one."""
    if w.chance(2):
        return t.ndim
    d = w.number(max(t.ndim, 1))
    return d - max(t.ndim, 1) if w.chance(30) else d


def _of_size(w: Writer, count: int) -> tuple[int, ...]:
    options = [(count,), (-1,), (1, count), (count, 1)]
    options += [(n, count // n) for n in (2, 3) if count and count % n == 0]
    options += [(2, -1), (-1, 2)] if count % 2 == 0 and count else []
    options += [(2, 1, count // 2)] if count % 2 == 0 and count else []
    options += [()] if count == 1 else []
    if w.chance(4):
        return (5, 2)
    return w.pick(options)


def _view(w, t):
    return f"view({_of_size(w, t.numel())})"


def _reshape(w, t):
    return f"reshape({_of_size(w, t.numel())})"


def _expand(w, t):
    shape = [2 if n == 1 and w.chance(60) else w.pick([n, -1]) for n in t.shape]
    lead = [2] if w.chance(40) else []
    return f"expand({', '.join(map(str, lead + shape))})" if lead + shape else "expand(())"


def _unsqueeze(w, t):
    return f"unsqueeze({w.number(t.ndim + 1)})"


def _squeeze(w, t):
    return f"squeeze({dim(w, t)})" if t.ndim and w.chance(50) else "squeeze()"


def _alias(w, t):
    return w.pick(["detach()", "view_as(SELF)", "[...]", "data", "expand_as(SELF)", "detach()", "alias()"]).replace(
        "alias()", "view(SELF.shape)"
    )


def _same(w, t):
    made = _alias(w, t)
    if made == "[...]":
        return "SELF[...]"
    return "SELF." + made


def _flatten(w, t):
    made = "flatten()" if w.chance(60) else "ravel()"
    # Where PyTorch copies an inference tensor, the copy may be a view with a higher version (docs/differences.md).
    return "flatten()" if t.is_inference() and not t.is_contiguous() else made


def _as_strided(w, t):
    held = t.untyped_storage().nbytes() // t.element_size()
    if not held or (t.requires_grad and t._base is not None and t._base.dtype is not t.dtype):
        return None  # torchlike refuses `as_strided` of a view whose base has another dtype (docs/differences.md)
    options = [((held,), (1,)), ((1,), (1,)), ((), ())]
    options += [((2, held // 2), (held // 2, 1)), ((held // 2,), (2,)), ((2,), (0,))] if held >= 2 else []
    options += [((2, 2), (1, 1)), ((2, 2), (1, 2 if held > 3 else 1))] if held >= 3 else []
    size, stride = w.pick(options)
    reach = 1 + sum((n - 1) * s for n, s in zip(size, stride))
    offset = w.number(held - reach + 1) if reach <= held else 0
    return f"as_strided({size}, {stride}, {offset})" if w.chance(80) else f"as_strided({size}, {stride})"


def _select(w, t):
    d = dim(w, t)
    n = t.shape[d] if -t.ndim <= d < t.ndim else 1
    return f"select({d}, {w.number(n)})"


def _narrow(w, t):
    d = dim(w, t)
    n = t.shape[d] if -t.ndim <= d < t.ndim else 1
    start = w.number(n + 1)
    return f"narrow({d}, {start}, {w.number(n - start + 1)})"


def slice_text(w, n: int) -> str:
    """Return a slice of a dim of size `n`, as text."""
    options = [":", "1:", ":-1", "::2", f":{max(n - 1, 0)}", "1:2", "-2:", "0:0", "1::2"]
    return w.pick(options)


def index_text(w: Writer, t: torch.Tensor) -> str:
    """Return a basic index of `t`, as text."""
    parts = []
    for n in t.shape[: w.number(t.ndim) + 1]:
        way = w.number(10)
        if way < 4 and n:
            parts.append(str(w.pick([0, n - 1, -1])))
        elif way == 8:
            parts += ["None", slice_text(w, n)]
        else:
            parts.append(slice_text(w, n))
    if w.chance(12):
        parts.append("...") if w.chance(50) else parts.insert(0, "...")
    return ", ".join(parts) or "..."


def _index(w, t):
    return f"SELF[{index_text(w, t)}]"


def _nested(w, t):
    return f"SELF[{w.number(t.shape[0])}][{w.pick(['0', ':', '...', '::2', 'None'])}]" if t.shape[0] else None


def _unfold(w, t):
    d = dim(w, t)
    n = t.shape[d] if -t.ndim <= d < t.ndim else 1
    return f"unfold({d}, {w.pick([1, min(2, n), n])}, {w.pick([1, 2, 1])})"


def _permute(w, t):
    order = list(range(t.ndim))
    for i in range(t.ndim - 1, 0, -1):
        j = w.number(i + 1)
        order[i], order[j] = order[j], order[i]
    return f"permute({', '.join(map(str, order))})"


def _transpose(w, t):
    return f"{w.pick(['transpose', 'swapaxes', 'swapdims'])}({dim(w, t)}, {dim(w, t)})"


def _t(w, t):
    if t.ndim == 2:
        return w.pick(["t()", "T", "mT"])
    return w.pick(["mT", "t()"] if t.ndim == 3 else ["mT"])


def _movedim(w, t):
    return f"movedim({dim(w, t)}, {dim(w, t)})"


def _diagonal(w, t):
    return "diagonal()" if w.chance(50) else f"diagonal({w.pick([0, 1, -1])}, {dim(w, t)}, {dim(w, t)})"


def _flatten_two(w, t):
    start = w.number(t.ndim)
    return f"flatten({start}, {start + w.number(t.ndim - start)})"


def _unflatten(w, t):
    d = w.number(t.ndim)
    n = t.shape[d]
    sizes = w.pick(
        [(n, 1), (1, n), (-1,), (2, -1)] if n % 2 == 0 and n else [(n, 1), (1, n), (-1, 1)] if n else [(0, 2)]
    )
    return f"unflatten({d}, {sizes})"


def _complex(w, t):
    return w.pick(["real", "imag", "torch.view_as_real(SELF)", "real"])


def _several(w: Writer, name: str) -> Maker:
    t = w[name]
    if not t.ndim:
        return "unbind(0)" if w.chance(20) else None
    d = dim(w, t)
    n = t.shape[d] if -t.ndim <= d < t.ndim else 1
    return w.pick(
        [
            f"unbind({d})",
            f"split({w.pick([1, 2])}, {d})",
            f"chunk(2, {d})",
            f"tensor_split(2, {d})",
            f"split([{n // 2}, {n - n // 2}], {d})",
            f"tensor_split([1], {d})",
        ]
    )


_ANY = [_view, _view, _reshape, _expand, _unsqueeze, _squeeze, _same, _same, _flatten, _as_strided]
_WITH_DIMS = [_select, _select, _narrow, _index, _index, _index, _index, _unfold, _unflatten, _nested]
_MATRIX = [_permute, _permute, _transpose, _transpose, _t, _t, _movedim, _diagonal, _diagonal, _flatten_two]
