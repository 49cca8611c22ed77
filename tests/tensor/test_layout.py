"""Strides computed in plain Python, compared with PyTorch: views of views, element-wise operators, memory formats."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import torchlike
from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import strides

SIZES = st.lists(st.sampled_from([0, 1, 1, 2, 3]), min_size=0, max_size=4)


@st.composite
def geometries(draw):
    """Generate a small PyTorch tensor by slicing, transposing and expanding."""
    t = torch.empty(draw(SIZES))
    for _ in range(draw(st.integers(0, 3))):
        t = _step(draw, t)
    return t


def _step(draw, t):
    kind = draw(st.sampled_from(["turn", "cut", "skip", "repeat", "unsqueeze"]))
    if kind == "unsqueeze" or not t.ndim:
        return t.unsqueeze(draw(st.integers(0, t.ndim)))
    dim = draw(st.integers(0, t.ndim - 1))
    if kind == "turn":
        return t.permute(draw(st.permutations(range(t.ndim))))
    if kind == "cut":
        return t.narrow(dim, 0, draw(st.integers(0, t.shape[dim])))
    if kind == "skip":
        return t[(slice(None),) * dim + (slice(None, None, 2),)]
    return t.expand(*[n if d != dim or n != 1 else 3 for d, n in enumerate(t.shape)])


@settings(max_examples=500, deadline=None)
@given(geometries(), st.data())
def test_viewed_strides(t, data):
    count = t.numel()
    shapes = [
        s for k in range(4) for s in itertools.product((0, 1, 2, 3, 4, 6), repeat=k) if np.prod(s, dtype=int) == count
    ]
    assume(shapes)
    shape = data.draw(st.sampled_from(shapes))
    try:
        due = t.view(shape).stride()
    except RuntimeError:
        due = None
    assert strides.view_strides(tuple(t.shape), t.stride(), shape) == due


@settings(max_examples=500, deadline=None)
@given(geometries())
def test_contiguity(t):
    assert strides.is_contiguous(tuple(t.shape), t.stride()) == t.is_contiguous()


@settings(max_examples=500, deadline=None)
@given(geometries(), st.data())
def test_strides_of_a_result(a, data):
    b = data.draw(geometries() | st.just(torch.empty_strided(tuple(a.shape), a.stride())))
    try:
        due = a + b
    except RuntimeError:
        assume(False)
    assume(due.numel())  # empty tensors follow other stride rules
    operands = [(tuple(x.shape), x.stride()) for x in (a, b)]
    shape = tuple(due.shape)
    seen = strides.pointwise_strides(shape, operands)
    assert (strides.contiguous_strides(shape) if seen is None else seen) == due.stride(), operands


@settings(max_examples=300, deadline=None)
@given(geometries())
def test_strides_of_a_copy(t):
    shape = tuple(t.shape)
    seen = strides.copied_strides(shape, t.stride())
    assert (strides.contiguous_strides(shape) if seen is None else seen) == t.clone().stride()


@settings(max_examples=300, deadline=None)
@given(geometries())
def test_no_two_indices_of_a_result_share_a_place(t):
    whole = t.clone()
    assert strides.is_apart(tuple(whole.shape), whole.stride())


CHANNELS_LAST = [(2, 3, 4, 5), (1, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 1), (1, 1, 1, 1), (2, 3, 4, 1), (0, 3, 4, 5)]


@pytest.mark.parametrize("shape", CHANNELS_LAST, ids=str)
def test_channels_last(shape):
    due = torch.empty(shape).contiguous(memory_format=torch.channels_last)
    seen = torchlike.empty(shape).contiguous(memory_format=torchlike.channels_last)
    assert seen.stride() == due.stride()
    assert seen.is_contiguous(memory_format=torchlike.channels_last) == due.is_contiguous(
        memory_format=torch.channels_last
    )
    joined = torch.cat([due, due], 1)
    assert torchlike.cat([seen, seen], 1).stride() == joined.stride()


def test_names_of_formats():
    assert [repr(f) for f in (mf.channels_last, mf.strided)] == ["torch.channels_last", "torch.strided"]
