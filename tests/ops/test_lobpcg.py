"""`lobpcg`, compared with PyTorch: eigenvalues and eigenspaces, shapes, random numbers, trackers, gradients, errors."""

import numpy as np
import pytest
import torch

import torchlike
from tests.optim.test_optimizer import outcome

LIBRARIES = (torchlike, torch)
ENOUGH = dict(rtol=1e-6, atol=1e-8)


def matrix(m, seed=0, batch=()):
    a = np.random.default_rng(seed).standard_normal((*batch, m, m))
    return a @ a.swapaxes(-1, -2) / m + np.diag(np.arange(m) / 4)


def run(library, A, k=None, B=None, X=None, dtype="float64", **options):
    """Return the results of `lobpcg`, and the state after it.

    These are the eigenvalues, the projectors onto the eigenvectors, the residuals, the products of the eigenvectors
    with each other, the numbers of the steps, and the next random numbers.
    """
    library.manual_seed(0)
    given = [None if x is None else library.tensor(x, dtype=getattr(library, dtype)) for x in (A, B, X)]
    steps = []
    E, V = library.lobpcg(given[0], k, *given[1:], tracker=lambda w: steps.append(w.ivars["istep"]), **options)
    residual = given[0] @ V - (V if B is None else given[1] @ V) * E[..., None, :]
    products = V.mT @ (V if B is None else given[1] @ V)
    return E.numpy(), (V[..., :, None, :] * V[..., None, :, :]).numpy(), residual, products, steps, library.rand(2)


def exact(A, B, k):
    return np.sort(np.linalg.eigvals(np.linalg.solve(B, A)).real)[..., ::-1][..., :k]


CASES = {
    "one": dict(),
    "three": dict(k=3),
    "smallest": dict(k=3, largest=False),
    "more vectors": dict(k=2, n=5),
    "a tolerance": dict(k=2, tol=1e-10),
    "a start": dict(k=2, X=np.random.default_rng(3).standard_normal((30, 4))),
    "a start alone": dict(X=np.random.default_rng(3).standard_normal((30, 3))),
    "a pair": dict(k=2, n=3, B=matrix(30, 1)),
    "a preconditioner": dict(k=2, largest=False, iK=True),
    "drops": dict(k=2, ortho_bparams={"ortho_use_drop": True}),
    "one round": dict(k=2, ortho_iparams={"ortho_i_max": 1, "ortho_j_max": 2}, ortho_fparams={"ortho_tol": 1e-6}),
}


