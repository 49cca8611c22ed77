"""Training loops whose state after each whole step is known, because PyTorch runs the same loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

State = dict[str, np.ndarray]
STEPS = 60  # the number of steps of a loop whose states are known
DECAY = 0.9  # the decay of the moving averages
MOMENTUM = 0.2  # the momentum of the running statistics


@dataclass(frozen=True)
class Recipe:
    """The configuration of a loop."""

    name: str
    optimizer: str
    options: dict = field(default_factory=dict, hash=False)
    normalizes: bool = False
    averages: bool = False
    parts: int = 1  # the number of parts of a batch, whose gradients are accumulated
    scheduled: bool = False


RECIPES = (
    Recipe("SGD", "SGD", {"lr": 0.05}),
    Recipe("momentum", "SGD", {"lr": 0.02, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01}),
    Recipe("AdamW", "AdamW", {"lr": 0.05}),
    Recipe("Adam, scheduled", "Adam", {"lr": 0.05, "amsgrad": True}, scheduled=True),
    Recipe("BatchNorm", "SGD", {"lr": 0.02, "momentum": 0.9}, normalizes=True),
    Recipe("EMA", "AdamW", {"lr": 0.05}, averages=True),
    Recipe("accumulation", "SGD", {"lr": 0.02, "momentum": 0.8}, parts=3),
    Recipe("all", "AdamW", {"lr": 0.05}, normalizes=True, averages=True, parts=2, scheduled=True),
)


class Functions(NamedTuple):
    """A step, and its parts."""

    backward_of: Callable[[Any, Any], None]
    backward: Callable[[Any, Any], None]
    update: Callable[[], None]
    average: Callable[[], None]
    step: Callable[[Any, Any], None]


def functions(torch: Any, model: Any, optimizer: Any, averages: list, parts: int) -> Functions:
    """Return a step and its parts as functions of these objects only, as a user would write them."""
    loss_of, no_grad = torch.nn.functional.mse_loss, torch.no_grad

    def backward_of(x: Any, y: Any) -> None:
        (loss_of(model(x), y) / parts).backward()

    def backward(x: Any, y: Any) -> None:
        optimizer.zero_grad()
        for a, b in zip(x.chunk(parts), y.chunk(parts)):
            backward_of(a, b)

    def update() -> None:
        optimizer.step()

    def average() -> None:
        with no_grad():
            for old, p in zip(averages, model.parameters()):
                old.lerp_(p, 1 - DECAY)

    def step(x: Any, y: Any) -> None:
        backward(x, y)
        update()
        if averages:
            average()

    return Functions(backward_of, backward, update, average, step)


class Loop:
    """A training loop under either library."""

    def __init__(self, torch: Any, recipe: Recipe, wrap: Callable = lambda step: step) -> None:
        self.recipe, self.done = recipe, 0
        torch.manual_seed(3)
        nn = torch.nn
        layers = [nn.Linear(5, 6, bias=not recipe.normalizes), nn.Tanh(), nn.Linear(6, 3), nn.Linear(3, 2)]
        if recipe.normalizes:
            layers.insert(1, nn.BatchNorm1d(6, momentum=MOMENTUM))
        self.model = nn.Sequential(*layers).to(torch.float64)
        self.averages = [p.detach().clone() for p in self.model.parameters()] if recipe.averages else []
        self.optimizer = vars(torch.optim)[recipe.optimizer](self.model.parameters(), **recipe.options)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1, 0.97) if recipe.scheduled else None
        rng = np.random.default_rng(5)
        self.batches = [
            tuple(torch.from_numpy(rng.standard_normal((6, n)) + k % 3) for n in (5, 2)) for k in range(STEPS)
        ]
        self.parts = functions(torch, self.model, self.optimizer, self.averages, recipe.parts)
        self.step = wrap(self.parts.step)

    def advance(self) -> None:
        """Run one whole step."""
        self.step(*self.batches[self.done])
        if self.scheduler is not None:
            self.scheduler.step()
        self.done += 1

    # --- observable state ---------------------------------------------------------------------------------------------

    def moved_together(self) -> State:
        """Return the parameters and the optimizer's state."""
        found = {f"parameter {name}": _array(p) for name, p in self.model.named_parameters()}
        state = self.optimizer.state
        for name, p in self.model.named_parameters():
            found.update(
                {f"{key} of {name}": _array(value) for key, value in state.get(p, {}).items() if value is not None}
            )
        return found

    def statistics(self) -> State:
        """Return the buffers, which are written before the optimizer's step."""
        return {f"buffer {name}": _array(b) for name, b in self.model.named_buffers()}

    def moving(self) -> State:
        """Return the averages, which are written after the optimizer's step."""
        return {f"average {i}": _array(a) for i, a in enumerate(self.averages)}

    def gradients(self) -> State:
        """Return the existing gradients."""
        return {f"gradient {n}": _array(p.grad) for n, p in self.model.named_parameters() if p.grad is not None}

    def rates(self) -> tuple:
        """Return the scheduler's state, and the learning rate that it set."""
        if self.scheduler is None:
            return ()
        kept = self.scheduler.state_dict()
        return kept["last_epoch"], kept["_step_count"], *kept["_last_lr"], self.optimizer.param_groups[0]["lr"]


def _array(tensor: Any) -> np.ndarray:
    return np.array(tensor.detach().numpy()) if hasattr(tensor, "detach") else np.asarray(float(tensor))


@dataclass
class Known:
    """The states of a loop under PyTorch. The index k of each list is the number of whole steps before."""

    together: list[State]
    statistics: list[list[State]]  # after each part of step k
    moving: list[State]
    gradients: list[list[State]]  # after each part of step k
    rates: list[tuple]


_known: dict[Recipe, Known] = {}


def known(recipe: Recipe) -> Known:
    """Run the loop of this recipe under PyTorch, and return its states."""
    if recipe not in _known:
        _known[recipe] = _run(recipe)
    return _known[recipe]


def _run(recipe: Recipe) -> Known:
    import torch

    loop, found = Loop(torch, recipe), Known([], [], [], [], [])
    for k in range(STEPS + 1):
        found.together.append(loop.moved_together())
        found.moving.append(loop.moving())
        found.rates.append(loop.rates())
        if k == STEPS:
            break
        found.gradients.append([])
        found.statistics.append([loop.statistics()])
        loop.optimizer.zero_grad()
        x, y = loop.batches[k]
        for part in zip(x.chunk(recipe.parts), y.chunk(recipe.parts)):
            loop.parts.backward_of(*part)
            found.statistics[-1].append(loop.statistics())
            found.gradients[-1].append(loop.gradients())
        loop.parts.update()
        loop.parts.average()
        if loop.scheduler is not None:
            loop.scheduler.step()
    return found
