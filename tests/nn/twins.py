"""Runs the same lines in PyTorch and in torchlike and compares the outcomes."""

import re
import warnings
from collections import OrderedDict
from collections.abc import Mapping

import numpy as np
import torch

import torchlike

RTOL, ATOL = 1e-5, 1e-6


def scope(T, **more):
    """Return the names that the lines of a test may use, bound to one library."""
    return {
        "T": T,
        "torch": T,
        "nn": T.nn,
        "F": T.nn.functional,
        "OrderedDict": OrderedDict,
        "array": T.from_numpy,
    } | more


def numbers(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def evaluate(line, T, **more):
    return eval(line, scope(T, **more))


def execute(lines, T, **more):
    """Run `lines` with a function `log` that appends to a list, and return the list."""
    log = []
    exec(lines, scope(T, log=log.append, **more))
    return log


def anonymous(text):
    """Remove the library names and addresses, which necessarily differ, from a text."""
    return re.sub(r"0x[0-9a-f]+", "0x0", str(text).replace("torchlike.", "torch."))


def outcome(run, T, *args, **more):
    """Return the result or error of `run`, and its warnings."""
    T.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = ("returns", run(*args, T, **more))
        except Exception as error:
            result = ("raises", (type(error).__name__, anonymous(error)))
    told = [(w.category.__name__, anonymous(w.message)) for w in caught if w.category is not ResourceWarning]
    return result, told


def same(ours, theirs, rtol=RTOL, atol=ATOL):
    """Assert that two results agree: tensors in value, dtype, shape and requires_grad, other objects by equality."""
    if isinstance(theirs, torch.Tensor):
        assert isinstance(ours, torchlike.Tensor), type(ours)
        assert str(ours.dtype) == str(theirs.dtype)
        assert tuple(ours.shape) == tuple(theirs.shape)
        assert ours.requires_grad == theirs.requires_grad
        if theirs.device.type != "meta":
            np.testing.assert_allclose(plain(ours), plain(theirs), rtol=rtol, atol=atol)
    elif isinstance(theirs, Mapping):
        assert list(ours) == list(theirs)
        for key in theirs:
            same(ours[key], theirs[key], rtol, atol)
    elif isinstance(theirs, list | tuple):
        assert len(ours) == len(theirs)
        assert type(ours).__name__ == type(theirs).__name__
        for a, b in zip(ours, theirs):
            same(a, b, rtol, atol)
    elif isinstance(theirs, str | int | float | bool | None):
        assert (anonymous(ours) if isinstance(ours, str) else ours) == theirs
    else:
        assert anonymous(repr(ours)) == anonymous(repr(theirs))


def plain(tensor):
    tensor = tensor.detach()
    return tensor.double().numpy() if tensor.is_floating_point() else tensor.numpy()


def agree(run, *args, rtol=RTOL, atol=ATOL, warned=True, **more):
    """Assert that `run` has the same outcome in both libraries."""
    ours, ours_told = outcome(run, torchlike, *args, **more)
    theirs, theirs_told = outcome(run, torch, *args, **more)
    if ours[0] == "raises" or theirs[0] == "raises":
        assert ours == theirs, f"torchlike {ours[0]} {ours[1]}, PyTorch {theirs[0]} {theirs[1]}"
    same(ours[1], theirs[1], rtol, atol)
    if warned:
        assert ours_told == theirs_told
