"""Programs that PyTorch refuses, as data: (name, program). torchlike must refuse each with the same type and sentence.

Only the programs of VALUE look at a result: what is wrong with the others is known without any value, so the error has
to come from the line that made it.
"""

import io
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    name: str
    program: Callable


def _leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


# --- shape -----------------------------------------------------------------------------------------------------------

SHAPE = [
    Row("add", lambda torch: torch.ones(2, 3) + torch.ones(4)),
    Row("add of three dims", lambda torch: torch.ones(2, 3, 4) * torch.ones(2, 2, 4)),
    Row("add in place", lambda torch: torch.ones(3).add_(torch.ones(2, 3))),
    Row("comparison", lambda torch: torch.ones(2) < torch.ones(3)),
    Row("where", lambda torch: torch.where(torch.ones(2) > 0, torch.ones(3), torch.ones(2))),
    Row("matmul", lambda torch: torch.ones(2, 3) @ torch.ones(2, 3)),
    Row("matmul of a vector", lambda torch: torch.ones(2, 3) @ torch.ones(4)),
    Row("matmul of two vectors", lambda torch: torch.ones(3) @ torch.ones(4)),
    Row("matmul of batches", lambda torch: torch.ones(2, 3, 4) @ torch.ones(3, 4, 5)),
    Row("matmul of a scalar", lambda torch: torch.tensor(1.0) @ torch.ones(3)),
    Row("mm", lambda torch: torch.mm(torch.ones(2, 3), torch.ones(2, 3))),
    Row("mm of a vector", lambda torch: torch.mm(torch.ones(2, 3), torch.ones(3))),
    Row("bmm", lambda torch: torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 3, 4))),
    Row("bmm of matrices", lambda torch: torch.bmm(torch.ones(2, 3), torch.ones(2, 3))),
    Row("dot", lambda torch: torch.dot(torch.ones(3), torch.ones(4))),
    Row("cat", lambda torch: torch.cat([torch.ones(2, 3), torch.ones(2, 4)])),
    Row("cat of different ranks", lambda torch: torch.cat([torch.ones(2, 3), torch.ones(2)])),
    Row("cat of nothing", lambda torch: torch.cat([])),
    Row("stack", lambda torch: torch.stack([torch.ones(2), torch.ones(3)])),
    Row("stack of nothing", lambda torch: torch.stack([])),
    Row("view", lambda torch: torch.ones(2, 3).view(4, 2)),
    Row("view with an odd rest", lambda torch: torch.ones(2, 3).view(4, -1)),
    Row("view of a transpose", lambda torch: torch.ones(2, 3).t().view(6)),
    Row("reshape", lambda torch: torch.ones(2, 3).reshape(5)),
    Row("two unknown sizes", lambda torch: torch.ones(2, 3).reshape(-1, -1)),
    Row("expand", lambda torch: torch.ones(2, 3).expand(2, 4)),
    Row("expand to fewer dims", lambda torch: torch.ones(2, 3).expand(3)),
    Row("permute", lambda torch: torch.ones(2, 3).permute(0, 0)),
    Row("permute of too few dims", lambda torch: torch.ones(2, 3).permute(0)),
    Row("t of three dims", lambda torch: torch.ones(2, 3, 4).t()),
    Row("split with sizes", lambda torch: torch.ones(5).split([2, 2])),
    Row("chunk", lambda torch: torch.ones(5).chunk(0)),
    Row("linear", lambda torch: torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 5))),
    Row("linear with a bias", lambda torch: torch.nn.Linear(3, 4)(torch.ones(2, 5))),
    Row("conv2d channels", lambda torch: torch.nn.Conv2d(3, 8, 3)(torch.ones(1, 4, 8, 8))),
    Row("conv2d too small", lambda torch: torch.nn.Conv2d(3, 8, 5)(torch.ones(1, 3, 2, 2))),
    Row("conv2d rank", lambda torch: torch.nn.Conv2d(3, 8, 3)(torch.ones(8, 8))),
    Row("max_pool2d rank", lambda torch: torch.nn.functional.max_pool2d(torch.ones(8), 2)),
    Row("batch_norm channels", lambda torch: torch.nn.BatchNorm1d(3)(torch.ones(2, 4))),
    Row("batch_norm of one value", lambda torch: torch.nn.BatchNorm1d(3)(torch.ones(1, 3))),
    Row("batch_norm rank", lambda torch: torch.nn.BatchNorm2d(3)(torch.ones(2, 3))),
    Row("layer_norm", lambda torch: torch.nn.LayerNorm(4)(torch.ones(2, 3))),
    Row("group_norm", lambda torch: torch.nn.functional.group_norm(torch.ones(2, 5), 2)),
    Row("cross_entropy batch", lambda torch: _cross_entropy(torch, torch.ones(2, 3), torch.zeros(3).long())),
    Row("cross_entropy rank", lambda torch: _cross_entropy(torch, torch.ones(2, 3), torch.zeros(2, 2).long())),
    Row("nll_loss batch", lambda torch: torch.nn.functional.nll_loss(torch.ones(2, 3), torch.zeros(4).long())),
    Row("binary_cross_entropy", lambda torch: _loss(torch, "binary_cross_entropy", (2, 3), (2,))),
    Row("bce_with_logits", lambda torch: _loss(torch, "binary_cross_entropy_with_logits", (2, 3), (2,))),
    Row("lstm input size", lambda torch: torch.nn.LSTM(3, 4)(torch.ones(5, 2, 6))),
    Row("gru rank", lambda torch: torch.nn.GRU(3, 4)(torch.ones(5))),
    Row("squeeze of a dim too far", lambda torch: torch.ones(2, 3).squeeze(2)),
    Row("masked_fill with a tensor", lambda torch: torch.ones(2).masked_fill(torch.ones(2) > 0, torch.ones(2))),
    Row("ragged nested list", lambda torch: torch.tensor([[1, 2], [3]])),
    Row("negative size", lambda torch: torch.zeros(-1)),
]


