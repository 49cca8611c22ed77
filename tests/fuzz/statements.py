"""The kinds of statements and their frequencies."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzz import arithmetic, creation, gradients, views, writes
from tests.fuzz.programs import Writer

# (weight, writer of one statement). A writer returns None if the live tensors do not allow its statement.
KINDS: list[tuple[int, Callable[[Writer], str | None]]] = [
    (10, creation.create),
    (22, views.view),
    (20, writes.in_place),
    (10, writes.by_index),
    (6, writes.shape_in_place),
    (4, writes.through_data),
    (14, arithmetic.compute),
    (9, gradients.backward),
    (5, gradients.grad),
    (6, gradients.flags),
    (2, gradients.hook),
    (2, gradients.mode),
    (2, gradients.delete),
]
_WHICH = [kind for weight, kind in KINDS for _ in range(weight)]
_MODES = ["torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)", "torch.inference_mode()"]
# Calls that are not generated in inference mode. They could mix tensors from inside and outside of the mode, which no
# real program relies on.
_PARTS_WITH_DATA = re.compile(r"\.data\b|set_\(|resize_\(|detach_|requires_grad")
_KEEPS_MODE = re.compile(r"\.(t|squeeze|unsqueeze|transpose|swapaxes|as_strided)_\(")


def write(writer: Writer) -> None:
    """Write one statement, sometimes inside a grad mode of its own."""
    if not writer.tensors():
        return writer.add(creation.create(writer))
    statement = writer.pick(_WHICH)(writer)
    if statement is None:
        return None
    if writer.chance(12) and not _KEEPS_MODE.search(statement):
        mode = writer.pick(_MODES if not _PARTS_WITH_DATA.search(statement) else _MODES[:-1])
        statement = f"with {mode}:\n    " + statement.replace("\n", "\n    ")
    return writer.add(statement)
