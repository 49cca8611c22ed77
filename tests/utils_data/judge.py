"""Runs the same few lines in PyTorch and in torchlike and compares everything observable."""

import warnings
from collections.abc import Mapping

import numpy as np
import torch

import torchlike


def plain(x):
    """Spell out tensors and classes of either library in `x`, so that `==` compares across libraries."""
    if isinstance(x, torch.Tensor | torchlike.Tensor):
        return ("tensor", str(x.dtype), tuple(x.shape), x.stride(), bool(x.requires_grad), x.detach().tolist())
    if isinstance(x, np.ndarray | np.generic):
        return ("numpy", str(x.dtype), x.tolist())
    if isinstance(x, Mapping):
        return (type(x).__name__, {k: plain(v) for k, v in x.items()})
    if isinstance(x, tuple | list) or type(x).__name__ == "deque":
        return (type(x).__name__, [plain(v) for v in x])
    return x


def outcome(f, T):
    """Return the result or error of `f(T)`, its warnings, and the final state of the default generator."""
    T.manual_seed(1234)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = ("returns", plain(f(T)))
        except Exception as e:
            result = ("raises", type(e).__name__, str(e))
    told = [(w.category.__name__, _anonymous(str(w.message))) for w in caught if w.category is not ResourceWarning]
    return result, told, hash(bytes(T.get_rng_state().tolist()))


def _anonymous(text):
    return text.split(" object at 0x")[0]


def same(f):
    """Assert that `f` has the same outcome in both libraries."""
    expected, found = outcome(f, torch), outcome(f, torchlike)
    assert found == expected
