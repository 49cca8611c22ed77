"""The connectionist temporal classification loss (Graves et al., 2006).

One pass along the sequence sums over all alignments of the target with the sequence.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import lax

from torchlike import _errors
from torchlike._ops.nn.loss import composed, reduced
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.declare import Array, operator
from torchlike._ops.schema.typing_rules import Call

_NEVER = -1e30  # stands for log(0); finite, so that its gradient is 0 rather than NaN


def _negative_log(log_probs, path, skips, lengths, ends):
    """Return -log of the total probability of all alignments, with shape (N,).

    Args:
      log_probs: (T, N, C).
      path: (N, L), the states of an alignment: a start state before the first frame, then blanks and classes in
        alternation.
      skips: (N, L), True where the preceding blank may be skipped.
      lengths: (N,), the number of frames of each sequence.
      ends: (N,), the index of the last state.
    """
    before = jnp.arange(path.shape[1]) == 0
    start = jnp.broadcast_to(jnp.where(before, 0.0, _NEVER).astype(log_probs.dtype), path.shape)

    def frame(state, given):
        t, now = given
        spoken = jnp.where(before, _NEVER, jnp.take_along_axis(jnp.maximum(now, _NEVER), path, 1))
        one, two = (jnp.pad(state, ((0, 0), (n, 0)), constant_values=_NEVER)[:, :-n] for n in (1, 2))
        reached = jnp.logaddexp(jnp.logaddexp(state, one), jnp.where(skips, two, _NEVER)) + spoken
        return jnp.where((t < lengths)[:, None], jnp.maximum(reached, _NEVER), state), None

    last, _ = lax.scan(frame, start, (jnp.arange(log_probs.shape[0]), log_probs))
    at = lambda place: jnp.take_along_axis(last, place[:, None], 1)[:, 0]
    return -jnp.logaddexp(at(ends), at(ends - 1))


@functools.partial(jax.custom_jvp, nondiff_argnums=(5,))
def _losses(log_probs, path, skips, lengths, ends, zero_infinity: bool):
    loss = _negative_log(log_probs, path, skips, lengths, ends)
    return jnp.where(loss > -_NEVER / 2, 0.0 if zero_infinity else jnp.inf, loss).astype(log_probs.dtype)


@_losses.defjvp
def _losses_jvp(zero_infinity, primals, tangents):
    log_probs, *where = primals
    lengths = where[2]
    # PyTorch returns the gradient with respect to the scores (the input of the `log_softmax` that gave `log_probs`).
    share = jax.grad(lambda x: jnp.sum(_negative_log(x, *where)))(log_probs) + jnp.exp(log_probs)
    loss = _negative_log(log_probs, *where)
    share = jnp.where((loss > -_NEVER / 2)[:, None], 0.0 if zero_infinity else jnp.nan, share)
    share = jnp.where((loss != loss)[:, None], jnp.nan, share)
    heard = jnp.arange(log_probs.shape[0])[:, None, None] < lengths[:, None]
    change = jnp.sum(jnp.where(heard, share, 0.0) * tangents[0], (0, 2))
    return _losses(log_probs, *where, zero_infinity), change.astype(log_probs.dtype)


def _shape(call: Call) -> list:
    return [call.log_probs.shape[1:2] if call.reduction == "none" else ()]


def _check(call: Call) -> None:
    _errors.losses.check_ctc(call)


@operator(
    autocast=FULL_ON_CPU,
    where=(),
    out=False,
    shape=_shape,
    check=_check,
    name="_ctc_loss",
    numpy=False,
    keeps=("targets", "input_lengths", "target_lengths"),
    underivable="aten::_ctc_loss_backward",
    node=composed(lambda call: "WhereBackward0" if call.zero_infinity else "CtcLossBackward0"),
)
def _ctc_loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int,
    reduction: str,
    zero_infinity: bool,
):
    """Compute -log of the probability of each target sequence.

    `log_probs` has the shape (T, N, C), and `targets` (N, S). The reduction "mean" first divides each loss by the
    length of its target.
    """
    n, most = targets.shape
    classes = jnp.full((n, 2 * most + 2), -1).at[:, 2::2].set(targets.astype(int))
    path = classes.at[:, 1::2].set(blank)
    before = jnp.pad(path, ((0, 0), (2, 0)), constant_values=-1)[:, :-2]
    skips = (jnp.arange(path.shape[1]) % 2 == 0) & (path != before)
    loss = _losses(log_probs, path, skips, input_lengths, 2 * target_lengths + 1, zero_infinity)
    if reduction == "mean":
        loss = loss / jnp.maximum(target_lengths, 1).astype(loss.dtype)
    return reduced(loss, reduction)
