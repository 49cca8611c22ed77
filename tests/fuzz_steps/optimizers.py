"""Random optimizers and schedulers, as text."""

from __future__ import annotations

from random import Random

# (weight, optimizer, options to choose from). An epsilon keeps the noise of gradients that are zero from growing.
OPTIMIZERS: list[tuple[int, str, tuple[str, ...]]] = [
    (6, "SGD", ("", "momentum=0.9", "momentum=0.9, nesterov=True", "momentum=0.5, dampening=0.1", "weight_decay=0.1",
                "momentum=0.9, weight_decay=0.01, maximize=True")),
    (6, "Adam", ("", "betas=(0.5, 0.9)", "amsgrad=True", "weight_decay=0.1", "maximize=True", "eps=1e-4")),
    (5, "AdamW", ("", "weight_decay=0.1", "amsgrad=True", "betas=(0.8, 0.9)")),
    (3, "RMSprop", ("", "momentum=0.9", "centered=True, eps=1e-4", "momentum=0.5, weight_decay=0.1", "alpha=0.5")),
    (3, "Adagrad", ("eps=1e-6", "eps=1e-6, lr_decay=0.1", "eps=1e-6, initial_accumulator_value=0.1",
                    "eps=1e-6, weight_decay=0.1")),
    (1, "Adadelta", ("", "rho=0.5")),
    (1, "Adamax", ("", "weight_decay=0.1")),
    (1, "NAdam", ("", "momentum_decay=0.01", "weight_decay=0.1, decoupled_weight_decay=True")),
    (1, "RAdam", ("", "betas=(0.5, 0.6)")),
    (1, "ASGD", ("", "t0=2, lambd=0.1")),
]  # fmt: skip
SCHEDULERS = ("StepLR(opt, 2, 0.5)", "ExponentialLR(opt, 0.8)", "CosineAnnealingLR(opt, 5)", "LambdaLR(opt, lambda e: 0.9 ** e)",
              "LinearLR(opt, 0.5, 1.0, 3)", "MultiStepLR(opt, [1, 3], 0.1)", "CosineAnnealingWarmRestarts(opt, 2)",
              "PolynomialLR(opt, 6)", "ConstantLR(opt, 0.5, 2)", "OneCycleLR(opt, 0.1, total_steps=20, cycle_momentum=False)",
              "MultiplicativeLR(opt, lambda e: 0.9)", "CyclicLR(opt, 0.01, 0.1, 2, cycle_momentum=False)",
              "SequentialLR(opt, [torch.optim.lr_scheduler.ConstantLR(opt, 0.5, 9), torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)], [2])")  # fmt: skip
PARAMETERS = (
    "model.parameters()", "model.parameters()", "model.parameters()", "model.parameters()",
    "[p for p in model.parameters() if p.requires_grad]", "list(model.parameters())[1:]", "list(model.parameters())[:1]",
    "[{'params': list(model.parameters())[:1]}, {'params': list(model.parameters())[1:], 'lr': 0.02}]",
    "[{'params': list(model.parameters())[:2], 'weight_decay': 0.05}, {'params': list(model.parameters())[2:]}]",
    "[*model.parameters(), w]", "model.named_parameters()", "[w, *model.parameters()]",
)  # fmt: skip
_WEIGHTS = [weight for weight, *_ in OPTIMIZERS]


def write_optimizer(random: Random, name: str = "opt", parameters: str | None = None) -> str:
    """A statement that makes an optimizer."""
    _, kind, options = random.choices(OPTIMIZERS, _WEIGHTS)[0]
    extra = random.choice(options)
    if random.random() < 0.1:
        extra = ", ".join(filter(None, (extra, random.choice(("foreach=False", "foreach=True")))))
    rate = random.choice(("0.1", "0.05", "0.01"))
    given = parameters or random.choice(PARAMETERS)
    return f"{name} = torch.optim.{kind}({given}, lr={rate}{', ' * bool(extra)}{extra})"


def write_scheduler(random: Random) -> str:
    """A statement that makes a scheduler of `opt`."""
    return f"sched = torch.optim.lr_scheduler.{random.choice(SCHEDULERS)}"
