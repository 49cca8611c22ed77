"""Arguments of other types (NumPy numbers, zero-dim tensors, Python types, arrays) are treated as in PyTorch.

PyTorch accepts an array where it expects numbers, and refuses it where it expects a tensor.
"""

import enum

import numpy as np
import pytest

from tests.oracle import both, outcome


def evaluated(call):
    """Return a program that evaluates a call, given as source text, with the names that the tables below use."""

    def program(L):
        names = {"L": L, "F": L.nn.functional, "nn": L.nn, "np": np, "t": L.tensor, "i": np.int64}
        x, a = L.arange(24.0).reshape(2, 3, 4), np.ones(3)
        image, line = L.arange(144.0).reshape(2, 1, 8, 9), L.tensor([3.0, -1.0, 2.0])
        byte, other = L.tensor([[3, 250, 7], [9, 0, 200]]).byte(), L.tensor([[5, 249, 9], [1, 3, 100]]).byte()
        return eval(call, {**names, "x": x, "a": a, "image": image, "line": line, "byte": byte, "other": other})

    return program


SCALARS = """
F.leaky_relu(line, t(0.1))
F.elu(line, t(2))
F.softplus(line, beta=t(2))
F.threshold(line, t(2.0), t(3.0))
F.hardtanh(line, t(-0.5), t(0.5))
F.softshrink(line, t(0.5))
F.softshrink(line, np.float32(0.5))
F.huber_loss(line, line * 5, delta=t(0.5))
F.multi_margin_loss(x[0], t([1, 0, 2]), p=1.0)
F.multi_margin_loss(x[0], t([1, 0, 2]), p=2.0)
F.cosine_similarity(line, line, dim=t(0), eps=t(1e-8))
F.layer_norm(line, (3,), eps=t(1e-5))
F.batch_norm(L.ones(2, 3), None, None, training=True, momentum=t(0.1), eps=t(1e-5))
F.dropout(line, t(0.5), training=False)
F.pad(line, (1, 1), value=t(2.0))
F.pad(line, (t(1), i(1)))
L.nan_to_num(line, nan=t(1.0))
L.add(line, line, alpha=t(2))
F.scaled_dot_product_attention(x, x, x, dropout_p=np.float32(0), scale=np.float32(0.5))
F.interpolate(image, scale_factor=np.float32(2))
F.rrelu(line, np.float32(0.5), np.float32(0.5))
L.histogram(line, i(2))[0]
L.histogramdd(x[0], [i(2)] * 4)[0]
L.histogramdd(x[0], i(2))[0]
L.logspace(0, 1, 3, base=np.float32(2))
line.clone().uniform_(np.float32(0.5), np.float32(0.5))
L.fake_quantize_per_tensor_affine(line, np.float32(0.5), i(2), 0, 255)
L.addmm(L.ones(2, 2), L.ones(2, 2), L.ones(2, 2), alpha=t(2), beta=t(0.5))
L.addcmul(line, line, line, value=t(2))
L.baddbmm(L.ones(1, 1, 3), L.ones(1, 1, 1), L.ones(1, 1, 3), alpha=t(2))
L.index_add(line, 0, t([0]), line[:1], alpha=t(2))
L.isclose(line, line, rtol=t(1e-5))
L.histc(line, bins=3, min=t(0), max=t(2))
L.logit(L.full((2,), 0.25), eps=t(0.1))
L.lerp(line, line * 2, weight=t(0.5))
L.std(line, correction=t(0))
L.quantile(line, t(0.5))
L.quantile(line, np.float32(0.5))
L.gradient(line, spacing=t(2.0))
L.gradient(line, spacing=np.float32(2))
L.trapezoid(line, dx=t(2))
L.renorm(line[None], 2, 0, t(0.5))
L.full((2,), t(3.0))
L.full((2,), np.float32(2))
L.linspace(t(0.0), t(1.0), 3)
L.logspace(0, 1, 3, base=t(2.0))
L.clamp(line, min=t(2))
line.add_(line, alpha=t(2))
line.masked_fill(line > 0, t(4.0))
line * np.float32(2)
np.float64(2) * line
np.float64(2) - line
np.float64(2) / line
np.float64(1) < line
line - np.float64(1)
""".strip().splitlines()

