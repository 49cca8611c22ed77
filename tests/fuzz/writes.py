"""Statements that write: in place, at indices, through `.data`, and in-place changes of a tensor's shape."""

from __future__ import annotations

import torch

from tests.fuzz import views
from tests.fuzz.arithmetic import index_parts, is_float, partner
from tests.fuzz.programs import Writer, has_history, shares

_UNARY = ["neg_", "abs_", "sin_", "tanh_", "sigmoid_", "relu_", "square_", "zero_", "sign_"]
_NUMBERS = ["2", "0.5", "-1", "1", "3"]


def number_for(w: Writer, t: torch.Tensor) -> str:
    """Choose a number to write into a tensor."""
    if t.dtype is torch.bool:
        return w.pick(["True", "False", "1"])
    return w.pick(_NUMBERS if is_float(t) or w.chance(10) else ["2", "1", "3", "0"])


def is_apart(t: torch.Tensor) -> bool:
    """Return whether no two indices share memory, ignoring expanded dims.

    If two indices shared memory, the result would depend on the order of writes.
    """
    dims = sorted((s, n) for s, n in zip(t.stride(), t.shape) if n > 1 and s)
    extent = 1
    for s, n in dims:
        if s < extent:
            return False
        extent += (n - 1) * s
    return True


def meets(o: torch.Tensor, t: torch.Tensor) -> bool:
    """Return whether an operand may overlap the written memory without an error from PyTorch.

    The result of such a write would depend on the order in which elements are read and written.
    """
    if o.untyped_storage()._cdata != t.untyped_storage()._cdata or o is t:
        return False
    return not _is_seen_in(o, t) and not (_is_dense(o) and _is_dense(t))


def _is_seen_in(o: torch.Tensor, t: torch.Tensor) -> bool:
    """Return whether two tensors view the same memory with the same offset, strides and shape."""
    place = lambda x: (x.untyped_storage()._cdata, x.storage_offset(), x.stride(), x.shape)
    return place(o) == place(t)


def _is_dense(t: torch.Tensor) -> bool:
    return (
        is_apart(t) and not _is_repeated(t) and t.numel() == 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride()))
    )


def _is_repeated(t: torch.Tensor) -> bool:
    return any(s == 0 and n > 1 for s, n in zip(t.stride(), t.shape))


def source_for(w: Writer, name: str) -> str:
    """Choose a tensor to write into another, usually one whose shape broadcasts to the target's."""
    t = w[name]

    def fits(o: torch.Tensor) -> bool:
        if not _castable(o, t) or meets(o, t):
            return False
        try:
            return torch.broadcast_shapes(o.shape, t.shape) == t.shape
        except RuntimeError:
            return False

    if w.chance(5):
        return w.tensor(lambda o: _castable(o, t) and not meets(o, t)) or name
    return w.tensor(fits) or name


def _castable(o: torch.Tensor, t: torch.Tensor) -> bool:
    """Return whether a conversion to the dtype of `t` gives the same numbers on every platform.

    For conversions from floats to integers, this is assumed only for multiples of 1/2 below 100.
    """
    if is_float(t) or t.dtype is torch.bool or not is_float(o):
        return True
    return bool((o.detach().real * 2 == (o.detach().real * 2).round()).all() and o.detach().abs().lt(100).all())


def target(w: Writer) -> str:
    """Choose the target of a write: a live tensor, or an expression for a view of one."""
    name = w.tensor()
    if not w.chance(30):
        return name
    made = views.one(w, name)
    return name if made is None or "detach" in made or "data" in made else made


def in_place(w: Writer) -> str | None:
    """Return a statement with an in-place operator."""
    name = w.tensor(is_apart)
    if name is None:
        return None
    t = w[name]
    subject = name
    if w.chance(25):
        made = views.one(w, name)
        if made is not None:
            scratch = dict(w.names)
            try:
                t = eval(made, scratch)
                subject = made
                if not is_apart(t):
                    return None
            except Exception:
                t = w[name]
    return w.pick(_KINDS)(w, subject, t, name)


