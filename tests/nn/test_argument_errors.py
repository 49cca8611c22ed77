"""Errors about the arguments of layers and schedulers name the class that PyTorch's errors name."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch

import torchlike

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

NAMES = [
    *(f"nn.{name}" for name, found in vars(torch.nn).items() if isinstance(found, type) and name != "NLLLoss2d"),
    *(f"optim.lr_scheduler.{name}" for name in torch.optim.lr_scheduler.__all__),
]  # without NLLLoss2d, which takes any arguments
CALLS: list[tuple[tuple, dict]] = [((), {}), ((), {"no_such": 1}), ((1,) * 40, {})]


def _found(library: Any, name: str) -> Any:
    for part in name.split("."):
        library = getattr(library, part)
    return library


def _refused(kind: type) -> list[str]:
    texts = []
    for args, options in CALLS:
        try:
            kind(*args, **options)
            texts.append("")
        except TypeError as error:
            texts.append(str(error))
        except (ValueError, AttributeError, RuntimeError) as error:
            texts.append(type(error).__name__)
    return texts


@pytest.mark.parametrize("name", NAMES)
def test_arguments_of_constructors(name):
    assert _refused(_found(torchlike, name)) == _refused(_found(torch, name))


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("nn.")])
def test_names_of_forward(name):
    theirs = getattr(_found(torch, name), "forward", None)
    if inspect.isfunction(theirs) and theirs.__name__ == "forward":
        assert _found(torchlike, name).forward.__qualname__ == theirs.__qualname__


def test_copied_methods_keep_their_signature():
    assert inspect.signature(torchlike.nn.Conv2d) == inspect.signature(torchlike.nn.Conv1d)
    assert torchlike.nn.Conv2d.__init__.__code__ is torchlike.nn.Conv1d.__init__.__code__


def test_a_layer_that_is_called_with_too_many_arguments():
    x = [library.ones(1, 1, 4, 4) for library in (torchlike, torch)]
    for name, options in (("Conv2d", (1, 1, 1)), ("LSTM", (4, 4)), ("BatchNorm2d", (1,)), ("MaxPool2d", (2,))):
        texts = []
        for library, each in zip((torchlike, torch), x):
            with pytest.raises(TypeError) as caught:
                getattr(library.nn, name)(*options)(each, each, each, each)
            texts.append(str(caught.value))
        assert texts[0] == texts[1]
