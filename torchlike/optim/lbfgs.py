"""The L-BFGS optimizer: limited-memory BFGS with an optional line search (Nocedal and Wright, algorithm 7.5)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import CALLERS as rows
from torchlike.optim._checks import check_lr
from torchlike.optim._line_search import number, strong_wolfe
from torchlike.optim.optimizer import Optimizer, ParamsT


class LBFGS(Optimizer):
    """The L-BFGS optimizer. It corrects the gradient by an approximation of the inverse Hessian.

    The approximation is built from the changes of parameters and gradients in the last iterations. One `step` runs up
    to `max_iter` iterations and calls the closure in each. Only one parameter group is supported.

    Args:
      params: parameters, all in one group.
      lr: length of a step along the search direction, or the initial length of the line search.
      max_iter: maximal number of iterations in one `step`.
      max_eval: maximal number of evaluations of the closure in one `step`. The default is `max_iter * 5 // 4`.
      tolerance_grad: stop if no element of the gradient is larger in absolute value.
      tolerance_change: stop if the parameters or the loss change by less.
      history_size: number of pairs (change of parameters, change of gradient) to keep.
      line_search_fn: None or `"strong_wolfe"`.

    Raises:
      ValueError: `lr` is negative, or there is more than one group.
      RuntimeError: `line_search_fn` is unknown. The first step raises this.

    >>> import torchlike
    >>> p = torchlike.nn.Parameter(torchlike.tensor([3.0, -1.0]))
    >>> optimizer = torchlike.optim.LBFGS([p], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (p - 1).square().sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item()
    8.0
    >>> torchlike.allclose(p.detach(), torchlike.ones(2), atol=1e-4)
    True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(
            params,
            dict(
                lr=lr,
                max_iter=max_iter,
                max_eval=max_eval,
                tolerance_grad=tolerance_grad,
                tolerance_change=tolerance_change,
                history_size=history_size,
                line_search_fn=line_search_fn,
            ),
        )
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    # --- all parameters as one vector ---------------------------------------------------------------------------------

    def _gather_flat_grad(self) -> Tensor:
        return torchlike.cat([_flat(param, param.grad) for param in self._params])

    def _move(self, length: Any, direction: Tensor) -> None:
        """Add `length * direction` to the parameters."""
        start = 0
        for param in self._params:
            target = torchlike.view_as_real(param) if param.is_complex() else param
            stop = start + target.numel()
            target.add_(_placed_as(target, direction[start:stop].reshape(target.shape)), alpha=length)
            start = stop

    def _place(self, values: list[Tensor]) -> None:
        for param, value in zip(self._params, values):
            param.copy_(value)

    # --- the step -----------------------------------------------------------------------------------------------------

    @torchlike.no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Run up to `max_iter` iterations. Return the loss before the first iteration.

        Args:
          closure: a function that clears the gradients, recomputes the loss and its gradients, and returns the loss.
        """
        closure = torchlike.enable_grad()(closure)
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        state["func_evals"] += 1
        grad = self._gather_flat_grad()
        if grad.abs().max() > self.param_groups[0]["tolerance_grad"]:
            memory = _Memory(state, self.param_groups[0]["history_size"])
            self._iterate(closure, state, memory, float(first_loss), grad)
            memory.save(isinstance(self.param_groups[0]["lr"], Tensor))
        return first_loss

    def _iterate(self, closure: Callable, state: dict, memory: _Memory, loss: float, grad: Tensor) -> None:
        group, evaluations = self.param_groups[0], 1
        iteration = 0
        while iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            first = state["n_iter"] == 1
            direction = memory.direction(grad, first)
            memory.prev_flat_grad, memory.prev_loss = grad.clone(), loss
            lr = number(group["lr"].squeeze()) if isinstance(group["lr"], Tensor) else group["lr"]
            length = min(1.0, 1.0 / number(grad.abs().sum())) * lr if first else lr
            slope = number(grad.dot(direction))
            memory.t = length
            if slope > -group["tolerance_change"]:
                break
            last = iteration == group["max_iter"]
            left = group["max_eval"] - evaluations
            loss, grad, length, calls = self._search(closure, loss, grad, memory.d, length, slope, last, left)
            memory.t = length
            evaluations += calls
            state["func_evals"] += calls
            if last or evaluations >= group["max_eval"] or memory.settled(group, loss, grad):
                break

    def _search(
        self,
        closure: Callable,
        loss: float,
        grad: Tensor,
        direction: Tensor,
        length: Any,
        slope: Any,
        last: bool,
        evaluations_left: int,
    ) -> tuple[float, Tensor, Any, int]:
        """Move the parameters along the direction.

        Returns the new loss, the new gradient, the step length, and the number of calls of the closure.
        """
        search = self.param_groups[0]["line_search_fn"]
        if search is None:
            self._move(float(length), direction)
            if last:  # the loss and gradient after the last iteration are not used
                return loss, grad, length, 0
            return float(closure()), self._gather_flat_grad(), length, 1
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        start = [param.detach().clone() for param in self._params]

        def evaluate(length: Any) -> tuple[float, Tensor]:
            self._move(float(length), direction)
            loss, grad = float(closure()), self._gather_flat_grad()
            self._place(start)
            return loss, grad

        loss, grad, length, calls = strong_wolfe(
            evaluate, length, direction, loss, grad, slope, max_ls=evaluations_left
        )
        self._move(float(length), direction)
        return loss, grad, length, calls


def _as_number(length: Any) -> Any:
    return number(length) if isinstance(length, Tensor) else length


def _each(change: Callable, given: Any) -> Any:
    return [change(each) for each in given] if isinstance(given, list) else change(given)


def _as_tensor(length: Any, dtype: torchlike.dtype | None) -> Any:
    """Convert a NumPy scalar to a tensor, because PyTorch keeps such values in the state as tensors."""
    return torchlike.tensor(length, dtype=dtype) if isinstance(length, np.generic) else length


def _placed_as(param: Any, values: Tensor) -> Tensor:
    """Return values with the placements of a parameter, if it is a `DTensor`. All processes have the same values."""
    if not hasattr(param, "placements"):
        return values
    return param.from_local(values, param.device_mesh).redistribute(placements=param.placements)


def _flat(param: Tensor, grad: Tensor | None) -> Tensor:
    """Return a gradient as a real vector, or zeros if it is None. That of a `DTensor` is gathered."""
    flat = torchlike.zeros_like(param) if grad is None else grad.to_dense()
    gather = getattr(flat, "full_tensor", None)
    flat = flat if gather is None else gather()
    return (torchlike.view_as_real(flat) if flat.is_complex() else flat).view(-1)


class _Memory:
    """The values carried between iterations. The optimizer's state stores them between steps, as `NAMES`."""

    NAMES = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")

    d: Any  # the last search direction
    t: Any  # the last step length
    old_dirs: list[Tensor]  # changes of the gradient
    old_stps: list[Tensor]  # changes of the parameters
    ro: list[Any]  # 1 / (change of the gradient · change of the parameters)
    weights: Tensor | None = None  # the coefficients of the last two-loop recursion
    H_diag: Any
    prev_flat_grad: Tensor
    prev_loss: float

    def __init__(self, state: dict[str, Any], history_size: int) -> None:
        self.state, self.history_size = state, history_size
        for name in self.NAMES:
            setattr(self, name, state.get(name))
        for name in ("t", "H_diag", "ro"):  # tensors in the optimizer's state, numbers here
            setattr(self, name, _each(_as_number, getattr(self, name)))

    def save(self, wide_length: bool) -> None:
        """Write the values to the state. `wide_length`: the step length keeps the dtype of the rate, a tensor."""
        if self.weights is not None:
            al = self.state["al"]
            al[: len(self.ro)] = self.weights[: len(self.ro)].unbind()
        self.state.update({name: getattr(self, name) for name in self.NAMES})
        kind = self.d.dtype if self.d is not None else None  # without an iteration there is no direction
        half = kind if kind is torchlike.bfloat16 else None  # its numbers are float32, see `number`
        for name in ("t", "H_diag", "ro"):
            dtype = None if name == "t" and wide_length else half
            self.state[name] = _each(functools.partial(_as_tensor, dtype=dtype), self.state[name])

    def direction(self, grad: Tensor, first: bool) -> Tensor:
        """Return the search direction, computed by the two-loop recursion."""
        if first:
            self.old_dirs, self.old_stps, self.ro, self.H_diag = [], [], [], 1
            self.d = grad.neg()
            return self.d
        self._remember(grad - self.prev_flat_grad, self.d * self.t)
        self.state.setdefault("al", [None] * self.history_size)
        count, rest = len(self.ro), []
        if not count:
            self.d = grad.neg() * self.H_diag
            return self.d
        ro = np.zeros(2 ** (count - 1).bit_length(), type(self.ro[0]))  # padded to a power of 2 for fewer programs
        ro[:count] = self.ro
        if ro.size > count:
            rest = [torchlike.zeros_like(grad)] * (ro.size - count)
        histories = [*self.old_dirs, *rest], [*self.old_stps, *rest]
        two_loops = rows["_two_loops"]
        made = two_loops(grad, *histories, torchlike.from_numpy(ro), self.H_diag, count)
        self.d, self.weights = (t.to(grad.dtype) for t in made)
        return self.d

    def _remember(self, change: Tensor, step: Tensor) -> None:
        """Add a pair of changes if its curvature is positive. If the history is full, drop the oldest pair."""
        curvature = number(change.dot(step))
        if curvature <= 1e-10:
            return
        kept = ((self.old_dirs, change), (self.old_stps, step), (self.ro, 1.0 / curvature))
        for history, new in kept:
            if len(history) == self.history_size:
                history.pop(0)
            history.append(new)
        self.H_diag = curvature / number(change.dot(change))

    def settled(self, group: dict[str, Any], loss: float, grad: Tensor) -> bool:
        """Return whether the gradient, the parameters or the loss have converged."""
        return bool(
            grad.abs().max() <= group["tolerance_grad"]
            or (self.d * self.t).abs().max() <= group["tolerance_change"]
            or abs(loss - self.prev_loss) < group["tolerance_change"]
        )