def _unary(w, subject, t, name):
    return f"{subject}.{w.pick(_UNARY[: 1 if t.is_complex() else None])}()"


def _number(w, subject, t, name):
    way = w.number(8)
    n = number_for(w, t)
    if way < 3:
        return f"{subject}.{w.pick(['add_', 'mul_', 'sub_'])}({n})"
    if way < 5 and subject.isidentifier():
        return f"{subject} {w.pick(['+=', '*=', '-='])} {n}"
    if way == 5:
        return f"{subject}.fill_({n})"
    if way == 6 and is_float(t):
        return f"{subject}.div_({w.pick(['2', '4', '0.5'])})"
    return f"{subject}.clamp_(-1, 1)" if t.dtype is not torch.bool else None


def _tensor(w, subject, t, name):
    other = source_for(w, name) if subject == name else partner(w, name)
    if meets(w[other], t):
        return None
    way = w.number(6)
    if way < 3 and not (not is_float(t) and is_float(w[other]) and t.dtype is not torch.bool):
        return f"{subject}.{w.pick(['add_', 'mul_', 'sub_'])}({other})"
    if way == 3 and subject.isidentifier():
        return f"{subject} {w.pick(['+=', '*=', '-='])} {other}"
    if not _castable(w[other], t):
        return None
    return f"{subject}.copy_({other})"


def _masked(w, subject, t, name):
    if _is_repeated(t):
        return None
    mask = f"{name} > 0.3" if not w[name].is_complex() else f"{name} == 1"
    if subject != name:
        mask = f"torch.tensor({w.pick(['True', 'False'])})"
    return f"{subject}.masked_fill_({mask}, {number_for(w, t)})"


def _put(w, subject, t, name):
    if not t.ndim or not t.shape[0] or _is_repeated(t):
        return None
    n = t.shape[0]
    index = w.pick(["torch.tensor([0])", f"torch.tensor([0, {n - 1}])", f"torch.tensor([{n - 1}])"])
    value = f"torch.tensor({number_for(w, t)}, dtype={t.dtype})"
    accumulate = ", accumulate=True" if w.chance(50) else ""
    return w.pick(
        [
            f"{subject}.index_put_(({index},), {value}{accumulate})",
            f"{subject}.index_fill_(0, {index}, {number_for(w, t)})",
            f"{subject}.index_add_(0, {index}, {name}[:1])" if subject == name and index.count(",") == 0 else None,
            f"{subject}.index_copy_(0, torch.tensor([0]), {name}[{n - 1}:].clone())" if subject == name else None,
        ]
    )


def _scatter(w, subject, t, name):
    if not t.ndim or not t.shape[0]:
        return None
    index = f"torch.zeros({(1,) * t.ndim}, dtype=torch.int64)"
    return w.pick(
        [
            f"{subject}.scatter_({w.number(t.ndim)}, {index}, {number_for(w, t)})",
            f"{subject}.scatter_(0, {index}, torch.ones({(1,) * t.ndim}, dtype={t.dtype}))",
            f"{subject}.scatter_add_(0, {index}, torch.ones({(1,) * t.ndim}, dtype={t.dtype}))",
        ]
    )


def _several(w, subject, t, name):
    other = partner(w, name)
    if meets(w[other], t):
        return None
    options = [] if t.dtype is torch.bool else [f"{subject}.addcmul_({other}, {other})"]
    if t.is_floating_point():
        options += [f"{subject}.lerp_({other}, 0.5)"]
    if t.ndim >= 2:
        options += [f"{subject}.fill_diagonal_({number_for(w, t)})"]
    if t.ndim == 2 and is_float(t):
        # PyTorch reads the factors from memory while it writes to that memory (docs/differences.md).
        options += [f"{subject}.addmm_({name}.clone(), {name}.clone())"]
    return w.pick(options) if options else None


_KINDS = [_unary, _number, _number, _number, _tensor, _tensor, _tensor, _masked, _put, _scatter, _several]


