"""Operators whose input or result is written before backward, as pairs of a name and a function of one tensor."""

from collections.abc import Callable

Program = Callable

PLAIN = [
    "abs",
    "acos",
    "asin",
    "atan",
    "ceil",
    "cos",
    "cosh",
    "digamma",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "frac",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logit",
    "neg",
    "reciprocal",
    "relu",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "sum",
    "mean",
    "var",
    "std",
    "prod",
    "amax",
    "amin",
    "max",
    "min",
    "median",
    "norm",
    "t",
    "clone",
    "contiguous",
    "flatten",
]
FUNCTIONAL = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "logsigmoid",
    "mish",
    "relu6",
    "selu",
    "silu",
    "softplus",
    "softshrink",
    "softsign",
    "tanhshrink",
    "normalize",
]
LOSSES = ["l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "kl_div"]


def _method(name: str) -> Program:
    return lambda torch, m: getattr(m, name)()


def _functional(name: str) -> Program:
    return lambda torch, m: getattr(torch.nn.functional, name)(m)


def _loss(name: str) -> Program:
    return lambda torch, m: getattr(torch.nn.functional, name)(m, torch.full((4, 4), 0.25))


def _image(torch, m):
    return m.view(1, 1, 4, 4)


OPERATORS: dict[str, Program] = {
    **{name: _method(name) for name in PLAIN},
    **{name: _functional(name) for name in FUNCTIONAL},
    **{name: _loss(name) for name in LOSSES},
    "mul by a constant": lambda torch, m: m * torch.ones(4, 4),
    "mul by a number": lambda torch, m: m * 2,
    "mul by itself": lambda torch, m: m * m,
    "add": lambda torch, m: m + m,
    "sub": lambda torch, m: 1 - m,
    "div by a constant": lambda torch, m: m / torch.ones(4, 4),
    "divisor": lambda torch, m: torch.ones(4, 4) / m,
    "pow of a number": lambda torch, m: m**2,
    "pow of one": lambda torch, m: m**1,
    "atan2": lambda torch, m: torch.atan2(m, torch.ones(4, 4)),
    "hypot": lambda torch, m: torch.hypot(m, torch.ones(4, 4)),
    "maximum": lambda torch, m: torch.maximum(m, torch.ones(4, 4)),
    "clamp": lambda torch, m: m.clamp(0.1, 0.9),
    "where": lambda torch, m: torch.where(torch.ones(4, 4) > 0, m, torch.zeros(4, 4)),
    "lerp": lambda torch, m: torch.lerp(m, torch.ones(4, 4), 0.5),
    "addcmul": lambda torch, m: torch.addcmul(torch.ones(4, 4), m, torch.ones(4, 4)),
    "masked_fill": lambda torch, m: m.masked_fill(torch.ones(4, 4) > 0, 0.0),
    "matmul": lambda torch, m: m @ torch.ones(4, 4),
    "matmul by itself": lambda torch, m: m @ m,
    "linear": lambda torch, m: torch.nn.functional.linear(m, torch.ones(4, 4)),
    "linear by its weight": lambda torch, m: torch.nn.functional.linear(torch.ones(2, 4), m),
    "bmm": lambda torch, m: torch.bmm(m[None], m[None]),
    "softmax": lambda torch, m: m.softmax(1),
    "log_softmax": lambda torch, m: m.log_softmax(1),
    "logsumexp": lambda torch, m: m.logsumexp(1),
    "cumsum": lambda torch, m: m.cumsum(0),
    "cumprod": lambda torch, m: m.cumprod(0),
    "max of a dim": lambda torch, m: m.max(0).values,
    "median of a dim": lambda torch, m: m.median(0).values,
    "sort": lambda torch, m: m.sort(0).values,
    "topk": lambda torch, m: m.topk(2).values,
    "amax of a dim": lambda torch, m: m.amax(0),
    "cat": lambda torch, m: torch.cat([m, m]),
    "stack": lambda torch, m: torch.stack([m, m]),
    "view": lambda torch, m: m.view(16) * 2,
    "row": lambda torch, m: m[1] * m[2],
    "index": lambda torch, m: m[torch.tensor([0, 1])],
    "gather": lambda torch, m: torch.ones(4, 4).gather(0, torch.zeros(4, 4).long()) * m.sum(),
    "cross_entropy": lambda torch, m: torch.nn.functional.cross_entropy(m, torch.tensor([0, 1, 2, 3])),
    "nll_loss": lambda torch, m: torch.nn.functional.nll_loss(m.log_softmax(1), torch.tensor([0, 1, 2, 3])),
    "bce_with_logits": lambda torch, m: torch.nn.functional.binary_cross_entropy_with_logits(m, torch.ones(4, 4)),
    "layer_norm": lambda torch, m: torch.nn.functional.layer_norm(m, (4,)),
    "batch_norm": lambda torch, m: torch.nn.functional.batch_norm(m, None, None, training=True),
    "group_norm": lambda torch, m: torch.nn.functional.group_norm(m, 2),
    "embedding": lambda torch, m: torch.nn.functional.embedding(torch.tensor([0, 1]), m),
    "conv2d": lambda torch, m: torch.nn.functional.conv2d(_image(torch, m), torch.ones(1, 1, 2, 2)),
    "conv2d by its weight": lambda torch, m: torch.nn.functional.conv2d(torch.ones(1, 1, 5, 5), _image(torch, m)),
    "max_pool2d": lambda torch, m: torch.nn.functional.max_pool2d(_image(torch, m), 2),
    "relu in place": lambda torch, m: (m * 1).relu_(),
    "sigmoid in place": lambda torch, m: (m * 1).sigmoid_(),
    "mul in place": lambda torch, m: (m * 1).mul_(m),
    "row in place": lambda torch, m: (m * 1)[0].mul_(m[1]),
    "exp twice in place": lambda torch, m: (m * 1).exp_().exp_(),
}
# Operators with several results, and operators with an index argument. The second result or the index is written before
# the backward of the first result.
FURTHER = {
    "max of a dim": lambda torch, m: m.max(0),
    "min of a dim": lambda torch, m: m.min(1),
    "sort": lambda torch, m: m.sort(1),
    "topk": lambda torch, m: m.topk(2),
    "median": lambda torch, m: m.median(0),
    "nanmedian": lambda torch, m: m.nanmedian(0),
    "kthvalue": lambda torch, m: m.kthvalue(2, 0),
    "mode": lambda torch, m: m.mode(0),
    "cummax": lambda torch, m: m.cummax(0),
    "cummin": lambda torch, m: m.cummin(0),
    "max_pool2d": lambda torch, m: torch.nn.functional.max_pool2d(m[None, None], 2, return_indices=True),
    "adaptive_max_pool2d": lambda torch, m: torch.nn.functional.adaptive_max_pool2d(m[None, None], 2, True),
    "svd": lambda torch, m: torch.linalg.svd(m + torch.eye(4))[1::-1],
    "eigenvectors": lambda torch, m: torch.linalg.eigh(m + torch.eye(4)),
    "eigenvalues": lambda torch, m: torch.linalg.eigh(m + torch.eye(4))[::-1],
    "qr": lambda torch, m: torch.linalg.qr(m + torch.eye(4)),
    "cross_entropy": lambda torch, m: _with_indices(torch, lambda t: torch.nn.functional.cross_entropy(m, t)),
    "index_select": lambda torch, m: _with_indices(torch, lambda t: m.index_select(0, t)),
    "take_along_dim": lambda torch, m: _with_indices(torch, lambda t: m.take_along_dim(t[None], 0)),
}


def _with_indices(torch, function):
    indices = torch.tensor([0, 1, 2, 3])
    return function(indices), indices