def _cross_entropy(torch, logits, target):
    return torch.nn.functional.cross_entropy(logits, target)


def _loss(torch, name, *shapes):
    return getattr(torch.nn.functional, name)(*(torch.full(shape, 0.5) for shape in shapes))


# --- dtype and type --------------------------------------------------------------------------------------------------

DTYPE = [
    Row("matmul", lambda torch: torch.ones(2, 2) @ torch.ones(2, 2).double()),
    Row("mm of integers and floats", lambda torch: torch.mm(torch.ones(2, 2), torch.ones(2, 2).long())),
    Row("bmm", lambda torch: torch.bmm(torch.ones(1, 2, 2), torch.ones(1, 2, 2).double())),
    Row("linear", lambda torch: torch.nn.Linear(2, 2)(torch.ones(2, 2).double())),
    Row("conv2d", lambda torch: torch.nn.Conv2d(1, 1, 1)(torch.ones(1, 1, 2, 2).double())),
    Row("cross_entropy target", lambda torch: _cross_entropy(torch, torch.ones(2, 3), torch.zeros(2))),
    Row("embedding index", lambda torch: torch.nn.Embedding(3, 2)(torch.ones(2))),
    Row("mean of integers", lambda torch: torch.arange(3).mean()),
    Row("in place to a narrower category", lambda torch: torch.arange(3).add_(0.5)),
    Row("in place true division", lambda torch: torch.arange(3).div_(2)),
    Row("float index", lambda torch: torch.ones(3)[torch.ones(1)]),
    Row("gradient of integers", lambda torch: torch.ones(3, dtype=torch.int64, requires_grad=True)),
    Row("requires_grad_ of integers", lambda torch: torch.arange(3).requires_grad_()),
    Row("bool minus", lambda torch: torch.ones(2).bool() - torch.ones(2).bool()),
    Row("bool negative", lambda torch: -(torch.ones(2).bool())),
    Row("shift of floats", lambda torch: torch.ones(2) << 1),
    Row("and of floats", lambda torch: torch.ones(2) & torch.ones(2)),
    Row("gather index", lambda torch: torch.ones(3).gather(0, torch.zeros(1))),
    Row("masked_fill mask", lambda torch: torch.ones(2).masked_fill(torch.ones(2), 0.0)),
    Row("tensor of a string", lambda torch: torch.tensor("a")),
    Row("tensor of None", lambda torch: torch.tensor([None])),
    Row("randn of integers", lambda torch: torch.randn(2, dtype=torch.int64)),
    Row("softmax of integers", lambda torch: torch.arange(3).softmax(0)),
    Row("len of a scalar", lambda torch: len(torch.tensor(1.0))),
    Row("iteration of a scalar", lambda torch: list(torch.tensor(1.0))),
    Row("Parameter assignment", lambda torch: setattr(torch.nn.Linear(2, 2), "weight", torch.ones(2, 2))),
    Row("optimizer without parameters", lambda torch: torch.optim.SGD([], lr=0.1)),
    Row("optimizer of a tensor", lambda torch: torch.optim.SGD(torch.ones(2), lr=0.1)),
    Row("optimizer of a non-leaf", lambda torch: torch.optim.SGD([_leaf(torch, 2) * 2], lr=0.1)),
    Row("negative learning rate", lambda torch: torch.optim.Adam([_leaf(torch, 2)], lr=-1.0)),
]


