"""`GradScaler`: loss scaling, which prevents float16 gradients from underflowing."""

from __future__ import annotations

import enum
import functools
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torchlike
from torchlike import _engine, _errors
from torchlike._composite.multi_tensor import share_memory
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import current
from torchlike._errors.warned import warn
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.overriding import has_own
from torchlike._tensor.storage import commit
from torchlike._tensor.tensor import Tensor


class OptState(enum.Enum):
    """The last operation on an optimizer since the last `update()`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """A scaler that multiplies losses by a scale and divides gradients by it. Steps with overflows are skipped.

    The scale is a tensor on the device, so a new value does not cause recompilation. The overflow check runs on the
    device. On an accelerator the device also skips the step, so `step()` does not wait for the check. It waits if the
    optimizer has step hooks or replaces `step`, if it is NAdam, RAdam, ASGD, Rprop, Adafactor, SparseAdam or no
    optimizer of torchlike, and if user code holds tensors of `optimizer.state`. Differences from PyTorch on an
    accelerator: a skipped step increments the versions of the parameters, and a learning rate scheduler does not warn
    if the very first step was skipped.

    Args:
      device: "cuda" or "cpu", the device of the losses.
      init_scale: the initial scale.
      growth_factor: the factor, above 1, applied to the scale after `growth_interval` steps without overflow.
      backoff_factor: the factor, below 1, applied to the scale after an overflow.
      growth_interval: the number of consecutive steps without overflow after which the scale grows.
      enabled: False makes all methods no-ops.

    >>> import torchlike as torch
    >>> w = torch.ones(1, requires_grad=True)
    >>> scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([w], lr=0.5)
    >>> scaler.scale(w.sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> w.tolist(), scaler.get_scale()
    ([0.5], 65536.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda" and not torchlike.cuda.is_available():
            warn(_errors.autocast.NO_CUDA_SCALER)
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._init_scale = init_scale
            self._scale: Tensor | None = None
            self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
            self._growth_interval = growth_interval
            self._init_growth_tracker = 0
            self._growth_tracker: Tensor | None = None
            self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_refresh_per_optimizer_state)

    # The attributes that guards of a captured call compare.
    _guarded = (
        "_enabled",
        "_device",
        "_growth_factor",
        "_backoff_factor",
        "_growth_interval",
        *("scale", "unscale_", "step", "update"),  # they may be replaced on the instance
    )

    def _followed(self) -> list:
        """Return the objects that a captured call reaches through this scaler and that it may change."""
        if not self._enabled:
            return []
        return [x for x in (self._scale, self._growth_tracker, self._per_optimizer_states) if x is not None]

    def _hold(self) -> None:
        """Add a guard to the current capture, if any: the scale must be the same tensor at replay."""
        capture, scale = current().capture, self._scale
        if capture is not None:
            capture.guards.append(lambda: self._scale is scale)

    def _check_scale_growth_tracker(self, what: str) -> tuple[Tensor, Tensor]:
        if self._scale is None or self._growth_tracker is None:
            raise AssertionError(
                f"Attempted {what} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )
        self._hold()
        return self._scale, self._growth_tracker

    def _lazy_init_scale_growth_tracker(self, device: Any) -> None:
        self._scale = torchlike.full((), self._init_scale, dtype=torchlike.float32, device=device)
        self._growth_tracker = torchlike.full((), self._init_growth_tracker, dtype=torchlike.int32, device=device)

    # -- training step -------------------------------------------------------------------------------------------------

    def scale(self, outputs: Tensor | Iterable[Tensor]) -> Any:
        """Multiply a loss, or each loss of an iterable, by the scale.

        Args:
          outputs: a tensor, or an iterable of tensors.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            assert self._scale is not None
            self._hold()
            return outputs * self._scale.to(outputs.device)
        if not isinstance(outputs, Iterable):
            raise _errors.autocast.outputs()
        made = map(self.scale, outputs)
        return type(outputs)(made) if isinstance(outputs, list | tuple) else made

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool
    ) -> dict[Any, Tensor]:
        """Multiply an optimizer's gradients by `inv_scale`. Return the overflow flags by device."""
        grads: dict[Any, list[Tensor]] = defaultdict(list)
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is None:
                    continue
                if grad.dtype is torchlike.float16 and not allow_fp16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if grad.is_sparse:
                    if grad.dtype is torchlike.float16:  # the sums of duplicates may overflow
                        grad = parameter.grad = grad.coalesce()
                    grad = grad._values()
                grads[grad.device].append(grad)
        with modes.no_grad():
            return {
                device: found_inf.to(device) + _unscale(each, inv_scale.to(device)) for device, each in grads.items()
            }

    def unscale_(self, optimizer: Any) -> None:
        """Divide an optimizer's gradients by the scale before `step()`, for example to clip them.

        `step()` does not divide them again.

        Args:
          optimizer: the optimizer.

        Raises:
          RuntimeError: the gradients of this step were divided already, or `step()` was called.
        """
        if not self._enabled:
            return
        scale, _ = self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        self._find_overflow(optimizer, scale, state, False)
        state["stage"] = OptState.UNSCALED

    def _find_overflow(self, optimizer: Any, scale: Tensor, state: dict, allow_fp16: bool) -> None:
        inverse = scale.double().reciprocal().float()
        none = torchlike.zeros((), dtype=torchlike.float32, device=scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, none, allow_fp16)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Unscale the gradients if needed, and call `optimizer.step(*args, **kwargs)` unless a gradient overflowed.

        Args:
          optimizer: the optimizer.
          *args, **kwargs: the arguments of its step.

        Raises:
          RuntimeError: `step()` was called since the last `update()`.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise _errors.autocast.no_checks("for this optimizer")
        result = None
        found = state["found_inf_per_device"]
        waits = args or kwargs or not _leaves_to_device(optimizer, found)
        if waits and not sum(flag.item() for flag in found.values()):
            result = optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Update the scale at the end of a step: grow it, shrink it after an overflow, or set it to `new_scale`.

        Args:
          new_scale: the new scale. By default it follows from the overflows.
        """
        if not self._enabled:
            return
        scale, tracker = self._check_scale_growth_tracker("update")
        if new_scale is not None:
            self._set(scale, new_scale)
        else:
            found = [
                f.to(scale.device)
                for s in self._per_optimizer_states.values()
                for f in s["found_inf_per_device"].values()
            ]
            if not found:
                raise _errors.autocast.no_checks("prior to update")
            with modes.no_grad():
                commit(
                    zip(
                        (scale, tracker),
                        [
                            t._value
                            for t in rows["_next_scale"](
                                scale,
                                tracker,
                                sum(found[1:], found[0]),
                                float(self._growth_factor),
                                float(self._backoff_factor),
                                self._growth_interval,
                            )
                        ],
                    )
                )
        self._per_optimizer_states.clear()
        # Flush, so that the update is not a part of the next step's program. Otherwise the program of the first step,
        # which has no preceding update, would differ from the programs of later steps.
        _engine.boundary()

    def _set(self, scale: Tensor, new: Any) -> None:
        if isinstance(new, float):
            scale.fill_(new)
        elif new.device.type != self._device or new.numel() != 1 or new.requires_grad:
            raise _errors.autocast.new_scale()
        else:
            scale.copy_(new)

    # -- settings ------------------------------------------------------------------------------------------------------

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def get_scale(self) -> float:
        """Return the scale as a number. Reading it blocks. Return 1.0 if scaling is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """Return the growth factor."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the growth factor.

        Args:
          new_factor: the factor, above 1.
        """
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the backoff factor."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the backoff factor.

        Args:
          new_factor: the factor, below 1.
        """
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return the number of consecutive steps without overflow before the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of consecutive steps without overflow before the scale grows.

        Args:
          new_interval: the number of steps.
        """
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Return whether scaling is enabled."""
        return self._enabled

    # -- saving and loading --------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the state as a dict, which is empty if scaling is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state that `state_dict()` returned.

        Args:
          state_dict: the dictionary.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end "
                    "after scaler.update()."
                )
            state |= {
                "_init_scale": self.get_scale(),
                "_init_growth_tracker": self._get_growth_tracker(),
                "_scale": None,
                "_growth_tracker": None,
            }
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _found_inf_per_device(self, optimizer: Any) -> dict[Any, Tensor]:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]


def _leaves_to_device(optimizer: Any, found: dict[Any, Tensor]) -> bool:
    """Let the device decide whether it skips the step. Return False if the optimizer cannot do such a step."""
    step = getattr(optimizer, "_step_unless", None)
    return step is not None and step(found)


def _unscale(grads: list[Tensor], inv_scale: Tensor) -> Tensor:
    own = [grad for grad in grads if has_own(grad)]
    if own:
        return _unscale_own(own, [grad for grad in grads if not has_own(grad)], inv_scale)
    if len(grads) > 1 and share_memory(grads, []):  # gradients that share memory are updated one by one
        return functools.reduce(torchlike.maximum, [_unscale([grad], inv_scale) for grad in grads])
    found, *scaled = rows["_unscaled"](grads, inv_scale)
    commit(zip(grads, [t._value for t in scaled]))
    return found


def _unscale_own(own: list[Tensor], others: list[Tensor], inv_scale: Tensor) -> Tensor:
    """Unscale gradients of a subclass such as `DTensor`. Read and return the overflow flag of all processes."""
    has_overflow = torchlike.stack([grad.isfinite().all().logical_not() for grad in own]).any()
    for grad in own:
        grad.mul_(inv_scale.reshape(()))
    found = torchlike.full_like(inv_scale, float(has_overflow))
    return torchlike.maximum(found, _unscale(others, inv_scale)) if others else found
