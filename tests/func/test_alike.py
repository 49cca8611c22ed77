"""Function transforms: results, and whether they have a gradient graph, must equal PyTorch's under every executor."""

import re

import pytest
import torch

import torchlike
from tests.func import programs_derivatives, programs_vmap
from tests.func.refused import REFUSED
from tests.oracle import both, outcome

PROGRAMS = {**programs_vmap.ALIKE, **programs_derivatives.ALIKE}


# Strides are not compared. They depend on how each library stacks the examples.
@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name):
    both(PROGRAMS[name], stride=False)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["per_sample_gradients", "hessians", "nested", "jvp", "index"])
@pytest.mark.parametrize("executor", ["numpy", "xla", "immediate"])
def test_same_results_by_each_executor(name, executor):
    with torchlike.set_executor(executor):
        both(PROGRAMS[name], stride=False)


@pytest.mark.parametrize("name", REFUSED)
def test_same_refusals(name):
    theirs, ours = outcome(REFUSED[name], torch), outcome(REFUSED[name], torchlike)
    assert theirs.error is not None
    assert ours.sentence == theirs.sentence


CAPTURED = {
    "operator": lambda torch, x, o: o.add_(x),
    "of a number": lambda torch, x, o: o.mul_(2),
    "of a view": lambda torch, x, o: o[1:].zero_(),
    "index": lambda torch, x, o: o.__setitem__(0, x.sum()),
    "data": lambda torch, x, o: o.data.copy_(x.detach()),
    "module": lambda torch, x, o: torch.nn.BatchNorm1d(3)(x.expand(2, 3)),
    "out": lambda torch, x, o: torch.add(o, 1, out=o),
    "running statistics": lambda torch, x, o: torch.nn.functional.batch_norm(x.expand(2, 3), o, o + 1, training=True),
    "new": lambda torch, x, o: torch.zeros(3).add_(x),
    "copy": lambda torch, x, o: o.clone().add_(x),
    "new parameter": lambda torch, x, o: torch.nn.init.ones_(torch.nn.Parameter(torch.zeros(3))),
    "in a transform": lambda torch, x, o: (w := x * 2, torch.func.grad(lambda y: (w.add_(1) * y).sum())(x)),
}
TRANSFORMS = {
    "grad": lambda torch, f, x: torch.func.grad(lambda x: f(x).sum())(x),
    "vjp": lambda torch, f, x: torch.func.vjp(f, x)[0],
    "jvp": lambda torch, f, x: torch.func.jvp(f, (x,), (x,)),
    "jacfwd": lambda torch, f, x: torch.func.jacfwd(f)(x),
    "vmap": lambda torch, f, x: torch.func.vmap(torch.func.grad(lambda x: f(x).sum()))(x.expand(2, 3)),
}


def in_a_transform(torch, transform, name):
    """Return the error of a function that writes to a captured tensor without the overload's name, and the tensor."""
    captured = torch.zeros(3)
    inner = lambda x: (CAPTURED[name](torch, x, captured), x * x)[1]
    error = outcome(lambda torch: TRANSFORMS[transform](torch, inner, torch.tensor([1.0, 2.0, 3.0])), torch).sentence
    return re.sub(r"\.\w+\)", ")", str(error)), captured.tolist()


@pytest.mark.parametrize("transform", ["grad", "vjp", "jvp"])
@pytest.mark.parametrize("name", CAPTURED)
def test_writes_to_captured_tensors_are_refused(transform, name):
    due, got = [in_a_transform(library, transform, name) for library in (torch, torchlike)]
    assert got[0] == due[0]
    assert got[1] == pytest.approx(due[1])


@pytest.mark.parametrize("transform", ["jacfwd", "vmap"])
def test_mapped_writes_to_captured_tensors_are_refused(transform):
    due, got = [in_a_transform(library, transform, "of a number") for library in (torch, torchlike)]
    assert got == due


def test_a_differentiated_function_may_write_to_its_arguments():
    def program(torch):
        y, norm = torch.ones(3), torch.nn.BatchNorm1d(3)
        state = {**dict(norm.named_parameters()), **dict(norm.named_buffers())}
        loss = lambda x, y, state: (y.add_(1), (torch.func.functional_call(norm, state, x) * y).sum())[1]
        return torch.func.grad(loss)(torch.eye(3), y, state), y, norm.running_mean, norm.num_batches_tracked

    both(program, stride=False)
