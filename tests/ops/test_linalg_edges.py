"""Edge cases of torch.linalg: empty reductions, invalid orders, non-finite elements, deprecated overloads."""

import itertools

import pytest

import torchlike
from tests.oracle import both

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

ORDERS = [1j, "foo", "nuc", "fro", None, 0, 1, -1, 2, -2, 3, 0.5, -0.5, float("inf"), -float("inf"), "inf"]
SHAPES = [(3,), (2, 3), (2, 2, 2), (0,), (0, 3), (3, 0), ()]


@pytest.mark.parametrize("ord", ORDERS, ids=str)
def test_norms(ord):
    for shape in SHAPES:
        if not (isinstance(ord, str) and shape in ((2, 2, 2), ())):
            both(lambda torch: torch.linalg.norm(torch.ones(shape), ord))  # noqa: B023
        if ord is not None:
            both(lambda torch: torch.linalg.vector_norm(torch.ones(shape), ord))  # noqa: B023
            both(lambda torch: torch.linalg.matrix_norm(torch.ones(shape), ord))  # noqa: B023
            both(lambda torch: torch.linalg.norm(torch.ones(shape), ord, dim=0))  # noqa: B023


@pytest.mark.parametrize("ord", [-1, -2, -0.5, 0, 0.5, 1, 2, 3, float("inf"), -float("inf")], ids=str)
def test_norms_of_what_is_not_finite(ord):
    for numbers in ([1.0, float("inf"), -float("inf")], [0.0, 1.0, 2.0], [0.0, float("inf")], [1.0, float("nan")]):
        both(lambda torch: torch.linalg.vector_norm(torch.tensor(numbers), ord))  # noqa: B023


NAN, INF = float("nan"), float("inf")
WITH_NAN = [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.5], [NAN, 2.0]]]


@pytest.mark.parametrize("numbers", [WITH_NAN, WITH_NAN[1]], ids=["batch", "matrix"])
def test_svd_refuses_nan(numbers):
    """Check the errors, which torchlike raises when the results are read."""
    both(lambda torch: torch.linalg.svd(torch.tensor(numbers)).S.tolist())
    both(lambda torch: torch.linalg.svdvals(torch.tensor(numbers)).tolist())
    both(lambda torch: torch.linalg.pinv(torch.tensor(numbers)).tolist())
    both(lambda torch: torch.linalg.matrix_rank(torch.tensor(numbers)).tolist())
    both(lambda torch: torch.linalg.cond(torch.tensor(numbers)).tolist())
    both(lambda torch: torch.linalg.matrix_norm(torch.tensor(numbers), "nuc").tolist())
    both(lambda torch: torch.linalg.eigvalsh(torch.tensor(numbers)).tolist())
    both(lambda torch: torch.linalg.eigvalsh(torch.tensor(numbers), UPLO="U"))  # does not read the NaN


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("name", ["svd", "svdvals", "pinv", "lstsq", "eigh", "eigvalsh", "matrix_rank"])
def test_decompositions_of_infinity_end(name, executor):
    """Check that infinity gives NaN. LAPACK's SVD of this matrix never ends."""
    with torchlike.set_executor(executor):
        x = torchlike.eye(3) + 0.1
        x[0, 0] = INF
        x = torchlike.stack([x, torchlike.eye(3)])
        found = getattr(torchlike.linalg, name)(*[x] * (2 if name == "lstsq" else 1))
        found = found if isinstance(found, torchlike.Tensor) else found[0]
        if name == "matrix_rank":
            assert found.tolist() == [0, 3]
        else:
            assert found[0].isnan().all()
            assert found[1].isfinite().all()


@pytest.mark.parametrize("numbers", [WITH_NAN, WITH_NAN[1], [[NAN, 1.0], [2.0, 3.0]]])
def test_inverses_and_solutions_with_nan(numbers):
    both(lambda torch: torch.linalg.inv(torch.tensor(numbers)))
    both(lambda torch: torch.linalg.solve(torch.tensor(numbers), torch.ones(2, 1)))


@pytest.mark.parametrize(
    "numbers", [[[float("nan")] * 2] * 2, [[float("inf")] * 2] * 2, [[1.0, float("nan")], [0.0, 1.0]]]
)
def test_eig_and_cholesky_of_what_is_not_finite(numbers):
    both(lambda torch: torch.linalg.eig(torch.tensor(numbers)))
    both(lambda torch: torch.linalg.cholesky(torch.tensor(numbers).tril()))
    both(lambda torch: torch.linalg.cholesky_ex(torch.tensor(numbers).tril()).info)


