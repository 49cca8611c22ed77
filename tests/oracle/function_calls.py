"""Valid calls of the functions of `torch` and of its namespaces, and variants of them with one wrong argument each."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

import torchlike
from tests.ops.sample import Fails, Sample, arguments
from tests.ops.samples import SAMPLES
from torchlike._ops import REGISTRY

SPACES = ("", "linalg", "fft", "special")
# Functions that change the state of the process, start threads, use files or call other functions.
LEFT_OUT = """
autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache compile cond fork from_file load save seed
use_deterministic_algorithms vmap wait while_loop set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype
set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype
set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled set_default_device set_default_dtype
set_default_tensor_type set_deterministic_debug_mode set_flush_denormal set_float32_matmul_precision
set_num_interop_threads set_num_threads set_printoptions set_rng_state set_warn_always compiled_with_cxx11_abi
get_device_module from_dlpack to_dlpack typename is_storage
"""
# Functions that PyTorch has removed, and functions of symbolic numbers and of quantized tensors.
RARE = """
eig lstsq matrix_rank solve symeig sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum
q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point int_repr dequantize
fused_moving_avg_obs_fake_quant quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic
"""
OF_ONE_TENSOR = """
alias_copy empty_like get_device is_complex is_conj is_floating_point is_inference is_neg is_signed is_tensor
nuclear_norm numel ones_like poisson rand_like randn_like zero_ zeros_like special.expit special.gammaln special.psi
"""
OF_NOTHING = """
are_deterministic_algorithms_enabled get_autocast_cpu_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype
get_autocast_xla_dtype get_default_device get_default_dtype get_deterministic_debug_mode get_float32_matmul_precision
get_num_interop_threads get_num_threads get_rng_state initial_seed is_anomaly_check_nan_enabled is_anomaly_enabled
is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled is_autocast_xla_enabled
is_deterministic_algorithms_warn_only_enabled is_grad_enabled is_inference_mode_enabled is_warn_always_enabled
"""
# Valid arguments of the functions that have no sample: `x` is a float tensor of shape (2, 3), `image` one of shape
# (1, 2, 4, 4), `grid` a sampling grid, and `square` a positive definite matrix of shape (3, 3).
ARGUMENTS = {
    "affine_grid_generator": "L.ones(1, 2, 3), (1, 2, 4, 4), False",
    "arange": "0, 5, 1",
    "as_tensor": "[1.0]",
    "asarray": "[1.0]",
    "bartlett_window": "5",
    "batch_norm": "image, None, None, None, None, True, 0.1, 1e-5, False",
    "bernoulli": "x * 0.5",
    "binomial": "x, x * 0.5",
    "blackman_window": "5",
    "broadcast_shapes": "(2, 3), (3,)",
    "can_cast": "L.float32, L.float64",
    "is_distributed": "x",
    "is_vulkan_available": "",
    "constant_pad_nd": "x, (1, 1), 0.0",
    "cudnn_is_acceptable": "x",
    "conv_tbc": "L.ones(4, 2, 3), L.ones(2, 3, 2), L.ones(2), 0",
    "convolution": "image, L.ones(2, 2, 2, 2), None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1",
    "embedding_bag": "x, L.tensor([0, 1]), L.tensor([0])",
    "embedding_renorm_": "x, L.tensor([0, 1]), 1.0, 2.0",
    "empty": "(2, 3)",
    "empty_permuted": "(2, 3), (0, 1)",
    "empty_strided": "(2, 3), (3, 1)",
    "expand_copy": "x, (2, 2, 3)",
    "eye": "3",
    "fake_quantize_per_channel_affine": "x, L.ones(2), L.zeros(2, dtype=L.int32), 0, 0, 255",
    "fake_quantize_per_tensor_affine": "x, 0.1, 0, 0, 255",
    "feature_alpha_dropout": "image, 0.5, False",
    "feature_alpha_dropout_": "image, 0.5, False",
    "feature_dropout": "image, 0.5, False",
    "feature_dropout_": "image, 0.5, False",
    "frobenius_norm": "x, [0, 1]",
    "from_numpy": "x.numpy()",
    "frombuffer": "bytearray(8), dtype=L.float32",
    "full": "(2, 3), 1.0",
    "full_like": "x, 1.0",
    "get_autocast_dtype": "'cpu'",
    "grid_sampler": "image, grid, 0, 0, False",
    "grid_sampler_2d": "image, grid, 0, 0, False",
    "grid_sampler_3d": "image[:, :, None], L.zeros(1, 1, 2, 2, 3), 0, 0, False",
    "hamming_window": "5",
    "hann_window": "5",
    "histogramdd": "L.ones(2, 2), [2, 2]",
    "instance_norm": "image, None, None, None, None, True, 0.1, 1e-5, False",
    "kaiser_window": "5",
    "linspace": "0, 1, 3",
    "lobpcg": "L.eye(9), 1",
    "logspace": "0, 1, 3",
    "manual_seed": "1",
    "max_pool1d_with_indices": "x, 2",
    "multinomial": "x, 2",
    "native_batch_norm": "image, None, None, None, None, True, 0.1, 1e-5",
    "native_dropout": "x, 0.5, True",
    "native_group_norm": "image, None, None, 1, 2, 16, 1, 1e-5",
    "native_layer_norm": "x, (3,), None, None, 1e-5",
    "nonzero_static": "x, size=2",
    "norm_except_dim": "x, 2, 0",
    "normal": "x, x",
    "ones": "(2, 3)",
    "pca_lowrank": "x, 2",
    "poisson_nll_loss": "x, x, True, False, 1e-8, 1",
    "promote_types": "L.float32, L.float64",
    "rand": "(2, 3)",
    "randint": "0, 5, (2, 3)",
    "randint_like": "x, 5",
    "randn": "(2, 3)",
    "randperm": "3",
    "range": "0, 3, 1",
    "result_type": "x, 1",
    "scalar_tensor": "1.0",
    "slice_copy": "x, 0, 0, 1, 1",
    "sparse_compressed_tensor": "L.tensor([0, 1, 2]), L.tensor([0, 1]), L.ones(2), (2, 2), layout=L.sparse_csr",
    "sparse_coo_tensor": "L.tensor([[0, 1], [0, 1]]), L.ones(2), (2, 2)",
    "sparse_csc_tensor": "L.tensor([0, 1, 2]), L.tensor([0, 1]), L.ones(2), (2, 2)",
    "sparse_csr_tensor": "L.tensor([0, 1, 2]), L.tensor([0, 1]), L.ones(2), (2, 2)",
    "dsmm": "x.to_sparse(), L.ones(3, 2)",
    "spmm": "x.to_sparse(), L.ones(3, 2)",
    "svd_lowrank": "x, 2",
    "tensor": "[1.0]",
    "tril_indices": "3, 3, 0",
    "triu_indices": "3, 3, 0",
    "unfold_copy": "x, 0, 1, 1",
    "view_copy": "x, (3, 2)",
    "zeros": "(2, 3)",
    "linalg.eig": "square",
    "special.multigammaln": "x + 3, 2",
    **dict.fromkeys(("special.gammainc", "special.gammaincc", "is_same_size", "resize_as_"), "x, x"),
    **dict.fromkeys(OF_ONE_TENSOR.split(), "x"),
    **dict.fromkeys(OF_NOTHING.split(), ""),
}
WRONG: dict[str, Callable[[Any], Any]] = {
    "None": lambda L: None,
    "str": lambda L: "x",
    "float": lambda L: 1.5,
    "bool": lambda L: True,
    "dict": lambda L: {},
    "[]": lambda L: [],
    "[None]": lambda L: [None],
    "int": lambda L: 2,
    "tensor": lambda L: L.ones(2, 3),
}
TOO_MANY = 12  # arguments more than any function takes


class Call(NamedTuple):
    """The arguments of a call; `of(library)` returns them."""

    kind: str
    of: Callable[[Any], tuple[list, dict]]


def names() -> list[str]:
    """Return the names of the functions that both libraries have."""
    return [name for space in SPACES for name in _names_in(space)]


def _names_in(space: str) -> Iterator[str]:
    theirs, ours = find(torch, space), find(torchlike, space)
    left_out = {*LEFT_OUT.split(), *RARE.split()}
    for name in sorted(set(dir(theirs)) & set(dir(ours))):
        made = getattr(theirs, name)
        if not name.startswith("_") and name not in left_out and callable(made) and not isinstance(made, type):
            yield f"{space}.{name}" if space else name


def find(library: Any, path: str) -> Any:
    """Return the object of a library at a dotted path."""
    return functools.reduce(getattr, path.split(".") if path else [], library)


def valid(name: str) -> Callable[[Any], tuple[list, dict]]:
    """Return the arguments of a call that both libraries accept, as a function of the library."""
    if name in ARGUMENTS:
        made = eval(f"lambda L, given, x, image, grid, square: given({ARGUMENTS[name]})")
        return lambda L: made(L, _given, L.ones(2, 3), L.ones(1, 2, 4, 4), L.zeros(1, 2, 2, 2), L.eye(3))
    found = next((s for key in _keys(name) for s in SAMPLES.get(key, ()) if _is_accepted(name, s)), None)
    assert found is not None, f"{name} has no sample: write its arguments into ARGUMENTS"
    return lambda L: arguments(L, found)


def _given(*args: Any, **kwargs: Any) -> tuple[list, dict]:
    return [*args], kwargs


def _keys(name: str) -> Iterator[str]:
    """Yield the keys of samples whose arguments may suit a function: its own, its alias's, or those of a variant."""
    last = name.rpartition(".")[2]
    yield name
    for key in (last, last.rstrip("_"), last.removesuffix("_copy"), last.removeprefix("unsafe_")):
        yield from (key, REGISTRY[key].name if key in REGISTRY else key)
        yield from (f"{space}.{key}" for space in ("special", "nn.functional", "linalg"))


