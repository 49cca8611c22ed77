"""Complex numbers: real and imaginary parts, construction from parts, angle and conjugate."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOAT8
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.declare import Array, Into, constant, namespace, pointwise, view
from torchlike._ops.schema.out_rules import SAME
from torchlike._ops.schema.typing_rules import Call


def _same_geometry(shape, strides) -> tuple:
    return shape, strides


def _conjugated(base, new):
    return namespace(new).conj(new)


@view(geometry=_same_geometry, inverse=_conjugated, pending="conj", where=())
def conj(input: Array):
    """Return a view of the complex conjugate of each element."""
    return namespace(input).conj(input)


def _negated(base, new):
    return namespace(new).negative(new)


def _no_bools(call: Call) -> None:
    if call.input.dtype is _dtypes.bool_:
        raise _errors.dtypes.not_implemented("neg_cpu", call.input.dtype)


@view(geometry=_same_geometry, check=_no_bools, inverse=_negated, pending="neg", node="NegViewBackward0", where=())
def _neg_view(input: Array):
    """Return a view of the negated elements."""
    return namespace(input).negative(input)


def _conj_into(input: Any, *_: Any) -> Into:
    return SAME if input.dtype.is_complex else SAME._replace(called="aten::conj_physical")


@pointwise(out=_conj_into, saves=(), opmath=False, where=(), float8=FLOAT8)
def conj_physical(input: Array):
    """Return the complex conjugate of each element."""
    return namespace(input).conj(input)


def _angle(dtype: _dtypes.dtype) -> tuple[_dtypes.dtype, _dtypes.dtype]:
    from torchlike._ops.schema.typing_rules import to_float

    compute, _ = to_float(dtype)
    return compute, compute.to_real()


@pointwise(promote=_angle, inplace=False, chooses=lambda plan: not plan.inputs[0].dtype.is_complex)
def angle(input: Array):
    """Return the angle of each element in radians.

    A real element has angle 0, or pi if it is negative, or NaN if it is NaN.
    """
    xp = namespace(input)
    if input.dtype.kind == "c":
        zero = input == 0  # the gradient there is 0
        return xp.where(zero, xp.angle(constant(input)), xp.angle(xp.where(zero, xp.ones_like(input), input)))
    flat = xp.where(input < 0, xp.pi, 0.0).astype(input.dtype)
    return xp.where(xp.isnan(input), constant(input), flat + 0 * xp.where(xp.isfinite(input), input, 0))


def _to_complex(dtype: _dtypes.dtype) -> tuple[_dtypes.dtype, _dtypes.dtype]:
    return dtype, dtype.to_complex()


def _same_floats(name: str, *labels: str):
    def check(call: Call) -> None:
        a, b = call.arrays
        floats = ("float16", "float32", "float64")
        if a.dtype.name not in floats or b.dtype.name not in floats:
            raise RuntimeError(
                "Expected both inputs to be Half, Float or Double tensors but got "
                f"{scalar_name(a.dtype)} and {scalar_name(b.dtype)}"
            )
        if a.dtype is not b.dtype:
            raise RuntimeError(
                f"Expected object of scalar type {scalar_name(a.dtype)} but got scalar type "
                f"{scalar_name(b.dtype)} for second argument"
            )

    return check


@pointwise(
    promote=_to_complex,
    saves=(),
    inplace=False,
    where=("torch",),
    name="complex",
    check=_same_floats("complex"),
    out=Into(_errors.dtypes.object_of_out),
)
def complex_(real: Array, imag: Array):
    """Return the complex tensor real + i * imag.

    Args:
      real: the real part, float32 or float64.
      imag: the imaginary part, of the same dtype. It is broadcast.

    >>> torchlike.complex(torchlike.tensor([1.0]), torchlike.tensor([2.0]))
    tensor([1.+2.j])
    """
    return namespace(real).asarray(real) + 1j * imag


@pointwise(
    autocast=FULL_ON_CPU,
    promote=_to_complex,
    inplace=False,
    where=("torch",),
    check=_same_floats("polar"),
    remembers=("result",),
    out=Into(_errors.dtypes.object_of_out),
)
def polar(abs: Array, angle: Array):
    """Return the complex tensor abs * (cos(angle) + i * sin(angle)), with `angle` in radians.

    Args:
      abs: the absolute value, float32 or float64.
      angle: the angle in radians, of the same dtype. It is broadcast.

    >>> torchlike.polar(torchlike.tensor([2.0]), torchlike.tensor([0.0]))
    tensor([2.+0.j])
    """
    xp = namespace(abs)
    return abs * xp.cos(angle) + 1j * (abs * xp.sin(angle))