INVERTED = [
    ((0, 0), 1),
    ((0, 1, 0), 1),
    ((0, 3, 0, 3), 2),
    ((2, 0, 0, 2), 2),
    ((0, 2, 3, 0), 2),
    ((1, 1), 1),
    ((2, 3), 1),
    ((2, 2), 0),
    ((), 1),
    ((2, 2), 1),
]
SOLVED = [((0, 0), (0,)), ((0, 0, 0), (0,)), ((0, 3, 0, 3), (0, 3)), ((2, 0, 0, 2), (2, 0)), ((1,), ()), ((), ())]


def test_tensors_without_elements():
    for shape, ind in INVERTED:
        both(lambda torch: torch.linalg.tensorinv(torch.ones(shape), ind), stride=False)  # noqa: B023
    for a, b in SOLVED:
        both(lambda torch: torch.linalg.tensorsolve(torch.ones(a), torch.ones(b)), stride=False)  # noqa: B023


CHAINS = [
    (),
    ((2, 2),),
    ((2, 2), (3,)),
    ((2, 2), (3, 2)),
    ((2,), (2, 2), (2,)),
    ((2, 2), (2,), (2, 2)),
    ((2, 2, 2), (2, 2)),
    ((2, 2), (2, 2), (2, 3)),
    ((2,),),
]


@pytest.mark.parametrize("shapes", CHAINS, ids=str)
def test_products_of_many(shapes):
    both(lambda torch: torch.linalg.multi_dot([torch.ones(shape) for shape in shapes]))
    both(lambda torch: torch.chain_matmul(*[torch.ones(shape) for shape in shapes]))


def test_a_product_of_two_dtypes():
    both(lambda torch: torch.linalg.multi_dot([torch.ones(2, 2), torch.ones(2, 2).double()]))


ADDED = {
    "addmm": ((2, 2), (2, 2), (2, 2)),
    "addmv": ((2,), (2, 2), (2,)),
    "addr": ((2, 2), (2,), (2,)),
    "addbmm": ((2, 2), (2, 2, 2), (2, 2, 2)),
    "baddbmm": ((2, 2, 2), (2, 2, 2), (2, 2, 2)),
}


@pytest.mark.parametrize("name", ADDED)
def test_old_overloads(name):
    def called(torch):
        a, b, c = (torch.ones(shape) for shape in ADDED[name])
        function, twin = getattr(torch, name), name + "_"
        return [
            function(2, a, b, c),
            function(2, a, 3, b, c),
            function(2, a, 3, b, c, out=torch.zeros_like(a)),
            getattr(a, name)(2, b, c),
            getattr(a, name)(2, 3, b, c),
            getattr(a.clone(), twin)(2, 3, b, c),
            getattr(a, name)(b, c, beta=2),
        ]

    both(called)


REMOVED = ["symeig", "eig", "lstsq", "solve"]


@pytest.mark.parametrize("name", REMOVED)
def test_removed_functions(name):
    arguments = lambda torch: [torch.eye(2)] * (1 if name in ("symeig", "eig") else 2)
    both(lambda torch: getattr(torch, name)(*arguments(torch)))
    both(lambda torch: getattr(torch.Tensor, name)(*arguments(torch)))


def test_matrix_rank_is_in_linalg():
    both(lambda torch: torch.matrix_rank(torch.eye(2)))
    both(lambda torch: hasattr(torch.Tensor, "matrix_rank"))


SHUFFLED = [(1, 0, 2, 2), (0, 4, 2, 2), (0, 4, 0, 2), (1, 4, 0, 2), (0, 0, 0, 0), (2, 4, 0, 0), (0, 2, 2), (4, 2, 2)]


@pytest.mark.parametrize("name", ["pixel_shuffle", "pixel_unshuffle", "channel_shuffle"])
def test_shuffles_of_nothing(name):
    for shape, factor in itertools.product(SHUFFLED, (1, 2)):
        both(lambda torch: getattr(torch.nn.functional, name)(torch.ones(shape), factor), stride=False)  # noqa: B023
