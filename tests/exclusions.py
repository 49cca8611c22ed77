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
NUMBER_KINDS_CEILING = 5  # the number of values; lower it with every removed value

NUMBER_KINDS: dict[str, tuple[str, ...]] = {
    "emb": ("True",),
    "interp": ("True",),
    "pad": ("True",),
    "zeros2": ("True",),
    "zeros3": ("True",),
}

# Arguments that name dims and counts: the values that PyTorch refuses and that are taken here
# (tests/oracle/test_dim_arguments.py).
DIM_ARGUMENTS_CEILING = 5  # the number of values; lower it with every removed value

DIM_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "mean keepdim": ("True",),
    "prod keepdim": ("True",),
    "squeeze dim": ("None",),
    "squeeze_copy dim": ("None",),
    "sum keepdim": ("True",),
}

# Methods and kinds of wrong arguments (tests/oracle/test_method_arguments.py): the error has another type here, or only
# one of the libraries raises.
METHOD_ARGUMENTS_CEILING = 92  # the number of kinds; lower it with every removed kind

METHOD_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "cuda": ("bool", "bytes", "None, None", "str, str"),
    "is_pinned": ("bool", "bytes"),
    "nanquantile": ("str", "object", "[None]", "dtype", "bytes", "dict", "str, str"),
    "new": ("object", "[None]", "dtype"),
    "new_tensor": ("None", "object", "[None]", "dtype", "dict"),
    "norm": ("str, str",),
    "pin_memory": ("object", "[None]", "dtype", "float", "bool", "dict"),
    "put_": ("None, None", "str, str"),
    "quantile": ("str", "object", "[None]", "dtype", "bytes", "dict", "str, str"),
    "random_": ("None", "None, None"),
    "record_stream": ("None", "str", "object", "[None]", "dtype", "float", "bool", "bytes", "dict"),
    "repeat_interleave": ("None", "None, None"),
    "resize": ("str", "[None]", "float", "bool", "bytes"),
    "set_": ("None", "None, None"),
    "squeeze": ("None",),
    "squeeze_": ("None",),
    "std": ("None, None",),
    "symeig": ("None, None", "str, str"),
    "to": ("float", "bytes", "str, str"),
    "to_dense": ("str", "bool"),
    "to_sparse": ("None", "bool"),
    "to_sparse_coo": ("None", "bool"),
    "to_sparse_csc": ("str", "object", "[None]", "dtype", "float", "bool", "bytes", "dict"),
    "to_sparse_csr": ("str", "object", "[None]", "dtype", "float", "bool", "bytes", "dict"),
    "type": ("bytes", "None, None", "str, str"),
    "unflatten": ("None, None",),
    "var": ("None, None",),
}

# Methods whose errors for wrong arguments have other words here for at least one kind of argument: most are Python
# functions in one library and C functions in the other, or list overloads in PyTorch.
METHOD_TEXTS_CEILING = 175  # lower it with every removed name

_NAMES = """
abs_ absolute_ amax amin apply_ as_strided_ as_subclass backward bernoulli bernoulli_ bfloat16 bool broadcast_to byte
ccol_indices cdouble cfloat chalf char cholesky cholesky_solve coalesce col_indices conj_physical cpu crow_indices
cuda data_ptr dense_dim detach detach_ dim dim_order dist divide divide_ double eig element_size expand fill_
fill_diagonal_ flip float floor_divide floor_divide_ frexp get_device half hash_tensor histogram index_add_
index_copy_ index_fill_ index_put index_put_ index_reduce_ indices int int_repr is_coalesced is_complex is_contiguous
is_floating_point is_inference is_pinned is_shared is_signed isclose istft item long lstsq lu map_ masked_fill_
masked_scatter_ max mean min multiply multiply_ nanmean nansum ndimension nelement new new_empty new_empty_strided
new_full new_ones new_tensor new_zeros nonzero nonzero_static norm numel numpy ormqr permute pin_memory polygamma
polygamma_ put_ q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme
random_ record_stream renorm renorm_ repeat repeat_interleave requires_grad_ reshape resize resize_ resize_as
retain_grad roll round round_ row_indices scatter_ scatter_add_ scatter_reduce_ share_memory_ short size solve
sparse_dim sparse_mask split split_with_sizes squeeze squeeze_ std stft storage storage_offset stride subtract
subtract_ sum_to_size swapaxes_ swapdims_ t_ tile to_dense to_sparse to_sparse_coo to_sparse_csc to_sparse_csr tolist
transpose transpose_ true_divide true_divide_ unflatten unfold unique unique_consecutive unsafe_chunk unsafe_split
unsafe_split_with_sizes unsqueeze_ untyped_storage values var view where zero_
"""
METHOD_TEXTS = frozenset(_NAMES.split())
