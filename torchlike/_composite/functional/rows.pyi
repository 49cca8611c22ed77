# Made by `python -m tools.make_stubs`; tests/house/test_stubs.py keeps it fresh.
import builtins as _builtins
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any

from torchlike._dtypes import dtype as _dtype
from torchlike._tensor.tensor import Tensor as _Tensor

_bool = _builtins.bool
_int = _builtins.int
_float = _builtins.float
_complex = _builtins.complex
_str = _builtins.str
_tuple = _builtins.tuple
_list = _builtins.list
_dict = _builtins.dict
_object = _builtins.object
_Number = _bool | _int | _float | _complex

def function(name: _str) -> _Callable:
    """Return the public function of an operator."""
    ...

def gelu(input: _Tensor, *, approximate: _str = ..., out: _Any = ...) -> _Tensor:
    """Return x * Phi(x) for each element x, where Phi is the CDF of the standard normal distribution."""
    ...

def grouped_mm(
    mat_a: _Tensor, mat_b: _Tensor, *, offs: _Tensor | None = ..., bias: _Tensor | None = ..., out_dtype: _Any = ...
) -> _Tensor:
    """Multiply matrices group by group; group i extends from `offs[i - 1]` (or 0) up to `offs[i]`."""
    ...

def hardshrink(input: _Tensor, lambd: _Number = ..., *, out: _Any = ...) -> _Tensor:
    """Return x where |x| > lambd, and 0 elsewhere, for each element x."""
    ...

def linear(input: _Tensor, weight: _Tensor, bias: _Tensor | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return input @ weight.T + bias."""
    ...

def logsigmoid(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return log(sigmoid(x)) for each element x, without overflow."""
    ...

def prelu(input: _Tensor, weight: _Tensor) -> _Tensor:
    """Return x where x > 0, and weight * x elsewhere, for each element x."""
    ...

def softplus(input: _Tensor, beta: _Number = ..., threshold: _Number = ..., *, out: _Any = ...) -> _Tensor:
    """Return log(1 + exp(beta * x)) / beta for each element x, or x where beta * x > threshold."""
    ...

def softshrink(input: _Tensor, lambd: _Number = ..., *, out: _Any = ...) -> _Tensor:
    """Return x - lambd where x > lambd, x + lambd where x < -lambd, and 0 elsewhere, for each element x."""
    ...

def softsign(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return x / (1 + |x|) for each element x."""
    ...

def tanhshrink(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return x - tanh(x) for each element x."""
    ...
