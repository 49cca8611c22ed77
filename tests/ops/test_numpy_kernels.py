"""Kernels take NumPy arrays too: the plan of every sample, run by NumPy, against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import torchlike
from tests.ops.row import JUDGED, function, row
from tests.ops.sample import Sample, arguments
from tests.ops.test_rows import good, tensors
from tests.oracle import to_ours
from torchlike import _dispatch
from torchlike._ops import Op
from torchlike._ops._plan import is_runtime_number, make

FAMILIES = ("pointwise", "reduction")
ROW_KEYS = [k for k in JUDGED if not k.startswith("nn.") and (op := row(k)) and op.where and op.family in FAMILIES]


def flat_inputs(op: Op, args: list, kwargs: dict) -> list:
    """The arrays, then the numbers, that the plan of this call takes."""
    bound = op.signature.bind(*args, **kwargs).arguments
    arrays, numbers = [], []
    for name in op.names:
        value = bound.get(name)
        for x in value if isinstance(value, list | tuple) else (value,):
            if isinstance(x, torchlike.Tensor):
                arrays.append(x._host())
            elif is_runtime_number(op, name, op.kind_of[name], x):
                numbers.append(np.asarray(x))
    return arrays + numbers


def run(op: Op, sample: Sample) -> list[np.ndarray]:
    args, kwargs = arguments(torchlike, sample)
    args = [_dispatch._plain(a) for a in args]
    kwargs = _dispatch._in_order(op, kwargs)
    plan = make(op, tuple(args), kwargs, _dispatch.describe)
    with np.errstate(all="ignore"):
        return [np.asarray(x) for x in plan.function(*flat_inputs(op, args, kwargs))]


@pytest.mark.parametrize("key", ROW_KEYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numpy_runs_the_kernel(key):
    op = row(key)
    assert op is not None
    for sample in good(key):
        args, kwargs = arguments(torch, sample)
        theirs: list[Any] = tensors(function(torch, key)(*args, **kwargs))
        for mine, due in zip(run(op, sample), theirs):
            expected = to_ours(due.detach())._host()
            assert (mine.dtype, mine.shape) == (expected.dtype, expected.shape), str(sample)
            loose = {2: 2e-2, 4: 1e-5, 8: 1e-6}.get(mine.real.dtype.itemsize, 0)
            close = sample.tolerance or {"rtol": loose, "atol": loose}
            wide = np.complex128 if mine.dtype.kind == "c" else np.float64
            np.testing.assert_allclose(mine.astype(wide), expected.astype(wide), **close, err_msg=str(sample))
