"""Limited-memory BFGS, with an optional line search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.optim import _errors
from torchlike.optim._checks import check_lr
from torchlike.optim._line_search import strong_wolfe
from torchlike.optim.optimizer import Optimizer, ParamsT


class LBFGS(Optimizer):
    """Limited-memory BFGS: steps along the gradient corrected by the curvature seen in the last iterations.

    One `step` makes up to `max_iter` iterations and calls the closure in each; there is one group of parameters.

    Args:
      params: parameters, all in one group.
      lr: length of a step along the direction found, or the first try of the line search.
      max_iter: iterations in one `step`.
      max_eval: evaluations of the closure in one `step`; `max_iter * 5 // 4` unless given.
      tolerance_grad: stop when no element of the gradient is larger.
      tolerance_change: stop when neither parameters nor loss change by more.
      history_size: how many corrections are kept.
      line_search_fn: None or `"strong_wolfe"`.

    Raises:
      ValueError: a negative rate, or more than one group.
      RuntimeError: at the first step, another line search.

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

    def __init__(self, params: ParamsT, lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None) -> None:  # fmt: skip
        check_lr(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, dict(
            lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad,
            tolerance_change=tolerance_change, history_size=history_size, line_search_fn=line_search_fn,
        ))  # fmt: skip
        if len(self.param_groups) != 1:
            raise _errors.lbfgs_groups()
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    # --- all parameters as one vector ---------------------------------------------------------------------------------

    def _gather_flat_grad(self) -> Tensor:
        flat = []
        for param in self._params:
            grad = (
                torchlike.zeros(param.numel(), dtype=param.dtype, device=param.device)
                if param.grad is None
                else param.grad
            )
            flat.append(torchlike.view_as_real(grad).reshape(-1) if grad.is_complex() else grad.reshape(-1))
        return torchlike.cat(flat, 0)

    def _move(self, length: Any, direction: Tensor) -> None:
        """Add `length * direction` to the parameters."""
        start = 0
        for param in self._params:
            target = torchlike.view_as_real(param) if param.is_complex() else param
            stop = start + target.numel()
            target.add_(direction[start:stop].reshape(target.shape), alpha=length)
            start = stop

    def _clone_param(self) -> list[Tensor]:
        return [param.detach().clone() for param in self._params]

    def _set_param(self, values: list[Tensor]) -> None:
        for param, value in zip(self._params, values):
            param.copy_(value)

    # --- the step -----------------------------------------------------------------------------------------------------

    @torchlike.no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Make up to `max_iter` iterations; returns the loss before them."""
        closure = torchlike.enable_grad()(closure)
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        grad = self._gather_flat_grad()
        if grad.abs().max() <= group["tolerance_grad"]:
            return first_loss

        previous_grad, previous_loss = state.get("prev_flat_grad"), state.get("prev_loss")
        direction, length = state.get("d"), state.get("t")
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = self._direction(state, grad, previous_grad, direction, length)
            previous_grad = grad.clone()
            previous_loss = loss
            length = group["lr"]
            if state["n_iter"] == 1:
                length = min(1.0, 1.0 / float(grad.abs().sum())) * length
            slope = grad.dot(direction)
            if slope > -group["tolerance_change"]:
                break
            last = iteration == group["max_iter"]
            loss, grad, length, calls = self._search(closure, loss, grad, direction, length, slope, last)
            evaluations += calls
            state["func_evals"] += calls
            if (
                last
                or evaluations >= group["max_eval"]
                or _settled(group, loss, previous_loss, grad, direction, length)
            ):
                break
        state.update(d=direction, t=length, old_dirs=state["old_dirs"], old_stps=state["old_stps"], ro=state["ro"],
                     H_diag=state["H_diag"], prev_flat_grad=previous_grad, prev_loss=previous_loss)  # fmt: skip
        return first_loss

    def _search(self, closure: Callable, loss: float, grad: Tensor, direction: Tensor, length: Any, slope: Tensor,
                last: bool) -> tuple[float, Tensor, Any, int]:  # fmt: skip
        """Move along the direction; returns loss and gradient there, the length gone and the closure's calls."""
        search = self.param_groups[0]["line_search_fn"]
        if search is not None:
            if search != "strong_wolfe":
                raise _errors.lbfgs_line_search()
            start = self._clone_param()

            def evaluate(length: Any) -> tuple[float, Tensor]:
                self._move(length, direction)
                loss = float(closure())
                grad = self._gather_flat_grad()
                self._set_param(start)
                return loss, grad

            loss, grad, length, calls = strong_wolfe(evaluate, length, direction, loss, grad, slope)
            self._move(length, direction)
            return loss, grad, length, calls
        self._move(length, direction)
        if last:  # nobody will read the loss at the end of the last iteration
            return loss, grad, length, 0
        return float(closure()), self._gather_flat_grad(), length, 1

    def _direction(self, state: dict, grad: Tensor, previous_grad: Tensor | None, direction: Tensor | None,
                   length: Any) -> Tensor:  # fmt: skip
        """The direction of descent, by the two-loop recursion."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return grad.neg()
        _remember(state, grad - previous_grad, direction * length, self.param_groups[0]["history_size"])
        changes, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
        al = state.setdefault("al", [None] * self.param_groups[0]["history_size"])
        made = grad.neg()
        for i in range(len(changes) - 1, -1, -1):
            al[i] = steps[i].dot(made) * ro[i]
            made = made - al[i] * changes[i]
        made = made * state["H_diag"]
        for i in range(len(changes)):
            made = made + (al[i] - changes[i].dot(made) * ro[i]) * steps[i]
        return made


def _remember(state: dict, change: Tensor, step: Tensor, history_size: int) -> None:
    """Keep a correction whose curvature is positive, dropping the oldest."""
    curvature = change.dot(step)
    if curvature <= 1e-10:
        return
    if len(state["old_dirs"]) == history_size:
        for name in ("old_dirs", "old_stps", "ro"):
            state[name].pop(0)
    state["old_dirs"].append(change)
    state["old_stps"].append(step)
    state["ro"].append(1.0 / curvature)
    state["H_diag"] = curvature / change.dot(change)


def _settled(group: dict, loss: float, previous_loss: float, grad: Tensor, direction: Tensor, length: Any) -> bool:
    return bool(
        grad.abs().max() <= group["tolerance_grad"]
        or (direction * length).abs().max() <= group["tolerance_change"]
        or abs(loss - previous_loss) < group["tolerance_change"]
    )
