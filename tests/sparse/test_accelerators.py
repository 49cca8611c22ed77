"""Sparse tensors of an accelerator have all members on it, and the numbers of PyTorch on the CPU.

CPU devices stand in for the accelerator.
"""

import contextlib

import jax
import pytest

import torchlike
from tests.oracle import both
from tests.sparse.parts import coo, csr
from tests.sparse.test_gradients import OF_DENSE, OF_VALUES, WEIGHTS
from tests.sparse.test_sparse import BOTH_LAYOUTS, CONSTRUCTORS, OF_COO
from torchlike._dtypes.devices import stand_ins
from torchlike._sparse._tensor import members

OTHERS = {"type"}  # programs with results on the CPU, or with the name of a tensor type


@pytest.fixture(autouse=True)
def accelerator():
    with stand_ins("cuda", jax.devices("cpu")[:1]):
        yield


def on_cuda(program):
    """Return a program whose tensors are on the accelerator in torchlike, and its result in dense tensors."""

    def run(torch):
        where = torchlike.device("cuda") if torch is torchlike else contextlib.nullcontext()
        with where:
            return moved(program(torch))

    return run


def moved(t):
    if isinstance(t, tuple | list):
        return tuple(moved(x) for x in t)
    if not hasattr(t, "layout"):
        return t
    if isinstance(t, torchlike.Tensor):
        assert {m.device.type for m in members(t)} == {"cuda"}
    coalesced = str(t.layout).endswith("coo") and t.is_coalesced()
    return str(t.layout).partition(".")[2], coalesced, t.requires_grad, t.to_dense().detach().cpu()


@pytest.mark.parametrize("made", CONSTRUCTORS)
def test_constructors_and_conversions(made):
    both(on_cuda(CONSTRUCTORS[made]), stride=False)


@pytest.mark.parametrize("name", BOTH_LAYOUTS)
def test_operators(name):
    both(on_cuda(lambda torch: BOTH_LAYOUTS[name](torch, csr(torch))), stride=False)


@pytest.mark.parametrize("name", sorted(OF_COO.keys() - OTHERS))
def test_more_operators(name):
    both(on_cuda(OF_COO[name]), stride=False)


@pytest.mark.parametrize("name", OF_VALUES)
def test_gradients_of_values(name):
    def program(torch):
        values = torch.tensor([3.0, 4.0, 5.0, 6.0], requires_grad=True)
        OF_VALUES[name](torch, coo(torch, values)).sum().backward()
        return values.grad

    both(on_cuda(program), stride=False)


@pytest.mark.parametrize("name", OF_DENSE)
def test_gradients_of_dense_tensors(name):
    def program(torch):
        dense = torch.tensor(WEIGHTS).t().contiguous().requires_grad_()
        OF_DENSE[name](torch, dense).sum().backward()
        return dense.grad.to_dense()

    both(on_cuda(program), stride=False)


def test_members_of_the_cpu_are_moved_to_the_device():
    torch = torchlike
    indices, values = torch.tensor([[0, 1]]), torch.ones(2)
    made = torch.sparse_coo_tensor(indices, values, (2,), device="cuda")
    assert {m.device.type for m in (made._indices(), made._values(), made.coalesce().indices())} == {"cuda"}
    assert torch.sparse_coo_tensor(indices, values.to("cuda"), (2,))._indices().device.type == "cuda"
    assert {m.device.type for m in members(made.cpu())} == {"cpu"}


@pytest.mark.parametrize("bags", [False, True])
def test_sparse_gradients_of_embeddings(bags):
    def program(torch):
        torch.manual_seed(0)
        table = torch.arange(8.0).reshape(4, 2).requires_grad_()
        lookup = torch.nn.functional.embedding_bag if bags else torch.nn.functional.embedding
        more = (torch.tensor([0, 2]),) if bags else ()
        optimizer = torch.optim.SparseAdam([table], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            lookup(torch.tensor([1, 3, 1]), table, *more, sparse=True).pow(2).sum().backward()
            optimizer.step()
        return table.grad.coalesce(), table

    both(on_cuda(program), stride=False)
