"""`x[...]`, `x[...] = y` and in-place changes of shape, compared with PyTorch for many indices."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import torchlike
from tests.oracle import assert_same, both
from tests.tensor.test_factories import refusal

SHAPE = (2, 3, 4)

# An index is written once and converted for each library: ("tensor", data) stands for a tensor.
NUMBERS = st.integers(-5, 5)
SLICES = st.builds(slice, st.none() | NUMBERS, st.none() | NUMBERS, st.none() | st.integers(1, 3))
TENSORS = st.lists(st.integers(-2, 1), min_size=0, max_size=3).map(lambda data: ("tensor", data))
TABLES = st.sampled_from([("tensor", [[0, 1], [1, 0]]), ("tensor", [[1]])])
MASKS = (
    st.integers(1, 3)
    .flatmap(lambda n: st.lists(st.booleans(), min_size=n + 1, max_size=n + 1))
    .map(lambda m: ("tensor", m))
)
ITEM = st.one_of(NUMBERS, SLICES, SLICES, st.none(), st.just(Ellipsis), TENSORS, TABLES, MASKS, st.booleans())
INDEX = st.lists(ITEM, min_size=1, max_size=4).map(tuple).filter(lambda index: index.count(Ellipsis) < 2)


def made(library, item):
    if isinstance(item, tuple) and item[:1] == ("tensor",):
        data = item[1]
        return library.tensor(data, dtype=None if data and isinstance(data[0], bool) else library.int64)
    return item


def source(library, turned: bool):
    x = library.from_numpy(np.arange(24, dtype=np.float32).reshape(4, 3, 2))
    return x.permute(2, 1, 0) if turned else x.reshape(SHAPE)


def outcome(library, act):
    try:
        return act(library), None
    except Exception as error:
        return None, (type(error).__name__, str(error).partition("\n")[0])


def compare(act) -> None:
    ours, refused = outcome(torchlike, act)
    theirs, due = outcome(torch, act)
    assert refused == due
    if due is None:
        # Empty results, and dims of size one in a result with its source's layout, may have other strides.
        assert_same(ours, theirs, stride=bool(theirs.numel()) and 1 not in theirs.shape)


@settings(max_examples=300, deadline=None)
@given(INDEX, st.booleans())
def test_reading(index, turned):
    compare(lambda library: source(library, turned)[tuple(made(library, i) for i in index)])


@settings(max_examples=60, deadline=None)
@given(INDEX, st.booleans())
def test_writing_a_number(index, turned):
    def act(library):
        x = source(library, turned)
        x[tuple(made(library, i) for i in index)] = -1
        return x

    compare(act)


@pytest.mark.parametrize(
    "index", [0, -1, [0, 1], [True, False], np.array([0, 1]), range(2), slice(1, None), np.int64(1)], ids=str
)
def test_indices_of_other_kinds(index):
    compare(lambda library: source(library, False)[index])


BAD = """
L.ones(2, 3)[2]
L.ones(2, 3)[0, 0, 0]
L.ones(2, 3)[::-1]
L.ones(2, 3)[1.5]
L.ones(2, 3)["a"]
L.ones(2, 3)[{}]
L.ones(2, 3)[np.True_]
L.ones(2, 3).__setitem__(np.False_, 1)
L.ones(2, 3)[L.tensor([5])]
L.ones(2, 3)[:, L.tensor([5])]
L.ones(2, 3)[L.tensor([1.5])]
L.ones(2, 3)[L.tensor([True, False, True])]
L.ones(2, 3)[[0, 1], [0, 1, 2]]
L.ones(())[0]
L.ones(2, 3).__setitem__(0, L.ones(2))
L.ones(2, 3).__setitem__(0, L.ones(2, 3))
L.ones(2, 3).__setitem__(0, "a")
L.ones(2, 3).__setitem__(0, [1, 2, 3])
L.ones(2, 3).__setitem__(5, 1)
L.ones(2, 3).__setitem__(L.ones(2, 3) > 0, L.ones(2))
"""


@pytest.mark.parametrize("call", BAD.strip().splitlines())
def test_errors_equal_pytorchs(call):
    assert refusal(torchlike, call) == refusal(torch, call)


WRITES = {
    "row": "x[0] = 5",
    "column": "x[:, 1] = v[:2]",
    "mask": "x[x > 2] *= 2",
    "pairs": "x[L.tensor([0, 1]), L.tensor([1, 2])] = 9",
    "twice": "x[L.tensor([0, 0])] = L.tensor([[1., 2., 3.], [4., 5., 6.]])",
    "through a transpose": "y = x.t(); y[L.tensor([0, 1])] = 0",
    "diagonal": "x.diagonal().fill_(9)",
    "bytes": "y = x.view(L.int32); y[0, 1] = 0",
    "parts": "y = L.view_as_complex(x[:, :2]) if False else x; y[0, 0] = 1",
    "as strided": "x.as_strided((2, 2), (1, 3), 1).fill_(9)",
    "expanded": "x[0].expand(2, 3).zero_()",
    "turned in place": "y = x[0]; x.t_(); x.mul_(2); y.add_(1)",
    "squeezed in place": "x.unsqueeze_(0); x.squeeze_(0); x[1] = 0",
    "another's memory": "y = L.ones(3); y.set_(x); y.add_(1)",
    "resized": "x = x.clone(); x.resize_(3)",
    "fill diagonal": "x.fill_diagonal_(1)",
}


@pytest.mark.parametrize("program", WRITES.values(), ids=WRITES.keys())
def test_writing_through_views(program):
    def act(library):
        space = {
            "L": library,
            "x": library.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3)),
            "v": library.tensor([7.0, 8.0, 9.0]),
        }
        exec("\n".join(part.strip() for part in program.split(";")), space)
        return space["x"]

    compare(act)


def test_complex_numbers_are_written_through_their_parts():
    def act(library):
        c = library.from_numpy(np.zeros((2, 2), np.complex64))
        c.real.fill_(3)
        c.imag[0] = 7
        library.view_as_real(c)[1, 1] = library.tensor([5.0, 6.0])
        return c

    compare(act)


GRADIENTS = {
    "turned in place": "y = x * 1; y.t_(); y[0] = 0; (y * y).sum().backward()",
    "squeezed in place": "y = (x * 2).unsqueeze(0); y.squeeze_(0); (y * y).sum().backward()",
    "strided": "(x.as_strided((2, 2), (1, 1), 1) * w[:2, :2]).sum().backward()",
    "mask": "(x[x > 0] ** 2).sum().backward()",
    "written at indices": "y = x * 1; y[L.tensor([0, 1]), L.tensor([2, 0])] = x[0, :2] * 3; (y * w).sum().backward()",
    "added at indices": "y = x.index_put((L.tensor([0, 0]),), x * 2, accumulate=True); (y * w).sum().backward()",
    "parts": "y = L.view_as_complex((x[:, :2] * 1).contiguous()); L.view_as_real(y * y).sum().backward()",
    "masked scatter": "(x.masked_scatter(w > 0, x.flip(0) * 2) * w).sum().backward()",
}


@pytest.mark.parametrize("program", GRADIENTS.values(), ids=GRADIENTS.keys())
def test_gradients(program):
    def act(library):
        x = library.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0]], requires_grad=True)
        w = library.tensor([[0.5, -1.0, 2.0], [1.5, 3.0, -0.5]])
        exec("\n".join(part.strip() for part in program.split(";")), {"L": library, "x": x, "w": w})
        return x.grad

    compare(act)


def test_a_mask_of_another_count_is_no_other_program():
    from torchlike._engine.report.compile_counters import stats

    x = torchlike.arange(10.0)
    before = stats.compiles
    for count in range(1, 9):
        assert x[x._host() < count].numel() == count
    assert stats.compiles == before


@pytest.mark.parametrize("size", [(), (3,)])
@pytest.mark.parametrize("index", [10**20, -(10**20), np.int64(0), (0,), slice(None, None, -1), slice(0, 10**20)])
def test_the_order_of_refusals(size, index):
    both(lambda L: L.ones(size)[index])
