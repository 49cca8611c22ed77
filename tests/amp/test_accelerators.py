"""The dtypes to which autocast casts operators on accelerators, compared with PyTorch's CUDA policies.

PyTorch applies these policies without a GPU to fake tensors. torchlike's CPU tensors stand for those of an accelerator.
"""

import contextlib

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import torchlike
from tests.amp.test_policy import CAST, _dtypes
from tests.ops.row import SAMPLES, function, row
from tests.ops.sample import Fails, arguments
from torchlike._ops.schema.autocast_policies import Casts

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _of_accelerators(monkeypatch):
    monkeypatch.setattr(Casts, "on", lambda self, kind: self.accelerator)


@contextlib.contextmanager
def _cuda():
    torch.set_autocast_enabled("cuda", True)
    try:
        with FakeTensorMode():
            yield
    finally:
        torch.set_autocast_enabled("cuda", False)


def _each(x, library, change):
    if isinstance(x, library.Tensor):
        return change(x)
    return type(x)(_each(y, library, change) for y in x) if type(x) in (list, tuple) else x


def _theirs(key, sample, half):
    args, kwargs = arguments(torch, sample)
    kind = lambda x: torch.float16 if half and x.dtype is torch.float32 else x.dtype
    with _cuda():
        fake = lambda x: torch.empty(x.shape, dtype=kind(x), device="cuda")
        args = _each(tuple(args), torch, fake)
        return function(torch, key)(*args, **{name: _each(a, torch, fake) for name, a in kwargs.items()})


def _ours(key, sample, half, enabled=True):
    args, kwargs = arguments(torchlike, sample)
    change = lambda x: x.half() if half and x.dtype is torchlike.float32 else x
    args = _each(tuple(args), torchlike, change)
    with torchlike.autocast("cpu", torchlike.float16, enabled):
        return function(torchlike, key)(*args, **{name: _each(a, torchlike, change) for name, a in kwargs.items()})


# On fake tensors, PyTorch does not cast in operators that the kernel of another operator calls. For `pinverse` this is
# the final product.
KEYS = [k for k in CAST if k != "pinverse" and (row(k) is None or row(k).public.autocast.accelerator)]


# Operators that PyTorch cannot evaluate on fake tensors, which have no elements: their results have a shape or a truth
# value that depends on elements, or they have CPU kernels only, or no half precision. The test fails if one becomes
# testable.
UNSEEN = frozenset(
    (
        "allclose",
        "argwhere",
        "bincount",
        "corrcoef",
        "cov",
        "equal",
        "gru",
        "gru_cell",
        "histogram",
        "is_nonzero",
        "istft",
        "masked_select",
        "nn.functional.binary_cross_entropy",
        "nn.functional.ctc_loss",
        "nonzero",
        "unique",
        "unique_consecutive",
    )
)
if torch.version.cuda is not None and not torch.cuda.is_available():  # that build queries the driver for these
    UNSEEN |= {"lstm", "rnn_relu", "rnn_tanh"}
UNSEEN_IN_HALVES = UNSEEN | {
    "cdist",
    "inverse",
    "linalg.ldl_factor_ex",
    "logdet",
    "nn.functional.multi_margin_loss",
    "nn.functional.multilabel_margin_loss",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("half", [False, True], ids=["float32", "float16"])
@pytest.mark.parametrize("key", KEYS)
def test_dtypes(key, half):
    """Compare the dtypes of the first three samples of each name that PyTorch can evaluate without element values."""
    judged = 0
    with torchlike.set_executor("numpy"):
        for sample in SAMPLES[key]:
            if isinstance(sample, Fails) or judged == 3:
                continue
            try:
                theirs = _dtypes(_theirs(key, sample, half))
            except Exception:
                continue
            if half and _is_refused(key, sample):
                continue
            assert _dtypes(_ours(key, sample, half)) == theirs, sample
            judged += 1
    assert (judged == 0) is (key in (UNSEEN_IN_HALVES if half else UNSEEN))


def _is_refused(key, sample):
    """Return whether the CPU, which stands for an accelerator here, lacks the operator in half precision."""
    try:
        _ours(key, sample, half=True, enabled=False)
    except Exception:
        return True
    return False
