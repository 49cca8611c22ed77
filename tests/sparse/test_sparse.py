"""Sparse tensors, compared with PyTorch's: members, values, layouts, repr and errors."""

import copy
import inspect
import io
import pickle

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import both, outcome
from tests.sparse.parts import I, V, coo, csr, hybrid, seen

CONSTRUCTORS = {
    "coo": lambda torch: coo(torch),
    "coalesced": lambda torch: coo(torch, coalesced=True),
    "hybrid": lambda torch: hybrid(torch),
    "without size": lambda torch: torch.sparse_coo_tensor(I, V),
    "of lists": lambda torch: torch.sparse_coo_tensor([[0, 1], [1, 0]], [1, 2], (2, 2)),
    "by name": lambda torch: torch.sparse_coo_tensor(indices=torch.tensor(I), values=torch.tensor(V), size=(4, 4)),
    "of no elements": lambda torch: torch.sparse_coo_tensor((2, 3), dtype=torch.float64),
    "of narrow indices": lambda torch: torch.sparse_coo_tensor(torch.tensor(I).int(), torch.tensor(V), (2, 3)),
    "with dtype": lambda torch: coo(torch, dtype=torch.float16),
    "without sparse dims": lambda torch: torch.tensor(2.0).to_sparse(),
    "known to be coalesced": lambda torch: torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2,), is_coalesced=True),
    "csr": csr,
    "csr without size": lambda torch: torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], [1, 2, 3]),
    "csr not in order": lambda torch: torch.sparse_csr_tensor([0, 1, 3], [2, 2, 0], [1.0, 2.0, 3.0], (2, 3)).to_dense(),
    "csc": lambda torch: torch.sparse_csc_tensor([0, 1, 3], [2, 0, 2], [1.0, 2.0, 3.0]),
    "compressed": lambda torch: torch.sparse_compressed_tensor(
        [0, 1, 3], [2, 0, 2], [1.0, 2, 3], layout=torch.sparse_csc
    ),
    "of dense": lambda torch: torch.eye(3).to_sparse(),
    "of dense by rows": lambda torch: torch.eye(3).to_sparse(1),
    "csr of dense": lambda torch: torch.tensor([[0.0, 1], [2, 3]]).to_sparse_csr(),
    "csc of dense": lambda torch: torch.tensor([[0.0, 1], [2, 3]]).to_sparse_csc(),
    "by layout": lambda torch: torch.tensor([[0.0, 1], [2, 3]]).to_sparse(layout=torch.sparse_csr),
    "csr of coo": lambda torch: coo(torch).to_sparse_csr(),
    "csc of csr": lambda torch: csr(torch).to_sparse_csc(),
    "coo of csr": lambda torch: csr(torch).to_sparse(),
    "coo of csc": lambda torch: csr(torch).to_sparse_csc().to_sparse_coo(),
    "mask": lambda torch: torch.arange(6.0).view(2, 3).sparse_mask(coo(torch)),
    "mask of csr": lambda torch: torch.arange(6.0).view(2, 3).sparse_mask(csr(torch)),
    "mask of hybrid": lambda torch: torch.arange(12.0).view(2, 3, 2).sparse_mask(hybrid(torch)),
}


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_constructors_and_conversions(name):
    both(lambda torch: seen([CONSTRUCTORS[name](torch), CONSTRUCTORS[name](torch).to_dense()]), stride=False)


@pytest.mark.parametrize("make", [coo, hybrid, csr])
def test_metadata(make):
    def program(torch):
        t = make(torch)
        return (
            t.shape,
            t.size(1),
            t.ndim,
            t.dim(),
            t.numel(),
            t.dtype,
            t.device.type,
            t.is_sparse,
            t.is_sparse_csr,
            t._nnz(),
            t.sparse_dim(),
            t.dense_dim(),
            len(t),
            t.is_cuda,
            t.is_floating_point(),
            t.element_size(),
            str(t.layout),
            t.requires_grad,
            t.is_leaf,
        )

    both(program)


