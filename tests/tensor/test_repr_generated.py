"""`repr` of five hundred tensors. Both libraries make each tensor from one recipe and print it with equal options."""

import random

import pytest
import torch

import torchlike

DTYPES = (
    "float32",
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "complex64",
    "complex128",
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
)
SIZES = (
    (),
    (),
    (0,),
    (1,),
    (3,),
    (7,),
    (0, 3),
    (2, 0),
    (2, 3),
    (5, 5),
    (1, 7),
    (2, 3, 4),
    (3, 1, 2),
    (2, 2, 2, 2),
    (1, 0, 2),
    (25,),
    (40,),
    (12, 11),
    (101,),
    (3, 40),
    (1001,),
    (40, 30),
    (11, 11, 11),
    (2, 3, 4, 50),
)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, float("nan"), float("inf"), -float("inf"), 1e-5, 1e8, 1.00001e8, 9.99995, 1e4)
SPANS = ((0, 1), (-1, 1), (-100, 100), (0, 1e-4), (-1e4, 1e4), (1e9, 1e10), (0.999, 1.001))
OPTIONS = {
    "precision": (0, 1, 2, 3, 6, 9),
    "threshold": (0, 5, 50, 1000, float("inf")),
    "edgeitems": (1, 2, 3, 5),
    "linewidth": (20, 40, 60, 80, 120),
    "profile": ("default", "short", "full"),
    "sci_mode": (None, True, False),
}
# Operations before the tensor is printed. HISTORIES apply to floating-point and complex tensors only.
HISTORIES = {
    "leaf": lambda library, x: x.requires_grad_(),
    "Parameter": lambda library, x: library.nn.Parameter(x),
    "product": lambda library, x: x.requires_grad_() * 2,
    "unsqueezed": lambda library, x: x.requires_grad_().unsqueeze(0),
    "copied": lambda library, x: x.requires_grad_().clone(),
    "of a view": lambda library, x: x.requires_grad_().reshape(-1),
    "written to": lambda library, x: x.requires_grad_().clone().mul_(2),
    "detached": lambda library, x: (x.requires_grad_() * 2).detach(),
    "frozen Parameter": lambda library, x: library.nn.Parameter(x, requires_grad=False),
    "inference": lambda library, x: in_inference(library, x),
}
VIEWS = {
    "transposed": lambda library, x: x.mT if x.ndim > 1 else x,
    "every other": lambda library, x: x[::2] if x.ndim else x,
    "expanded": lambda library, x: x.expand(2, *x.shape),
    "first": lambda library, x: x[:1] if x.ndim else x,
    "diagonal": lambda library, x: x.diagonal() if x.ndim > 1 else x,
}
DEVICES = {"meta": lambda library, x: x.to("meta")}
COUNT = 500


def in_inference(library, x):
    with library.inference_mode():
        return x * 1


@pytest.fixture(autouse=True)
def restored():
    torchlike.set_executor("numpy")
    yield
    torchlike.set_executor("auto")
    for library in (torch, torchlike):
        library.set_printoptions(profile="default")
        library.set_default_dtype(library.float32)


def numbers(rng: random.Random, kind: str, count: int) -> list:
    if kind == "bool":
        return [rng.random() < 0.5 for _ in range(count)]
    if "int" in kind:
        high = rng.choice((2, 10, 120, 100, 1000, 10**6)) if kind not in ("int8", "uint8") else rng.choice((2, 120))
        high = min(high, 2**15 - 1) if kind.endswith("16") else high
        return [rng.randint(0 if kind.startswith("u") else -high, high) for _ in range(count)]
    parts = [real_numbers(rng, count), real_numbers(rng, count)]
    return [complex(*pair) for pair in zip(*parts)] if kind.startswith("complex") else parts[0]


def real_numbers(rng: random.Random, count: int) -> list[float]:
    """Generate whole numbers, numbers of one range or of several ranges, or special numbers.

    A share of the numbers of the other styles is replaced by special numbers.
    """
    style, share = rng.choice(("whole", "span", "span", "spans", "special")), rng.choice((0, 0, 0.1, 0.5))
    span = rng.choice(SPANS)
    found = []
    for _ in range(count):
        if style == "special" or rng.random() < share:
            found.append(rng.choice(SPECIAL))
        elif style == "whole":
            found.append(float(rng.randint(-1000, 1000)))
        else:
            found.append(rng.uniform(*(rng.choice(SPANS) if style == "spans" else span)))
    return found


def recipe(seed: int) -> dict:
    rng = random.Random(seed)
    kind, size = rng.choice(DTYPES), rng.choice(SIZES)
    inexact = not ("int" in kind or kind == "bool")
    what = {**VIEWS, **DEVICES, **(HISTORIES if inexact else {})}
    count = 1
    for n in size:
        count *= n
    return {
        "kind": kind,
        "size": size,
        "numbers": numbers(rng, kind, count),
        "what": [rng.choice(list(what)) for _ in range(rng.choice((0, 1, 1, 2)))],
        "options": {name: rng.choice(OPTIONS[name]) for name in OPTIONS if rng.random() < 0.25},
        "default": rng.choice(("float32", "float32", "float32", "float64")),
        "format": rng.choice((repr, repr, repr, str, "{}".format)),
    }


def formatted(library, made: dict) -> str:
    library.set_printoptions(profile="default")
    library.set_printoptions(**made["options"])
    library.set_default_dtype(getattr(library, made["default"]))
    x = library.tensor(made["numbers"], dtype=getattr(library, made["kind"])).reshape(made["size"])
    for what in made["what"]:
        try:
            x = {**HISTORIES, **VIEWS, **DEVICES}[what](library, x)
        except RuntimeError as error:
            return str(error)
    return made["format"](x)


@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize("group", range(10))
def test_repr_of_generated_tensors_equals_pytorchs(group):
    wrong = []
    for seed in range(group, COUNT, 10):
        made = recipe(seed)
        ours, theirs = formatted(torchlike, made), formatted(torch, made)
        if ours != theirs:
            wrong.append((seed, made["what"], made["options"], ours, theirs))
    assert wrong == []