INTEGERS = """
x.sum(i(1))
x.sum((i(1), i(2)))
x.sum(t(0))
x.std(i(1))
L.var_mean(x, i(1))
L.var_mean(x, t(1))
L.std_mean(x, dim=i(1))
x.max(i(1))
x.min(t(0))
x.all(i(1))
x.argmax(i(1))
x.topk(i(2))
x.topk(t(1))
L.kthvalue(x, i(1), i(1))
x.cumsum(t(0))
x.softmax(i(1))
x.flip([i(2)])
x.permute([i(2), 0, 1])
x.permute(t(2), t(0), t(1))
x.transpose(i(0), i(1))
x.unsqueeze(i(0))
x.flatten(i(1))
x.select(i(1), i(1))
x.narrow(i(2), i(1), t(2))
x.unfold(i(2), i(2), i(1))
x.unbind(i(1))
x.chunk(i(2), i(2))
x.split(t(1))
x.repeat(t(2), 1, i(1))
x.expand(t(2), i(2), 3, 4)
x.view(t(6), i(4))
x.reshape(i(24))
x.index_select(i(1), t([0]))
x.gather(i(0), t([[[0]]]))
x.roll(i(1), t(0))
x.repeat_interleave(i(2), i(0))
x[None].squeeze((i(0), 1))
L.squeeze(x[None], [0, 1])
L.movedim(x, [0, 1], [t(1), t(0)])
L.movedim(x, i(0), t(1))
L.norm(x, 2, [t(0), i(1)])
L.cat([x, x], i(1))
L.stack([x, x], t(1))
L.tril(x, i(1))
L.diag(x[0, 0], t(1))
L.polygamma(i(1), line)
L.hsplit(L.ones(4, 4), i(2))
L.dsplit(L.ones(2, 2, 4), i(2))
L.tensor_split(L.ones(4, 4), i(3))
L.vsplit(L.ones(4, 4), t(2))
L.zeros(t(2))
L.zeros((i(2), t(3)))
L.zeros(L.Size([t(2), i(3), True]))
L.eye(i(2))
L.arange(t(3))
L.linspace(0, 1, i(3))
L.bincount(t([1, 2]), minlength=i(5))
L.triu_indices(3, 3, dtype=None)
L.sort(line, stable=None)
L.unravel_index(t([3, 5], dtype=L.int32), (2, 4))
F.one_hot(t([1]), i(3))
F.glu(x, i(2))
F.group_norm(x, i(3))
F.layer_norm(x, [i(4)])
F.interpolate(x, i(8))
F.interpolate(x, scale_factor=np.float64(2))
F.max_pool2d(image, i(2), stride=i(2), padding=t(1), dilation=i(1))
F.max_pool2d(image, [i(2), 2], return_indices=True)
F.avg_pool2d(image, i(2), padding=i(1))
F.avg_pool3d(image[None], i(1), stride=i(1), divisor_override=i(2))
F.adaptive_avg_pool2d(image, [t(5), t(7)])
F.adaptive_max_pool1d(x, [i(3)])
F.unfold(image, i(2), dilation=i(1), padding=i(1), stride=i(2))
F.fold(L.ones(1, 4, 4), (3, 3), i(2))
F.conv2d(image, L.ones(1, 1, 2, 2), stride=i(2), padding=i(1), dilation=t(1))
nn.Linear(i(2), i(3)).weight.shape
nn.Conv2d(i(2), i(3), i(3), padding=i(1))(L.ones(1, 2, 4, 4)).shape
nn.Embedding(i(3), i(2)).weight.shape
nn.MaxPool2d(i(2))(image)
nn.LayerNorm(i(4))(x)
nn.Upsample(scale_factor=i(2))(x)
nn.Unfold(i(2))(image)
""".strip().splitlines()

DTYPES = [
    f"{call}.dtype"
    for call in """
x.sum(dtype=float)
x.sum(dtype=int)
x.mean(0, dtype=float)
x.prod(0, dtype=float)
x.nansum(dtype=float)
L.cumsum(line, 0, dtype=float)
F.softmax(x, -1, dtype=float)
L.softmax(x, -1, float)
L.empty_like(x, dtype=float)
L.rand(2, dtype=float)
L.randint(3, (2,), dtype=int)
L.arange(3, dtype=float)
L.full((2,), 1, dtype=bool)
L.eye(2, dtype=bool)
L.logspace(0, 1, 3, dtype=complex)
L.as_tensor([1], dtype=float)
L.linalg.vector_norm(x, dtype=float)
L.norm(x, dtype=float)
x.to(int)
x.new_zeros(2, dtype=float)
nn.Linear(2, 2, dtype=float).weight
""".strip().splitlines()
]