def by_index(w: Writer) -> str | None:
    """Return a plain or augmented assignment to an index, or to an index of an indexed tensor."""
    name = w.tensor(lambda t: t.ndim and is_apart(t))
    if name is None:
        return None
    t = w[name]
    index = index_parts(w, t, name) if w.chance(40) and not _is_repeated(t) else views.index_text(w, t)
    if w.chance(25) and t.ndim > 1 and t.shape[0]:
        index = f"{w.number(t.shape[0])}][{w.pick(['0', ':', '-1', '::2', '...'])}"
    operator = w.pick(["=", "=", "+=", "*=", "="])
    if w.chance(55):
        return f"{name}[{index}] {operator} {number_for(w, t)}"
    scratch = dict(w.names)
    try:
        part = eval(f"{name}[{index}]", scratch)
    except Exception:
        return f"{name}[{index}] {operator} {number_for(w, t)}"

    written = part if part.untyped_storage()._cdata == t.untyped_storage()._cdata else t

    def fits(o: torch.Tensor) -> bool:
        if meets(o, written) or not _castable(o, t) or (not is_float(t) and is_float(o)):
            return False
        if written is t and _is_seen_in(o, t) and not _is_dense(t):
            return False  # PyTorch reads the operand while it writes to it (docs/differences.md)
        try:
            return torch.broadcast_shapes(o.shape, part.shape) == part.shape
        except RuntimeError:
            return False

    other = w.tensor(fits)
    return f"{name}[{index}] {operator} {other or number_for(w, t)}"


def shape_in_place(w: Writer) -> str | None:
    """Return a statement that changes a tensor's shape, strides or memory in place."""
    name = w.tensor()
    t = w[name]
    if t.requires_grad and not torch.is_grad_enabled() and shares(w, name):
        return None  # the gradient graphs of its views would become invalid, in PyTorch too (docs/differences.md)
    if t.retains_grad or t._backward_hooks:
        return None  # in PyTorch its gradients keep the old shape, and the next write fails (docs/differences.md)
    options = ["squeeze_()", f"unsqueeze_({w.number(t.ndim + 1)})"]
    if t.ndim >= 2:
        options += ["t_()"] * (t.ndim == 2) + [f"transpose_(0, {t.ndim - 1})", "swapaxes_(0, 1)"]
    if t.ndim == 2 or w.chance(30):
        options.append("t_()")
    options += _resize(w)
    options += [f"as_strided_((1,), (1,), {w.number(2)})" if t.numel() > 1 else "squeeze_()"]
    if w.chance(30):
        # If a view is given other memory, PyTorch still sends its gradients to its base (docs/differences.md).
        if t._base is not None:
            return f"{name}.detach_()"
        fits = lambda o: o.dtype is t.dtype and not (o.requires_grad or o.is_inference() or t.requires_grad)
        other = w.tensor(fits)
        return f"{name}.set_({other})" if other and w.chance(50) else f"{name}.detach_()"
    return f"{name}.{w.pick(options)}"


def _resize(w: Writer) -> list[str]:
    size = w.pick([(2,), (2, 2), (3,), (2, 3), (4, 2)])
    return [f"resize_({size}).fill_(1)"]  # the new elements of enlarged memory are undefined


def through_data(w: Writer) -> str | None:
    """Return a statement that writes to a tensor without autograd."""
    name = w.tensor(is_apart)
    if name is None:
        return None
    t = w[name]
    if t.is_inference():
        return None
    other = w.tensor(lambda o: o.dtype is t.dtype and not o.is_inference()) or name
    options = [f"{name}.detach().add_({number_for(w, t)})"]
    options += [f"{name}.data.mul_({number_for(w, t)})", f"{name}.data.zero_()"]
    # An assignment to `.data` is not visible through existing views. Gradients of tensors that were saved before it
    # differ (docs/differences.md).
    if not shares(w, name) and not (t.requires_grad and any(map(has_history, w.graph()))):
        options += [f"{name}.data = {other}.detach().clone()", f"{name}.data = {other}.data"]
    if t.ndim and t.shape[0]:
        options += [f"{name}.detach()[0] = {number_for(w, t)}", f"{name}.data[0] = {number_for(w, t)}"]
    return w.pick(options)