BOTH_LAYOUTS = {
    "neg": lambda torch, s: -s,
    "number": lambda torch, s: (s * 2, 2 * s, s * True, torch.mul(s, 2.5)),
    "zero-dim": lambda torch, s: s * torch.tensor(2.0),
    "add": lambda torch, s: (s + s, torch.add(s, s, alpha=3)),
    "onto dense": lambda torch, s: (torch.ones(2, 3) + s, torch.ones(2, 3).add_(s)),
    "mm": lambda torch, s: (torch.sparse.mm(s, torch.arange(6.0).view(3, 2)), s @ torch.arange(6.0).view(2, 3).t()),
    "mv": lambda torch, s: (s.mv(torch.arange(3.0)), s @ torch.arange(3.0)),
    "addmm": lambda torch, s: torch.addmm(torch.ones(2), s, torch.arange(6.0).view(3, 2), beta=2, alpha=3),
    "sparse addmm": lambda torch, s: torch.sparse.addmm(torch.ones(2, 4), s, torch.arange(12.0).view(3, 4), beta=0.5),
    "functions": lambda torch, s: [getattr(torch, n)(s) for n in ("abs", "sin", "sqrt", "relu", "log1p", "isnan")],
    "t": lambda torch, s: (s.t(), s.transpose(0, 1), torch.transpose(s, 1, 0), s.t().to_dense()),
    "clone": lambda torch, s: (s.clone(), s.detach(), s.double(), s.to(torch.complex64), s.to(torch.int32), s.long()),
    "sum": lambda torch, s: (s.sum(), torch.sum(s, dtype=torch.float64)),
}


@pytest.mark.parametrize("name", BOTH_LAYOUTS)
@pytest.mark.parametrize(
    "make", [lambda t: coo(t), lambda t: coo(t, coalesced=True), csr], ids=["coo", "in order", "csr"]
)
def test_operators_of_coo_and_csr(name, make):
    both(lambda torch: seen(BOTH_LAYOUTS[name](torch, make(torch))), stride=False)


OF_COO = {
    "dense @ sparse": lambda torch: torch.arange(8.0).view(4, 2) @ coo(torch),
    "vector @ sparse": lambda torch: torch.arange(2.0) @ coo(torch),
    "sparse @ sparse": lambda torch: coo(torch) @ coo(torch).t(),
    "sparse @ sparse by name": lambda torch: torch.sparse.mm(coo(torch), torch.eye(3).to_sparse()),
    "csr @ csr": lambda torch: (csr(torch) @ torch.eye(3).to_sparse_csr()).to_dense(),
    "csc": lambda torch: csr(torch).to_sparse_csc() @ torch.arange(6.0).view(3, 2),
    "times dense": lambda torch: (coo(torch) * torch.arange(6.0).view(2, 3), torch.arange(3.0) * coo(torch)),
    "times sparse": lambda torch: coo(torch, coalesced=True) * torch.eye(2, 3).to_sparse(),
    "times sparse not in order": lambda torch: (coo(torch) * coo(torch)).to_dense(),
    "of different indices": lambda torch: coo(torch) + torch.eye(2, 3).to_sparse(),
    "difference of indices": lambda torch: torch.eye(2, 3).to_sparse() - coo(torch),
    "of different indices in order": lambda torch: coo(torch, coalesced=True) + torch.eye(2, 3).to_sparse(),
    "csr of different columns": lambda torch: csr(torch) + torch.eye(2, 3).to_sparse_csr(),
    "of different dtypes": lambda torch: coo(torch) + coo(torch).double(),
    "power": lambda torch: (coo(torch) ** 2, torch.pow(coo(torch), 0.5)),
    "integers": lambda torch: [coo(torch, [1, 2, 3, 4]) * n for n in (2, 2.5)] + [coo(torch, [1, 2, 3, 4]) / 2],
    "sum over a dim": lambda torch: [torch.sparse.sum(coo(torch), d) for d in (0, 1, -1, (0, 1))],
    "sum of dtype": lambda torch: (torch.sparse.sum(coo(torch), 0, torch.float64), torch.sparse.sum(coo(torch))),
    "sum of hybrid": lambda torch: [torch.sparse.sum(hybrid(torch), d) for d in (0, 2, (1, 2), (0, 1), (0, 1, 2))],
    "sum of narrow integers": lambda torch: torch.sparse.sum(coo(torch, [1, 2, 3, 4]).int(), 0),
    "softmax": lambda torch: [torch.sparse.softmax(coo(torch), d) for d in (0, 1, -1)],
    "softmax of hybrid": lambda torch: [torch.sparse.softmax(hybrid(torch), d) for d in (0, 1, 2)],
    "log_softmax": lambda torch: [torch.sparse.log_softmax(hybrid(torch), d, dtype=torch.float64) for d in (0, 1, 2)],
    "division": lambda torch: (coo(torch) / 2, coo(torch) / torch.tensor(2.0, dtype=torch.float64)),
    "difference": lambda torch: (coo(torch) - coo(torch), torch.ones(2, 3) - coo(torch)),
    "transpose": lambda torch: (coo(torch).T, torch.ones(2, 2, 2).to_sparse().mT, torch.ones(2).to_sparse().t()),
    "members": lambda torch: (coo(torch, coalesced=True).indices(), coo(torch, coalesced=True).values()),
    "dense": lambda torch: (torch.ones(2).to_dense(), torch.ones(2, 3).sparse_dim(), torch.ones(2, 3).dense_dim()),
}


