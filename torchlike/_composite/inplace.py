"""Functions of `torch` that are also methods of Tensor: `torch.sin_(x)` is `x.sin_()`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._tensor import public_calls
from torchlike._tensor.tensor import Tensor

IN_PLACE = (
    "abs_",
    "acos_",
    "acosh_",
    "addmv_",
    "arccos_",
    "arccosh_",
    "arcsin_",
    "arcsinh_",
    "arctan_",
    "arctanh_",
    "as_strided_",
    "asin_",
    "asinh_",
    "atan_",
    "atanh_",
    "ceil_",
    "clamp_",
    "clamp_max_",
    "clamp_min_",
    "clip_",
    "conj_physical_",
    "cos_",
    "cosh_",
    "deg2rad_",
    "detach_",
    "erf_",
    "erfc_",
    "exp2_",
    "exp_",
    "expm1_",
    "fix_",
    "floor_",
    "frac_",
    "gcd_",
    "i0_",
    "lcm_",
    "ldexp_",
    "log10_",
    "log1p_",
    "log2_",
    "log_",
    "logit_",
    "nan_to_num_",
    "neg_",
    "negative_",
    "rad2deg_",
    "reciprocal_",
    "relu_",
    "round_",
    "rsqrt_",
    "sigmoid_",
    "sin_",
    "sinc_",
    "sinh_",
    "sqrt_",
    "square_",
    "tan_",
    "tanh_",
    "trunc_",
    "xlogy_",
)
# Methods without an operator of their own: the functions have the parameters of the methods.
WRITES = ("fill_", "index_put_", "resize_as_", "zero_")
QUERIES = ("get_device", "is_conj", "is_neg", "is_signed")


def _function(name: str) -> Callable[..., Any]:
    method = getattr(Tensor, name)
    # The in-place method has the parameters of its operator, so take the signature of the out-of-place method.
    signature = inspect.signature(method if name in WRITES else getattr(Tensor, name.removesuffix("_")))
    first, *others = [p for p in signature.parameters.values() if p.name != "out"]

    def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(input, Tensor):
            raise _errors.arguments.wrong_type(name, "input", 1, "Tensor", input)
        return method(input, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = method.__doc__
    call.__signature__ = signature.replace(parameters=[first.replace(name="input"), *others])
    return call


def functions() -> dict[str, Callable[..., Any]]:
    """Return the functions by name. Tensor must already have its methods."""
    return public_calls.functions(*map(_function, (*IN_PLACE, *WRITES, *QUERIES)))
