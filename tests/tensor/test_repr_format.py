"""Printing, compared with PyTorch's `repr` for generated tensors and print options."""

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from torchlike._tensor import printing as _repr

FLOATING = ["float32", "float64", "float16", "bfloat16"]
INTEGER = ["int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64", "bool"]
COMPLEX = ["complex64", "complex128"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-5, 1e8, 1.00001e8, 1e-45, 12345.678, -3e38, np.inf, -np.inf, np.nan, 9.99995]


def to_theirs(array: np.ndarray) -> torch.Tensor:
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def ours(array: np.ndarray, **facts) -> str:
    return _repr.tensor_repr(array, f"torch.{array.dtype.name}", default_dtype=torch.get_default_dtype(), **facts)


@pytest.fixture(autouse=True)
def restored():
    yield
    torch.set_printoptions(profile="default")
    _repr.set_printoptions(profile="default")


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


@st.composite
def tensors(draw):
    dtype = numpy_dtype(draw(st.sampled_from(FLOATING + INTEGER + COMPLEX)))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9))
    count = int(np.prod(shape))
    if dtype.kind in "iub":
        low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        few = st.integers(max(low, -20), min(high, 300))
        values = draw(st.lists(st.one_of(few, st.integers(low, high)), min_size=count, max_size=count))
        return np.array(values, dtype).reshape(shape)
    scale = draw(st.sampled_from([1.0, 1.0, 1e-3, 1e3, 1e10]))
    number = (
        st.one_of(
            st.sampled_from(SPECIAL),
            st.floats(-100, 100, width=32).map(lambda v: v * scale),
            st.integers(-30, 30).map(float),
        )
        if draw(st.booleans())
        else st.integers(-1000, 1000).map(float)
    )
    if dtype.kind == "c":
        parts = draw(st.lists(st.tuples(number, number), min_size=count, max_size=count))
        values = np.array([complex(*pair) for pair in parts])
    else:
        values = np.array(draw(st.lists(number, min_size=count, max_size=count)), np.float64)
    with np.errstate(over="ignore"):
        return values.astype(dtype).reshape(shape)


OPTIONS = st.fixed_dictionaries(
    {"sci_mode": st.sampled_from([None, None, True, False])},
    optional={
        "precision": st.integers(0, 9),
        "threshold": st.sampled_from([0, 1, 5, 50, 1000, float("inf")]),
        "edgeitems": st.integers(0, 4),
        "linewidth": st.integers(1, 130),
        "profile": st.sampled_from(["default", "short", "full"]),
    },
)


@settings(max_examples=400, deadline=None)
@given(tensors(), OPTIONS)
def test_equals_pytorchs_repr(array, options):
    torch.set_printoptions(profile="default")
    _repr.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    _repr.set_printoptions(**options)
    assert ours(array) == repr(to_theirs(array))


@pytest.mark.parametrize("shape", [(1001,), (2000, 3), (3, 2000), (11, 11, 11), (2, 3, 4, 50), (1, 7, 1, 300)])
@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "bool", "bfloat16"])
def test_a_big_tensor_shows_its_corners(shape, dtype):
    count = int(np.prod(shape))
    array = (np.arange(count) * 7 % 1013 - 500).reshape(shape).astype(numpy_dtype(dtype))
    assert ours(array) == repr(to_theirs(array))


@pytest.mark.parametrize("dtype", FLOATING + INTEGER + COMPLEX)
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (2, 0), (1,), (2, 2)])
@pytest.mark.parametrize("default", [torch.float32, torch.float64])
def test_dtype_and_size_are_said_where_needed(dtype, shape, default):
    array = np.ones(shape, numpy_dtype(dtype))
    torch.set_default_dtype(default)
    try:
        assert ours(array) == repr(to_theirs(array))
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("shape", [(3,), (40,), (4, 5)])
def test_gradient_facts(shape):
    array = np.linspace(0, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    leaf = to_theirs(array).requires_grad_()
    assert ours(array, requires_grad=True) == repr(leaf)
    assert ours(array * 1, requires_grad=True, grad_fn="MulBackward0") == repr(leaf * 1)
    assert ours(array, requires_grad=True, prefix="tensor(") in repr(torch.nn.Parameter(leaf.detach()))
    wide = leaf.double()
    assert ours(array.astype("f8"), requires_grad=True, grad_fn="ToCopyBackward0") == repr(wide)


def test_device_and_meta():
    assert ours(np.float32([1]), device="cuda:0") == "tensor([1.], device='cuda:0')"
    for dtype in (torch.float32, torch.int64):
        facts = {"default_dtype": torch.float32, "device": "meta", "size": (2, 3)}
        assert _repr.tensor_repr(None, dtype, **facts) == repr(torch.empty(2, 3, dtype=dtype, device="meta"))


def test_printoptions_are_read_back_and_restored():
    for options in ({"precision": 2}, {"profile": "short", "linewidth": 40}, {"sci_mode": True}, {}):
        torch.set_printoptions(**options)
        _repr.set_printoptions(**options)
        assert _repr.get_printoptions() == torch._tensor_str.get_printoptions()
    with _repr.printoptions(precision=1, sci_mode=False):
        assert ours(np.float32([0.25])) == "tensor([0.2])"
    assert _repr.get_printoptions() == torch._tensor_str.get_printoptions()


def test_an_unknown_profile_is_refused():
    with pytest.raises(ValueError, match="profile must be one of default, short, full; received: 'long'"):
        _repr.set_printoptions(profile="long")
