"""The functions that have several signatures in PyTorch.

If several of them, or none, take as many arguments as a call gives, the error of the call lists all signatures. If just
one does, the error names its argument.
"""

from __future__ import annotations

from torchlike._errors import arguments

# For each list of signatures, the functions that have it. A signature is the least and the greatest count of arguments.
_SIGNATURES = {
    "1-4": "normal_",
    "2-4": "add sub",
    "3-5": "addcdiv addcmul",
    "3-6": "addbmm addmv addr",
    "1-1 2-4": "median nanmedian",
    "1-2 2-2": "count_nonzero",
    "1-2 2-3": "round",
    "1-2 2-5": "prod sum",
    "1-3 2-3": "bernoulli trapz",
    "1-3 2-5": "mean",
    "1-4 1-4": "clamp clip",
    "1-6 2-6": "linalg_norm",
    "1-6 2-7": "bartlett_window blackman_window hann_window",
    "1-7 2-8": "eye",
    "2-2 2-2": "dsplit fill hsplit vsplit",
    "2-3 1-3": "cumulative_trapezoid trapezoid",
    "2-3 2-2": "floor_divide multiply true_divide",
    "2-3 2-3": (
        "clamp_max clamp_min copysign eq fmod ge greater greater_equal gt le less less_equal lt ne not_equal rsub "
        "view_copy"
    ),
    "2-4 1-3": "nuclear_norm",
    "2-4 2-3": "subtract",
    "2-5 1-3": "argsort",
    "2-5 1-4": "sort",
    "2-5 1-6": "histogram",
    "2-5 2-4": "bucketize",
    "2-6 1-6": "linalg_matrix_norm",
    "2-6 2-6": "nanquantile quantile",
    "2-7 2-7": "conv1d conv2d conv3d searchsorted",
    "2-8 1-7": "rand rand_like randn randn_like randperm",
    "3-3 3-3": "masked_fill moveaxis movedim",
    "3-4 3-4": "lerp",
    "3-6 4-7": "addmm baddbmm",
    "4-10 3-9": "sparse_compressed_tensor sparse_csc_tensor sparse_csr_tensor",
    "4-4 4-4": "index_fill narrow",
    "4-7 4-7": "ctc_loss",
    "5-5 5-5": "fake_quantize_per_tensor_affine",
    "9-9 3-8": "embedding_bag",
    "9-9 9-9": "gru lstm rnn_relu rnn_tanh",
    "1-1 2-2 2-2": "squeeze",
    "1-2 1-4 2-4": "all any",
    "1-2 2-3 2-3": "squeeze_copy",
    "1-2 2-3 2-4": "max min",
    "1-6 2-7 3-8": "kaiser_window",
    "1-7 2-7 2-9": "arange",
    "2-3 2-2 2-3": "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor remainder",
    "2-3 2-3 2-3": (
        "float_power pow special_chebyshev_polynomial_t special_chebyshev_polynomial_u "
        "special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_hermite_polynomial_h "
        "special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p "
        "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
        "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_xlog1py "
        "special_xlogy special_zeta tensor_split xlogy"
    ),
    "2-3 3-4 3-3": "div",
    "2-4 1-2 2-4": "repeat_interleave",
    "2-4 1-4 1-2": "std_mean var_mean",
    "2-5 1-5 1-2": "std var",
    "2-5 2-5 2-5": "histogramdd isin",
    "2-8 3-9 1-5": "sparse_coo_tensor",
    "1-5 1-5 2-4 2-4": "linalg_pinv",
    "1-6 2-7 3-8 4-9": "hamming_window",
    "2-2 2-2 2-2 2-2": "result_type",
    "2-3 3-4 2-2 3-3": "divide",
    "2-4 1-4 2-4 3-10": "normal",
    "3-10 3-10 3-10 3-10": "logspace",
    "3-9 2-8 4-10 3-9": "randint",
    "3-9 3-9 3-9 3-9": "linspace",
    "4-5 5-6 4-5 5-6": "scatter",
    "1-1 3-4 3-3 3-3 3-3": "where",
    "4-10 3-9 3-9 2-8 3-9 2-8": "randint_like",
    "2-3 3-4 1-4 2-4 3-4 2-4 3-4": "gradient",
}
_COUNTS = {
    name: [tuple(map(int, each.split("-"))) for each in signatures.split()]
    for signatures, names in _SIGNATURES.items()
    for name in names.split()
}


def of_overloads(error: TypeError, function: str, args: tuple, kwargs: dict) -> TypeError:
    """Return the error for arguments that do not fit: PyTorch's error for a choice of signatures, or `error`.

    `args` contains the tensor of a method.
    """
    known = _COUNTS.get(function) or _COUNTS.get(function.rstrip("_"))
    count = len(args) + len(kwargs)
    if known is None or sum(least <= count <= most for least, most in known) == 1:
        return error
    found = arguments.invalid_combination(function, args, kwargs)
    of_method, of_alias = (str(arguments.invalid_combination(arguments.METHOD, a, kwargs)) for a in (args[1:], args))
    return arguments.reworded(found, of_method, of_alias)
