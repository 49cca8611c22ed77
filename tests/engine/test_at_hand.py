"""A pending index is checked at the line that uses it, if computing it is cheap."""

import numpy as np
import pytest
import torch as theirs

import torchlike as ours
from torchlike._engine import at_hand, boundary

USES = {
    "x[i]": lambda T, x, i: x[i],
    "x[:, i] of two": lambda T, x, i: x.t()[:, i],
    "x[i] = 1": lambda T, x, i: x.clone().__setitem__(i, 1.0),
    "index_put": lambda T, x, i: x.index_put((i,), T.zeros(3)),
    "index_select": lambda T, x, i: x.index_select(0, i),
    "index_add": lambda T, x, i: x.index_add(0, i, T.ones(2, 3)),
    "index_copy": lambda T, x, i: x.index_copy(0, i, T.ones(2, 3)),
    "index_fill": lambda T, x, i: x.index_fill(0, i, 1.0),
    "gather": lambda T, x, i: x.gather(0, i[:, None]),
    "take": lambda T, x, i: x.take(i + 20),
    "take_along_dim": lambda T, x, i: x.take_along_dim(i + 20),
    "scatter": lambda T, x, i: x.scatter(0, i[:, None], 1.0),
    "embedding": lambda T, x, i: T.nn.functional.embedding(i, x),
    "cross_entropy": lambda T, x, i: T.nn.functional.cross_entropy(x[:2], i),
    "nll_loss": lambda T, x, i: T.nn.functional.nll_loss(x[:2], i),
    "multi_margin_loss": lambda T, x, i: T.nn.functional.multi_margin_loss(x[:2], i),
    "multilabel_margin_loss": lambda T, x, i: T.nn.functional.multilabel_margin_loss(x[:2], i[:, None].expand(2, 3)),
    "put": lambda T, x, i: x.put(i + 20, T.zeros(2)),
}
PENDING = {
    "add": lambda T: T.tensor([1, 4]) + 5,
    "several": lambda T: (T.tensor([[1, 2]]) * 2 + T.tensor([[4, 7]]))[0],
    "where": lambda T: T.where(T.tensor([True, False]), T.tensor([1, 2]) + 5, 9 * T.tensor([1, 1])),
}


@pytest.mark.parametrize("executor", ["auto", "xla"])
@pytest.mark.parametrize("made", PENDING)
@pytest.mark.parametrize("use", USES)
def test_an_index_out_of_range_is_refused_at_its_line(use, made, executor):
    with ours.set_executor(executor):
        seen = []
        for T in (theirs, ours):
            x, index = T.arange(15.0).reshape(5, 3), PENDING[made](T)
            with pytest.raises((IndexError, RuntimeError)) as error:
                USES[use](T, x, index)
            seen.append((error.type, str(error.value).partition("\n")[0]))
        assert seen[0] == seen[1]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("executor", ["auto", "xla"])
@pytest.mark.parametrize("use", [use for use in USES if "=" not in use])
def test_an_index_within_its_range_is_no_reason_to_run(use, executor):
    boundary()
    with ours.set_executor(executor):
        x = ours.arange(90.0).reshape(30, 3)
        with ours.explain() as report:
            index = ours.tensor([0, 1]) + 1
            made = USES[use](ours, x, index)
            assert at_hand(index._value).tolist() == [1, 2]
            assert made._value.array is None and index._value.array is None
        assert report.totals.runs == 1  # the run at the end of the block
        theirs_made = USES[use](theirs, theirs.arange(90.0).reshape(30, 3), theirs.tensor([1, 2]))
        np.testing.assert_allclose(made.numpy(), theirs_made.numpy(), rtol=1e-6)


def test_inexact_or_long_computations_stay_in_the_trace():
    assert at_hand((ours.ones(3) + 1)._value) is None
    assert at_hand((ours.ones(3) * 2).long()._value) is None
    near = ours.ones(3, dtype=ours.int64) + 1
    assert at_hand(near._value).tolist() == [2, 2, 2]
    later = ours.ones(4)
    for _ in range(64):
        later = later + 1
    assert at_hand(near._value) is None
    many = ours.ones(1 << 17, dtype=ours.int64) + 1
    assert at_hand(many._value) is None


def test_a_look_changes_nothing():
    index = ours.tensor([1, 2]) + 1
    looked = at_hand(index._value)
    looked[:] = 77
    assert index.tolist() == [2, 3]


@pytest.mark.parametrize("indices", [[[-1, 2, 0]], [[5, -6, 16]], [[0, 1, 4]]])
@pytest.mark.parametrize("pending", [False, True])
def test_take_along_a_dim_takes_indices_modulo_the_size(indices, pending):
    found = []
    for T in (theirs, ours):
        index = T.tensor(indices) * 2 if pending else T.tensor(indices)
        found.append(T.arange(15.0).reshape(5, 3).take_along_dim(index, 0).tolist())
    assert found[0] == found[1]


def _unknown(T, *numbers):
    return T.tensor([float(n) for n in numbers]).long()


@pytest.mark.parametrize("numbers", [(6, 9), (-1, 0), (-7, 2)])
@pytest.mark.parametrize("use", [use for use in USES if "=" not in use])
def test_an_index_that_nobody_knows_is_refused_where_numpy_meets_it(use, numbers):
    seen = []
    for T in (theirs, ours):
        try:
            made = USES[use](T, T.arange(15.0).reshape(5, 3), _unknown(T, *numbers))
            seen.append(made.tolist())
        except (IndexError, RuntimeError) as error:
            seen.append((type(error), str(error).partition("\n")[0]))
    assert seen[0] == seen[1]


READS = ("x[i]", "index_select", "gather", "embedding", "cross_entropy", "nll_loss", "multi_margin_loss")


@pytest.mark.parametrize("numbers", [(6, 9), (-7, -8)])
@pytest.mark.parametrize("use", READS)
def test_in_a_compiled_program_it_reads_nan(use, numbers):
    with ours.set_executor("xla"):
        made = USES[use](ours, ours.arange(15.0).reshape(5, 3), _unknown(ours, *numbers))
        assert np.isnan(made.numpy()).all()


WRITES = ("index_add", "index_copy", "index_fill", "scatter", "index_put")


@pytest.mark.parametrize("numbers", [(6, 9), (-7, -8)])
@pytest.mark.parametrize("use", WRITES)
def test_in_a_compiled_program_it_writes_nothing(use, numbers):
    with ours.set_executor("xla"):
        made = USES[use](ours, ours.arange(15.0).reshape(5, 3), _unknown(ours, *numbers))
        assert made.tolist() == ours.arange(15.0).reshape(5, 3).tolist()


@pytest.mark.parametrize("executor", ["auto", "xla"])
def test_a_negative_row_number_gets_no_gradient_of_the_last_row(executor):
    with ours.set_executor(executor):
        table = ours.ones(5, 3, requires_grad=True)
        ours.nn.functional.embedding(_unknown(ours, -1, 0), table).sum().backward()
        assert table.grad.sum(1).tolist() == [3, 0, 0, 0, 0]
