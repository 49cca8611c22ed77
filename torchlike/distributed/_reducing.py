"""The reduction operators of collectives."""

from __future__ import annotations

import enum
from typing import Any

from torchlike import Tensor
from torchlike._internal import _dtypes
from torchlike.distributed import _errors as errors


class RedOpType(enum.IntEnum):
    """The reduction operators, with PyTorch's numbers."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    __str__ = enum.Enum.__str__


class ReduceOp:
    """A reduction operator of collectives: `ReduceOp.SUM`, `AVG`, `PRODUCT`, `MIN`, `MAX`, `BAND`, `BOR` or `BXOR`.

    `BAND`, `BOR` and `BXOR` need integers or bools. `AVG` needs floating-point or complex numbers. Collectives refuse
    `PREMUL_SUM`.

    Args:
      op (ReduceOp.RedOpType, default `SUM`): the operator.

    >>> import torchlike as torch
    >>> torch.distributed.ReduceOp(torch.distributed.ReduceOp.MAX) == torch.distributed.ReduceOp.MAX
    True
    """

    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = RedOpType

    def __init__(self, op: RedOpType = RedOpType.SUM) -> None:
        self.op = RedOpType(op)

    def __eq__(self, other: object) -> bool:
        return self.op == (other.op if isinstance(other, ReduceOp) else other)

    def __hash__(self) -> int:
        return hash(self.op)


def _make_nccl_premul_sum(factor: Any) -> ReduceOp:
    """Return the operator that multiplies by `factor` before it sums. Collectives refuse it, as Gloo does."""
    if not isinstance(factor, float | Tensor):
        raise TypeError(f"_make_nccl_premul_sum(): factor must be a float or a Tensor, not {type(factor).__name__}")
    if isinstance(factor, Tensor) and factor.numel() != 1:
        raise RuntimeError(f"_make_nccl_premul_sum(): factor must have one element, not {factor.numel()}")
    return ReduceOp(RedOpType.PREMUL_SUM)


def supports_complex(reduceOp: Any) -> bool:
    """Return whether complex tensors can be reduced with this operator.

    Args:
      reduceOp (ReduceOp): the operator. True for `SUM`, `AVG` and `PREMUL_SUM`.

    >>> import torchlike as torch
    >>> torch.distributed.supports_complex(torch.distributed.ReduceOp.MAX)
    False
    """
    return reduceOp in (RedOpType.SUM, RedOpType.AVG, RedOpType.PREMUL_SUM)


_BITS = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
_TYPES = frozenset(
    (
        _dtypes.float32,
        _dtypes.float64,
        _dtypes.float16,
        _dtypes.bfloat16,
        _dtypes.int8,
        _dtypes.uint8,
        _dtypes.int32,
        _dtypes.int64,
        _dtypes.bool_,
        _dtypes.complex64,
        _dtypes.complex128,
    )
)


def checked(name: str, op: Any, dtype: _dtypes.dtype) -> RedOpType:
    """Return the reduction operator, or raise an error if `dtype` does not support it."""
    if isinstance(op, ReduceOp):
        op = op.op
    if not isinstance(op, RedOpType):
        raise TypeError(f"{name}(): op must be a ReduceOp, not {type(op).__name__}")
    if dtype.is_complex and not supports_complex(op):
        raise ValueError(f"{name} does not support {op!s} on complex tensors")
    if op is RedOpType.PREMUL_SUM:
        raise RuntimeError("Cannot use ReduceOp.PREMUL_SUM with Gloo")  # torchlike has no such operator on any device
    if dtype not in _TYPES:
        raise errors.scalar_type()
    if op in _BITS and dtype.is_floating_point:
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op is RedOpType.AVG and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {_NAMES[dtype]}")
    return op


_NAMES = {
    _dtypes.int8: "Char",
    _dtypes.uint8: "Byte",
    _dtypes.int32: "Int",
    _dtypes.int64: "Long",
    _dtypes.bool_: "Bool",
}