WITH_NUMPY = """
line + a
line - a
line * a
line / a
a / line
line ** a
line @ a
line // a
line % a
line == a
line != a
a == line
line + np.array(2.0)
line.bool() & a.astype(bool)
line[a.astype(int)]
np.exp(line)
np.add(a, line)
np.maximum(line, 2)
np.matmul(a, line)
np.concatenate([line, a]).tolist()
L.softmax(x, axis=0)
x.log_softmax(axis=1)
np.argmax(x, axis=0)
np.clip(line, 1, 2)
np.where(line > 0, line, 0).tolist()
np.stack([line, a]).tolist()
np.sqrt(line)
np.allclose(line, line)
np.asarray(line, dtype=np.float64).tolist()
np.cumsum(x, axis=0)
np.linalg.norm(line).item()
np.add.reduce(x, axis=1)
np.isnan(line)
""".strip().splitlines()

REFUSED = """
np.max(x)
np.max(x, axis=0)
np.min(x, axis=1, keepdims=True)
np.sum(x)
np.mean(x, axis=0)
np.std(x, ddof=1)
np.prod(x)
np.any(x > 0, axis=0)
x.max(0, out=None)
x.cummax(0, out=None)
x.median(out=None)
x.sort(out=None)
x.norm(out=None)
x.topk(1, out=(x, x))
L.Size(["a"])
L.Size([1.5])
L.Size("ab")
L.Size([t([1, 2])])
a + line
a - line
a ** line
a @ line
line < a
line & a
L.add(line, a)
L.matmul(line, a)
L.sin(a)
L.mul(a, line)
L.maximum(line, a)
L.stack([a, a])
L.cat([line, a])
L.sum(a)
L.equal(line, a)
L.full((2,), np.array(3.0))
F.relu(a)
F.linear(line[None], a[None])
F.unfold(image, 2, stride=0)
F.unfold(image, 2, dilation=0)
F.unfold(image, (1, 2, 3))
F.unfold(image, 2, padding=-1)
F.unfold(image[:, :0], 2)
F.fold(L.ones(1, 4, 4), (3, 3), 2, stride=0)
F.group_norm(x, -1)
F.max_pool2d(image, (1, 2, 3))
F.max_pool2d(image, 2, stride=(1, 1, 1))
F.max_pool2d(image, 2, padding=())
F.max_pool2d(image, 2, dilation=(1, 1, 1))
F.avg_pool3d(image[None], 1, padding=(1, 1))
F.max_pool1d(x, 2, padding=(1, 1))
F.avg_pool1d(x, 2, stride=(1, 1))
F.max_pool2d(image, 2.5)
F.max_pool2d(image, 2, padding=(1.0, 1))
L.masked.mean(byte, 1)
L.masked.mean(line, dtype=L.int32)
L.trapezoid(byte.bool())
L.trapezoid(line, line.bool())
L.trapezoid(line, dx=1j)
L.trapezoid(line, line[:2])
L.cumulative_trapezoid(line, dx=True)
L.cumsum(line > 0, 0, dtype=L.bool)
""".strip().splitlines()

BYTES = """
L.trapezoid(byte)
L.trapezoid(byte, byte)
L.trapezoid(byte, dx=2.5)
L.trapezoid(byte, dim=0)
L.trapezoid(byte[:, :0])
L.trapezoid(byte[:, :1])
L.trapezoid(x / 7)
L.trapezoid(x[0, 0], x[0, 0] ** 2)
L.cumulative_trapezoid(byte)
L.cumulative_trapezoid(byte, byte)
L.cumulative_trapezoid(byte, dx=3)
L.cumulative_trapezoid(x / 7, dx=2)
L.masked.cumsum(byte, 1)
L.masked.cumprod(byte, 1, mask=other > 4)
F.softsign(t([255, 254, 0], dtype=L.uint8))
F.softsign(t([127, -128, 0], dtype=L.int8))
F.pairwise_distance(byte, other)
F.pairwise_distance(byte, other, eps=0.0)
F.pairwise_distance(byte, other.int())
F.triplet_margin_loss(byte, other, byte)
F.margin_ranking_loss(byte, other, other)
F.margin_ranking_loss(byte, other, other, reduction="none")
F.cosine_embedding_loss(byte, other, t([1, -1]))
F.hinge_embedding_loss(byte, other, margin=0.5, reduction="sum")
""".strip().splitlines()


