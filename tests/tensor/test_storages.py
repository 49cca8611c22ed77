"""Storages: freed and reallocated memory, one object for each memory, slices, raw bytes, and errors."""

import gc

import pytest

import torchlike
from tests.oracle import both


def numbers(torch):
    return torch.arange(6.0).view(2, 3)


def freed(torch):
    t = numbers(torch)
    t.untyped_storage().resize_(0)
    return t


def facts(t):
    return tuple(t.shape), t.stride(), t.storage_offset(), t.untyped_storage().nbytes(), t.data_ptr() == 0


def _given_back(torch):
    t = numbers(torch)
    row, storage = t[1], t.untyped_storage()
    size = storage.nbytes()
    storage.resize_(0)
    sizes = storage.size(), len(storage), storage.data_ptr(), storage.tolist(), t.untyped_storage() is storage
    storage.resize_(size)
    t.fill_(2)
    return sizes, t, row, row.untyped_storage()._cdata == storage._cdata, t._version


def _given_up_within_a_graph(torch):
    """Free a gathered parameter between forward and backward, as fully sharded training does."""
    w = torch.ones(3, requires_grad=True)
    gathered = (w.detach() * 2).requires_grad_()
    storage = gathered.untyped_storage()
    loss = (gathered * 3).sum()
    storage.resize_(0)
    storage.resize_(12)
    with torch.no_grad():
        gathered.copy_(w * 2)
    loss.backward()
    return gathered, gathered.grad


def _outlives_its_tensor(torch):
    t = numbers(torch)
    storage, address = t.untyped_storage(), t.data_ptr()
    identity = storage._cdata
    del t
    gc.collect()
    made = torch.empty(0).set_(storage)
    return made, made.data_ptr() == address, made.untyped_storage()._cdata == identity, storage.nbytes()


def _one_object(torch):
    t = numbers(torch)
    a = t.untyped_storage()
    others = [u.untyped_storage() for u in (t, t[1], t.detach())] + [t.storage().untyped(), a.untyped()]
    made = torch.UntypedStorage(8)
    grown = t.untyped_storage().resize_(100)
    return [s is a for s in others], made is torch.empty(0).set_(made).untyped_storage(), grown is t.untyped_storage()


def _slices(torch):
    storage = torch.UntypedStorage([1, 2, 3, 4, 5, 6])
    part = storage[1:5]
    part[0] = 9
    part[1:].fill_(7)
    facts = part.data_ptr() - storage.data_ptr(), part.nbytes(), part.resizable(), part._cdata == storage._cdata
    return storage.tolist(), part.tolist(), storage[-2:].tolist(), facts, type(part).__name__


def _typed(torch):
    t = numbers(torch)
    storage = t.storage()
    storage.resize_(0)
    empty = storage.size(), t.untyped_storage().nbytes()
    storage.resize_(6)
    return empty, t.zero_(), t.storage() == t.storage()