def _is_accepted(name: str, sample: Sample) -> bool:
    if isinstance(sample, Fails):
        return False
    for library in (torch, torchlike):
        args, kwargs = arguments(library, sample)
        try:
            find(library, name)(*args, **kwargs)
        except Exception:
            return False
    return True


def variants(name: str) -> Iterator[Call]:
    """Yield calls of a function in which one argument is wrong, missing or too much."""
    base = valid(name)
    args, kwargs = base(torchlike)
    for place in range(len(args)):
        yield from (Call(f"{place}: {kind}", each) for kind, each in _replaced(base, args[place], place))
        yield Call(f"first {place}", lambda L, place=place: (base(L)[0][:place], {}))
    for key in kwargs:
        yield from (Call(f"{key}: {kind}", each) for kind, each in _replaced(base, kwargs[key], key))
    for key in _others(name, len(args), kwargs):
        yield from (Call(f"{key}: {kind}", each) for kind, each in _replaced(base, key, key))
    yield Call("too many", lambda L: (base(L)[0] + [1] * TOO_MANY, {}))
    yield Call("no such keyword", lambda L: (base(L)[0], {**base(L)[1], "nothing": 1}))
    first = next((key for key in _parameters(name) if key != "out"), "input")
    yield Call("twice", lambda L: (base(L)[0], {**base(L)[1], first: 1}))


def _replaced(base: Callable, before: Any, place: int | str) -> Iterator[tuple[str, Callable]]:
    """Yield the calls in which each wrong value stands for one argument, except a value of the type that it had."""
    for kind, value in WRONG.items():
        if isinstance(place, str) or type(value(torchlike)) is not type(before):

            def call(L: Any, value: Callable = value) -> tuple[list, dict]:
                args, kwargs = base(L)
                (kwargs if isinstance(place, str) else args)[place] = value(L)
                return args, kwargs

            yield kind, call


def _others(name: str, count: int, kwargs: dict) -> list[str]:
    """Return the parameters that a valid call does not give."""
    return [key for key in _parameters(name)[count:] if key not in kwargs and key != "out"]


def _parameters(name: str) -> list[str]:
    try:
        found = inspect.signature(find(torchlike, name)).parameters.values()
    except ValueError:
        return []
    return [p.name for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