# Edge cases that a sweep of unusual arguments over the operator database found.
EDGE_CASES = """
L.constant_pad_nd(line + 0j, (1, 1), 1j)
L.constant_pad_nd(line, (1, 1), t(2.0))
F.cosine_embedding_loss(line, line, L.ones(()))
F.cosine_embedding_loss(x[0], x[1], L.ones(1), reduction="none")
F.normalize(t([[1.0, float("nan"), 3.0]]))
F.normalize(x, p=float("nan"))
F.normalize(x[:1], p=1000.0, dim=0)
L.norm(x[:1], p=-1000.0, dim=0)
L.linalg.vector_norm(x[:1], float("nan"), dim=0)
L.linalg.vector_norm(x, 0, dim=0)
F.cross_entropy(L.ones(0, 3), L.ones(0, 3))
F.rms_norm(L.ones(2, 0), (0,))
line.clone().exponential_(t(0.5))
line.clone().cauchy_(t(0.5), t(1.0))
line.clone().log_normal_(t(0.5), t(1.0))
x.max(t(1), True)
x.max(t(1))
x.max(t(1.0))
x.min(t(0), keepdim=True)
L.addmm(L.ones(2, 3), L.ones(2, 0), L.ones(0, 3), alpha=float("nan"))
L.addmv(L.ones(2), L.ones(2, 0), L.ones(0), alpha=float("nan"))
L.baddbmm(L.ones(1, 2, 3), L.ones(1, 2, 0), L.ones(1, 0, 3), alpha=float("inf"))
L.addbmm(L.ones(2, 3), L.ones(1, 2, 0), L.ones(1, 0, 3), alpha=float("nan"))
L.round(line, decimals=1000)
L.round(line, decimals=-1000)
L.round(line.double(), decimals=308)
L.lerp(line, line + 1, t(1))
L.lerp(line, line + 1, t(1.0, dtype=L.float64))
L.lerp(line, line + 1, t(True))
line.hsplit(t([2]))
x.vsplit(t([1]))
x.dsplit(t([1]))
line.scatter(0, L.empty(0), line)
line.scatter_add(0, L.empty(0), line)
line.scatter_reduce(0, L.empty(0), line, "sum")
line[[1.0, 2.0]]
line[[1.7, 2.2]]
line[np.array([1.0, 2.0])]
line[np.array([1, 2], np.int16)]
x[[0.0, 1.0], [1.0, 2.0]]
L.logspace(float("nan"), 1, 2)
L.logspace(0, float("inf"), 3)
line.__rdiv__("a") is NotImplemented
x.narrow(t(1), t(1), t(2))
x.rot90(t(1), (0, 1))
t(2.0).mode(0)
t(2).topk(1, 0)
t(2.0).kthvalue(t(1))
line.topk(t([2]))
F.normalize(x, dim=(0, 2))
F.normalize(x, dim=None)
L.logspace(2, float("inf"), 1)
""".strip().splitlines()

REFUSED_EDGE_CASES = """
L.polygamma(-1, line)
line.polygamma_(-1)
line[[1j]]
line[[float("nan")]]
L.div(line, line + 1j, rounding_mode="floor")
L.copysign(line, line + 1j)
L.xlogy(line, line + 1j)
L.ctc_loss(L.ones(5, 0, 3), L.ones(0, 2).long(), L.ones(0).long(), L.ones(0).long())
F.cross_entropy(line.to(L.complex64)[None], t([0]))
L.pdist(L.ones(3, 3).long())
x.rot90(1.0, (0, 1))
x.put(t([1]), line[:1], accumulate=1)
x.scatter_reduce(0, t([[[0]]]), x, None)
x.as_strided((2,), (1,), True)
x.unflatten(0.0, (1, 2))
x.view_as(np.ones((6, 4)))
x.expand_as(np.ones((2, 3, 4)))
x.slice_scatter(np.ones((2, 3, 4)))
x.repeat_interleave(2, dim=1.0)
L.bincount(t([1, 2]), minlength=1.5)
L.inner(line, t([1, 2, 3]))
line.put(t([0]), t([1]))
L.addr(L.ones(3, 3).long(), t([1, 2, 3]), t([1, 2, 3]), beta=1.5)
L.addr(L.ones(3, 3), line, line, alpha=True)
L.addmm(L.ones(3, 3), L.ones(3, 3), L.ones(3, 3), alpha=1j)
L.addcmul(line, line, line, value=1j)
L.linalg.inv_ex(L.eye(2), check_errors=1)
L.stft(line, 2.0)
F.cosine_embedding_loss(x[0], x[1], L.ones(3, 4))
F.cosine_embedding_loss(x[0], x[1], L.ones(()))
F.cosine_embedding_loss(line, line, L.ones(3))
F.cosine_embedding_loss(x, x, L.ones(2))
F.cosine_embedding_loss(x[0] + 0j, x[1] + 0j, L.ones(3))
F.cosine_similarity(line, line, 0, -1.0)
F.cosine_similarity(line, line, 0, float("nan"))
F.cosine_similarity(line, line, 0, 1j)
F.cosine_similarity(line + 0j, line + 0j, 0)
F.margin_ranking_loss(line + 0j, line + 0j, line)
F.huber_loss(line, line, delta=float("nan"))
F.smooth_l1_loss(line, line, beta=float("nan"))
F.pairwise_distance(line, line, eps=1j)
L.nan_to_num(line + 0j, posinf=1j)
L.constant_pad_nd(line, (1, 1), 1j)
L.constant_pad_nd(line, (1, 1), None)
""".strip().splitlines()


