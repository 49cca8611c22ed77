"""Lazily conjugated and negated views: flags, shared memory, gradients, and operations that refuse them."""

import copy
import io
import pickle
import warnings

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import both
from tests.tensor.pending_programs import difference, program


def complex_numbers(torch):
    return torch.tensor([[1 + 2j, 3 - 4j, 0.5 + 1j], [5 + 6j, 7j, -1 + 0.25j]])


def facts(t, torch):
    at = t.data_ptr() - t.untyped_storage().data_ptr()
    return t.is_conj(), t.is_neg(), tuple(t.shape), t.stride(), t.storage_offset(), at, t._is_view(), str(t.dtype), t


SEEN = {
    "conj": lambda a, torch: a.conj(),
    "conj twice": lambda a, torch: a.conj().conj(),
    "torch.conj": lambda a, torch: torch.conj(a),
    "H": lambda a, torch: a.H,
    "mH": lambda a, torch: a.mH,
    "adjoint": lambda a, torch: a.adjoint(),
    "imag": lambda a, torch: a.conj().imag,
    "imag of a view": lambda a, torch: a.conj()[1:, ::2].imag,
    "real": lambda a, torch: a.conj().real,
    "clone": lambda a, torch: a.conj().clone(),
    "transposed clone": lambda a, torch: a.conj().T.clone(),
    "contiguous": lambda a, torch: a.conj().contiguous(),
    "made contiguous": lambda a, torch: a.mH.contiguous(),
    "reshape": lambda a, torch: a.conj().reshape(-1),
    "copying reshape": lambda a, torch: a.mH.reshape(-1),
    "index": lambda a, torch: a.conj()[torch.tensor([0])],
    "expand": lambda a, torch: a.conj()[0].expand(2, 3),
    "unbind": lambda a, torch: a.conj().unbind()[1],
    "diagonal": lambda a, torch: a.conj().diagonal(),
    "unfold": lambda a, torch: a.conj().unfold(1, 2, 1),
    "detach": lambda a, torch: a.conj().detach(),
    "data": lambda a, torch: a.conj().data,
    "as_strided": lambda a, torch: a.conj().as_strided((2,), (1,), 1),
    "as_strided of imag": lambda a, torch: a.conj().imag.as_strided((2,), (1,), 1),
    "resolve_conj": lambda a, torch: a.conj().resolve_conj(),
    "resolve_neg": lambda a, torch: a.conj().imag.resolve_neg(),
    "conj_physical": lambda a, torch: a.conj().conj_physical(),
    "neg view": lambda a, torch: torch._neg_view(a),
    "neg view of conj": lambda a, torch: torch._neg_view(a.conj()).imag,
    "neg view of integers": lambda a, torch: torch._neg_view(torch.arange(3)),
    "neg view twice": lambda a, torch: torch._neg_view(torch._neg_view(a)),
    "view_as_real": lambda a, torch: torch.view_as_real(a.conj().conj()),
    "view_as_real of neg": lambda a, torch: torch.view_as_real(torch._neg_view(a)),
    "view_as_complex of neg": lambda a, torch: torch.view_as_complex(torch._neg_view(torch.view_as_real(a))),
    "neg": lambda a, torch: -a.conj().imag,
    "zeros_like": lambda a, torch: torch.zeros_like(a.conj()),
    "to": lambda a, torch: a.conj().to(torch.complex128),
    "same": lambda a, torch: a.conj().to(a.dtype),
    "parameter": lambda a, torch: torch.nn.Parameter(a.conj()).detach(),
    "deepcopy": lambda a, torch: copy.deepcopy(a.conj()),
    "copy": lambda a, torch: copy.copy(a.conj()),
    "pickle": lambda a, torch: pickle.loads(pickle.dumps(a.conj())),
    "as_tensor": lambda a, torch: torch.as_tensor(a.conj()),
    "tensor": lambda a, torch: torch.asarray(a.conj()),
    "set_": lambda a, torch: torch.zeros(1, dtype=a.dtype).set_(a.conj()),
    "conj.set_": lambda a, torch: torch.zeros(2, dtype=a.dtype).conj().detach().set_(a),
    "set_ at": lambda a, torch: torch.zeros(2, dtype=a.dtype).conj().set_(a.untyped_storage(), 1, (2,), (2,)),
    "t_": lambda a, torch: a.conj().t_(),
    "resize_": lambda a, torch: a.conj().resize_(3),
    "meta": lambda a, torch: a.to("meta").conj().imag.is_neg(),
    "where": lambda a, torch: torch.where(a.real > 1, a.conj(), a),
    "mul_": lambda a, torch: a.conj().mul_(2j),
    "scalar": lambda a, torch: a[0, 0].conj(),
    "repr": lambda a, torch: (repr(a.conj()), repr(a.conj().imag), str(a.conj()[0, 0])),
    "storage": lambda a, torch: a.conj().untyped_storage().tolist(),
    "is_set_to": lambda a, torch: (a.is_set_to(a.conj()), a.conj().is_set_to(a.conj()), torch.equal(a, a.conj())),
    "real is itself": lambda a, torch: [(r.conj() is r, r.resolve_conj() is r) for r in [torch.ones(2)]],
    "sparse": lambda a, torch: a.to_sparse().is_conj(),
    "force": lambda a, torch: [t.numpy(force=True).tolist() for t in (a.conj(), a.mH.imag)],
    "functions": lambda a, torch: (torch.is_conj(a.conj()), torch.is_neg(a.conj()), torch.is_neg(a.conj().imag)),
}


