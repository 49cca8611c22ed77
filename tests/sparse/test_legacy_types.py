"""The legacy types `torch.sparse.FloatTensor` and the like, which programs written before PyTorch 1.0 use."""

import warnings

import pytest

from tests.oracle import both

STEMS = ("BFloat16", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")


def _indices(torch):
    return torch.tensor([[0, 2], [1, 0]])


def _dense(made):
    return made.dtype, made.layout, tuple(made.shape), made.is_coalesced(), made.to_dense()


MADE = {
    "from nothing": lambda torch, kind: _dense(kind()),
    "from sizes": lambda torch, kind: _dense(kind(2, 3)),
    "from a size": lambda torch, kind: _dense(kind(torch.Size([2, 3]))),
    "from values": lambda torch, kind: _dense(kind(_indices(torch), torch.ones(2, dtype=kind.dtype))),
    "from values and a list": lambda torch, kind: _dense(
        kind(_indices(torch), torch.ones(2, dtype=kind.dtype), [4, 3])
    ),
    "on a device": lambda torch, kind: _dense(kind(2, 3, device="cpu")),
    "instance": lambda torch, kind: isinstance(torch.ones(2, dtype=kind.dtype).to_sparse(), kind),
    "instance of a dense type": lambda torch, kind: isinstance(torch.ones(2).to_sparse(), torch.FloatTensor),
    "no instance": lambda torch, kind: isinstance(torch.ones(2, dtype=kind.dtype), kind),
    "name": lambda torch, kind: torch.ones(2, dtype=kind.dtype).to_sparse().type(),
    "converted": lambda torch, kind: torch.ones(2).to_sparse().type(kind).to_dense(),
    "dense converted": lambda torch, kind: torch.ones(2).type(kind),
    "named": lambda torch, kind: torch.ones(2).to_sparse().type(f"torch.sparse.{kind.__name__}").to_dense(),
    "shown": lambda torch, kind: kind.__name__ + kind.__module__,
}


@pytest.fixture(autouse=True)
def _silence():
    """Ignore the warning of the constructors; `tests/oracle/bad_input` compares it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "torch.sparse.SparseTensor")
        yield


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("program", [pytest.param(program, id=name) for name, program in MADE.items()])
def test_a_legacy_type(program, stem):
    both(lambda torch: program(torch, getattr(torch.sparse, f"{stem}Tensor")))


def test_the_dtype_of_the_values_counts():
    both(lambda torch: _dense(torch.sparse.DoubleTensor(_indices(torch), torch.ones(2))))


def test_gradients_flow_to_the_values():
    def program(torch):
        values = torch.ones(2, requires_grad=True)
        made = torch.sparse.FloatTensor(_indices(torch), values, torch.Size([3, 3]))
        torch.sparse.mm(made, torch.arange(9.0).view(3, 3)).sum().backward()
        return values.grad, made.requires_grad

    both(program)


def test_no_sequence():
    both(lambda torch: torch.sparse.FloatTensor([2, 3]))


_NEW = {
    "nothing": lambda torch, t: t.new(),
    "sizes": lambda torch, t: t.new(2, 3),
    "a size": lambda torch, t: t.new(t.size()),
    "values": lambda torch, t: t.new(t._indices(), t._values() * 2),
    "values of another dtype": lambda torch, t: t.new(t._indices(), t._values().float(), t.size()),
    "a list": lambda torch, t: t.new([2, 3]),
}


@pytest.mark.parametrize("name", _NEW)
def test_new_of_a_sparse_tensor(name):
    def program(torch):
        t = torch.sparse_coo_tensor(_indices(torch), torch.ones(2, dtype=torch.float64), (3, 3))
        return _dense(_NEW[name](torch, t))

    both(program)
