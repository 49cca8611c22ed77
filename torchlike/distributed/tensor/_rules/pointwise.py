"""Element-wise operators, and which of them keep partial results."""

from __future__ import annotations

from collections.abc import Sequence

import torchlike
from torchlike._internal import REGISTRY
from torchlike.distributed.tensor._rules.table import AVG, REPLICATE, SUM, Call, Way, row, way
from torchlike.distributed.tensor.placement_types import Partial, Placement, Shard

_MAX, _MIN = Partial("max"), Partial("min")
_LINEAR = [way(SUM, SUM), way(AVG, AVG)]
_ADD = [
    way(SUM, SUM, SUM),
    way(AVG, AVG, AVG),
    way(AVG, AVG, REPLICATE),
    way(_MAX, _MAX, REPLICATE),
    way(_MIN, _MIN, REPLICATE),
    way(AVG, REPLICATE, AVG),
]
_DIVIDE = [way(SUM, SUM, REPLICATE), way(AVG, AVG, REPLICATE)]
_MULTIPLY = [*_DIVIDE, way(SUM, REPLICATE, SUM), way(AVG, REPLICATE, AVG)]
_GROWING = [way(_MAX, _MAX), way(_MIN, _MIN)]
_FALLING = [way(_MIN, _MAX), way(_MAX, _MIN)]
_GROWING_IN_BOTH = [
    way(_MAX, _MAX, REPLICATE),
    way(_MAX, REPLICATE, _MAX),
    way(_MIN, _MIN, REPLICATE),
    way(_MIN, REPLICATE, _MIN),
]
_LARGEST = [*_GROWING_IN_BOTH, way(_MAX, _MAX, _MAX)]
_SMALLEST = [*_GROWING_IN_BOTH, way(_MIN, _MIN, _MIN)]
_ANY = [way(Partial(op), Partial(op)) for op in ("sum", "avg", "max", "min")]
_ANY_OF_TWO = [way(Partial(op), Partial(op), Partial(op)) for op in ("sum", "avg", "max", "min")]

# The operators that keep partial results, and how.
PARTIAL: dict[str, list[Way]] = {
    **dict.fromkeys(("add", "sub"), _ADD),
    "mul": _LINEAR + _MULTIPLY,
    **dict.fromkeys(("div", "true_divide"), _LINEAR + _DIVIDE),
    **dict.fromkeys(
        [
            "asinh",
            "atan",
            "ceil",
            "deg2rad",
            "erf",
            "exp",
            "exp2",
            "expm1",
            "floor",
            "rad2deg",
            "relu",
            "round",
            "sgn",
            "sigmoid",
            "sign",
            "sinh",
            "tanh",
            "trunc",
            "nan_to_num",
            "hardshrink",
            "threshold",
        ],
        _GROWING,
    ),
    **dict.fromkeys(("erfc", "erfcx"), _FALLING),
    "neg": _LINEAR + _FALLING,
    "xlog1py": _DIVIDE,
    **dict.fromkeys(("positive",), _ANY),
    "copy": _ANY_OF_TWO,
    **dict.fromkeys(("logaddexp", "logaddexp2"), _GROWING_IN_BOTH),
    **dict.fromkeys(("maximum", "fmax", "clamp_min"), _LARGEST),
    **dict.fromkeys(("minimum", "fmin", "clamp_max"), _SMALLEST),
}
# Element-wise functions that are not single operators.
_COMPOSED = [
    "elu",
    "celu",
    "selu",
    "leaky_relu",
    "hardtanh",
    "relu6",
    "hardswish",
    "hardsigmoid",
    "threshold",
    "logsigmoid",
    "rrelu",
    "where",
    "masked_fill",
    "subtract",
    "multiply",
    "divide",
    "negative",
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "fix",
    "clip",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "not_equal",
    "square",
    "reciprocal",
    "positive",
    "rsqrt",
    "frexp",
    "exponential",
    "dropout",
    "alpha_dropout",
    "float",
    "double",
    "half",
    "bfloat16",
    "int",
    "long",
    "short",
    "bool",
    "to",
    "type",
    "type_as",
    "cpu",
    "cuda",
    "rand_like",
    "randn_like",
    "randint_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "zero",
    "fill",
    "uniform",
    "normal",
    "bernoulli",
    "random",
    "copy",
    "masked_fill",
    "true_divide",
    "xlogy",
    "softplus",
    "mish",
    "silu",
    "gelu",
    "fill",
    "trunc_normal",
    "detach",
    "clone",
    "contiguous",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_dropout",
    "eq",
    "ne",
    "rdiv",
    "rtruediv",
    "rfloordiv",
    "rmod",
    "rpow",
]
_FOLLOWING = frozenset(
    [
        "zeros_like",
        "ones_like",
        "full_like",
        "empty_like",
        "rand_like",
        "randn_like",
        "randint_like",
        "zero",
        "fill",
        "detach",
        "contiguous",
    ]
)


def broadcast(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the common shape of tensors."""
    return tuple(torchlike.broadcast_shapes(*shapes))


def ways(call: Call, now: Sequence[Placement], count: int) -> list[Way]:
    """Return the ways of an element-wise operator."""
    if call.name in _FOLLOWING and len(call.tensors) == 1:
        is_new = call.name.endswith("_like") and now[0].is_partial()
        return [way(REPLICATE if is_new else now[0], now[0])]
    common, found = broadcast(call.shapes), []
    for dim in range(len(common)):
        places = [_place(dim, common, shape) for shape in call.shapes]
        found.append(way(Shard(dim), *places))
    same = [each for each in PARTIAL.get(call.name, ()) if len(each.inputs) == len(call.tensors)]
    if not _is_ordered(call):
        same = []
    if call.name in ("to", "float", "double") and len(call.tensors) == 1:
        same = [each for each in _ANY if now[0].is_partial() and _keeps_partial(call)]
    if any(tensor.requires_grad for tensor in call.tensors):  # a gradient needs the value that was chosen
        same = [each for each in same if not {_MAX, _MIN} & {*each.inputs}]
    return found + same


def _is_ordered(call: Call) -> bool:
    """Return whether the other arguments leave the function linear or monotonic: no rounded quotient, no drop."""
    if call.name == "threshold":
        return call.given(2, "value") <= call.given(1, "threshold")
    return call.kwargs.get("rounding_mode") is None


def _keeps_partial(call: Call) -> bool:
    """Return whether a cast may precede the reduction."""
    wanted = next((each for each in (*call.args, *call.kwargs.values()) if isinstance(each, torchlike.dtype)), None)
    wanted = {"float": torchlike.float32, "double": torchlike.float64}.get(call.name, wanted)
    own = call.tensors[0].dtype
    if wanted in (None, own):
        return True
    return wanted != torchlike.bool and (wanted.is_floating_point or not own.is_floating_point)


def _place(dim: int, common: Sequence[int], shape: Sequence[int]) -> Placement:
    own = dim - len(common) + len(shape)
    return Shard(own) if own >= 0 and shape[own] == common[dim] else REPLICATE


row(*[name for name, op in REGISTRY.items() if op.family == "pointwise"], *_COMPOSED, ways=ways, uneven=True)
