"""The types of operators, functions and methods of TorchScript, for the checks of `torch.jit.script`."""

from __future__ import annotations

import builtins

from torchlike.jit._kinds import BOOL, COMPLEX, FLOAT, INT, STR, TENSOR, UNKNOWN, Kind, list_of

# Tensor functions and methods whose only result is a tensor.
TENSOR_RESULTS = frozenset(
    [
        "abs",
        "acos",
        "add",
        "addbmm",
        "addcdiv",
        "addcmul",
        "addmm",
        "all",
        "amax",
        "amin",
        "angle",
        "any",
        "arange",
        "argmax",
        "argmin",
        "as_tensor",
        "asin",
        "atan",
        "atan2",
        "baddbmm",
        "bernoulli",
        "bincount",
        "bitwise_and",
        "bmm",
        "bool",
        "bucketize",
        "cat",
        "ceil",
        "celu",
        "cholesky",
        "clamp",
        "clamp_max",
        "clamp_min",
        "clone",
        "complex",
        "conj",
        "contiguous",
        "conv1d",
        "conv2d",
        "conv3d",
        "cos",
        "cosh",
        "cpu",
        "cross",
        "cuda",
        "cumprod",
        "cumsum",
        "detach",
        "diag",
        "diagonal",
        "digamma",
        "div",
        "dot",
        "double",
        "dropout",
        "einsum",
        "elu",
        "embedding",
        "empty",
        "empty_like",
        "eq",
        "erf",
        "erfc",
        "exp",
        "expand",
        "expand_as",
        "expm1",
        "eye",
        "fill_",
        "flatten",
        "flip",
        "float",
        "floor",
        "floor_divide",
        "fmod",
        "frac",
        "full",
        "full_like",
        "gather",
        "ge",
        "gelu",
        "gt",
        "half",
        "hardtanh",
        "index_add",
        "index_fill",
        "index_select",
        "int",
        "inverse",
        "isfinite",
        "isinf",
        "isnan",
        "kron",
        "layer_norm",
        "le",
        "leaky_relu",
        "lerp",
        "lgamma",
        "linear",
        "linspace",
        "log",
        "log10",
        "log1p",
        "log2",
        "log_softmax",
        "logical_and",
        "logical_not",
        "logical_or",
        "logical_xor",
        "logsumexp",
        "long",
        "lt",
        "masked_fill",
        "masked_select",
        "matmul",
        "maximum",
        "mean",
        "minimum",
        "mish",
        "mm",
        "mul",
        "multinomial",
        "mv",
        "narrow",
        "ne",
        "neg",
        "new_empty",
        "new_full",
        "new_ones",
        "new_zeros",
        "nonzero",
        "norm",
        "normal",
        "one_hot",
        "ones",
        "ones_like",
        "outer",
        "pad",
        "permute",
        "pow",
        "prod",
        "rand",
        "rand_like",
        "randint",
        "randn",
        "randn_like",
        "randperm",
        "reciprocal",
        "relu",
        "relu_",
        "relu6",
        "remainder",
        "repeat",
        "repeat_interleave",
        "reshape",
        "roll",
        "round",
        "rsqrt",
        "scatter",
        "scatter_add",
        "select",
        "selu",
        "sigmoid",
        "sign",
        "silu",
        "sin",
        "sinh",
        "softmax",
        "softplus",
        "sqrt",
        "square",
        "squeeze",
        "stack",
        "std",
        "sub",
        "sum",
        "swapaxes",
        "t",
        "take",
        "tan",
        "tanh",
        "tensor",
        "tensordot",
        "tile",
        "to",
        "trace",
        "transpose",
        "tril",
        "triu",
        "trunc",
        "type_as",
        "unfold",
        "unsqueeze",
        "var",
        "view",
        "view_as",
        "where",
        "zero_",
        "zeros",
        "zeros_like",
        "add_",
        "sub_",
        "mul_",
        "div_",
        "clamp_",
        "exp_",
        "sqrt_",
        "copy_",
        "masked_fill_",
        "index_select",
        "requires_grad_",
        "T",
        "mT",
        "data",
        "H",
    ]
)
TENSOR_METHODS: dict[str, Kind] = {
    **dict.fromkeys(("dim", "numel", "size_at", "ndimension", "element_size", "nelement", "ndim"), INT),
    **dict.fromkeys(("is_floating_point", "is_complex", "is_contiguous", "equal", "is_cuda", "requires_grad"), BOOL),
    "shape": list_of(INT),
    "item": Kind("number"),
}
BUILTIN_RESULTS: dict[str, Kind] = {
    **dict.fromkeys(("int", "len", "ord"), INT),
    **dict.fromkeys(("str", "chr", "hex", "oct", "bin"), STR),
    **dict.fromkeys(("bool", "isinstance", "hasattr"), BOOL),
    "float": FLOAT,
    "complex": COMPLEX,
}
# Functions of Python whose use is refused by name.
UNSUPPORTED_BUILTINS = frozenset(
    getattr(builtins, name)
    for name in [
        "open",
        "input",
        "eval",
        "exec",
        "compile",
        "vars",
        "locals",
        "globals",
        "id",
        "repr",
        "callable",
        "delattr",
        "setattr",
        "iter",
        "next",
        "dir",
        "hash",
        "format",
    ]
)
# Functions of Python that are called with tensors only.
PYTHON_BUILTINS = frozenset((reversed, map, filter, type, set, frozenset))
BINARY = frozenset(
    ["add", "sub", "mul", "div", "matmul", "mm", "bmm", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge"]
)
# Functions whose first argument is a tensor.
UNARY = frozenset(
    (
        "relu",
        "sigmoid",
        "tanh",
        "exp",
        "sqrt",
        "softmax",
        "clamp",
        "neg",
        "sin",
        "cos",
        "flatten",
        "reshape",
        "view",
        "squeeze",
        "unsqueeze",
    )
)
METHODS: dict[str, frozenset[str]] = {
    "int": frozenset(),
    "float": frozenset(("is_integer",)),
    "bool": frozenset(),
    "NoneType": frozenset(),
    "str": frozenset(name for name in dir(str) if not name.startswith("_")),
    "List": frozenset(
        ["append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"]
    ),
    "Dict": frozenset(["clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"]),
    "Tuple": frozenset(),
}
STRING_RESULTS: dict[str, Kind] = {
    **dict.fromkeys(
        [
            "capitalize",
            "center",
            "format",
            "join",
            "lower",
            "lstrip",
            "replace",
            "rstrip",
            "strip",
            "title",
            "upper",
            "zfill",
        ],
        STR,
    ),
    **dict.fromkeys(["endswith", "isalnum", "isalpha", "isdigit", "islower", "isspace", "isupper", "startswith"], BOOL),
    **dict.fromkeys(["count", "find", "index", "rfind", "rindex"], INT),
    **dict.fromkeys(("split", "splitlines", "rsplit"), list_of(STR)),
}
NOT_TENSOR_ATTRIBUTES = frozenset(
    ["numpy", "apply_", "map_", "tofile", "storage", "untyped_storage", "register_hook", "__array__"]
)
OPERATORS = {
    **{"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "Mod": "remainder", "Pow": "pow"},
    **{"FloorDiv": "floordiv", "MatMult": "matmul", "BitAnd": "__and__", "BitOr": "__or__", "BitXor": "__xor__"},
    **{"LShift": "__lshift__", "RShift": "__rshift__", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"},
}
_SCALARS = ("int", "float", "bool")
_REFUSING = ("str", "Optional", "NoneType", "Dict")


def arithmetic(operator: str, a: Kind, b: Kind) -> Kind | None:
    """Return the type of `a operator b`, or None if TorchScript refuses it. `operator` is the name of the node."""
    if "?" in (a.name, b.name) or {a.name, b.name} & {"Any", "Module", "number", "complex"}:
        return UNKNOWN
    if a.name in _SCALARS and b.name in _SCALARS:
        if operator in ("Div", "Pow"):
            return FLOAT
        return FLOAT if FLOAT in (a, b) else INT
    if "Tensor" in (a.name, b.name):
        other = b if a.name == "Tensor" else a
        return None if other.name in _REFUSING else TENSOR if other.name in (*_SCALARS, "Tensor") else UNKNOWN
    if a == b == STR and operator == "Add":
        return STR
    if a == STR and operator == "Mod":
        return STR
    if a.name == b.name == "List" and operator == "Add":
        return a if a == b or not (a.is_known and b.is_known) else None
    known = (*_SCALARS, *_REFUSING)
    return None if a.name in known and b.name in known else UNKNOWN


def compared(operator: str, a: Kind, b: Kind) -> Kind | None:
    """Return the type of a comparison, or None if TorchScript refuses it."""
    if operator in ("Is", "IsNot", "In", "NotIn"):
        return BOOL
    if "Tensor" in (a.name, b.name):
        return UNKNOWN if NONE_LIKE & {a.name, b.name} else TENSOR
    if "?" in (a.name, b.name) or operator in ("Eq", "NotEq"):
        return BOOL if "?" not in (a.name, b.name) else UNKNOWN
    ordered = (*_SCALARS, *_REFUSING)
    if a.name in ordered and b.name in ordered and not (a.name in _SCALARS and b.name in _SCALARS):
        return BOOL if a == b == STR else None
    return BOOL


NONE_LIKE = {"NoneType", "Optional"}
