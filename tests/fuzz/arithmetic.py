"""Statements that compute new tensors."""

from __future__ import annotations

import torch

from tests.fuzz.programs import Writer

UNARY = ["neg", "abs", "sin", "tanh", "sigmoid", "relu", "square", "clone", "sign", "exp", "sqrt", "reciprocal"]
_GENTLE = UNARY[:9]
REDUCTIONS = ["sum", "mean", "amax", "prod", "var", "norm"]
NUMBERS = ["2", "0.5", "-1", "1.5", "3", "True"]


def compute(w: Writer) -> str | None:
    """Write a statement that assigns the result of an operator to a new name, or return None if no operands fit."""
    made = w.pick([_unary, _binary, _binary, _binary, _number, _number, _reduce, _matmul, _other, _other, _index])(w)
    return None if made is None else f"{w.fresh()} = {made}"


def _small(t: torch.Tensor) -> bool:
    return t.dtype is torch.bool or not t.numel() or bool(t.detach().abs().max() < 8)


def _real(t: torch.Tensor) -> bool:
    return not t.is_complex() and t.dtype is not torch.bool


def is_float(t: torch.Tensor) -> bool:
    """Return whether the dtype of `t` supports gradients."""
    return t.is_floating_point() or t.is_complex()


def _unary(w):
    name = w.tensor()
    function = w.pick(UNARY if _small(w[name]) and w[name].dtype is torch.float32 else _GENTLE)
    return w.pick([f"{name}.{function}()", f"torch.{function}({name})"])


def partner(w: Writer, name: str) -> str:
    """Choose a second operand, usually one that broadcasts with the first."""
    shape = w[name].shape

    def fits(t: torch.Tensor) -> bool:
        try:
            return torch.broadcast_shapes(t.shape, shape) is not None
        except RuntimeError:
            return False

    return w.tensor() if w.chance(5) else w.tensor(fits)


def _binary(w):
    name = w.tensor()
    other = partner(w, name)
    operator = w.pick(["+", "*", "-", "+", "*", ">", "=="])
    if w.chance(15):
        return f"torch.{w.pick(['add', 'sub'])}({name}, {other}, alpha=2)"
    return f"{name} {operator} {other}"


def _number(w):
    name = w.tensor()
    number = w.pick(NUMBERS)
    operator = w.pick(["+", "*", "-", "*", "/"])
    return w.pick([f"{name} {operator} {number}", f"{name} {operator} {number}", f"{number} {operator} {name}"])


def _reduce(w):
    name = w.tensor()
    t = w[name]
    function = w.pick(["sum", "sum", "mean", "amax", "prod"])
    if t.ndim and w.chance(60):
        keep = ", keepdim=True" if w.chance(30) else ""
        return f"{name}.{function}({w.number(t.ndim)}{keep})"
    return f"{name}.{function}()"


def _matmul(w):
    name = w.tensor(lambda t: t.ndim in (1, 2) and t.dtype is not torch.bool)
    if name is None:
        return None
    t = w[name]
    other = w.tensor(lambda o: o.ndim in (1, 2) and o.shape[0] == t.shape[-1] and o.dtype is t.dtype)
    return f"{name} @ {other}" if other else f"{name} @ {name}.t()"


def _other(w):
    name = w.tensor()
    t = w[name]
    other = partner(w, name)
    options = [
        f"torch.where({name} == {name}, {name}, {other})",
        f"{name}.contiguous()",
        f"{name}.clone()",
        f"{name}.to(torch.float64)",
        f"{name}.float()",
        f"torch.zeros_like({name})",
        f"{name}.to({name}.dtype)",
        f"{name}.new_zeros({name}.shape)",
    ]
    if t.ndim:
        options += [
            f"torch.cat([{name}, {name}])",
            f"{name}.flip(0)",
            f"{name}.roll(1, 0)",
            f"{name}.cumsum(0)",
            f"{name}.index_select(0, torch.tensor([0]))",
        ]
    if not t.is_inference():  # PyTorch's copy of an inference tensor reports itself as a view (docs/differences.md)
        options += [f"torch.stack([{name}, {name}])"]
    if t.ndim and not t.is_inference():
        options += [f"{name}.repeat({', '.join(['2'] + ['1'] * (t.ndim - 1))})"]
    if _real(t):
        options += [f"{name}.clamp(-1, 1)", f"torch.maximum({name}, {other})", f"{name}.clamp(min=0.3)"]
    if t.ndim and t.is_floating_point():
        options += [f"{name}.softmax(-1)", f"torch.nn.functional.relu({name})"]
    return w.pick(options)


def index_parts(w: Writer, t: torch.Tensor, name: str) -> str | None:
    """Write an index with a tensor, a list or a mask in it, or return None for a zero-dim tensor."""
    if not t.ndim:
        return None
    n = t.shape[0]
    options = [f"{name} == {name}", "[0]" if n else "[]"]
    if _real(t):
        options += [f"{name} > 0.3"] * 2
    if n:
        options += [
            f"torch.tensor([0, {n - 1}])",
            "torch.tensor([0, 0])",
            "torch.tensor([-1])",
            f"torch.tensor({n - 1})",
        ]
        options += [f"torch.tensor({[i % 2 == 0 for i in range(n)]})"]
    if t.ndim > 1 and t.shape[1]:
        m = t.shape[1]
        options += [
            f":, torch.tensor([{m - 1}, 0])",
            "..., torch.tensor([0])",
            "None, torch.tensor([0])" if n else "...",
        ]
        if n:
            options += [
                "torch.tensor([0, 0]), torch.tensor([0, 0])",
                f"torch.tensor([[0], [{n - 1}]]), torch.tensor([0])",
            ]
    return w.pick(options)


def _index(w):
    name = w.tensor(lambda t: t.ndim)
    if name is None:
        return None
    return f"{name}[{index_parts(w, w[name], name)}]"