# --- device ----------------------------------------------------------------------------------------------------------

DEVICE = [
    Row("unknown device", lambda torch: torch.device("toaster")),
    Row("pinned memory", lambda torch: torch.ones(2, pin_memory=True)),
    Row("mul of meta and cpu", lambda torch: torch.ones(2, device="meta") * torch.ones(2)),
    Row("float of meta", lambda torch: float(torch.tensor(1.0, device="meta"))),
    Row("unknown device of a factory", lambda torch: torch.ones(2, device="toaster")),
    Row("negative index", lambda torch: torch.device("cuda", -2)),
    Row("numpy of meta", lambda torch: torch.ones(2, device="meta").numpy()),
    Row("item of meta", lambda torch: torch.ones(1, device="meta").item()),
    Row("copy out of meta", lambda torch: torch.ones(2, device="meta").to("cpu")),
    Row("copy_ out of meta", lambda torch: torch.ones(2).copy_(torch.ones(2, device="meta"))),
    Row("cpu and meta", lambda torch: torch.ones(2) + torch.ones(2, device="meta")),
    Row("cat of cpu and meta", lambda torch: torch.cat([torch.ones(2), torch.ones(2, device="meta")])),
    Row("linear on cpu, input on meta", lambda torch: torch.nn.Linear(2, 2)(torch.ones(2, 2, device="meta"))),
]


# --- autograd --------------------------------------------------------------------------------------------------------


def _backward_twice(torch):
    loss = (_leaf(torch, 2) ** 2).sum()
    loss.backward()
    loss.backward()


def _saved_then_changed(torch):
    middle = _leaf(torch, 2) * 2
    loss = middle.exp().mul(middle).sum()
    middle.add_(1)
    loss.backward()


def _unused(torch):
    a, b = _leaf(torch, 2), _leaf(torch, 2)
    return torch.autograd.grad(a.sum(), [a, b])


def _leaf_view_in_place(torch):
    leaf = _leaf(torch, 2)
    leaf[0].mul_(2)


def _deepcopy_of_a_non_leaf(torch):
    import copy

    return copy.deepcopy(_leaf(torch, 2) * 2)


AUTOGRAD = [
    Row("leaf in place", lambda torch: _leaf(torch, 2).add_(1)),
    Row("leaf item assignment", lambda torch: _leaf(torch, 2).__setitem__(0, 1.0)),
    Row("view of a leaf in place", _leaf_view_in_place),
    Row("in place on an expanded tensor", lambda torch: torch.ones(1).expand(3).add_(1)),
    Row("backward twice", _backward_twice),
    Row("backward of a vector", lambda torch: (_leaf(torch, 2) * 2).backward()),
    Row("backward without a graph", lambda torch: torch.ones(2).sum().backward()),
    Row("backward under no_grad", lambda torch: _under_no_grad(torch).backward()),
    Row("gradient of another shape", lambda torch: (_leaf(torch, 2) * 2).backward(torch.ones(3))),
    Row("saved tensor changed", _saved_then_changed),
    Row("grad of an unused input", _unused),
    Row("grad of a constant", lambda torch: torch.autograd.grad(_leaf(torch, 2).sum(), torch.ones(2))),
    Row("numpy of a tensor with gradient", lambda torch: _leaf(torch, 2).numpy()),
    Row("deepcopy of a non-leaf", _deepcopy_of_a_non_leaf),
    Row("requires_grad of a non-leaf", lambda torch: setattr(_leaf(torch, 2) * 2, "requires_grad", False)),
    Row("grad of another shape assigned", lambda torch: setattr(_leaf(torch, 2), "grad", torch.ones(3))),
    Row("grad of no tensor assigned", lambda torch: setattr(_leaf(torch, 2), "grad", 1.0)),
    Row("retain_grad without gradient", lambda torch: torch.ones(2).retain_grad()),
    Row("hook without gradient", lambda torch: torch.ones(2).register_hook(print)),
    Row("bool of many", lambda torch: bool(torch.ones(2))),
    Row("item of many", lambda torch: torch.ones(2).item()),
    Row("float of many", lambda torch: float(torch.ones(2))),
]


