"""Results whose gradients are zero: random numbers parameterized by tensor elements, and other constants."""

from __future__ import annotations

from torchlike._ops.schema.declare import Array, declare
from torchlike._ops.schema.typing_rules import Call, Typed


def _typing(call: Call) -> Typed:
    return Typed([call.made], None, [call.strides[-1]])


@declare(
    "operator",
    _typing,
    where=(),
    out=False,
    saves=(),
    keeps=("made",),
    opmath=False,
    remembers=(),
    node=lambda call: call.node,
)
def _made_from(input: Array, other: Array | None, made: Array, node: str):
    """Return `made` as a result of `input` and `other` with zero gradients. `node` names its gradient node."""
    return made
