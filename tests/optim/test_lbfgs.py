"""LBFGS against PyTorch: losses, positions and numbers of evaluations."""

import numpy as np
import pytest
import torch

import torchlike

OPTIONS = [
    dict(lr=1e-3),
    dict(lr=0.1, max_iter=3),
    dict(line_search_fn="strong_wolfe"),
    dict(line_search_fn="strong_wolfe", history_size=2, max_iter=4),
    dict(line_search_fn="strong_wolfe", lr=100.0, max_iter=6),
    dict(line_search_fn="strong_wolfe", lr=1e-2, max_iter=6),
    dict(line_search_fn="strong_wolfe", tolerance_grad=1e-2),
]


def minimise(library, steps=3, **options):
    """Rosenbrock's valley in three dimensions, as two parameters."""
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
def test_same_way_down(options):
    (losses, params, state), (losses2, params2, state2) = (minimise(lib, **options) for lib in (torchlike, torch))
    np.testing.assert_allclose(losses, losses2, rtol=1e-5)
    for a, b in zip(params, params2):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    assert (state["func_evals"], state["n_iter"]) == (state2["func_evals"], state2["n_iter"])
    assert list(state) == list(state2)
    assert [len(state[k]) for k in ("old_dirs", "old_stps", "ro", "al")] == [
        len(state2[k]) for k in ("old_dirs", "old_stps", "ro", "al")
    ]


def test_unknown_line_search():
    for library in (torchlike, torch):
        with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
            minimise(library, line_search_fn="armijo")


def test_parameters_without_gradient_stay():
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