RUN = {
    "given back": _given_back,
    "given up within a graph": _given_up_within_a_graph,
    "outlives its tensor": _outlives_its_tensor,
    "one object": _one_object,
    "slices": _slices,
    "typed": _typed,
    "facts": lambda torch: facts(freed(torch)),
    "shape": lambda torch: (freed(torch).view(6).shape, torch.empty_like(freed(torch)).shape),
    "detached": lambda torch: facts(freed(torch).detach()),
    "resize_ to its shape": lambda torch: facts(freed(torch).resize_(2, 3)),
    "resize_ to more": lambda torch: facts(freed(torch).resize_(9)),
    "set_": lambda torch: facts(freed(torch).set_(numbers(torch).untyped_storage(), 0, (2, 3), (3, 1))),
    "set_ of too little": lambda torch: facts(torch.empty(0).set_(numbers(torch).untyped_storage(), 1, (9,), (1,))),
    "parameter": lambda torch: torch.nn.Parameter(freed(torch)).shape,
    "meta": lambda torch: torch.empty(2, device="meta").untyped_storage().resize_(0).nbytes(),
    "meta address": lambda torch: torch.empty(2, device="meta").untyped_storage().data_ptr(),
    "tolist": lambda torch: freed(torch).tolist(),
    "float size": lambda torch: numbers(torch).untyped_storage().resize_(2.5),
    "typed slice": lambda torch: numbers(torch).storage()[1:3],
    "typed index": lambda torch: numbers(torch).storage()["a"],
    "float byte": lambda torch: torch.UntypedStorage([1]).__setitem__(0, 1.5),
    "copy of a tensor": lambda torch: torch.UntypedStorage([1, 2]).copy_(torch.ones(2)),
    "of a tensor": lambda torch: torch.UntypedStorage(torch.ones(2)),
    "wrapped bytes": lambda torch: torch.UntypedStorage([300]).tolist(),
    "other type": lambda torch: torch.empty(0, dtype=torch.int64).set_(numbers(torch).storage()),
    "negative stride": lambda torch: torch.empty(0).set_(numbers(torch).untyped_storage(), 0, (2,), (-1,)),
    "negative size": lambda torch: torch.empty(0).set_(numbers(torch).untyped_storage(), 0, (-2,), (1,)),
    "meta tolist": lambda torch: torch.empty(2, device="meta").untyped_storage().tolist(),
    "new": lambda torch: numbers(torch).untyped_storage().new().nbytes(),
    "to": lambda torch: numbers(torch).untyped_storage().to(device="cpu").nbytes(),
}
_BYTES = b"\x01\x02\x03\x04"
RUN |= {
    f"buffer {i}": lambda torch, how=how: torch.UntypedStorage.from_buffer(_BYTES, **how(torch)).tolist()
    for i, how in enumerate(
        [
            lambda torch: {"dtype": torch.int16, "byte_order": "little"},
            lambda torch: {"dtype": torch.int16, "byte_order": "big"},
            lambda torch: {"dtype": torch.int16},
            lambda torch: {"dtype": torch.uint8},
            lambda torch: {"dtype": torch.uint8, "count": 2, "offset": 1},
            lambda torch: {"dtype": torch.float64, "byte_order": "native"},
            lambda torch: {"dtype": torch.uint8, "offset": 4},
            lambda torch: {"dtype": torch.uint8, "offset": 9},
            lambda torch: {"dtype": torch.uint8, "count": 3, "offset": 2},
            lambda torch: {"dtype": torch.int16, "byte_order": "middle"},
        ]
    )
}
RUN["typed buffer"] = lambda torch: torch.FloatStorage.from_buffer(b"\x00\x00\x80\x3f", byte_order="little").tolist()


@pytest.mark.filterwarnings("ignore:TypedStorage")
@pytest.mark.parametrize("name", RUN)
def test_storages(name):
    both(RUN[name])


READS = {
    "add": lambda t: t + 1,
    "in place": lambda t: t.mul_(2),
    "fill_": lambda t: t.fill_(1),
    "copy_": lambda t: t.copy_(torchlike.ones(2, 3)),
    "repr": repr,
    "view": lambda t: t[0] + 1,
    "as_strided": lambda t: t.as_strided((2,), (1,)),
    "numpy": lambda t: t.numpy(),
    "clone": lambda t: t.clone(),
    "write to a view": lambda t: t[0].zero_(),
}


@pytest.mark.parametrize("name", READS)
def test_nothing_reads_memory_that_was_given_up(name):
    """Check that reading or writing freed memory raises an error. PyTorch accesses address 0 instead."""
    with pytest.raises(RuntimeError, match="released by resize_"):
        READS[name](freed(torchlike))


def test_views_made_before():
    t = numbers(torchlike)
    row = t[1]
    assert row.sum().item() == 12
    t.untyped_storage().resize_(0)
    with pytest.raises(RuntimeError, match="released by resize_"):
        row.sum()


def test_refused_by_name():
    storage = numbers(torchlike).untyped_storage()
    with pytest.raises(NotImplementedError, match="smaller than before"):
        storage.resize_(12)
    with pytest.raises(NotImplementedError, match="slice of a storage"):
        torchlike.empty(0, dtype=torchlike.uint8).set_(storage[2:4])
    storage.resize_(0)
    with pytest.raises(NotImplementedError, match="smaller than before"):
        storage.resize_(12)
