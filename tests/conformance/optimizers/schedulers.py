"""Each scheduler of the learning rate, with each optimizer."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.conformance.optimizers.entries import Side
from tests.conformance.optimizers.programs import stepped

Made = Callable[[Any, Any], Any]  # of torch.optim.lr_scheduler and an optimizer

MADE: dict[str, Made] = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.95**epoch),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 0.9),
    "StepLR": lambda s, o: s.StepLR(o, 2, 0.5),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [2, 5], 0.1),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.4, 4),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.4, 1.0, 4),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 4, 0.9),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 5, 1e-4),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 1e-3, 1e-1, 3, cycle_momentum=False),
    "CyclicLR with momentum": lambda s, o: s.CyclicLR(o, 1e-3, 1e-1, 3, mode="exp_range", gamma=0.9),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.1, 20, cycle_momentum=False),
    "OneCycleLR with momentum": lambda s, o: s.OneCycleLR(o, 0.1, 20, three_phase=True, anneal_strategy="linear"),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)]),
    "SequentialLR": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)], [3]),
    "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, patience=1, cooldown=1, factor=0.5),
}


def scheduled(made: Made) -> Callable[[Side], Any]:
    """Return a program of steps with a scheduler, which is saved and loaded in between."""

    def program(side: Side) -> Any:
        return _followed(side, lambda optimizer: [made(side.library.optim.lr_scheduler, optimizer)])

    return program


def combined(side: Side) -> Any:
    """Return steps with the schedulers that the database combines."""
    found = []
    for several in side.sample.entry.info.scheduler_inputs:
        own = [side.function(one) for one in several]
        found.append(_followed(side, lambda optimizer: [one(optimizer) for one in own]))  # noqa: B023
    return found


def _followed(side: Side, make: Callable[[Any], list[Any]], count: int = 10) -> list[Any]:
    params = side.parameters()
    optimizer = side.optimizer(params)
    schedulers, found = make(optimizer), []
    for number in range(count):
        stepped(side, optimizer, params, 1, number)
        for one in schedulers:
            one.step(1.0) if type(one).__name__ == "ReduceLROnPlateau" else one.step()
        found.append([[one.get_last_lr() for one in schedulers], copy.deepcopy(optimizer.state_dict()["param_groups"])])
        if number == count // 2:
            found.append([{k: _plain(v) for k, v in one.state_dict().items()} for one in schedulers])
            again = make(optimizer)
            for one, other in zip(again, schedulers):
                one.load_state_dict(copy.deepcopy(other.state_dict()))
            schedulers = again
    return [*found, [p.detach().clone() for p in params]]


def _plain(value: Any) -> Any:
    """Return a part of a scheduler's state; a counter and schedulers inside as text."""
    return (
        value
        if isinstance(value, bool | int | float | str | type(None))
        else repr(value).replace("torchlike.", "torch.")
    )
