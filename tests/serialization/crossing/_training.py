"""Builders of optimizers, and of state dictionaries of optimizers and schedulers, after a few steps."""


def _decay(epoch):
    return 0.5**epoch


OPTIMIZERS = {
    "SGD": [{}, {"momentum": 0.9, "nesterov": True}],
    "Adam": [{}, {"amsgrad": True}],
    "AdamW": [{}, {"maximize": True}],
    "Adamax": [{}],
    "NAdam": [{}],
    "RAdam": [{}],
    "Adagrad": [{}],
    "Adadelta": [{}],
    "ASGD": [{}],
    "RMSprop": [{}, {"centered": True, "momentum": 0.5}],
    "Rprop": [{}],
    "Adafactor": [{}],
    "LBFGS": [{}],
    "Muon": [{}],
}
SCHEDULERS = {
    "StepLR": {"step_size": 2},
    "MultiStepLR": {"milestones": [1, 3]},
    "ConstantLR": {},
    "LinearLR": {},
    "ExponentialLR": {"gamma": 0.9},
    "PolynomialLR": {},
    "CosineAnnealingLR": {"T_max": 5},
    "CosineAnnealingWarmRestarts": {"T_0": 3},
    "CyclicLR": {"base_lr": 0.1, "max_lr": 0.3, "cycle_momentum": False},
    "OneCycleLR": {"max_lr": 0.3, "total_steps": 9, "cycle_momentum": False},
    "LambdaLR": {"lr_lambda": _decay},
    "MultiplicativeLR": {"lr_lambda": _decay},
    "ReduceLROnPlateau": {},
}


def stepped(T, r, name):
    """Return an optimizer of the class with this name, after one or two steps."""
    options = r.choice(OPTIMIZERS[name])
    model = T.nn.Linear(3, 2, bias=name != "Muon")
    optimizer = getattr(T.optim, name)(model.parameters(), lr=0.01, **options)

    def closure():
        optimizer.zero_grad()
        value = model(T.ones(1, 3)).square().sum()
        value.backward()
        return value

    for _ in range(r.randrange(1, 3)):
        optimizer.step(closure)
    return optimizer


def _scheduled(T, r):
    name = r.choice(list(SCHEDULERS))
    optimizer = T.optim.SGD([T.nn.Parameter(T.ones(2))], lr=0.1)
    scheduler = getattr(T.optim.lr_scheduler, name)(optimizer, **SCHEDULERS[name])
    for _ in range(r.randrange(1, 4)):
        optimizer.step()
        scheduler.step(*([1.0] if name == "ReduceLROnPlateau" else []))
    return {"scheduler": scheduler.state_dict(), "optimizer": optimizer.state_dict()}


def _chained(T, r):
    optimizer = T.optim.SGD([T.nn.Parameter(T.ones(2))], lr=0.1)
    parts = [T.optim.lr_scheduler.ConstantLR(optimizer), T.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)]
    if r.random() < 0.5:
        scheduler = T.optim.lr_scheduler.SequentialLR(optimizer, parts, [2])
    else:
        scheduler = T.optim.lr_scheduler.ChainedScheduler(parts, optimizer)
    for _ in range(3):
        optimizer.step()
        scheduler.step()
    return scheduler.state_dict()


def training_kinds():
    """Return the builders by the kind of object that they build."""
    return {
        **{f"optimizer {name}": lambda T, r, name=name: stepped(T, r, name).state_dict() for name in OPTIMIZERS},
        "whole optimizers": lambda T, r: stepped(T, r, r.choice([n for n in OPTIMIZERS if n != "LBFGS"])),
        "schedulers": _scheduled,
        "combined schedulers": _chained,
    }
