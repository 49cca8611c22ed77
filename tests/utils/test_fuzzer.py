"""Fuzzers of `torch.utils.benchmark`, compared with PyTorch, and the helpers of its modules."""

from importlib import import_module

import pytest

import torchlike
from tests.oracle import both
from torchlike.autograd.profiler import EnforceUnique
from torchlike.autograd.profiler_util import FunctionEvent, Interval
from torchlike.profiler import itt, profiler


def module(library):
    return import_module(f"{library.__name__}.utils.benchmark")


def test_tensors_and_parameters():
    def program(library):
        bench = module(library)
        parameters = [
            bench.FuzzedParameter("a", 4, 64, distribution="loguniform", strict=True),
            [bench.FuzzedParameter("b", 1, 8, "uniform"), bench.FuzzedParameter("s", 1.0, 2.0, "uniform")],
            bench.FuzzedParameter("k", 2, 3, "uniform"),
        ]
        tensors = [
            bench.FuzzedTensor("x", ("a", "b", 3), steps=("k", 1), probability_contiguous=0.3),
            [bench.FuzzedTensor("y", ("b",), dtype=library.int32, max_elements=6)],
        ]
        fuzzer = bench.Fuzzer(parameters, tensors, seed=7, constraints=[lambda values: values["b"] % 2 == 0])
        taken = [(made, repr(properties), values) for made, properties, values in fuzzer.take(4)]
        return taken, fuzzer.rejection_rate

    both(program)


CALLS = {
    "unknown": lambda bench: bench.FuzzedParameter("a", distribution="x"),
    "negative": lambda bench: bench.FuzzedParameter("a", distribution={1: -0.5, 2: 1.5}),
    "twice": lambda bench: bench.Fuzzer([bench.FuzzedParameter("a", 1, 2, "uniform")], [bench.FuzzedTensor("a", (1,))]),
    "none fits": lambda bench: [*bench.Fuzzer([], [bench.FuzzedTensor("x", (1,), min_elements=3)], seed=0).take(1)],
    "alias": lambda bench: repr(bench.ParameterAlias("x")),
    "units": lambda bench: [bench.select_unit(t) for t in (0.5, 3e-6, 2e-9, 4e-3)],
    "names": lambda bench: [bench.unit_to_english(unit) for unit in ("s", "ms", "us", "ns")],
    "digits": lambda bench: [
        bench.trim_sigfig(3.14159, 2),
        bench.trim_sigfig(314.0, 1),
        bench.ordered_unique([3, 1, 3]),
    ],
}


@pytest.mark.parametrize("name", CALLS)
def test_same(name):
    both(lambda library: CALLS[name](module(library)))


def test_a_distribution_with_an_alias():
    bench = torchlike.utils.benchmark
    parameters = [
        bench.FuzzedParameter("a", 2, 9, "uniform"),
        bench.FuzzedParameter("b", distribution={1: 0.5, bench.ParameterAlias("a"): 0.5}),
    ]
    for tensors, _, values in bench.Fuzzer(parameters, [bench.FuzzedTensor("x", ("b",))], seed=1).take(5):
        assert values["b"] in (1, values["a"]) and tensors["x"].shape == (values["b"],)
    with pytest.raises(AssertionError, match="not normalized"):
        bench.FuzzedParameter("a", distribution={1: 0.5})


def test_names_of_profilers():
    assert Interval(1, 4).elapsed_us() == 3
    with torchlike.profiler.profile() as recorded:
        (torchlike.ones(2) + 1).sum().item()
    assert all(isinstance(event, FunctionEvent) for event in recorded.events())
    keys = EnforceUnique()
    keys.see(1, 2)
    with pytest.raises(RuntimeError, match="duplicate key"):
        keys.see(1, 2)
    assert not itt.is_available()
    with pytest.raises(RuntimeError, match="ITT functions not installed"), itt.range("a {}", 1):
        pass
    with pytest.raises(NotImplementedError, match="ExecutionTraceObserver"):
        profiler.ExecutionTraceObserver()
