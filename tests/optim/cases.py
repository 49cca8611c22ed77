"""All optimizers with the options that change their formula, and helpers that step them in both libraries."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import torch

import torchlike

CASES: list[tuple[str, dict[str, Any]]] = [
    *(
        ("SGD", dict(lr=0.1, momentum=m, dampening=d, weight_decay=w, maximize=x))
        for m, d, w, x in product((0, 0.9), (0, 0.3), (0, 0.01), (False, True))
        if m or not d
    ),
    ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True)),
    ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1, maximize=True)),
    *(
        (name, dict(lr=0.01, amsgrad=a, weight_decay=w, maximize=x))
        for name, a, w, x in product(("Adam", "AdamW"), (False, True), (0, 0.1), (False, True))
    ),
    ("Adam", dict(betas=(0.5, 0.6), eps=1e-3, decoupled_weight_decay=True, weight_decay=0.1)),
    ("Adam", dict(foreach=True)),
    ("AdamW", dict(fused=True)),
    *(
        ("RMSprop", dict(momentum=m, centered=c, weight_decay=w, maximize=x))
        for m, c, w, x in product((0, 0.9), (False, True), (0, 0.1), (False, True))
    ),
    ("RMSprop", dict(alpha=0.5, eps=1e-2)),
    ("Adagrad", dict()),
    ("Adagrad", dict(lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.5, maximize=True)),
    ("Adadelta", dict()),
    ("Adadelta", dict(lr=0.3, rho=0.5, eps=1e-3, weight_decay=0.1, maximize=True)),
    ("Adamax", dict()),
    ("Adamax", dict(betas=(0.5, 0.6), weight_decay=0.1, maximize=True)),
    *(
        (name, dict(weight_decay=w, decoupled_weight_decay=d, maximize=x, betas=b))
        for name, w, d, x, b in product(
            ("NAdam", "RAdam"), (0, 0.1), (False, True), (False, True), ((0.9, 0.999), (0.5, 0.6))
        )
    ),
    ("NAdam", dict(momentum_decay=0.1)),
    ("ASGD", dict()),
    ("ASGD", dict(lr=0.1, lambd=0.1, alpha=0.5, t0=3, weight_decay=0.1, maximize=True)),
    ("Adafactor", dict()),
    ("Adafactor", dict(lr=0.3, beta2_decay=-0.5, eps=(1e-6, 1e-2), d=1.5, weight_decay=0.1, maximize=True)),
    ("Rprop", dict()),
    ("Rprop", dict(lr=0.1, etas=(0.3, 1.5), step_sizes=(0.05, 0.2), maximize=True)),
]
IDS = [f"{name}-{'-'.join(f'{k}={v}' for k, v in options.items())}" for name, options in CASES]

# One case for each optimizer, with options that enable most of its state.
ONE_EACH: list[tuple[str, dict[str, Any]]] = [
    ("SGD", dict(lr=0.1, momentum=0.9)),
    ("Adam", dict(amsgrad=True)),
    ("AdamW", dict()),
    ("RMSprop", dict(momentum=0.9, centered=True)),
    ("Adagrad", dict()),
    ("Adadelta", dict()),
    ("Adamax", dict()),
    ("NAdam", dict()),
    ("RAdam", dict()),
    ("ASGD", dict(t0=2)),
    ("Rprop", dict()),
    ("Adafactor", dict(weight_decay=0.1)),
]

SHAPES = [(3, 4), (5,), ()]


def arrays(seed: int, dtype: str = "float32") -> list[np.ndarray]:
    """Return one random array for each parameter."""
    rng = np.random.default_rng(seed)
    made = [rng.standard_normal(shape) for shape in SHAPES]
    if dtype.startswith("complex"):
        made = [a + 1j * rng.standard_normal(a.shape) for a in made]
    return [np.asarray(a, dtype) for a in made]


def parameters(library: Any, values: list[np.ndarray]) -> list[Any]:
    return [library.nn.Parameter(library.from_numpy(a.copy())) for a in values]


def give_grads(library: Any, params: list[Any], grads: list[np.ndarray | None]) -> None:
    for param, grad in zip(params, grads):
        param.grad = None if grad is None else library.from_numpy(grad.copy())


class Pair:
    """One optimizer in both libraries, over equal parameters."""

    def __init__(self, name: str, dtype: str = "float32", groups: Any = None, **options: Any) -> None:
        self.dtype = dtype
        self.params = {library: parameters(library, arrays(0, dtype)) for library in (torch, torchlike)}
        self.optimizers = {}
        for library, params in self.params.items():
            given = params if groups is None else groups(params)
            self.optimizers[library] = getattr(library.optim, name)(given, **options)

    def step(self, seed: int, without: tuple[int, ...] = ()) -> None:
        """Step both optimizers with the same gradients. Parameters whose index is in `without` have no gradient."""
        grads = [None if i in without else g for i, g in enumerate(arrays(seed, self.dtype))]
        for library, params in self.params.items():
            give_grads(library, params, grads)
            self.optimizers[library].step()

    def check(self, **tolerance: float) -> None:
        """Assert that parameters and state dictionaries agree."""
        for ours, theirs in zip(self.params[torchlike], self.params[torch]):
            same(ours, theirs, **tolerance)
        same(self.optimizers[torchlike].state_dict(), self.optimizers[torch].state_dict(), **tolerance)


def same(ours: Any, theirs: Any, **tolerance: float) -> None:
    """Assert that two values agree.

    Structure, key order, types, dtypes and shapes must be equal. Tensors must be close, by default within the tolerance
    of their dtype.
    """
    if isinstance(theirs, torch.Tensor):
        assert isinstance(ours, torchlike.Tensor)
        array = np.asarray(ours.detach().numpy())
        expected = theirs.detach().numpy()
        assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
        torch.testing.assert_close(torch.from_numpy(array.copy()), theirs.detach(), **tolerance)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key in theirs:
            same(ours[key], theirs[key], **tolerance)
    elif isinstance(theirs, (list, tuple)):
        assert type(ours) is type(theirs) and len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            same(a, b, **tolerance)
    else:
        assert type(ours) is type(theirs) and ours == theirs
