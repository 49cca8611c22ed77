"""Compiled calls refuse a gradient, as PyTorch does, if a tensor that they save for backward is overwritten."""

import re

import pytest
import torch

import torchlike

FUNCTIONS = {
    "mul": lambda x, w: x * w,
    "linear": lambda x, w: (x @ w).relu(),
    "transposed": lambda x, w: x @ w.t(),
    "view": lambda x, w: (x.reshape(-1) * w.reshape(-1)).reshape(3, 3),
    "add": lambda x, w: x + w,
    "exp": lambda x, w: (x + w).exp(),
    "tanh": lambda x, w: (x * w).tanh(),
    "sigmoid": lambda x, w: (x + w).sigmoid(),
    "power": lambda x, w: (x**2) * w,
    "softmax": lambda x, w: (x @ w).softmax(-1),
    "divide": lambda x, w: x / w,
    "sum": lambda x, w: (x + w).sum(0),
    "where": lambda x, w: (x + w).clamp(min=0.0),
    "norm": lambda x, w: (x * w).pow(2).mean().sqrt(),
    "two": lambda x, w: (x.exp(), x * w),
}


def _write_weight(lib, x, w, y):
    with lib.no_grad():
        w.add_(1)


def _step(lib, x, w, y):
    w.grad = lib.ones_like(w)
    lib.optim.SGD([w], lr=0.5).step()


def _write_input(lib, x, w, y):
    with lib.no_grad():
        x.mul_(2)


def _write_part(lib, x, w, y):
    with lib.no_grad():
        w[0].zero_()


def _write_result(lib, x, w, y):
    for each in y if isinstance(y, tuple) else (y,):
        each.add_(1)


def _write_view_of_result(lib, x, w, y):
    for each in y if isinstance(y, tuple) else (y,):
        each.view(-1)[0].mul_(2)


def _write_nothing(lib, x, w, y):
    pass


WRITES = [_write_weight, _step, _write_input, _write_part, _write_result, _write_view_of_result, _write_nothing]


def outcomes(lib, function, write, needs):
    """Return the results of three calls: gradients, or the type and the message of the error."""
    compiled = lib.compile(function) if lib is torchlike else function
    found = []
    for call in range(3):
        start = lib.arange(9.0).reshape(3, 3).add_(1 + call)
        source = start.clone().requires_grad_("x" in needs)
        x = source * 1 if "x" in needs else source
        w = (start * 0.5).requires_grad_("w" in needs)
        y = compiled(x, w)
        try:
            write(lib, x, w, y)
            sum(each.sum() for each in (y if isinstance(y, tuple) else (y,))).backward()
            found.append([None if t.grad is None else t.grad.tolist() for t in (source, w)])
        except RuntimeError as error:
            found.append(re.sub("which is output 0 of [A-Za-z]+", "which is a result", str(error)))
    return found


@pytest.mark.one_in(5)
@pytest.mark.parametrize("needs", ["xw", "w", "x"])
@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__.strip("_"))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_overwritten_after_the_call(name, write, needs):
    ours = outcomes(torchlike, FUNCTIONS[name], write, needs)
    theirs = outcomes(torch, FUNCTIONS[name], write, needs)
    for mine, expected in zip(ours, theirs, strict=True):
        if isinstance(expected, str):
            assert mine == expected
        else:
            for gradient, right in zip(mine, expected, strict=True):
                assert (gradient is None) == (right is None)
                if right is not None:
                    torch.testing.assert_close(torch.tensor(gradient), torch.tensor(right))


def _write_data(lib, x, w, y):
    w.data.mul_(2)


def _write_data_of_input(lib, x, w, y):
    x.data[0] = 3.0


def _give_data(lib, x, w, y):
    w.data = lib.full((3, 3), 7.0)
    w.data.mul_(2)


def _give_wide_data(lib, x, w, y):
    w.data = lib.full((3, 3), 7.0, dtype=lib.float64)


DATA_WRITES = [_write_data, _write_data_of_input, _give_data, _give_wide_data]


@pytest.mark.parametrize("needs", ["xw", "w"])
@pytest.mark.parametrize("write", DATA_WRITES, ids=lambda write: write.__name__.strip("_"))
@pytest.mark.parametrize("name", ["mul", "power"])
def test_written_to_through_data(name, write, needs):
    ours = outcomes(torchlike, FUNCTIONS[name], write, needs)
    assert ours == outcomes(torch, FUNCTIONS[name], write, needs)


@pytest.mark.parametrize(
    "function", [lambda x, w: (x @ w.t()) * w, lambda x, w: x * w + w.exp() * w.detach()], ids=["view", "two ways"]
)
def test_written_to_through_data_and_saved_otherwise(function):
    x, w = torchlike.ones(2, 2), torchlike.ones(2, 2, requires_grad=True)
    y = torchlike.compile(function)(x, w)
    w.data.mul_(2)
    with pytest.raises(RuntimeError, match="that a compiled call saved"):
        y.sum().backward()


SEVERAL = {
    "apart": lambda x, w: ((x * 2).exp(), x * w, (w + 1).exp()),
    "shared": lambda x, w: ((y := (x * w).exp()) * 2, y.sum(), w.square().sum()),
    "chained": lambda x, w: ((y := x @ w), y.sigmoid(), (y.tanh() * w).sum()),
    "powers": lambda x, w: (x.pow(3) @ x, (x @ w).sum() * w.sum()),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "write", [_write_weight, _write_input, "0", "1", "-1"], ids=lambda write: getattr(write, "__name__", write)
)
@pytest.mark.parametrize("asked", [[0], [1], [-1], [0, 1]], ids=str)
@pytest.mark.parametrize("name", SEVERAL)
def test_only_asked_outputs_are_checked(name, asked, write):
    def write_to(lib, x, w, y):
        if callable(write):
            write(lib, x, w, y)
        else:
            y[int(write)].detach().add_(1)

    def results(lib):
        compiled = lib.compile(SEVERAL[name]) if lib is torchlike else SEVERAL[name]
        found = []
        for _ in range(3):
            x = lib.arange(9.0).reshape(3, 3).mul_(0.1).requires_grad_()
            w = (lib.arange(9.0).reshape(3, 3) * 0.5).requires_grad_()
            y = compiled(x, w)
            write_to(lib, x, w, y)
            try:
                sum(y[i].sum() for i in asked).backward()
                found.append("a gradient")
            except RuntimeError as error:
                found.append(re.sub(" \\[torch.*", "", str(error)))
        return found

    assert results(torchlike) == results(torch)