OF_COO |= {
    "linear": lambda torch: torch.nn.functional.linear(coo(torch), torch.arange(12.0).view(4, 3), torch.ones(4)),
    "spmm": lambda torch: torch.spmm(coo(torch), torch.ones(3, 2)),
    "dsmm": lambda torch: torch.dsmm(coo(torch), torch.ones(3, 2)),
    "select": lambda torch: (coo(torch)[1], coo(torch)[1, -3], hybrid(torch)[1], hybrid(torch).select(1, 2)),
    "rows": lambda torch: list(coo(torch)),
    "type": lambda torch: (coo(torch).type(), coo(torch).type(torch.float64), coo(torch).cpu()),
    "in place": lambda torch: (coo(torch).mul_(2), coo(torch).neg_(), coo(torch).div_(2), coo(torch).zero_()),
    "add in place": lambda torch: (coo(torch).add_(coo(torch), alpha=2), coo(torch).sub_(torch.eye(2, 3).to_sparse())),
    "assigned": lambda torch: (coo(torch).copy_(torch.eye(2, 3).to_sparse()), coo(torch).copy_(coo(torch) * 2)),
    "shared": lambda torch: shared(coo(torch)),
}


def shared(s):
    """Return copies of `s` after each of several writes through tensors that share its memory."""
    found = []
    for write in (
        lambda t: t.mul_(2),
        lambda t: t.neg_(),
        lambda t: t.div_(4),
        lambda t: t.zero_(),
        lambda t: t.add_(s),
    ):
        write(s.detach())
        found.append(s.clone())
    other = s
    other += s
    return found, s, other is s


@pytest.mark.parametrize("name", OF_COO)
def test_operators_of_coo(name):
    both(lambda torch: seen(OF_COO[name](torch)), stride=False)


@pytest.mark.parametrize("make", [coo, hybrid, csr])
def test_save_and_deepcopy(make):
    def program(torch):
        t, file = make(torch, requires_grad=True), io.BytesIO()
        torch.save({"t": t}, file)
        file.seek(0)
        return seen(torch.load(file, weights_only=False)["t"]), seen(copy.deepcopy(t)) if t.is_sparse else None

    both(program)


@pytest.mark.parametrize("make", [coo, hybrid, csr])
def test_pickle_keeps_repr_and_requires_grad(make):
    for t in (make(torchlike), make(torchlike, requires_grad=True)):
        found = pickle.loads(pickle.dumps(t))
        assert repr(found) == repr(t) and found.requires_grad == t.requires_grad


@pytest.mark.parametrize("make", [coo, csr])
def test_each_library_loads_the_files_of_the_other(make):
    for one, other in ((torch, torchlike), (torchlike, torch)):
        file = io.BytesIO()
        one.save(make(one), file)
        file.seek(0)
        assert repr(other.load(file, weights_only=False)) == repr(make(one))


REPRS = {
    "long": lambda torch: torch.arange(1.0, 40).to_sparse(),
    "many": lambda torch: torch.arange(1.0, 2000).view(1, -1).to_sparse(),
    "dtypes": lambda torch: [
        torch.eye(2, dtype=getattr(torch, n)).to_sparse_csr()
        for n in ("float64", "int64", "int32", "complex64", "bool")
    ],
    "of values": lambda torch: torch.sparse_coo_tensor(torch.tensor(I), torch.tensor(V).requires_grad_(), (2, 3)),
    "leaf": lambda torch: (coo(torch, requires_grad=True), csr(torch, requires_grad=True)),
    "history": lambda torch: [
        f(coo(torch, requires_grad=True))
        for f in (
            lambda s: s.coalesce(),
            lambda s: s * 2,
            lambda s: -s,
            lambda s: s.abs(),
            lambda s: s.to_sparse_csr(),
            lambda s: torch.sparse.softmax(s, 1),
            lambda s: torch.sparse.sum(s, 0),
            lambda s: s + s,
            lambda s: s.clone(),
            lambda s: s.coalesce().values(),
            lambda s: s.sum(),
        )
    ],
}


