"""Statements that use autograd: backward, grad, flags, hooks, grad modes and deletions."""

from __future__ import annotations

import re

import torch

from tests.fuzz.arithmetic import is_float
from tests.fuzz.programs import Writer, has_history, nodes_behind, shares


def _wants_grad(t: torch.Tensor) -> bool:
    return t.requires_grad


def _loss(w: Writer, name: str) -> str:
    t = w[name]
    if t.is_complex():
        return f"{name}.abs().sum()" if w.chance(50) else f"({name} * {name}.conj()).real.sum()"
    other = w.tensor(lambda o: o.shape == t.shape and is_float(o) and not o.is_complex())
    options = [f"{name}.sum()", f"({name} * {name}).sum()", f"({name} * {other or name}).sum()", f"{name}.sin().sum()"]
    if not t.ndim:
        options.append(name)
    return w.pick(options)


def backward(w: Writer) -> str | None:
    """Write a `backward()` call, which accumulates gradients into leaves."""
    name = w.tensor(_wants_grad) if not w.chance(3) else w.tensor()
    if name is None:
        return None
    options = []
    if w.chance(35):
        options.append("retain_graph=True")
    if w.chance(10) and w[name].numel():  # no program relies on the graph of an empty gradient
        options.append("create_graph=True")
    if w.chance(8):
        options.append(f"inputs=[{w.tensor(_wants_grad) or name}]")
    if w.chance(30):
        t = w[name]
        weight = w.tensor(lambda o: o.shape == t.shape and o.dtype is t.dtype)
        if weight and is_moved(t):
            weight += ".clone()"
        options.insert(0, f"gradient={weight}" if weight and w.chance(50) else f"gradient=torch.ones_like({name})")
        return f"{name}.backward({', '.join(options)})"
    return f"{_loss(w, name)}.backward({', '.join(options)})"


# PyTorch's gradient nodes that pass on their gradient unchanged or as a view.
_MOVES = re.compile(
    r"(View|ReshapeAlias|UnsafeView|T|Transpose|Permute|Squeeze|Unsqueeze|Expand|Alias|Clone|Add|Sub"
    r"|ToCopy|ViewAsReal|ViewAsComplex|AsStrided|Copy|CopySlices)(Backward.*)?$"
)


def is_moved(t: torch.Tensor) -> bool:
    """Return whether a leaf may receive the initial gradient of backward, or a view of it.

    PyTorch would then store it as the leaf's gradient and accumulate the next gradient into the user's tensor
    (docs/differences.md).
    """
    moves = nodes_behind([t], lambda node: _MOVES.match(node.name().rpartition("::")[2]) is not None)
    return any("AccumulateGrad" in node.name() for node in moves)


def grad(w: Writer) -> str | None:
    """Write an `autograd.grad` call."""
    name = w.tensor(_wants_grad)
    if name is None:
        return None
    inputs = [w.tensor(_wants_grad) for _ in range(1 + w.number(2))]
    options = ""
    if w.chance(50) and w[name].numel():
        options += ", create_graph=True"
    elif w.chance(30):
        options += ", retain_graph=True"
    if w.chance(70):
        options += ", allow_unused=True"
    targets = [w.fresh(), w.pick("abcdefgh")][: len(inputs)]
    if len(set(targets)) < len(targets):
        targets = targets[:1]
        inputs = inputs[:1]
    found = f"torch.autograd.grad({_loss(w, name)}, [{', '.join(inputs)}]{options})"
    # Clone the gradients: their strides and the tensors that share their memory are unspecified.
    copies = f"(g if g is None else g.clone(memory_format=torch.contiguous_format) for g in {found})"
    return f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = {copies}"


def flags(w: Writer) -> str | None:
    """Write a read or change of a tensor's gradient attributes."""
    name = w.tensor()
    other = w.tensor(lambda o: o.shape == w[name].shape and o.dtype is w[name].dtype)
    if not w[name].requires_grad and shares(w, name):
        # Do not set requires_grad: no program relies on its effect on existing views.
        return f"{name}.retain_grad()"
    return w.pick(
        [
            f"{name}.requires_grad_()",
            f"{name}.requires_grad_(False)",
            f"{name}.retain_grad()",
            f"{name}.grad = None",
            f"{name}.requires_grad = True",
            f"{name}.detach_()",
            f"{name}.grad.zero_()",
            f"{name}.grad = {other}",
            f"{name}.requires_grad_()",
            f"{name}.retain_grad()",
            f"{w.fresh()} = {name}.grad",
        ]
    )


def hook(w: Writer) -> str | None:
    """Write the registration of a hook on a tensor."""
    # PyTorch crashes on a hook of a view without its own gradient graph. Such a view requires grad only because of its
    # base, or its base has lost the graph that the view still reports.
    apart = lambda t: t._base is None or not (has_history(t) or t._base.requires_grad)
    name = w.tensor(lambda t: apart(t) and t.requires_grad)
    if name is None:
        return None
    return w.pick(
        [
            f"{name}.register_hook(lambda g: g * 2)",
            f"{name}.register_hook(lambda g: log.append(g.detach().clone()))",
            f"{name}.register_post_accumulate_grad_hook(lambda t: log.append(t.grad.clone()))",
        ]
    )


def mode(w: Writer) -> str | None:
    """Write a change of the grad mode for the following statements."""
    return f"torch.set_grad_enabled({not torch.is_grad_enabled()})"


def delete(w: Writer) -> str | None:
    """Write the deletion of a name."""
    return f"del {w.tensor()}"
