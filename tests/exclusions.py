"""The only place where tests are excluded. The tables may only shrink.

A key is a pytest node id, without parameters (``tests/nn/test_layers.py::test_name``) or with them. Its value is a
``Reason``: the difference, and the change that would make the exclusion unnecessary.
"""

from typing import NamedTuple


class Reason(NamedTuple):
    why: str
    until: str


# The number of exclusions. Lower it with every removed exclusion and never raise it. tests/house/test_exclusions.py
# enforces it.
CEILING = 0

EXCLUDED: dict[str, Reason] = {}

# Operators whose `out=` behavior differs from PyTorch's. Each entry has the kinds of targets that differ
# (tests/out/targets.py) and the reason. ``python -m tests.out`` reports the exclusions that are no longer needed.
OUT_CEILING = 105  # the number of excluded kinds; lower it with every removed kind

_WORDS = "the error for what is no tensor has other words: it does not follow the overload that PyTorch settles on"
_PLACES = "PyTorch writes as if the target were contiguous, over what lies beside it"
_HISTORY = "PyTorch gives the target a history whose node refuses; here it has none"
_ONE_WITHOUT = "one of several results has no derivative, so PyTorch lets its target require grad"
_NO_TENSOR = ("a list", "a text")
_RESIZED = ("empty", "larger", "flat", "middle, larger")
_REAL = ("float16", "bfloat16", "float32", "float64")

OUT: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(
        (
            "arange",
            "linspace tensor_overload",
            "logspace",
            "logspace tensor_overload",
            "eye",
            "nn.functional.logsigmoid",
            "special.polygamma special_polygamma_n_0",
            "normal number_mean",
        ),
        (_NO_TENSOR, _WORDS),
    ),
    **dict.fromkeys(("max binary", "min binary"), (("a list",), _WORDS)),
    "linspace": ((*_NO_TENSOR, "bool"), _WORDS + "; of bools there is no loop here"),
    "linspace tensor_overload": ((*_NO_TENSOR, "of an input that requires grad"), _WORDS + "; " + _HISTORY),
    "cumsum": (("float16", "bfloat16"), "PyTorch rounds the operand to the target's half precision before it adds"),
    **dict.fromkeys(("floor_divide", "heaviside", "linalg.ldl_solve"), (("of an input that requires grad",), _HISTORY)),
    **dict.fromkeys(
        ("lu_unpack", "linalg.lu", "native_batch_norm", "_native_batch_norm_legit", "svd"),
        (("requires grad",), _ONE_WITHOUT),
    ),
    "lu": (("requires grad",), "PyTorch resizes the target first and refuses that"),
    "linalg.lstsq": (("empty", "requires grad"), "the solution lies in a part of a larger matrix; " + _ONE_WITHOUT),
    "linalg.matrix_power": (("requires grad",), "the power zero is written without a look at the target's history"),
    **dict.fromkeys(
        ("nn.functional.avg_pool3d", "nn.functional.gelu", "narrow_copy"), (("every other", "transposed"), _PLACES)
    ),
    "nn.functional.linear": (
        ("float32", "int64", "complex64", "every other", "middle"),
        "of a vector PyTorch computes a row, and warns that it resizes the target to it",
    ),
    "triangular_solve": (_RESIZED, "PyTorch's copy of the matrix lies by columns"),
    **dict.fromkeys(("fft.ifft", "fft.ihfft"), (_RESIZED, "PyTorch resizes to the order in which it transforms")),
    "normal": (
        (
            "uint8",
            "int32",
            "int64",
            *_REAL[:2],
            "float64",
            "complex64",
            "bool",
            *_RESIZED[1:],
            "every other",
            "transposed",
            "requires grad",
            "beside the input",
        ),
        "of tensors PyTorch draws in the target's dtype, after it has looked at the target as at an operand's",
    ),
    "bernoulli": (("transposed",), "PyTorch draws in the order of the target's memory"),
    "histogramdd": (
        (
            "uint8",
            "int32",
            "int64",
            *_REAL,
            "complex64",
            "bool",
            *_RESIZED,
            "every other",
            "transposed",
            "middle",
            "expanded",
            "requires grad",
        ),
        "takes no `out=`",
    ),
    "logsumexp": (_REAL, "of one complex number PyTorch drops the imaginary part"),
    "mean": (("uint8", "int32", "int64", *_REAL, "bool"), "of one complex number PyTorch drops the imaginary part"),
}

# Calls that take True or 1.0 where PyTorch takes 1 only (tests/oracle/test_number_kinds.py).
NUMBER_KINDS_CEILING = 7  # the number of values; lower it with every removed value

NUMBER_KINDS: dict[str, tuple[str, ...]] = {
    "emb": ("True",),
    "interp": ("True",),
    "linspace": ("True",),
    "movedim": ("True",),
    "pad": ("True",),
    "zeros2": ("True",),
    "zeros3": ("True",),
}

# Arguments that name dims and counts: the values that PyTorch refuses and that are taken here
# (tests/oracle/test_dim_arguments.py).
DIM_ARGUMENTS_CEILING = 16  # the number of values; lower it with every removed value

DIM_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "hsplit sections": ("(0, 1)", "(0,)", "[0]"),
    "mean keepdim": ("True",),
    "nuclear_norm dim": ("None",),
    "prod dim": ("None",),
    "prod keepdim": ("True",),
    "squeeze dim": ("None",),
    "squeeze_copy dim": ("None",),
    "sum keepdim": ("True",),
    "tensor_split sections": ("(0, 1)", "(0,)", "[0]"),
    "vsplit sections": ("(0, 1)", "(0,)", "[0]"),
}
