"""Random optimizers and schedulers, as source text."""

from __future__ import annotations

from random import Random

from tests.fuzz_steps.program import listed

# A large eps, because some gradients consist only of rounding errors, such as the gradient of a bias before a norm. An
# optimizer must not divide such a gradient by its own magnitude.
EPS = "eps=1e-3"
# (weight, optimizer, options to choose from)
OPTIMIZERS: list[tuple[int, str, tuple[str, ...]]] = [
    (
        6,
        "SGD",
        (
            "",
            "momentum=0.9",
            "momentum=0.9, nesterov=True",
            "momentum=0.5, dampening=0.1",
            "weight_decay=0.1",
            "momentum=0.9, weight_decay=0.01, maximize=True",
        ),
    ),
    (
        6,
        "Adam",
        (EPS, f"{EPS}, betas=(0.5, 0.9)", f"{EPS}, amsgrad=True", f"{EPS}, weight_decay=0.1", f"{EPS}, maximize=True"),
    ),
    (5, "AdamW", (EPS, f"{EPS}, weight_decay=0.1", f"{EPS}, amsgrad=True", f"{EPS}, betas=(0.8, 0.9)")),
    (3, "RMSprop", (EPS, f"{EPS}, momentum=0.9", f"{EPS}, momentum=0.5, weight_decay=0.1", f"{EPS}, alpha=0.5")),
    (3, "Adagrad", (EPS, f"{EPS}, lr_decay=0.1", f"{EPS}, initial_accumulator_value=0.1", f"{EPS}, weight_decay=0.1")),
    (1, "Adadelta", (EPS, f"{EPS}, rho=0.5")),
    (1, "Adamax", (EPS, f"{EPS}, weight_decay=0.1")),
    (1, "NAdam", (EPS, f"{EPS}, momentum_decay=0.01", f"{EPS}, weight_decay=0.1, decoupled_weight_decay=True")),
    (1, "RAdam", (EPS, f"{EPS}, betas=(0.5, 0.6)")),
    (1, "Adafactor", ("", "beta2_decay=-0.5", "weight_decay=0.1")),
    (1, "ASGD", ("", "t0=2, lambd=0.1")),
]
SCHEDULERS = listed("""
StepLR(opt, 2, 0.5)

ExponentialLR(opt, 0.8)

CosineAnnealingLR(opt, 5)

LambdaLR(opt, lambda e: 0.9 ** e)

LinearLR(opt, 0.5, 1.0, 3)

MultiStepLR(opt, [1, 3], 0.1)

CosineAnnealingWarmRestarts(opt, 2)

PolynomialLR(opt, 6)

ConstantLR(opt, 0.5, 2)

OneCycleLR(opt, 0.1, total_steps=20, cycle_momentum=False)

MultiplicativeLR(opt, lambda e: 0.9)

CyclicLR(opt, 0.01, 0.1, 2, cycle_momentum=False)

SequentialLR(opt, [
    torch.optim.lr_scheduler.ConstantLR(opt, 0.5, 9), torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
], [2])
""")
PARAMETERS = listed("""
# 4 times
model.parameters()

[p for p in model.parameters() if p.requires_grad]

list(model.parameters())[1:]

list(model.parameters())[:1]

[{'params': list(model.parameters())[:1]}, {'params': list(model.parameters())[1:], 'lr': 0.02}]

[{'params': list(model.parameters())[:2], 'weight_decay': 0.05}, {'params': list(model.parameters())[2:]}]

[*model.parameters(), w]

model.named_parameters()

[w, *model.parameters()]
""")
_WEIGHTS = [weight for weight, *_ in OPTIMIZERS]


def write_optimizer(random: Random, name: str = "opt", parameters: str | None = None) -> str:
    """Write a statement that creates an optimizer."""
    _, kind, options = random.choices(OPTIMIZERS, _WEIGHTS)[0]
    extra = random.choice(options)
    # With foreach and Nesterov momentum, PyTorch writes to the gradients and torchlike does not (docs/differences.md).
    if random.random() < 0.1 and "nesterov" not in extra:
        extra = ", ".join(filter(None, (extra, random.choice(("foreach=False", "foreach=True")))))
    rate = random.choice(("0.1", "0.05", "0.01"))
    given = parameters or random.choice(PARAMETERS)
    return f"{name} = torch.optim.{kind}({given}, lr={rate}{', ' * bool(extra)}{extra})"


def write_scheduler(random: Random) -> str:
    """Write a statement that creates a scheduler of `opt`."""
    return f"sched = torch.optim.lr_scheduler.{random.choice(SCHEDULERS)}"
