"""Calls of operators for the tests of the translations: a function, and its inputs for a size that varies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike as torch
from torchlike.nn import functional as F

SAMPLES: dict[str, tuple[Callable, Callable[[int], tuple]]] = {}


def add(name: str, function: Callable, inputs: Callable[[int], tuple]) -> None:
    """Add a sample. A dim of the inputs varies if its size depends on the argument of `inputs`."""
    if name in SAMPLES:
        raise ValueError(f"{name} stands twice")
    SAMPLES[name] = function, inputs


def normal(*shape: int) -> Any:
    """Return random numbers."""
    return torch.randn(shape)


def positive(*shape: int) -> Any:
    """Return random numbers between 0.1 and 1."""
    return torch.rand(shape) * 0.9 + 0.1


def whole(*shape: int) -> Any:
    """Return random integers from -5 to 5, without 0."""
    return torch.randint(1, 6, shape) * (torch.randint(0, 2, shape) * 2 - 1)


def places(top: int, *shape: int) -> Any:
    """Return random indices below `top`."""
    return torch.randint(0, top, shape)


one = lambda n: (normal(n, 3),)
two = lambda n: (normal(n, 3), normal(3))
bits = lambda n: (torch.rand(n, 3) > 0.5, torch.rand(n, 3) > 0.5)
small = lambda n: (positive(n, 3),)

# -- elements ----------------------------------------------------------------------------------------------------------

for _name in [
    "abs",
    "neg",
    "exp",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "asinh",
    "atan",
    "erf",
    "sign",
    "sgn",
    "tanh",
    "sigmoid",
    "relu",
    "square",
    "floor",
    "ceil",
    "trunc",
    "frac",
    "expm1",
    "exp2",
    "deg2rad",
    "rad2deg",
    "erfc",
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "logical_not",
    "clone",
    "positive",
]:
    add(_name, getattr(torch, _name), one)
for _name in ["log", "sqrt", "reciprocal", "rsqrt", "log1p", "log2", "log10", "asin", "acos", "atanh"]:
    add(_name, getattr(torch, _name), small)
add("acosh", torch.acosh, lambda n: (positive(n, 3) + 1,))
for _name in [
    "mul",
    "maximum",
    "minimum",
    "eq",
    "lt",
    "le",
    "gt",
    "ge",
    "ne",
    "add",
    "sub",
    "true_divide",
    "logical_and",
    "logical_or",
    "logical_xor",
]:
    add(_name, getattr(torch, _name), two)
for _name in ["bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "lt", "ge", "eq"]:
    add(f"{_name} of bools", getattr(torch, _name), bits)
for _name in ["bitwise_and", "bitwise_or", "bitwise_xor", "floor_divide", "remainder", "fmod", "mul"]:
    add(f"{_name} of integers", getattr(torch, _name), lambda n: (whole(n, 3), whole(3)))
for _mode in (None, "floor", "trunc"):
    add(f"div, {_mode}", lambda a, b, mode=_mode: torch.div(a, b, rounding_mode=mode), two)
    add(f"div of integers, {_mode}", lambda a, b, m=_mode: a.div(b, rounding_mode=m), lambda n: (whole(n, 3), whole(3)))
for _name in ["floor_divide", "remainder", "fmod"]:
    add(_name, getattr(torch, _name), two)
add("bitwise_not", torch.bitwise_not, lambda n: (whole(n, 3),))
add("bitwise_not of bools", torch.bitwise_not, lambda n: bits(n)[:1])
add("a number and integers", lambda x: 1.5 * x + 2, lambda n: (whole(n, 3),))
add("integers and floats", lambda a, b: a + b, lambda n: (whole(n, 3), normal(3)))
add("integers below a float", lambda a: a < 2.5, lambda n: (whole(n, 3),))
add("add with alpha", lambda a, b: torch.add(a, b, alpha=2), two)
add("add of bools", torch.add, bits)
add("rsub", lambda a, b: torch.rsub(a, b, alpha=3), two)
add("a number minus a tensor", lambda a: 2 - a, one)
add("pow", lambda a: a**3, one)
add("float_power", lambda a: torch.float_power(a, 2), one)
add("pow of a number", lambda a: 2**a, one)
add("round", lambda a: torch.round(a, decimals=1) + torch.round(a), one)
add("rounds integers", lambda a: torch.floor(a), lambda n: (whole(n, 3),))
add("addcmul", lambda a, b: torch.addcmul(a, b, b, value=0.5), two)
add("addcdiv", lambda a, b: torch.addcdiv(a, b, b.abs() + 1), two)
add("lerp", lambda a, b: torch.lerp(a, b, 0.3), two)
add("where", lambda a, b: torch.where(a > 0, a, b) + torch.where(a > 1, a, 0.0), two)
add("masked_fill", lambda a: a.masked_fill(a > 0, 2.0), one)
add("masked_fill by a tensor", lambda a: a.masked_fill(a > 0, a.sum()), one)
add("an assignment by a mask", lambda a: (b := a.clone(), b.__setitem__(a > 0, a.sum()), b)[-1], one)
add("clamp", lambda a, b: torch.clamp(a, -0.5, 0.5) + torch.clamp(a, min=b), two)
add("clamp_min", lambda a: torch.clamp_min(a, 0.1) + torch.clamp_max(a, 0.2), one)
add("to", lambda a: a.to(torch.int32).to(torch.float64).float() + a.half().float(), one)
add("isnan of integers", torch.isnan, lambda n: (whole(n, 3),))
add("alias", lambda a: a[...] + 1, one)

# -- activations -------------------------------------------------------------------------------------------------------

for _name in [
    "gelu",
    "silu",
    "mish",
    "hardsigmoid",
    "hardswish",
    "leaky_relu",
    "elu",
    "celu",
    "selu",
    "logsigmoid",
    "tanhshrink",
    "hardshrink",
]:
    add(_name, getattr(F, _name), lambda n: (normal(n, 3) * 3,))
for _name in ["softshrink", "relu6", "softsign", "softplus"]:
    add(_name, getattr(F, _name), lambda n: (normal(n, 3) * 3,))
add("gelu by tanh", lambda x: F.gelu(x, approximate="tanh"), one)
add("hardtanh", lambda x: F.hardtanh(x, -0.5, 0.7), one)
add("threshold", lambda x: F.threshold(x, 0.1, -3.0), one)
add("softplus with beta", lambda x: F.softplus(x, 2.0), one)
add("prelu", F.prelu, lambda n: (normal(n, 3, 4), normal(3)))
add("glu", lambda x: F.glu(x, 1), lambda n: (normal(n, 6),))
add("softmax", lambda x: F.softmax(x, 0) + F.log_softmax(x, -1), one)

# -- views -------------------------------------------------------------------------------------------------------------

cube = lambda n: (normal(n, 4, 6),)
add("view", lambda x: x.view(-1, 6) * 1, cube)
add("view in two sizes", lambda x: x.view(x.shape[0] * 4, 2, 3), cube)
add("reshape to two varying sizes", lambda x: x.reshape(2, x.shape[0], x.shape[0] * 12 // x.shape[0]), cube)
add("unsafe_view", lambda x: x.transpose(0, 1).reshape(4, -1), cube)
add("expand", lambda x: x[:, :1].expand(-1, 5, -1) + 0, cube)
add("expand to a varying size", lambda x, y: y.expand(x.shape[0], 4, 6) + x, lambda n: (normal(n, 4, 6), normal(4, 6)))
add("permute", lambda x: x.permute(2, 0, 1), cube)
add("transposes", lambda x: x.transpose(0, 2)[0].t(), cube)
add("unsqueeze", lambda x: x.unsqueeze(-1).squeeze(-1).unsqueeze(0), cube)
add("squeeze", lambda x: x[:, :1].squeeze() + x[:, :1].squeeze(1), cube)
add("slices", lambda x: x[1:, 1:3, ::2], cube)
add("slices from the end", lambda x: x[:-1, -2:], cube)
add("select", lambda x: x[:, 1] + x[:, -1] + x[0, 0], cube)
add("unbind", lambda x: sum(x.unbind(1)), cube)
add("split", lambda x: torch.cat(x.split([1, 2, 3], -1)[::-1], -1) + torch.cat(x.chunk(2, 1), 1), cube)
add("cat", lambda x: torch.cat([x, x * 2, x.int()], 0), cube)
add("stack", lambda x: torch.stack([x, x * 2], 1), cube)
add("repeat", lambda x: x.repeat(2, 1, 1, 3), cube)
add("repeat_interleave", lambda x: x.repeat_interleave(3, 1), cube)
add("repeat_interleave of all", lambda x: x.repeat_interleave(2), cube)
add("flip", lambda x: x.flip(0, 2), cube)
add("roll", lambda x: x.roll((1, -2), (0, 2)), cube)
add("pad", lambda x: F.pad(x, (1, 2, 0, 3), value=0.5), cube)
add("pads that cut", lambda x: F.pad(x, (-1, 2)), cube)
for _mode in ("reflect", "replicate", "circular"):
    add(f"pad, {_mode}", lambda x, mode=_mode: F.pad(x, (1, 2), mode=mode), cube)
add("triangles", lambda x: x.tril() + x.triu(1), cube)
add("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), lambda n: (normal(n, 8, 3, 5),))
add("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), lambda n: (normal(n, 2, 4, 6),))
add("diff", lambda x: torch.diff(x, n=2, dim=1, prepend=x[:, :1]), cube)
add("writes", lambda x: written(x), cube)
add("arange", lambda x: torch.arange(x.shape[0]) + torch.arange(1, 2 * x.shape[0], 2), cube)
add("ones and eye", lambda x: torch.ones(x.shape[0], 2) @ torch.ones(2, x.shape[0]) + torch.eye(x.shape[0]), cube)
add("linspace", lambda x: torch.linspace(0, 1, x.shape[0]), cube)
add("a size as a number", lambda x: x.sum(0) / x.shape[0] + x.shape[0] ** -0.5, cube)


def written(x: Any) -> Any:
    """Return a tensor with writes through views."""
    y = x.clone()
    y[:, 0] = 1
    y[:, 1:, ::2] += x[:, 1:, ::2]
    y.transpose(0, 1)[2] = 3
    return y


# -- reductions --------------------------------------------------------------------------------------------------------

for _name in ["sum", "mean", "amax", "amin", "var", "std", "logsumexp"]:
    add(f"{_name} over a dim", lambda x, f=getattr(torch, _name): f(x, 1), cube)
    add(f"{_name} over the varying dim", lambda x, f=getattr(torch, _name): f(x, (0, 2), keepdim=True), cube)
for _name in [
    "sum",
    "mean",
    "max",
    "min",
    "prod",
    "var_mean",
    "std_mean",
    "any",
    "all",
    "count_nonzero",
    "argmax",
    "argmin",
]:
    add(f"{_name} of all", getattr(torch, _name), cube)
add("prod over a dim", lambda x: x.prod(1), cube)
add("any", lambda x: (x > 1).any(1) & (x > -2).all(1), cube)
add("max over a dim", lambda x: torch.max(x, 1), cube)
add("min over a dim", lambda x: torch.min(x, 2, keepdim=True), cube)
add("argmax", lambda x: x.argmax(1) + x.argmin(1), cube)
for _order in (1, 2, 3, float("inf"), float("-inf")):
    add(f"norm of order {_order}", lambda x, p=_order: torch.linalg.vector_norm(x, p, dim=1), cube)
add("normalize", lambda x: F.normalize(x, dim=1) + F.normalize(x, p=1.0, dim=2), cube)
add("cumsum", lambda x: x.cumsum(0) + (x > 0).cumsum(1), cube)
add("sum of integers", lambda x: x.sum(1), lambda n: (whole(n, 3),))
add("sum of bools", lambda x: (x > 0).sum(), cube)
for _name in ["sort", "argsort"]:
    add(_name, lambda x, f=getattr(torch, _name): f(x, 1, descending=True), cube)
add("msort", torch.msort, cube)
add("topk", lambda x: x.topk(2, 2, largest=False), cube)

# -- products ----------------------------------------------------------------------------------------------------------

add("linear", F.linear, lambda n: (normal(n, 3), normal(5, 3), normal(5)))
add("linear of three dims", F.linear, lambda n: (normal(n, 4, 3), normal(5, 3), normal(5)))
add("linear without bias", F.linear, lambda n: (normal(n, 3), normal(5, 3)))
add("matmul", torch.matmul, lambda n: (normal(n, 4, 3), normal(3, 5)))
add("mm", torch.mm, lambda n: (normal(n, 3), normal(3, 5)))
add("bmm", torch.bmm, lambda n: (normal(n, 4, 3), normal(n, 3, 5)))
add("mv", torch.mv, lambda n: (normal(n, 3), normal(3)))
add("dot", torch.dot, lambda n: (normal(n), normal(n)))
add("addmm", lambda a, b, c: torch.addmm(c, a, b, beta=0.5, alpha=2), lambda n: (normal(n, 3), normal(3, 5), normal(5)))
add(
    "baddbmm", lambda a, b, c: torch.baddbmm(c, a, b, beta=0.5), lambda n: (normal(n, 4, 3), normal(n, 3, 5), normal(5))
)
add("addmv", lambda a, b, c: torch.addmv(c, a, b, alpha=2), lambda n: (normal(n, 3), normal(3), normal(n)))
add("outer", torch.outer, lambda n: (normal(n), normal(3)))
add("einsum", lambda a, b: torch.einsum("nij,njk->nik", a, b), lambda n: (normal(n, 4, 3), normal(n, 3, 5)))

# -- layers ------------------------------------------------------------------------------------------------------------

picture = lambda n: (normal(n, 4, 9, 11),)
for _count in (1, 2, 3):
    _shape = (5, 6, 7)[:_count]
    add(
        f"conv{_count}d",
        lambda x, w, b, f=getattr(F, f"conv{_count}d"): f(x, w, b, stride=2, padding=1, groups=2),
        lambda n, s=_shape: (normal(n, 4, *s), normal(6, 2, *[3] * len(s)), normal(6)),
    )
    add(
        f"conv_transpose{_count}d",
        lambda x, w, b, f=getattr(F, f"conv_transpose{_count}d"): f(x, w, b, stride=2, padding=1, output_padding=1),
        lambda n, s=_shape: (normal(n, 4, *s), normal(4, 6, *[3] * len(s)), normal(6)),
    )
    for _kind in ("max", "avg"):
        add(
            f"{_kind}_pool{_count}d",
            lambda x, f=getattr(F, f"{_kind}_pool{_count}d"): f(x, 3, 2, 1) + f(x, 3, 2, 1, ceil_mode=True)[:, :, :1],
            lambda n, s=_shape: (normal(n, 4, *(5 for _ in s)),),
        )
    for _size in (1, 2, 3):
        add(
            f"adaptive_avg_pool{_count}d to {_size}",
            lambda x, f=getattr(F, f"adaptive_avg_pool{_count}d"), m=_size: f(x, m),
            lambda n, s=_shape: (normal(n, 2, *s),),
        )
add("conv2d, same", lambda x, w: F.conv2d(x, w, padding="same"), lambda n: (*picture(n), normal(2, 4, 2, 3)))
add(
    "conv2d, valid",
    lambda x, w: F.conv2d(x, w, padding="valid", dilation=2),
    lambda n: (*picture(n), normal(2, 4, 2, 3)),
)
add("conv1d without a batch", F.conv1d, lambda n: (normal(4, n), normal(2, 4, 1)))
add("max_pool2d with dilation", lambda x: F.max_pool2d(x, 2, 1, dilation=2), picture)
add("avg_pool2d without padding", lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), picture)
add("avg_pool2d with a divisor", lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=2), picture)
add("batch_norm", lambda x, m, v: F.batch_norm(x, m, v.abs() + 1, m, v), lambda n: (*picture(n), normal(4), normal(4)))
add("batch_norm without weights", lambda x, m: F.batch_norm(x, m, m.abs() + 1), lambda n: (*picture(n), normal(4)))
add("batch_norm of the batch", lambda x: F.batch_norm(x, None, None, training=True), picture)
add(
    "layer_norm",
    lambda x, w: F.layer_norm(x, (6,), w, w) + F.layer_norm(x, (4, 6)),
    lambda n: (normal(n, 4, 6), normal(6)),
)
add("rms_norm", lambda x, w: F.rms_norm(x, (6,), w, eps=1e-5), lambda n: (normal(n, 4, 6), normal(6)))
add("group_norm", lambda x, w: F.group_norm(x, 2, w, w), lambda n: (*picture(n), normal(4)))
add("instance_norm", lambda x: F.instance_norm(x), picture)
for _mode in ("nearest", "bilinear", "bicubic", "nearest-exact"):
    add(f"interpolate by scale, {_mode}", lambda x, m=_mode: F.interpolate(x, scale_factor=2.0, mode=m), picture)
    add(f"interpolate to a size, {_mode}", lambda x, m=_mode: F.interpolate(x, size=(5, 17), mode=m), picture)
add("interpolate with corners", lambda x: F.interpolate(x, size=(5, 17), mode="bilinear", align_corners=True), picture)

# -- attention, places -------------------------------------------------------------------------------------------------

heads = lambda n, *more: (normal(n, 4, 5, 8), normal(n, 4, 6, 8), normal(n, 4, 6, 8), *more)
attention = F.scaled_dot_product_attention
add("attention", lambda q, k, v: attention(q, k, v, scale=0.3), heads)
add("causal attention", lambda q, k, v: attention(q, k, v, is_causal=True), heads)
add("attention with a mask", lambda q, k, v, m: attention(q, k, v, m), lambda n: heads(n, normal(5, 6)))
add("attention with a bool mask", lambda q, k, v, m: attention(q, k, v, m > 0), lambda n: heads(n, normal(n, 1, 5, 6)))
add("attention that sees nothing", lambda q, k, v, m: attention(q, k, v, m > 9), lambda n: heads(n, normal(5, 6)))
add(
    "attention of groups",
    lambda q, k, v: attention(q, k, v, enable_gqa=True),
    lambda n: (normal(n, 4, 5, 8), normal(n, 2, 6, 8), normal(n, 2, 6, 8)),
)
add("embedding", lambda i, w: F.embedding(i, w), lambda n: (places(7, n, 3), normal(7, 5)))
add("index_select", lambda x, i: x.index_select(1, i), lambda n: (normal(n, 4), places(4, 6)))
add("gather", lambda x, i: x.gather(1, i), lambda n: (normal(n, 4), places(4, n, 6)))
add("take", lambda x, i: x.take(i), lambda n: (normal(n, 4), places(8, 6)))
add("scatter", lambda x, i, s: x.scatter(1, i, s), lambda n: (normal(n, 4), torch.tensor([[2, 0]] * n), normal(n, 2)))
add(
    "scatter of more",
    lambda x, i, s: x.scatter(1, i, s),
    lambda n: (normal(n, 4), torch.tensor([[2]] * n), normal(n, 3)),
)
add("scatter_add", lambda x, i, s: x.scatter_add(1, i, s), lambda n: (normal(n, 4), places(4, n, 6), normal(n, 6)))
add("scatter of a number", lambda x, i: x.scatter(1, i, 2.0), lambda n: (normal(n, 4), places(4, n, 2)))
for _kind in ("sum", "prod", "amax", "amin"):
    add(
        f"scatter_reduce, {_kind}",
        lambda x, i, s, kind=_kind: x.scatter_reduce(1, i, s, kind),
        lambda n: (normal(n, 4), places(4, n, 6), normal(n, 6)),
    )
for _dim in (0, 1):
    _source = lambda n, d=_dim: normal(*((6, 4), (n, 6))[d])
    _index = lambda n, d=_dim: places((4, 4)[d], 6)
    _inputs = lambda n, s=_source, i=_index: (normal(n, 4), i(n), s(n))
    add(f"index_add over {_dim}", lambda x, i, s, d=_dim: x.index_add(d, i, s, alpha=2), _inputs)
add("index_copy", lambda x, s: x.index_copy(1, torch.tensor([3, 0]), s), lambda n: (normal(n, 4), normal(n, 2)))
add("index_fill", lambda x: x.index_fill(1, torch.tensor([3, 0]), 2.0), lambda n: (normal(n, 4),))
add("index_fill by a tensor", lambda x: x.index_fill(0, torch.tensor([3, 0]), x.sum()), lambda n: (normal(n, 4),))
add("one index", lambda x, i: x[:, i], lambda n: (normal(n, 4, 3), places(4, 2, 5) - 4))
add("two indices", lambda x, i: x[i, i + 1], lambda n: (normal(n, 4, 3), places(3, 5)))
add("adjacent indices", lambda x, i: x[:, i, i], lambda n: (normal(n, 4, 3), places(3, 5)))
add("indices apart", lambda x, i: x[i, :, i[:, None]], lambda n: (normal(n, 4, 3), places(3, 5)))
add("write at indices", lambda x, i: put(x, (i, i), 2.0), lambda n: (normal(n, 4, 3), torch.tensor([2, 0])))
add(
    "write at adjacent indices",
    lambda x, i: put(x, (slice(None), i, i), 2.0),
    lambda n: (normal(n, 4, 3), torch.tensor([2, 0])),
)
add(
    "write rows",
    lambda x, i, s: put(x, (slice(None), i), s),
    lambda n: (normal(n, 4, 3), torch.tensor([2, 0]), normal(n, 2, 3)),
)
add(
    "add at indices",
    lambda x, i, s: x.index_put((i,), s, accumulate=True),
    lambda n: (normal(n, 3), places(4, 6), normal(6, 3)),
)
add("one_hot", lambda i: F.one_hot(i, 5), lambda n: (places(5, n, 3),))


def put(x: Any, index: tuple, value: Any) -> Any:
    """Return a tensor with a value written at an index."""
    y = x.clone()
    y[index] = value
    return y
