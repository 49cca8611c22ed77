"""Losses."""

from __future__ import annotations

from torchlike._ops._declare import Array, namespace, operator


def reduced(loss, reduction: str):
    """A loss per element, reduced as asked."""
    if reduction == "none":
        return loss
    xp = namespace(loss)
    return xp.mean(loss) if reduction == "mean" else xp.sum(loss)


@operator(where=("nn.functional",), out=False)
def mse_loss(input: Array, target: Array, reduction: str = "mean"):
    """The squared difference, (input - target)**2."""
    d = input - target
    return reduced(d * d, reduction)
