"""A traceback has at most one frame of torchlike after the user's line."""

import json
import os
import subprocess
import sys
import traceback

import pytest

import torchlike as torch
from torchlike import nn
from torchlike.nn import functional as F

X = torch.ones(2, 3)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 1)

    def forward(self, x):
        return self.inner(x)


def _leaf_in_place():
    torch.ones(2, requires_grad=True).add_(1)


def _assign():
    X[0] = torch.ones(5)


PROGRAMS = {
    "add": lambda: X + torch.ones(4),
    "reflected": lambda: X.__radd__(torch.ones(4)),
    "matmul": lambda: X @ torch.ones(4),
    "function": lambda: torch.matmul(X, torch.ones(4)),
    "method": lambda: X.matmul(torch.ones(4)),
    "in place": lambda: X.clone().add_(torch.ones(4, 3)),
    "leaf in place": _leaf_in_place,
    "view": lambda: X.view(4),
    "reshape": lambda: X.reshape(4),
    "expand": lambda: X.expand(4, 4),
    "permute": lambda: X.permute(0),
    "transpose": lambda: X.transpose(0, 5),
    "index": lambda: X[7],
    "item assignment": _assign,
    "cat": lambda: torch.cat([X, torch.ones(1, 1)]),
    "stack": lambda: torch.stack([X, torch.ones(1)]),
    "gather": lambda: X.gather(5, torch.zeros(1, 1, dtype=torch.int64)),
    "sum": lambda: X.sum(9),
    "where": lambda: torch.where(X > 0, X, torch.ones(9)),
    "backward": lambda: (X.clone().requires_grad_() * 2).backward(),
    "linear": lambda: F.linear(X, torch.ones(2, 2)),
    "conv2d": lambda: F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 2, 3, 3)),
    "cross_entropy": lambda: F.cross_entropy(X, torch.zeros(5, dtype=torch.int64)),
    "softmax": lambda: torch.softmax(X, 4),
    "layer": lambda: nn.Linear(4, 1)(X),
    "data": lambda: torch.tensor([[1, 2], [3]]),
    "out": lambda: torch.add(X, X, out=torch.ones(2, 3, dtype=torch.int64)),
}


def inner_frames(program):
    """Return the names of the functions of torchlike after the last line of the user's program."""
    with pytest.raises((RuntimeError, IndexError, ValueError)) as caught:
        program()
    found = []
    for frame, _ in traceback.walk_tb(caught.value.__traceback__):
        is_ours = "torchlike" in frame.f_globals["__name__"].split(".")
        found = [*found, frame.f_code.co_name] if is_ours else []
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_at_most_one_inner_frame(name):
    assert len(inner_frames(PROGRAMS[name])) <= 1


class Overriding(torch.Tensor):
    """A subclass that overrides functions: public functions have a wrapper as soon as there is one."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


@pytest.mark.parametrize("name", PROGRAMS)
def test_at_most_one_inner_frame_with_overridden_functions(name):
    assert len(inner_frames(PROGRAMS[name])) <= 1


def test_lines_of_a_users_module_remain():
    with pytest.raises(RuntimeError) as caught:
        Model()(X)
    names = [frame.f_code.co_name for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert names[1:] == ["__call__", "forward"]


def test_frames_of_other_libraries_that_the_user_calls_remain():
    class Reading(nn.Module):
        def forward(self, x):
            return json.loads("{")

    with pytest.raises(json.JSONDecodeError) as caught:
        Reading()(X)
    names = [frame.f_code.co_name for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert names[1:] == ["__call__", "forward", "loads", "decode", "raw_decode"]


def test_a_cause_remains():
    class Failing(nn.Module):
        def forward(self, x):
            raise ValueError("outer") from KeyError("inner")

    with pytest.raises(ValueError, match="outer") as caught:
        Failing()(X)
    assert isinstance(caught.value.__cause__, KeyError)


def displayed_context(error):
    """Return the types of the errors that a traceback displays as those that were handled."""
    found = []
    while not error.__suppress_context__ and error.__context__ is not None:
        error = error.__context__
        found.append(type(error))
    return found


@pytest.mark.parametrize("name", [*PROGRAMS, "keyword"])
def test_errors_that_the_program_handled_are_displayed(name):
    program = PROGRAMS.get(name, lambda: torch.add(X, X, other=X))
    with pytest.raises((RuntimeError, IndexError, ValueError, TypeError)) as alone:
        program()
    with pytest.raises((RuntimeError, IndexError, ValueError, TypeError)) as inside:
        try:
            {}["key"]
        except KeyError:
            program()
    assert displayed_context(alone.value) == [] and displayed_context(inside.value) == [KeyError]


@pytest.mark.parametrize("is_hidden", [False, True])
def test_errors_that_a_users_module_handled_are_displayed(is_hidden):
    class Failing(nn.Module):
        def forward(self, x):
            try:
                {}["key"]
            except KeyError:
                if is_hidden:
                    raise ValueError("only") from None
                raise ValueError("also")

    with pytest.raises(ValueError) as caught:
        Failing()(X)
    assert displayed_context(caught.value) == ([] if is_hidden else [KeyError])


def test_all_frames_on_request():
    program = "import torchlike as torch\ntorch.ones(2) + torch.ones(3)"
    texts = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "TORCHLIKE_TRACEBACK": mode},
            capture_output=True,
            text=True,
            check=False,
        ).stderr
        for mode in ("full", "short")
    ]
    assert "in make" in texts[0] and "in make" not in texts[1]
    assert texts[0].splitlines()[-1] == texts[1].splitlines()[-1]
