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

# Arguments that name dims and counts: the values that PyTorch refuses and that are taken here
# (tests/oracle/test_dim_arguments.py).
DIM_ARGUMENTS_CEILING = 2  # the number of values; lower it with every removed value

DIM_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "squeeze dim": ("None",),
    "squeeze_copy dim": ("None",),
}

# Methods and kinds of wrong arguments (tests/oracle/test_method_arguments.py): the error has another type here, or only
# one of the libraries raises.
METHOD_ARGUMENTS_CEILING = 65  # the number of kinds; lower it with every removed kind

METHOD_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "cuda": ("bytes", "None, None", "str, str"),
    "is_pinned": ("bytes",),
    "norm": ("str, str",),
    "pin_memory": ("object", "[None]", "dtype", "float", "bool", "dict"),
    "put_": ("None, None", "str, str"),
    "random_": ("None", "None, None"),
    "record_stream": ("None", "str", "object", "[None]", "dtype", "float", "bool", "bytes", "dict"),
    "repeat_interleave": ("None", "None, None"),
    "resize": ("str", "[None]", "float", "bool", "bytes"),
    "set_": ("None", "None, None"),
    "squeeze": ("None",),
    "squeeze_": ("None",),
    "symeig": ("None, None", "str, str"),
    "to": ("float", "bool", "bytes"),
    "to_dense": ("str",),
    "to_sparse": ("None", "bool"),
    "to_sparse_coo": ("None", "bool"),
    "to_sparse_csc": ("str", "object", "[None]", "dtype", "float", "bool", "bytes", "dict"),
    "to_sparse_csr": ("str", "object", "[None]", "dtype", "float", "bool", "bytes", "dict"),
    "type": ("bytes", "None, None", "str, str"),
    "unflatten": ("None, None",),
}

# Methods whose errors for wrong arguments have other words here for at least one kind of argument: most are Python
# functions in one library and C functions in the other, or list overloads in PyTorch.
METHOD_TEXTS_CEILING = 172  # lower it with every removed name; `to_padded_tensor` was not compared before

_NAMES = """
abs_ absolute_ amax amin apply_ as_strided_ as_subclass backward bernoulli bernoulli_ bfloat16 bool broadcast_to byte
ccol_indices cdouble cfloat chalf char cholesky cholesky_solve coalesce col_indices conj_physical cpu crow_indices cuda
data_ptr dense_dim detach detach_ dim dim_order dist divide divide_ double eig element_size expand fill_ fill_diagonal_
flip float floor_divide floor_divide_ frexp get_device half hash_tensor histogram index_add_ index_copy_ index_fill_
index_put index_put_ index_reduce_ indices int int_repr is_coalesced is_complex is_contiguous is_floating_point
is_inference is_pinned is_shared is_signed isclose istft item long lstsq lu map_ masked_fill_ masked_scatter_ max mean
min multiply multiply_ nanmean nansum ndimension nelement new new_empty new_empty_strided new_full new_ones new_tensor
new_zeros nonzero nonzero_static norm numel numpy ormqr permute pin_memory polygamma polygamma_ put_ q_per_channel_axis
q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme random_ record_stream renorm renorm_ repeat
repeat_interleave requires_grad_ reshape resize resize_ resize_as retain_grad roll round round_ row_indices scatter_
scatter_add_ scatter_reduce_ share_memory_ short size solve sparse_dim sparse_mask split squeeze_ stft storage
storage_offset stride subtract subtract_ sum_to_size swapaxes_ swapdims_ t_ tile to_dense to_padded_tensor to_sparse
to_sparse_coo to_sparse_csc to_sparse_csr tolist transpose transpose_ true_divide true_divide_ unflatten unfold unique
unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze_ untyped_storage values view where zero_
"""
METHOD_TEXTS = frozenset(_NAMES.split())

# Functions, and the wrong arguments that are answered in another way (tests/oracle/test_function_arguments.py): the
# error has another type here, or only one of the libraries raises. Many of PyTorch's functions in Python raise
# AttributeError for an argument that is not a tensor, where TypeError is raised here.
FUNCTION_ARGUMENTS_CEILING = 296  # the number of kinds; lower it with every removed kind

