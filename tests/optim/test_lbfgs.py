"""LBFGS, compared with PyTorch: losses, parameters and numbers of evaluations."""

import numpy as np
import pytest
import torch

import torchlike
from torchlike._tensor.binding import CALLERS

OPTIONS = [
    dict(lr=1e-3),
    dict(lr=0.1, max_iter=3),
    dict(line_search_fn="strong_wolfe"),
    dict(line_search_fn="strong_wolfe", history_size=2, max_iter=4),
    dict(line_search_fn="strong_wolfe", lr=100.0, max_iter=6),
    dict(line_search_fn="strong_wolfe", lr=1e-2, max_iter=6),
    dict(line_search_fn="strong_wolfe", tolerance_grad=1e-2),
]


def minimize(library, steps=3, **options):
    """Minimize the three-dimensional Rosenbrock function over two parameters."""
    start = [np.array([-1.2]), np.array([1.0, 0.5])]
    params = [library.nn.Parameter(library.from_numpy(a)) for a in start]
    optimizer = library.optim.LBFGS(params, **options)

    def closure():
        optimizer.zero_grad()
        x = library.cat(params)
        a, b = x[1:] - x[:-1] * x[:-1], 1 - x[:-1]
        loss = (100 * a * a + b * b).sum()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(steps)]
    state = optimizer.state_dict()["state"][0]
    return losses, [p.detach().numpy().copy() for p in params], state


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_losses_parameters_and_state_equal_pytorchs(options):
    (losses, params, state), (losses2, params2, state2) = (minimize(lib, **options) for lib in (torchlike, torch))
    np.testing.assert_allclose(losses, losses2, rtol=1e-5)
    for a, b in zip(params, params2):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    assert (state["func_evals"], state["n_iter"]) == (state2["func_evals"], state2["n_iter"])
    assert list(state) == list(state2)
    assert [len(state[k]) for k in ("old_dirs", "old_stps", "ro", "al")] == [
        len(state2[k]) for k in ("old_dirs", "old_stps", "ro", "al")
    ]


def test_an_unknown_line_search_raises():
    for library in (torchlike, torch):
        with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
            minimize(library, line_search_fn="armijo")


def test_parameters_without_gradient_are_unchanged():
    used, unused = (torchlike.nn.Parameter(torchlike.ones(2)) for _ in range(2))
    optimizer = torchlike.optim.LBFGS([used, unused], line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = (used * used).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert unused.tolist() == [1.0, 1.0]
    assert abs(used.detach().numpy()).max() < 1e-3


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_direction_equals_the_two_loop_recursion(executor, dtype):
    """Compare the two-loop recursion with NumPy. The history has room for eight corrections and holds five."""
    rng = np.random.default_rng(0)
    grad, *history = rng.normal(size=(11, 7)).astype(dtype)
    changes, steps, ro = history[:5], history[5:], rng.uniform(0.1, 0.5, 5).astype(dtype)
    made, al = -grad, [0.0] * 5
    for i in reversed(range(5)):
        al[i] = steps[i].dot(made) * ro[i]
        made = made - al[i] * changes[i]
    made = made * 0.7
    for i in range(5):
        made = made + (al[i] - changes[i].dot(made) * ro[i]) * steps[i]
    zeros = [np.zeros(7, dtype)] * 3
    given = [[torchlike.from_numpy(a) for a in (*some, *zeros)] for some in (changes, steps)]
    with torchlike.set_executor(executor):
        found, weights = CALLERS["_two_loops"](
            torchlike.from_numpy(grad), *given, torchlike.from_numpy(np.append(ro, [0, 0, 0]).astype(dtype)), 0.7, 5
        )
        found, weights = found.numpy(), weights.numpy()
    rtol = {"float64": 1e-12, "float32": 1e-5}[dtype]
    np.testing.assert_allclose(found, made, rtol=rtol)
    np.testing.assert_allclose(weights, [*al, 0, 0, 0], rtol=rtol)


def test_a_loaded_state_continues_as_in_pytorch():
    """Check in float32 that a new optimizer with the loaded state of the first continues as PyTorch's does."""

    def program(library):
        p = library.nn.Parameter(library.tensor([-1.2, 1.0, 0.5]))
        losses, kept = [], library.optim.LBFGS([p]).state_dict()
        kept["param_groups"][0].update(lr=0.1, max_iter=4)
        for _ in range(2):
            optimizer = library.optim.LBFGS([p])
            optimizer.load_state_dict(kept)

            def closure():
                p.grad = None
                loss = (100 * (p[1:] - p[:-1] ** 2) ** 2 + (1 - p[:-1]) ** 2).sum()
                loss.backward()
                return loss

            losses += [optimizer.step(closure).item() for _ in range(2)]
            kept = optimizer.state_dict()
        kinds = {k: type(v[0] if isinstance(v, list) else v).__name__ for k, v in kept["state"][0].items()}
        return losses, kinds

    (ours, kinds), (theirs, kinds2) = program(torchlike), program(torch)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)  # float32, over 16 iterations in a narrow valley
    assert kinds == kinds2
