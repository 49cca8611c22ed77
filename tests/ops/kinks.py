"""Functions at zeros, infinities, NaN, huge and tiny numbers, where the derivative rules may give NaN."""

from __future__ import annotations

import math
from typing import Any

INF, NAN = math.inf, math.nan
NUMBERS = [0.0, -0.0, INF, -INF, NAN, 1e30, -1e30, 1e-30, -1e-30, 1.0, -1.0, 2.0, 0.5, -2.5, -3.0, 3.0, 100.0, -100.0]
PAIRS = [(a, b) for a in NUMBERS for b in NUMBERS]
# PyTorch's float32 results depend on the processor's vector width: with AVX-512 gelu(inf) is NaN, and the slope of
# logit at -0.0 is inf instead of -inf. A rounding error of ndtri(1e-30) is amplified tenfold in its slope, and JAX's
# releases round it differently.
UNSTEADY = {"nn.functional.gelu": [INF], "logit": [-0.0], "special.ndtri": [1e-30]}
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss")

OF_ONE = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "deg2rad",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "frac",
    "i0",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logit",
    "neg",
    "rad2deg",
    "reciprocal",
    "relu",
    "round",
    "rsqrt",
    "sgn",
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
    "nan_to_num",
    "positive",
    "special.entr",
    "special.erfcx",
    "special.i0e",
    "special.ndtr",
    "special.ndtri",
    "nn.functional.softplus",
    "nn.functional.logsigmoid",
    "nn.functional.gelu",
    "nn.functional.silu",
    "nn.functional.mish",
    "nn.functional.hardsigmoid",
    "nn.functional.tanhshrink",
    "nn.functional.softsign",
    "nn.functional.leaky_relu",
]
OF_TWO = [
    "add",
    "sub",
    "mul",
    "div",
    "true_divide",
    "atan2",
    "hypot",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "logaddexp",
    "logaddexp2",
    "pow",
    "float_power",
    "xlogy",
    "special.xlog1py",
    "copysign",
    "ldexp",
] + [f"nn.functional.{name}" for name in LOSSES]


def program(name: str, dtype: str) -> Any:
    """Return a program that computes a function's values and gradients at the special numbers.

    The numbers of `UNSTEADY` are left out.
    """

    def run(torch: Any) -> list:
        function = torch
        for part in name.split("."):
            function = getattr(function, part)
        left_out = [str(n) for n in UNSTEADY.get(name, ())]  # as text, because 0.0 == -0.0
        numbers = [n for n in NUMBERS if str(n) not in left_out]
        columns = [[a for a, _ in PAIRS], [b for _, b in PAIRS]] if name in OF_TWO else [numbers]
        inputs = [torch.tensor(x, dtype=getattr(torch, dtype), requires_grad=True) for x in columns]
        result = function(*inputs, **({"reduction": "none"} if name.endswith("_loss") or "kl_div" in name else {}))
        return [result, *torch.autograd.grad(result.sum(), inputs, allow_unused=True)]

    return run