@pytest.mark.parametrize("name", REPRS)
def test_repr(name):
    both(lambda torch: repr(REPRS[name](torch)))


ERRORS = {
    "elements": lambda torch: coo(torch, [1.0, 2.0]),
    "dims": lambda torch: coo(torch, size=(2,)),
    "too many dims": lambda torch: coo(torch, size=(2, 3, 4)),
    "dense dims": lambda torch: coo(torch, [[1.0]] * 4, (2, 3, 4)),
    "negative": lambda torch: torch.sparse_coo_tensor([[0, -1]], [1.0, 2.0]),
    "nothing": lambda torch: torch.sparse_coo_tensor(),
    "layout": lambda torch: torch.sparse_compressed_tensor([0, 1], [0], [1.0]),
    "indices of uncoalesced": lambda torch: coo(torch).indices(),
    "values of uncoalesced": lambda torch: coo(torch).values(),
    "members of another layout": lambda torch: coo(torch).crow_indices(),
    "indices of csr": lambda torch: csr(torch).indices(),
    "indices of dense": lambda torch: torch.ones(2).indices(),
    "values of dense": lambda torch: torch.ones(2).values(),
    "coalesce csr": lambda torch: csr(torch).coalesce(),
    "columns of csr": lambda torch: csr(torch).ccol_indices(),
    "sparse_dim": lambda torch: torch.ones(2, 2).to_sparse(3),
    "numpy": lambda torch: coo(torch).numpy(),
    "tolist": lambda torch: csr(torch).tolist(),
    "stride": lambda torch: csr(torch).stride(),
    "dense onto sparse": lambda torch: coo(torch) + torch.ones(2, 3),
    "number onto sparse": lambda torch: coo(torch) + 1,
    "sparse from number": lambda torch: 2 - coo(torch),
    "sizes": lambda torch: coo(torch) + coo(torch, size=(3, 3)),
    "sizes of a product": lambda torch: coo(torch) * coo(torch, size=(3, 3)),
    "divisor": lambda torch: coo(torch) / coo(torch),
    "mm": lambda torch: coo(torch) @ torch.ones(2, 2),
    "mm of csr": lambda torch: csr(torch) @ torch.ones(2, 2),
    "mm from the left": lambda torch: torch.ones(2, 3) @ coo(torch),
    "mm of two": lambda torch: coo(torch) @ coo(torch),
    "mm of dtypes": lambda torch: torch.sparse.mm(coo(torch), torch.ones(3, 2).double()),
    "mm of dtypes of csr": lambda torch: torch.sparse.mm(csr(torch), torch.ones(3, 2).double()),
    "mv": lambda torch: coo(torch).mv(torch.ones(2)),
    "mv of csr": lambda torch: csr(torch).mv(torch.ones(2)),
    "sum": lambda torch: torch.sparse.sum(coo(torch), 5),
    "sum twice": lambda torch: torch.sparse.sum(coo(torch), (0, 0)),
    "softmax": lambda torch: torch.sparse.softmax(coo(torch), 2),
    "softmax of integers": lambda torch: torch.sparse.softmax(coo(torch, [1, 2, 3, 4]), 1),
    "mask": lambda torch: torch.ones(3, 3).sparse_mask(coo(torch)),
    "transpose": lambda torch: hybrid(torch).transpose(0, 2),
    "transpose of dense dims": lambda torch: coo(torch, [[[1.0, 2]]] * 4, (2, 3, 1, 2)).transpose(2, -1),
    "t": lambda torch: hybrid(torch).t(),
    "mul_ of a leaf": lambda torch: coo(torch, requires_grad=True).mul_(2),
    "add_ to a leaf": lambda torch: coo(torch, requires_grad=True).add_(coo(torch)),
    "index": lambda torch: coo(torch)[2],
    "array": lambda torch: np.asarray(coo(torch)),
    "dtype of dense": lambda torch: coo(torch).to_dense(dtype=torch.float64),
    "deepcopy": lambda torch: copy.deepcopy(coo(torch, requires_grad=True) * 2),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_pytorchs(name):
    theirs, ours = (outcome(ERRORS[name], library) for library in (torch, torchlike))
    first = lambda sentence: (sentence[0], sentence[1].split("\n")[0])
    assert first(ours.sentence) == first(theirs.sentence)


INVARIANTS = {
    "index": lambda torch: coo(torch, size=(2, 2)),
    "negative index": lambda torch: torch.sparse_coo_tensor([[0, -1]], [1.0, 2.0], (2,)),
    "order": lambda torch: torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,), is_coalesced=True),
    "indices": lambda torch: torch.sparse_coo_tensor([0, 1], [1.0, 2.0], (2,)),
    "rows": lambda torch: torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], [1.0, 2, 3], (3, 3)),
    "columns": lambda torch: torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], [1.0, 2, 3], (2, 2)),
    "elements": lambda torch: torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], [1.0, 2], (2, 3)),
    "start": lambda torch: torch.sparse_csr_tensor([1, 1, 3], [2, 0, 2], [1.0, 2, 3], (2, 3)),
    "end": lambda torch: torch.sparse_csr_tensor([0, 1, 2], [2, 0, 2], [1.0, 2, 3], (2, 3)),
    "descent": lambda torch: torch.sparse_csr_tensor([0, 4, 3], [2, 0, 2], [1.0, 2, 3], (2, 3)),
    "dtypes": lambda torch: torch.sparse_csr_tensor(
        torch.tensor([0, 1, 3]).int(), torch.tensor([2, 0, 2]), torch.ones(3), (2, 3)
    ),
    "dims": lambda torch: torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], [1.0, 2, 3], (2, 3, 1)),
    "rows of csc": lambda torch: torch.sparse_csc_tensor([0, 1, 3], [2, 0, 2], [1.0, 2, 3], (2, 2)),
    "columns of csc": lambda torch: torch.sparse_csc_tensor([0, 1, 3], [2, 0, 2], [1.0, 2, 3], (3, 3)),
}