@pytest.mark.parametrize("name", SEEN)
def test_pending_conjugations_are_resolved_as_in_pytorch(name):
    def run(torch):
        a = complex_numbers(torch)
        seen = SEEN[name](a, torch)
        return (facts(seen, torch) if isinstance(seen, torch.Tensor) else seen), a

    both(run)


WRITES = {
    "mul_": lambda b: b.conj().mul_(1j),
    "index": lambda b: b.conj().__setitem__((0, 1), 9 + 9j),
    "mask": lambda b: b.conj().__setitem__(b.real > 2, 1j),
    "imag": lambda b: b.conj().imag.mul_(2),
    "imag =": lambda b: setattr(b.conj(), "imag", b.real * 2),
    "real =": lambda b: setattr(b.conj(), "real", b.imag * 2),
    "copy_ to": lambda b: b.conj().copy_(b * 1j),
    "copy_ from": lambda b: b.copy_((b * 1j).conj()),
    "copy_ itself": lambda b: b.conj().copy_(b),
    "copy_ its conjugate": lambda b: b.copy_(b.conj()),
    "copy_ a part": lambda b: b[0, :2].copy_(b.conj()[0, 1:]),
    "conj_physical_": lambda b: b.conj().conj_physical_(),
    "neg_": lambda b: b.conj().imag.neg_(),
    "fill_": lambda b: b.conj().fill_(1 + 3j),
    "zero_": lambda b: b.conj().imag.zero_(),
    "add_ its conjugate": lambda b: b.add_(b.conj()),
    "add_ itself": lambda b: b.conj().add_(b),
    "add_ a part": lambda b: b.conj()[0, :2].add_(b[0, 1:]),
    "sub_ a part": lambda b: b[0, :2].sub_(b.conj()[0, 1:]),
    "H": lambda b: b.H[0].mul_(2),
    "expanded": lambda b: b[:1].conj().expand(2, 3).add_(1),
    "detached": lambda b: b.detach().conj().mul_(2j),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_go_to_the_base(name):
    def run(torch):
        b = complex_numbers(torch)
        watched = b.conj(), b.conj().imag, b.T
        WRITES[name](b)
        return b, watched, b._version

    both(run)


REFUSED = {
    "view_as_real": lambda c, torch: torch.view_as_real(c),
    "numpy": lambda c, torch: c.numpy(),
    "numpy of imag": lambda c, torch: c.imag.numpy(),
    "asarray": lambda c, torch: np.asarray(c),
    "numpy with a gradient": lambda c, torch: c.detach().requires_grad_().numpy(),
    "dlpack": lambda c, torch: c.__dlpack__(),
    "from_dlpack": lambda c, torch: torch.from_dlpack(c),
    "view of a dtype": lambda c, torch: c.view(torch.float32),
    "view of its dtype": lambda c, torch: c.view(c.dtype),
    "view of imag": lambda c, torch: c.imag.view(torch.int32),
    "imag of imag": lambda c, torch: c.imag.imag,
    "neg view of bools": lambda c, torch: torch._neg_view(torch.tensor([True])).tolist(),
    "leaf": lambda c, torch: c.detach().requires_grad_().conj().mul_(2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    both(lambda torch: REFUSED[name](complex_numbers(torch).conj(), torch))


def test_negative_views_are_not_exported():
    """DLPack export of a negative view raises an error. PyTorch exports the memory without the sign."""
    with pytest.raises(BufferError, match="negative bit"):
        complex_numbers(torchlike).conj().imag.__dlpack__()


GRADIENTS = {
    "conj": lambda b, torch: b.conj(),
    "imag": lambda b, torch: b.conj().imag,
    "real": lambda b, torch: b.conj().real,
    "H": lambda b, torch: b.H,
    "product": lambda b, torch: b.conj() * b,
    "resolve": lambda b, torch: b.conj().imag.resolve_neg(),
    "conj_physical": lambda b, torch: b.conj().conj_physical(),
    "as_strided": lambda b, torch: b.conj().as_strided((2,), (1,), 1),
    "view is written to": lambda b, torch: (b.conj().mul_(2j), b)[1],
    "base is written to": lambda b, torch: (b.conj(), b.mul_(2j))[0],
    "imag is written to": lambda b, torch: (b.conj().imag.mul_(2), b * b)[1],
    "base below imag": lambda b, torch: (b.conj().imag, b.mul_(2j))[0],
    "base below a chain": lambda b, torch: (b.t().conj()[0][1], b.mul_(2j))[0],
    "base below parts": lambda b, torch: (torch.view_as_real(b[0])[1], b.mul_(2j))[0],
    "base below a dtype": lambda b, torch: (torch.view_as_complex(torch.view_as_real(b)), b.mul_(2j))[0],
    "H is written to": lambda b, torch: (b.H, b.H[0].mul_(2))[0],
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    def run(torch):
        leaf = complex_numbers(torch).requires_grad_()
        made = GRADIENTS[name](leaf * 1, torch)
        nodes, node = [], made.grad_fn
        while node is not None:
            nodes.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
        made.backward(torch.ones_like(made) * (1 + 2j if made.is_complex() else 1))
        return leaf.grad, leaf.grad.is_conj(), nodes

    both(run)


@pytest.mark.parametrize("view", [lambda a: a.conj(), lambda a: a.conj().imag, lambda a: a.mH])
def test_files(view):
    def read(library, data):
        data.seek(0)
        t = library.load(data)
        return facts(t, library)[:6], t.tolist(), t._base is None

    data = {}
    for library in (torch, torchlike):
        data[library] = io.BytesIO()
        library.save(view(complex_numbers(library)), data[library])
    due = read(torch, data[torch])
    assert read(torch, data[torchlike]) == read(torchlike, data[torch]) == read(torchlike, data[torchlike]) == due


def test_memory_shared_with_numpy():
    def run(torch):
        b = complex_numbers(torch)
        array, view = b.numpy(), b.conj()
        imag = view.imag
        array[0, 0] = 10 + 20j
        seen = view.tolist(), imag.tolist()
        view[0, 1] = 1j
        imag[1, 1] = 100
        view.mul_(2j)
        return seen, array.tolist(), b

    both(run)


def test_transforms():
    def run(torch):
        a, f = complex_numbers(torch), lambda t: (t.conj() * t.mH.T).real.sum()
        pushed = torch.func.jvp(lambda t: t.conj().imag, (a,), (a * 1j,))[1]
        return torch.func.grad(f)(a), torch.vmap(lambda t: t.conj() * t[0])(a), pushed.clone()

    both(run)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_compiled(executor):
    def step(a):
        c = a.conj()
        c.imag.mul_(3)
        return c.sum(), a * c

    compiled, a, b = torchlike.compile(step), complex_numbers(torchlike), complex_numbers(torchlike)
    with torchlike.set_executor(executor):
        for _ in range(3):
            assert [x.tolist() for x in compiled(a)] == [x.tolist() for x in step(b)]
            assert a.tolist() == b.tolist()


def test_a_pass_drops_the_gradients_of_views_without_history():
    """Backward drops the gradients of views that were made under no_grad.

    The dropped gradients have different shapes, so they must not be added to each other.
    """

    def run(torch):
        leaf = torch.ones(2, 3, requires_grad=True)
        a = leaf * 2
        with torch.no_grad():
            row, turned = a[0], a.T
        ((row * row).sum() + (turned * turned).sum() + (a * a).sum()).backward()
        return leaf.grad

    both(run)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert difference(seed) is None, "\n".join(program(seed))


@pytest.mark.long
@pytest.mark.parametrize("start", range(60, 300, 60))
def test_more_random_programs(start):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {seed: difference(seed) for seed in range(start, start + 60)}
    assert {seed: words for seed, words in found.items() if words} == {}