def _under_no_grad(torch):
    with torch.no_grad():
        return (_leaf(torch, 2) * 2).sum()


# --- index -----------------------------------------------------------------------------------------------------------

INDEX = [
    Row("integer", lambda torch: torch.ones(3)[3]),
    Row("integer of dim 1", lambda torch: torch.ones(2, 3)[0, -4]),
    Row("too many", lambda torch: torch.ones(2)[0, 0]),
    Row("scalar", lambda torch: torch.tensor(1.0)[0]),
    Row("string", lambda torch: torch.ones(2)["a"]),
    Row("float", lambda torch: torch.ones(2)[1.5]),
    Row("float of a slice", lambda torch: torch.ones(2)[1.0:]),
    Row("negative step", lambda torch: torch.ones(4)[::-1]),
    Row("boolean mask of another shape", lambda torch: torch.ones(3)[torch.ones(2) > 0]),
    Row("index tensors that do not broadcast", lambda torch: torch.ones(3, 3)[torch.arange(2), torch.arange(3)]),
    Row("assignment of another shape", lambda torch: torch.ones(3).__setitem__(slice(0, 2), torch.ones(3))),
    Row("dim of sum", lambda torch: torch.ones(2, 3).sum(dim=2)),
    Row("dim of softmax", lambda torch: torch.ones(2, 3).softmax(-3)),
    Row("dim twice", lambda torch: torch.ones(2, 3).sum(dim=(0, 0))),
    Row("dim of transpose", lambda torch: torch.ones(2, 3).transpose(0, 2)),
    Row("dim of cat", lambda torch: torch.cat([torch.ones(2)], dim=1)),
    Row("dim of unsqueeze", lambda torch: torch.ones(2).unsqueeze(3)),
    Row("select", lambda torch: torch.ones(2, 3).select(1, 3)),
    Row("narrow", lambda torch: torch.ones(3).narrow(0, 2, 2)),
    Row("max of nothing", lambda torch: torch.ones(0).max()),
    Row("argmax of nothing", lambda torch: torch.ones(0).argmax()),
    Row("topk", lambda torch: torch.ones(3).topk(4)),
]


# --- values: numbers out of range, known only when the work runs ------------------------------------------------------


def _embedding(torch, index):
    return torch.nn.functional.embedding(torch.tensor([0, index]), torch.ones(2, 2)).sum().item()


