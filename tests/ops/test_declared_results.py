"""The declared shape and dtype of each result equal those that the kernel computes, for operands of any shape."""

import itertools

import numpy as np
import pytest

import torchlike
from tests.ops.row import JUDGED, SAMPLES, function
from tests.ops.sample import Fails, Sample, arguments
from tests.oracle import both
from torchlike._engine import Plan, Value, aval, record
from torchlike._engine.trace.plan import NUMPY

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")

CPU = torchlike.device("cpu")
ONE = aval((2, 3), torchlike.float32, CPU)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize(
    "declared", [aval((3,), torchlike.float32, CPU), aval((2, 3), torchlike.float64, CPU)], ids=str
)
def test_a_rule_that_disagrees_with_its_kernel_is_an_internal_error(executor, declared):
    plan = Plan("misdeclared", (ONE,), (), (declared,), lambda x: (x + x,))
    plan.executor = NUMPY
    with torchlike.set_executor(executor):
        (made,) = record(plan, (Value(ONE, np.ones((2, 3), np.float32)),))
        with pytest.raises(RuntimeError, match="internal error of torchlike: the operator misdeclared"):
            torchlike._tensor.tensor.wrap(made).tolist()
        assert torchlike.ones(3).sum().item() == 3  # later operations are not affected


# -- linear systems with batches of matrices and vectors ---------------------------------------------------------------

MATRICES = [(3, 3), (1, 3, 3), (2, 3, 3), (0, 3, 3), (3, 3, 3), (2, 1, 3, 3), (2, 0, 0), (4, 1, 1)]
OTHERS = [(), (3,), (0,), (1,), (2, 3), (1, 3), (3, 3), (2, 3, 1), (2, 1, 3), (4, 3), (2, 0), (0, 3), (4, 1)]


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("a, b", [*itertools.product(MATRICES, OTHERS)], ids=str)
def test_solve(a, b, left):
    def solved(torch):
        n = a[-1]
        matrices = (torch.arange(n * n).reshape(n, n) % 4 + 4.0 * torch.eye(n)).expand(a).clone()
        return torch.linalg.solve(matrices, torch.arange(float(np.prod(b))).reshape(b), left=left)

    both(solved)


def test_gradients_of_a_batch_of_systems_with_one_vector():
    def gradients(torch):
        matrices = torch.eye(3).repeat(2, 1, 1).mul(2).requires_grad_()
        vector = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        torch.linalg.solve(matrices, vector).square().sum().backward()
        return matrices.grad, vector.grad

    both(gradients)


# -- reflectors and layers with mismatched batches ---------------------------------------------------------------------

REFLECTED = [
    ((4, 3), (2, 3)),
    ((4, 3), ()),
    ((2, 4, 3), (3,)),
    ((2, 4, 3), (2, 3)),
    ((2, 4, 3), (1, 3)),
    ((4, 3), (2,)),
    ((0, 4, 3), (0, 3)),
    ((2, 4, 3), (4, 2, 3)),
    ((3, 3), (4,)),
]
TURNED = [(4, 4), (2, 4, 4), (3, 3), (4, 3), (0, 4, 4), (4,)]
LAYERS = [
    ((5, 3), (2, 2, 3)),
    ((5, 3), (2, 3)),
    ((4, 5, 3), (2, 3)),
    ((3,), (2, 3)),
    ((5, 3), (3,)),
    ((3,), (3,)),
    ((), ()),
    ((4, 5, 3), (4, 2, 3)),
    ((5, 0), (2, 0)),
    ((0, 3), (2, 3)),
]
BIASES = [None, (), (1,), (2,), (5,), (2, 2), (5, 2), (1, 2), (4, 5, 2)]


@pytest.mark.parametrize("vectors, tau", REFLECTED, ids=str)
def test_products_of_reflectors(vectors, tau):
    both(lambda torch: torch.linalg.householder_product(torch.ones(vectors), torch.ones(tau)))
    for other, left in itertools.product(TURNED, (True, False)):
        both(lambda torch: torch.ormqr(torch.ones(vectors), torch.ones(tau), torch.ones(other), left=left))  # noqa: B023


@pytest.mark.parametrize("input, weight", LAYERS, ids=str)
def test_linear(input, weight):
    for bias in BIASES:
        ones = lambda torch: None if bias is None else torch.ones(bias)  # noqa: B023
        both(lambda torch: torch.nn.functional.linear(torch.ones(input), torch.ones(weight), ones(torch)))  # noqa: B023


# -- all samples, in other shapes --------------------------------------------------------------------------------------


def _of_no_batch(a):
    return np.zeros((0, *a.shape), a.dtype)


def _first_of(a):
    return a[0] if a.ndim and len(a) else a


def _without(size):
    return lambda a: a[tuple(slice(0) if n == size else slice(None) for n in a.shape)]


VARIATIONS = {
    "a batch": lambda a, place: np.stack([a, a]),
    "a batch of the first": lambda a, place: a if place else np.stack([a, a]),
    "a batch of the second": lambda a, place: np.stack([a, a]) if place == 1 else a,
    "no batch": lambda a, place: _of_no_batch(a),
    "no batch of the first": lambda a, place: a if place else _of_no_batch(a),
    "without its first dim": lambda a, place: _first_of(a),
    "dims of 2 are 0": lambda a, place: _without(2)(a),
    "dims of 3 are 0": lambda a, place: _without(3)(a),
}
MOST_SAMPLES = 2


def _varied(sample, change):
    places = itertools.count()

    def each(a):
        if isinstance(a, np.ndarray):
            return change(a, next(places))
        return type(a)([each(x) for x in a]) if isinstance(a, list | tuple) else a

    return Sample(*map(each, sample.args), **{k: each(a) for k, a in sample.kwargs.items()})


def _read(result):
    for x in result if isinstance(result, tuple | list) else (result,):
        if isinstance(x, torchlike.Tensor):
            x.tolist()


@pytest.mark.parametrize("key", JUDGED)
def test_results_in_other_shapes(key):
    """Check that declared shapes and dtypes equal those of the results. The call itself may be refused."""
    good = [s for s in SAMPLES[key] if not isinstance(s, Fails)]
    with torchlike.set_executor("numpy"):
        for sample, change in itertools.product(good[:MOST_SAMPLES], VARIATIONS.values()):
            args, kwargs = arguments(torchlike, _varied(sample, change))
            try:
                _read(function(torchlike, key)(*args, **kwargs))
            except Exception as error:
                assert "internal error" not in str(error)