@pytest.mark.parametrize("method", ["ortho", "basic", None])
@pytest.mark.parametrize("case", CASES)
def test_eigenpairs(case, method):
    def program(library):
        options = dict(CASES[case])
        if "iK" in options:
            options["iK"] = library.tensor(np.linalg.inv(matrix(30) + 0.1 * np.eye(30)))
        return run(library, matrix(30), method=method, **options)

    ours, theirs = map(program, LIBRARIES)
    if case == "a pair" and method == "basic":
        # PyTorch returns the first eigenvector twice
        theirs = exact(matrix(30), matrix(30, 1), 2), ours[1], *theirs[2:]
    np.testing.assert_allclose(ours[0], theirs[0], **ENOUGH)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=0, atol=1e-5)
    np.testing.assert_allclose(ours[3].numpy(), np.eye(ours[3].shape[-1]), atol=1e-6)
    assert len(ours[4]) <= 1.2 * len(theirs[4]) + 2
    np.testing.assert_array_equal(ours[5].numpy(), theirs[5].numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("method", ["ortho", "basic"])
def test_batches(method, dtype):
    options = dict(k=2, n=3, method=method, dtype=dtype)
    ours, theirs = (run(library, matrix(12, 0, (2, 3)), B=matrix(12, 1, (2, 3)), **options) for library in LIBRARIES)
    expected = exact(matrix(12, 0, (2, 3)), matrix(12, 1, (2, 3)), 2)
    np.testing.assert_allclose(ours[0], expected, rtol=1e-4 if dtype == "float32" else 1e-6)
    assert (ours[0].dtype, ours[0].shape, ours[1].shape) == (theirs[0].dtype, theirs[0].shape, theirs[1].shape)
    np.testing.assert_array_equal(ours[5].numpy(), theirs[5].numpy())


def test_sparse():
    def program(library):
        library.manual_seed(0)
        return library.lobpcg(library.tensor(np.diag(np.arange(1.0, 31))).to_sparse(), 3, niter=-1)[0].numpy()

    np.testing.assert_allclose(*map(program, LIBRARIES), rtol=1e-6)
    np.testing.assert_allclose(program(torchlike), [30, 29, 28], rtol=1e-6)


def test_zeros_and_repeated_values():
    def program(library):
        library.manual_seed(0)
        A = np.diag([5.0, 5.0, 5.0, *[1.0] * 17])
        return [library.lobpcg(library.tensor(a), 2)[0].tolist() for a in (A, np.eye(20))]

    np.testing.assert_allclose(*map(program, LIBRARIES), rtol=1e-7)


def test_a_tracker_sees_and_stops():
    def program(library):
        library.manual_seed(0)
        seen = []

        def tracker(worker):
            seen.append((worker.ivars["istep"], worker.ivars["iterations_left"], tuple(worker.X.shape)))
            seen.append(([tuple(x.shape) for x in (worker.E, worker.R, worker.tvars["rerr"])], worker.bparams))
            seen.append({name: worker.iparams[name] for name in ("m", "n", "k", "niter")})
            seen.append({name: round(worker.fvars[name], 6) for name in ("A_norm", "B_norm", "X_norm")})
            seen.append((worker.method, worker.fparams, str(worker).splitlines()[0]))
            if worker.ivars["istep"] == 4:
                worker.bvars["force_stop"] = True

        library.lobpcg(library.tensor(matrix(30)), 3, tracker=tracker)
        return seen

    ours, theirs = map(program, LIBRARIES)
    assert ours == theirs
    assert len(ours) == 20


def test_few_iterations():
    ours, theirs = (run(library, matrix(30), k=2, niter=5) for library in LIBRARIES)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-2)
    assert ours[4] == theirs[4] == [1, 2, 3, 4, 5]


def losses(library, E, V):
    weights = library.arange(V.shape[-2], dtype=V.dtype)
    outer = V @ V.mT
    return {"values": (E * E).sum(), "vectors": (V**4).sum(), "space": (outer * weights).sin().sum()}


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("loss", ["values", "vectors", "space"])
@pytest.mark.parametrize("largest", [True, False])
def test_gradient(batch, loss, largest):
    def program(library):
        library.manual_seed(0)
        A = library.tensor(matrix(12, 0, batch), requires_grad=True)
        E, V = library.lobpcg(A, 3, largest=largest, tol=1e-11)
        losses(library, E, V)[loss].backward()
        return A.grad.numpy()

    np.testing.assert_allclose(*map(program, LIBRARIES), rtol=1e-5, atol=1e-6)


def test_gradcheck():
    a = torchlike.tensor(matrix(6), requires_grad=True)
    start = torchlike.tensor(np.random.default_rng(1).standard_normal((6, 2)))

    def pairs(a):
        E, V = torchlike.lobpcg((a + a.mT) / 2, 2, X=start, tol=1e-13)
        return E, V * V.detach().sum(0).sign()

    assert torchlike.autograd.gradcheck(pairs, a, atol=1e-4)


def square(library, m=12, **options):
    return library.tensor(matrix(m), **options)


MISTAKES = {
    "no square": lambda L: L.lobpcg(L.ones(3, 4)),
    "another shape": lambda L: L.lobpcg(square(L), B=square(L, 9)),
    "too small": lambda L: L.lobpcg(square(L), 5),
    "start of a wrong shape": lambda L: L.lobpcg(square(L), 2, X=L.ones(9, 2)),
    "gradient of a pair": lambda L: L.lobpcg(square(L, requires_grad=True), 2, square(L))[0].sum().backward(),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_errors_equal_pytorchs(name):
    ours, theirs = (outcome(lambda lib=lib: MISTAKES[name](lib)) for lib in LIBRARIES)
    assert ours == theirs
    assert ours[0] is not None