@pytest.mark.parametrize("name", INVARIANTS)
def test_constructors_always_check_invariants(name):
    with torch.sparse.check_sparse_tensor_invariants():
        theirs = outcome(INVARIANTS[name], torch)
    assert theirs.error is not None
    assert outcome(INVARIANTS[name], torchlike).sentence == theirs.sentence


REFUSED = {
    "exp": lambda t, s: t.exp(s),
    "cos": lambda t, s: s.cos(),
    "eq": lambda t, s: s == s,
    "view": lambda t, s: s.view(6),
    "reshape": lambda t, s: t.reshape(s, (6,)),
    "getitem": lambda t, s: s[:1],
    "div_": lambda t, s: s.div_(t.ones(3)),
    "cat": lambda t, s: t.cat([s, s]),
    "stack": lambda t, s: t.stack([s, s]),
    "linear": lambda t, s: t.nn.functional.linear(t.ones(4, 3), s),
    "copy_": lambda t, s: s.copy_(t.ones(2, 3)),
    "exp_": lambda t, s: s.exp_(),
    "softmax": lambda t, s: t.softmax(s, 1),
    "mean": lambda t, s: s.mean(),
    "argsort": lambda t, s: t.argsort(s),
    "where": lambda t, s: t.where(t.ones(2, 3) > 0, s, t.ones(2, 3)),
    "item": lambda t, s: s.item(),
    "backward": lambda t, s: s.requires_grad_().backward(),
    "bool": lambda t, s: bool(s),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("make", [coo, csr])
def test_operators_without_a_sparse_rule_raise(name, make):
    with pytest.raises(NotImplementedError, match=rf"^{name}\b.* tensors of layout torch.sparse_(coo|csr)"):
        REFUSED[name](torchlike, make(torchlike))


def test_every_tensor_method_has_a_sparse_form_or_raises():
    s = coo(torchlike)
    shared = {*torchlike._sparse._methods._SHARED, *torchlike._sparse._methods.OF_ALL}
    for name, theirs in vars(torchlike.Tensor).items():
        if name not in shared and not name.startswith("_") and (callable(theirs) or isinstance(theirs, property)):
            assert inspect.getattr_static(s, name) is not theirs, name
