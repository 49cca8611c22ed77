"""Each operator in ONNX Runtime computes what it computes in torchlike, at another size too."""

import pytest

import torchlike as torch
from tests.onnx.more_samples import SAMPLES
from torchlike._engine.trace.trace import operators
from torchlike.export._record import Forward, record
from torchlike.utils._pytree import tree_leaves

# Translations whose operators are only reached through modules, and where they are tested.
ELSEWHERE = {
    "_recurrent_layer": "test_recurrent.py",
    "_recurrent_cell": "test_recurrent.py",
    "_moving_average": "test_export.py",
    "_flash_attention": "the kernel of CUDA devices, with the arguments of _attention",
}


class Of(torch.nn.Module):
    """A module that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class OfOne(Of):
    def forward(self, a):
        return self.function(a)


class OfTwo(Of):
    def forward(self, a, b):
        return self.function(a, b)


class OfThree(Of):
    def forward(self, a, b, c):
        return self.function(a, b, c)


class OfFour(Of):
    def forward(self, a, b, c, d):
        return self.function(a, b, c, d)


def module_of(name: str):
    """Return a module that calls the function of a sample."""
    function, inputs = SAMPLES[name]
    return (OfOne, OfTwo, OfThree, OfFour)[len(inputs(5)) - 1](function).eval()


def program_of(name: str):
    """Return the ONNX program of a sample, exported for five elements, with the dims that vary."""
    _, inputs = SAMPLES[name]
    torch.manual_seed(0)
    first, second = inputs(5), inputs(8)
    dims = tuple({d: "n" for d, (a, b) in enumerate(zip(x.shape, y.shape)) if a != b} for x, y in zip(first, second))
    return torch.onnx.export(module_of(name), first, dynamic_shapes=dims)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", SAMPLES)
def test_operator(name):
    function, inputs = SAMPLES[name]
    program = program_of(name)
    for size in (5, 8):
        torch.manual_seed(1)
        given = inputs(size)
        wanted = tree_leaves(function(*given))
        # ONNX Runtime's exp, erf and sums differ from XLA's by some units in the last place.
        torch.testing.assert_close(program(*given), tuple(wanted), rtol=1e-4, atol=1e-5, equal_nan=True)


def test_each_translation_has_a_sample():
    from torchlike.onnx._calls import TRANSLATIONS

    used = set()
    for name, (_, inputs) in SAMPLES.items():
        given = inputs(5)
        recorded = record(Forward(module_of(name)), given, {}, [tuple(x.shape) for x in given], False)
        used |= {plan.name for plan, _ in operators(recorded.recording.primal.code)}
    assert set(TRANSLATIONS) - used == set(ELSEWHERE)
