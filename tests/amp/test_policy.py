"""The dtype to which autocast casts each operator: PyTorch's dtypes and values for all samples in both precisions."""

import pytest
import torch

import torchlike
from tests.ops.row import JUDGED, SAMPLES, function, row
from tests.ops.sample import Fails, arguments
from tests.oracle import assert_same
from tests.oracle._convert import name_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
ROUNDED = {"rtol": 1.6e-2, "atol": 1e-2}  # the tolerance of bfloat16, also for float32 computed from it


def _rounded(key):
    """Return the tolerances for an operator.

    On processors without bfloat16 instructions PyTorch adds the partial products of a transposed convolution in
    bfloat16. The difference is two units in the last place of sums up to 8.
    """
    is_added_up = "conv_transpose" in key and not torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return ROUNDED | {"atol": 6.25e-2} if is_added_up else ROUNDED


def _halved(x, library):
    """Return the arguments with bfloat16 in place of float32."""
    if isinstance(x, library.Tensor):
        return x.bfloat16() if x.dtype == library.float32 else x
    if isinstance(x, list | tuple) and type(x) in (list, tuple):
        return type(x)(_halved(y, library) for y in x)
    return x


def _call(library, key, sample, half, enabled=True):
    args, kwargs = arguments(library, sample)
    if half:
        args = _halved(tuple(args), library)
        kwargs = {name: _halved(a, library) for name, a in kwargs.items()}
    with library.autocast("cpu", enabled=enabled):
        return function(library, key)(*args, **kwargs)


def _is_refused(*call, **options):
    try:
        _call(*call, **options)
    except Exception:
        return True
    return False


def _results(key, half):
    """Yield each sample with the results of both libraries.

    Skip samples that PyTorch refuses, and samples that only torchlike refuses without autocast.
    """
    for sample in SAMPLES[key]:
        if isinstance(sample, Fails) or _is_refused(torch, key, sample, half):
            continue
        given = key, sample, half
        if not _is_refused(torchlike, *given, enabled=False) or _is_refused(torch, *given, enabled=False):
            yield str(sample), _call(torchlike, *given), _call(torch, *given)


# Operators with an autocast policy, and functions composed of operators. Autocast does not affect other operators.
CAST = [key for key in JUDGED if row(key) is None or row(key).public.autocast is not None]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("key", CAST)
def test_float32(key):
    judged = 0
    with torchlike.set_executor("numpy"):
        for sample, ours, theirs in _results(key, half=False):
            assert_same(ours, theirs, at=sample, stride=False, **_rounded(key))
            judged += 1
    assert judged


# PyTorch has no bfloat16 kernel for these, with or without autocast. The test fails if one becomes available.
NOT_IN_BFLOAT16 = frozenset(("fft.ihfft2", "fft.ihfftn", "linalg.ldl_factor_ex", "logdet"))


@pytest.mark.parametrize("key", CAST)
def test_bfloat16(key):
    """Compare dtypes only: the rounding of bfloat16 is tested with each operator."""
    judged = 0
    with torchlike.set_executor("numpy"):
        for sample, ours, theirs in _results(key, half=True):
            assert _dtypes(ours) == _dtypes(theirs), sample
            judged += 1
    assert (judged == 0) is (key in NOT_IN_BFLOAT16)


def _dtypes(x):
    return [_dtypes(y) for y in x] if isinstance(x, list | tuple) else name_of(getattr(x, "dtype", None))