@pytest.mark.parametrize("call", [*SCALARS, *INTEGERS, *DTYPES, *WITH_NUMPY, *BYTES, *EDGE_CASES])
@pytest.mark.filterwarnings("ignore:__array_wrap__")  # PyTorch's `__array_wrap__` lacks arguments of NumPy 2
def test_foreign_arguments_give_pytorchs_result(call):
    both(evaluated(call))


@pytest.mark.parametrize("call", [*REFUSED, *REFUSED_EDGE_CASES])
def test_refused_foreign_arguments_raise_pytorchs_error_type(call):
    import torch

    import torchlike

    theirs, ours = outcome(evaluated(call), torch), outcome(evaluated(call), torchlike)
    assert theirs.error is not None and type(ours.error) is type(theirs.error)


@pytest.mark.parametrize("call", ["F.unfold(image[:0], 2)", "F.fold(L.ones(0, 4, 4), (3, 3), 2)"])
def test_unfold_and_fold_of_an_empty_batch(call):
    both(evaluated(call))


def test_numpy_of_a_tensor_that_requires_grad_needs_no_grad():
    def program(L):
        leaf = L.ones(3, requires_grad=True)
        with L.no_grad():
            leaf.numpy()[0] = 5
            return leaf.detach(), L.from_numpy(leaf.view(3).numpy())

    both(program)
    both(lambda L: L.ones(3, requires_grad=True).numpy())


class Count(enum.IntEnum):
    TWO = 2


class IntSubclass(int):
    """A subclass of int without other methods."""


class FloatSubclass(float):
    """A subclass of float without other methods."""


OPERATORS = """
x*n
n*x
x+n
n+x
x-n
n-x
x/n
n/x
x//n
x%n
x**n
n**x
x>n
x==n
n>x
x.clamp(n)
x.pow(n)
x.mul_(n)
torch.add(x,n)
torch.full((2,),n)
x.masked_fill(x>0,n)
torch.where(x>0,n,x)
torch.nn.functional.pad(x,(1,1),value=n)
"""
SIZES = """
x.view(n,2)
x.chunk(n)
x.repeat(n,1)
x[n-1]
x.sum(n-1)
torch.ones(n)
"""


@pytest.mark.parametrize("number", [Count.TWO, IntSubclass(3), FloatSubclass(-0.0), FloatSubclass(2.5)], ids=repr)
@pytest.mark.parametrize("expression", OPERATORS.split())
def test_operators_with_subclasses_of_numbers(expression, number):
    both(lambda L: eval(expression, {"torch": L, "x": L.tensor([[1.0, -2.0]]), "n": number}))


@pytest.mark.parametrize("number", [Count.TWO, IntSubclass(2)], ids=repr)
@pytest.mark.parametrize("expression", SIZES.split())
def test_sizes_given_as_subclasses_of_int(expression, number):
    both(lambda L: eval(expression, {"torch": L, "x": L.ones(2, 2), "n": number}))


NAMES = "L.add(x,foo=1) L.matmul(foo=1) x.mul(foo=1) x.mul_(foo=1) L.gather(x,foo=1) L.exp(x,input=x) L.cat(foo=1)"


@pytest.mark.parametrize("call", [*NAMES.split(), "L.exp(x, foo=1)", "L.softmax(x, foo=0)"])
def test_missing_arguments_are_named_before_unknown_ones(call):
    import torch

    import torchlike

    theirs, ours = outcome(evaluated(call), torch).error, outcome(evaluated(call), torchlike).error
    assert isinstance(theirs, TypeError) and str(ours) == str(theirs)