VALUE = [
    Row("index tensor", lambda torch: torch.ones(3)[torch.tensor([3])].sum().item()),
    Row("negative index tensor", lambda torch: torch.ones(3)[torch.tensor([-4])].sum().item()),
    Row("gather", lambda torch: torch.ones(3).gather(0, torch.tensor([3])).sum().item()),
    Row("index_select", lambda torch: torch.ones(3).index_select(0, torch.tensor([3])).sum().item()),
    Row("embedding", lambda torch: _embedding(torch, 2)),
    Row("embedding below zero", lambda torch: _embedding(torch, -1)),
    Row("cross_entropy target", lambda torch: _cross_entropy(torch, torch.ones(2, 3), torch.tensor([0, 3])).item()),
    Row("one_hot", lambda torch: torch.nn.functional.one_hot(torch.tensor([3]), 3).sum().item()),
    Row("integer division by zero", lambda torch: (torch.tensor([1]) // torch.tensor([0])).sum().item()),
    Row("integer division by the number zero", lambda torch: (torch.tensor([1]) // 0).sum().item()),
    Row("integer remainder of zero", lambda torch: (1 % torch.tensor([0])).sum().item()),
    Row("integer truncation by zero", lambda torch: torch.tensor([1]).div_(0, rounding_mode="trunc").sum().item()),
    Row("multinomial of nothing", lambda torch: torch.multinomial(torch.zeros(3), 1).sum().item()),
    Row("bernoulli above one", lambda torch: torch.bernoulli(torch.full((2,), 2.0)).sum().item()),
]


# --- modules and their state -----------------------------------------------------------------------------------------


def _linear(torch, *sizes):
    return torch.nn.Sequential(torch.nn.Linear(*sizes))


def _load(torch, state, **kwargs):
    return _linear(torch, 2, 3).load_state_dict(state, **kwargs)


def _state(torch, *sizes):
    return _linear(torch, *sizes).state_dict()


def _forward_missing(torch):
    class Empty(torch.nn.Module):
        pass

    return Empty()(torch.ones(1))


def _before_init(torch):
    class Early(torch.nn.Module):
        def __init__(self):
            self.layer = torch.nn.Linear(2, 2)

    return Early()


def _parameter_before_init(torch):
    class Early(torch.nn.Module):
        def __init__(self):
            self.scale = torch.nn.Parameter(torch.ones(1))

    return Early()


MODULE = [
    Row("missing key", lambda torch: _load(torch, {"0.weight": torch.ones(3, 2)})),
    Row("unexpected key", lambda torch: _load(torch, {**_state(torch, 2, 3), "1.bias": torch.ones(1)})),
    Row("missing and unexpected", lambda torch: _load(torch, {"weight": torch.ones(3, 2)})),
    Row("another shape", lambda torch: _load(torch, _state(torch, 2, 4))),
    Row("another shape, not strict", lambda torch: _load(torch, _state(torch, 4, 3), strict=False)),
    Row("no dict", lambda torch: _load(torch, [1])),
    Row("no forward", _forward_missing),
    Row("unknown attribute", lambda torch: torch.nn.Linear(2, 2).wieght),
    Row("module before __init__", _before_init),
    Row("parameter before __init__", _parameter_before_init),
    Row("register_buffer of no tensor", lambda torch: torch.nn.Module().register_buffer("a", 1)),
    Row("register_buffer of a name taken", lambda torch: torch.nn.BatchNorm1d(2).register_buffer("weight", None)),
    Row("register_parameter of a tensor", lambda torch: torch.nn.Module().register_parameter("a", torch.ones(1))),
    Row("name with a dot", lambda torch: torch.nn.Module().register_parameter("a.b", None)),
    Row("add_module of no module", lambda torch: torch.nn.Module().add_module("a", 1)),
    Row("Sequential index", lambda torch: _linear(torch, 2, 3)[1]),
    Row("to an integer dtype", lambda torch: torch.nn.Linear(2, 2).to(torch.int64)),
    Row("dropout probability", lambda torch: torch.nn.Dropout(1.5)),
    Row("conv groups", lambda torch: torch.nn.Conv2d(3, 4, 1, groups=2)),
    Row("attention heads", lambda torch: torch.nn.MultiheadAttention(5, 2)),
    Row("load of no checkpoint", lambda torch: torch.load(io.BytesIO(b""))),
    Row("DataLoader batch size", lambda torch: torch.utils.data.DataLoader([1], batch_size=0)),
    Row("DataLoader shuffle and sampler", lambda torch: torch.utils.data.DataLoader([1], shuffle=True, sampler=[0])),
    Row("TensorDataset sizes", lambda torch: torch.utils.data.TensorDataset(torch.ones(2), torch.ones(3))),
    Row("random_split sizes", lambda torch: torch.utils.data.random_split([1, 2, 3], [1, 1])),
]

FAMILIES = {
    "shape": SHAPE,
    "dtype": DTYPE,
    "device": DEVICE,
    "autograd": AUTOGRAD,
    "index": INDEX,
    "value": VALUE,
    "module": MODULE,
}