FUNCTION_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "batch_norm": ("first 8",),
    "bitwise_left_shift": ("1: tensor",),
    "bitwise_right_shift": ("1: tensor",),
    "broadcast_shapes": ("0: None float dict", "1: None str float dict [None]"),
    "cdist": ("compute_mode: None float bool dict [] [None] int tensor",),
    "convolution": ("7: [] [None]",),
    "dsplit": ("sections: None", "indices: None"),
    "einsum": ("too many",),
    "embedding_bag": ("per_sample_weights: tensor", "padding_idx: None int"),
    "expand_copy": ("1: str dict [None]",),
    "eye": ("m: None",),
    "fake_quantize_per_tensor_affine": ("1: tensor", "2: tensor"),
    "fft.fftfreq": ("0: float tensor",),
    "fft.fftshift": ("0: None str float bool dict [] [None] int",),
    "fft.ifftshift": ("0: None str float bool dict [] [None] int",),
    "fft.rfftfreq": ("0: float bool tensor",),
    "gather": ("sparse_grad: bool",),
    "gru": ("4: tensor",),
    "histc": ("min: tensor", "max: tensor"),
    "histogram": ("range: str dict [None] tensor",),
    "histogramdd": ("1: dict tensor", "range: str dict [None] tensor"),
    "hsplit": ("sections: None", "indices: None"),
    "instance_norm": ("first 8",),
    "linalg.multi_dot": ("0: str dict",),
    "linalg.norm": ("dim: []",),
    "linalg.pinv": ("rcond: None []", "rtol: []"),
    "lobpcg": (
        "iK: str float bool dict [] [None] int tensor",
        "tol: tensor",
        "ortho_iparams: str tensor",
        "ortho_fparams: str tensor",
        "ortho_bparams: str tensor",
    ),
    "logsumexp": ("1: []",),
    "lstm": ("4: tensor",),
    "native_batch_norm": ("1: tensor", "2: tensor", "3: tensor", "4: tensor"),
    "norm": ("0: None str float bool dict [] [None] int",),
    "normal": ("size: None", "dtype: None"),
    "nuclear_norm": ("dim: bool",),
    "pca_lowrank": (
        "0: None str float bool dict [] [None] int",
        "1: bool tensor",
        "center: None str float dict [] [None] int tensor",
        "niter: bool tensor",
    ),
    "permute_copy": ("1: int",),
    "randint": ("first 2",),
    "randint_like": ("1: tensor",),
    "range": ("first 1", "requires_grad: None"),
    "repeat_interleave": ("1: None", "output_size: int"),
    "rnn_relu": ("4: tensor",),
    "rnn_tanh": ("4: tensor",),
    "scatter": ("value: None", "reduce: None"),
    "segment_reduce": ("offsets: tensor", "axis: int"),
    "sparse_compressed_tensor": (
        "0: float bool [] int",
        "1: float bool [] int",
        "2: float bool [] int",
        "3: None []",
        "layout: str float bool dict [] [None] int tensor",
    ),
    "sparse_coo_tensor": (
        "0: float bool int",
        "2: None str dict [None] tensor",
        "indices: None float bool [] int tensor",
        "values: None float bool dict [] [None] int tensor",
    ),
    "sparse_csc_tensor": ("0: float bool [] int", "1: float bool [] int", "2: float bool [] int", "3: None []"),
    "sparse_csr_tensor": ("0: float bool [] int", "1: float bool [] int", "2: float bool [] int", "3: None []"),
    "special.logsumexp": ("1: []",),
    "split": ("0: str", "1: tensor", "2: bool tensor"),
    "squeeze": ("dim: None",),
    "squeeze_copy": ("dim: None",),
    "stft": (
        "0: None str float bool dict [] [None] int",
        "1: tensor",
        "onesided: str",
        "align_to_window: str float bool dict [] [None] int tensor",
    ),
    "svd_lowrank": (
        "0: None str float bool dict [] [None] int",
        "1: bool",
        "niter: bool",
        "M: str float bool dict [] [None] int",
    ),
    "tensor_split": ("sections: None", "indices: None"),
    "tensordot": (
        "0: None str float bool dict [] [None] int",
        "1: None str float bool dict [] [None] int",
        "2: None float [] [None]",
    ),
    "trapz": ("dx: bool",),
    "unique": ("return_inverse: tensor", "return_counts: tensor"),
    "unique_consecutive": ("return_inverse: tensor", "return_counts: tensor"),
    "unravel_index": ("0: None str float bool dict [] [None] int", "1: dict tensor"),
    "view_copy": ("1: int",),
    "vsplit": ("sections: None", "indices: None"),
}

# Functions whose errors for wrong arguments have other words here for at least one argument.
FUNCTION_TEXTS_CEILING = 165  # lower it with every removed name

_FUNCTIONS = """
as_tensor asarray atleast_1d atleast_2d atleast_3d batch_norm binary_cross_entropy_with_logits block_diag
broadcast_shapes broadcast_to bucketize can_cast cartesian_prod cdist celu celu_ chain_matmul cholesky_inverse
cholesky_solve clamp_ clip clip_ concat concatenate conv_transpose1d conv_transpose2d conv_transpose3d det diagonal
diff dist divide einsum embedding_bag empty_like empty_permuted empty_strided expand_copy fft.fftfreq fft.fftshift
fft.hfft2 fft.ifft fft.ifftshift fft.ihfft fft.ihfft2 fft.irfft2 fft.rfft2 fft.rfftfreq fill from_numpy frombuffer
full full_like get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype
get_autocast_xla_dtype get_default_dtype get_num_interop_threads get_num_threads gradient gru histc histogram
histogramdd index_put_ instance_norm inverse is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled
is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled is_autocast_xla_enabled is_complex
is_floating_point is_grad_enabled is_inference is_inference_mode_enabled is_tensor istft linalg.diagonal
linalg.multi_dot linalg.pinv linalg.solve_triangular linalg.tensorsolve linalg.vector_norm lobpcg log_softmax lstm
lstm_cell lu max_pool1d max_pool1d_with_indices max_pool2d max_pool3d median moveaxis multiply nanmedian
nanquantile narrow native_group_norm nonzero_static norm normal numel ones_like ormqr pca_lowrank permute permute_copy
promote_types rand randn randperm range renorm repeat_interleave reshape result_type rnn_relu rnn_tanh roll rot90
round_ row_stack rrelu rrelu_ scalar_tensor segment_reduce softmax sparse_compressed_tensor sparse_coo_tensor
special.log_softmax special.round special.softmax split squeeze squeeze_copy
std std_mean stft subtract svd_lowrank tensor tensordot threshold threshold_ tile triangular_solve tril_indices
triu_indices unflatten unique unique_consecutive unravel_index var var_mean view_copy where xlogy_ zeros_like
"""
FUNCTION_TEXTS = frozenset(_FUNCTIONS.split())
