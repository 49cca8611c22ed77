"""Random programs of views, conjugates, negatives and writes, as lines of Python that run under both libraries."""

from __future__ import annotations

import math
import random
from typing import Any

import torch as theirs

import torchlike

_VIEWS = (
    "{}.conj()",
    "{}.conj()",
    "{}.mH",
    "{}.adjoint()",
    "torch._neg_view({})",
    "{}[0]",
    "{}[..., 1:]",
    "{}[::2]",
    "{}.transpose(0, -1)",
    "{}.unsqueeze(0)",
    "{}.reshape(-1)",
    "{}.diagonal()",
    "{}.detach()",
    "{}.T.contiguous()",
    "{}.unbind(0)[-1]",
    "{}.squeeze()",
    "torch.view_as_real({})",
    "{}.contiguous()",
)
_PARTS = ("{}.imag", "{}.conj().imag", "{}.real", "{}.conj().real", "torch.view_as_complex({})")
_COPIES = (
    "{}.clone()",
    "{}.resolve_conj()",
    "{}.resolve_neg()",
    "{}.conj_physical()",
    "-{}",
    "{} * 2",
    "{} + {}",
    "{}.sum(0)",
    "{}.flip(0)",
    "torch.cat([{}, {}])",
    "{}.to(torch.complex128)",
    "{}.abs()",
)
_WRITES = (
    "{}.mul_(2)",
    "{}.add_({})",
    "{}.mul_(1j)",
    "{}[0] = 3",
    "{}[..., -1] = 4",
    "{}.copy_({})",
    "{}.neg_()",
    "{}.conj_physical_()",
    "{}.zero_()",
    "{}.fill_(3)",
    "{}.imag = 7",
    "{}.real = {}.imag",
    "{}.t_()",
    "{}.unsqueeze_(0)",
    "torch.mul(base.detach(), 2j, out={})",
    "@[@.abs() > 2] = 2",
    "{}.sub_({}.conj())",
    "{}.resize_(3)",
    "{}.detach_()",
    "{}.detach().mul_(2)",
    "{}.conj().imag.add_(1)",
)
_NAMES = "abcdef"


# Parts of messages that are not compared, and that end a comparison: defects of PyTorch, and errors among which PyTorch
# chooses differently if two apply.
_NOT_COMPARED = (
    "returned an invalid gradient",
    "created in no_grad mode",
    "into a leaf",
    "cannot resize variables",
    "report a bug",
    "ConjPhysical1",
)


def program(seed: int) -> list[str]:
    """Return the lines of one program. Each line writes to a tensor or assigns a new value to a name."""
    choose = random.Random(seed)
    lines = [choose.choice(["a = base * 1", "a = base.clone()", "a = base.detach().clone()"])]
    known = ["a"]
    for _ in range(9):
        kind = choose.choices((_VIEWS, _PARTS, _COPIES, _WRITES), (6, 3, 2, 6))[0]
        line = choose.choice(kind).replace("@", choose.choice(known[-3:]))
        for _ in range(line.count("{}")):
            line = line.replace("{}", choose.choice(known[-3:]), 1)
        if kind is not _WRITES:
            name = _NAMES[len(known)] if len(known) < len(_NAMES) else choose.choice(_NAMES)
            line = f"{name} = {line}"
            known = [n for n in known if n != name] + [name]
        if choose.random() < 0.1:
            line = f"with torch.no_grad(): {line}"
        lines.append(line)
    return lines


def observe(lines: list[str], torch: Any) -> list:
    """Return the observable state after each line, and finally the gradient of the leaf at which the program begins."""
    base = torch.tensor([[1 + 2j, 3 - 4j, 0.5 + 1j], [5 + 6j, 7j, -1 + 0.25j]], requires_grad=True)
    names: dict[str, Any] = {"torch": torch, "base": base}
    seen = []
    for line in lines:
        error = None
        try:
            exec(line, names)
        except Exception as raised:
            error = type(raised).__name__, str(raised).partition("\n")[0]
        seen.append((error, {n: _facts(t, torch) for n, t in names.items() if n in _NAMES}))
    try:
        live = [t for n, t in names.items() if n in _NAMES and t.requires_grad]
        sum((t.abs() ** 2).sum() for t in live).backward()  # type: ignore[attr-defined]
        seen.append((None, {"gradient": None if base.grad is None else base.grad.tolist()}))
    except Exception as raised:
        seen.append(((type(raised).__name__, str(raised).partition("\n")[0]), {}))
    return seen


def _facts(t: Any, torch: Any) -> tuple:
    start = t.data_ptr() - t.untyped_storage().data_ptr() if t.numel() else 0
    strides = [stride for stride, n in zip(t.stride(), t.shape) if n > 1]
    plain = tuple(t.shape), strides, t.storage_offset(), start, t.is_conj(), t.is_neg(), t._is_view(), t.requires_grad
    with torch.no_grad():  # under no_grad, views whose history is lost may be read
        return *plain, t.detach().resolve_conj().resolve_neg().tolist()


def difference(seed: int) -> str | None:
    """Run a program under both libraries, and return a description of the first difference.

    An error that says that torchlike does not support a feature ends the comparison.
    """
    lines = program(seed)
    due, mine = observe(lines, theirs), observe(lines, torchlike)
    for number, ((error, facts), (own_error, own)) in enumerate(zip(due, mine)):
        at = lines[number] if number < len(lines) else "backward"
        refusals = [e[1] for e in (error, own_error) if e is not None]
        if own_error and own_error[0] == "NotImplementedError" and own_error != error:
            return None
        if error != own_error:
            known = any(words in refusal for words in _NOT_COMPARED for refusal in refusals)
            return None if known else f"{at}: {own_error}, not {error}"
        for name, fact in facts.items():
            if not _equal(fact, own.get(name)):
                return f"{at}: {name} is {own.get(name)}, not {fact}"
    return None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, list | tuple):
        return isinstance(b, list | tuple) and len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, complex | float) and isinstance(b, complex | float):
        parts = [(z.real, w.real) for z, w in [(complex(a), complex(b))]] + [(complex(a).imag, complex(b).imag)]
        return all(math.isclose(x, y, rel_tol=1e-5, abs_tol=1e-5) or (x != x and y != y) for x, y in parts)
    return bool(a == b)
