"""Schedulers of optimizers whose `lr` is a tensor: which tensors are kept and which are updated in place."""

import pytest
import torch as theirs

from tests.oracle import both

SCHEDULERS = {
    "LambdaLR": lambda torch, s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    "MultiplicativeLR": lambda torch, s, o: s.MultiplicativeLR(o, lambda epoch: 0.9),
    "StepLR": lambda torch, s, o: s.StepLR(o, 2),
    "MultiStepLR": lambda torch, s, o: s.MultiStepLR(o, [2, 4]),
    "ConstantLR": lambda torch, s, o: s.ConstantLR(o, 0.5, 3),
    "LinearLR": lambda torch, s, o: s.LinearLR(o, 0.5, total_iters=4),
    "ExponentialLR": lambda torch, s, o: s.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda torch, s, o: s.PolynomialLR(o, 5),
    "CosineAnnealingLR": lambda torch, s, o: s.CosineAnnealingLR(o, 5),
    "CosineAnnealingWarmRestarts": lambda torch, s, o: s.CosineAnnealingWarmRestarts(o, 3),
    "CyclicLR": lambda torch, s, o: s.CyclicLR(o, 0.1, 1.0, 3),
    "CyclicLR of tensors": lambda torch, s, o: s.CyclicLR(o, torch.tensor(0.1), torch.tensor(1.0), 3),
    "OneCycleLR": lambda torch, s, o: s.OneCycleLR(o, 1.0, total_steps=12),
    "OneCycleLR of a tensor": lambda torch, s, o: s.OneCycleLR(o, torch.tensor(1.0), total_steps=12),
    "ReduceLROnPlateau": lambda torch, s, o: s.ReduceLROnPlateau(o, patience=1),
    "SWALR": lambda torch, s, o: torch.optim.swa_utils.SWALR(o, 0.05, anneal_epochs=3),
    "SWALR of a tensor": lambda torch, s, o: torch.optim.swa_utils.SWALR(o, torch.tensor(0.05), anneal_epochs=3),
    "SequentialLR": lambda torch, s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)], [3]),
    "ChainedScheduler": lambda torch, s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)]),
}


def _copied(value):
    return value.clone() if hasattr(value, "clone") else value


@pytest.mark.parametrize("name", SCHEDULERS)
def test_the_tensors_of_a_caller(name):
    def program(torch):
        lr, other = torch.tensor(0.5, dtype=torch.float64), torch.tensor(0.25, dtype=torch.float64)
        parameters = [torch.ones(1, requires_grad=True) for _ in range(3)]
        groups = [{"params": parameters[:1]}, {"params": parameters[1:2], "lr": other}, {"params": parameters[2:]}]
        optimizer = torch.optim.SGD(groups, lr=lr, momentum=0.9)
        before, seen = [group["lr"] for group in optimizer.param_groups], []
        scheduler = SCHEDULERS[name](torch, torch.optim.lr_scheduler, optimizer)
        for _ in range(10):
            optimizer.step()
            scheduler.step(*([1.0] if name == "ReduceLROnPlateau" else []))
            for group, held, base, last in zip(
                optimizer.param_groups, before, getattr(scheduler, "base_lrs", before), scheduler.get_last_lr()
            ):
                kept = {key: _copied(group.get(key)) for key in ("lr", "initial_lr", "max_lr", "min_lr", "swa_lr")}
                same = group["lr"] is held, group.get("initial_lr") is held, base is group.get("initial_lr")
                seen.append((kept, same, _copied(base), _copied(last), last is group["lr"], held is lr))
            seen.append((_copied(lr), _copied(other)))
        return seen

    both(program)


def test_every_scheduler_is_here():
    known = {name.partition(" ")[0] for name in SCHEDULERS}
    assert known - {"SWALR"} == set(theirs.optim.lr_scheduler.__all__) - {"LRScheduler"}
