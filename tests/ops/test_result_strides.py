"""Strides of the results of transforms, systems, quantiles and one-operand sums, which `both` compares."""

import itertools

import pytest

from tests.oracle import both

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

TRANSFORMS = ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"]
DIMS = [dims for n in (1, 2, 3) for dims in itertools.permutations(range(3), n)]


@pytest.mark.parametrize("dims", DIMS, ids=str)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name, dims):
    def program(torch):
        x = torch.rand(3, 4, 6)
        transform = getattr(torch.fft, name)
        turned = torch.rand(6, 4, 3).permute(2, 1, 0)
        made = [
            transform(x, dim=dims),
            transform(turned, dim=dims),
            transform(x, s=[5] * len(dims), dim=dims),
            transform(turned, s=[2] * len(dims), dim=dims),
        ]
        return [y.resolve_conj() for y in made]

    both(program)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_of_turned_inputs(name):
    def program(torch):
        turned = torch.rand(6, 4, 3).permute(2, 1, 0)
        return [getattr(torch.fft, name)(turned, n, dim) for dim in range(3) for n in (None, 2, 7)]

    both(program)


@pytest.mark.parametrize("name", ["fftn", "rfftn", "irfftn", "ihfftn"])
def test_transforms_over_many_dims(name):
    both(lambda torch: getattr(torch.fft, name)(torch.rand(2, 3, 4, 5, 2)))


@pytest.mark.parametrize("left", [(), (3,), (2, 1), (1, 3)], ids=str)
@pytest.mark.parametrize("right", [(), (3,), (2, 3)], ids=str)
def test_systems_whose_batches_broadcast(left, right):
    def program(torch):
        A = torch.eye(2).expand(*left, 2, 2).clone()
        B = torch.rand(*right, 2, 4)
        packed, pivots = torch.linalg.lu_factor(A)
        return [
            torch.cholesky_solve(B, A),
            torch.linalg.lu_solve(packed, pivots, B),
            torch.linalg.lu_solve(packed, pivots, B, adjoint=True),
            torch.linalg.lu_solve(packed, pivots, B.mT, left=False),
            torch.linalg.solve_triangular(A, B, upper=True),
            torch.linalg.solve(A, B),
            *torch.triangular_solve(B, A),
        ]

    both(program)


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 3, 4)], ids=str)
def test_quantiles(shape):
    def program(torch):
        x = torch.rand(*shape)
        asked = itertools.product((None, *range(len(shape))), (False, True), (torch.tensor([0.1, 0.5, 0.9]), 0.5))
        return [f(x, q, dim, keep) for dim, keep, q in asked for f in (torch.quantile, torch.nanquantile)]

    both(program)


@pytest.mark.parametrize("equation", ["ii->i", "ij->ji", "ij", "ji", "...", "...j->j...", "ij->i", "ii", "i...->...i"])
def test_equations_of_one_operand(equation):
    def program(torch):
        x = torch.arange(9.0).reshape(3, 3)
        made = torch.einsum(equation, x)
        made.add_(1)
        return x, made

    both(program)


def test_equations_of_one_operand_with_a_diagonal_of_three_dims():
    both(lambda torch: torch.einsum("iij->ji", torch.rand(2, 2, 3)))
    both(lambda torch: torch.einsum("iii->i", torch.rand(2, 2, 2)))
    both(lambda torch: torch.einsum("iij->ij", torch.rand(2, 1, 3)))
    both(lambda torch: torch.einsum("ij->ji", torch.rand(2, 3, requires_grad=True)).sum().backward())
