"""PyTorch's error messages about the dtype of `out=`, for operators that have their own messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._errors.dtypes import c_name, cannot_cast, not_implemented, scalar_name


def found(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"Found dtype {scalar_name(out)} but expected {scalar_name(result)}")


def scalar_type(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"expected scalar type {scalar_name(result)} but found {scalar_name(out)}")


def not_safely(name: str, result_name: str) -> Callable[[Any, Any], RuntimeError]:
    return lambda result, out: RuntimeError(
        f"{name}: Expected {result_name} to be safely castable from {scalar_name(result)} dtype, but got {result_name} "
        f"with dtype {scalar_name(out)}"
    )


def product(result: Any, out: Any) -> RuntimeError:
    """Return the error of `dot`."""
    return RuntimeError(f"result dtype {scalar_name(out)} does not match input dtype {scalar_name(result)}")


def of_three(result: Any, out: Any) -> RuntimeError:
    """Return the error of `mv`."""
    names = f"{scalar_name(out)}, {scalar_name(result)}, and {scalar_name(result)}"
    return RuntimeError(f"addmv input tensors must have the same dtype, but got {names}")


def of_batches(result: Any, out: Any) -> RuntimeError:
    """Return the error of `addbmm`."""
    names = f"{scalar_name(out)} and {scalar_name(result)}"
    return RuntimeError(f"self and mat2 must have the same dtype, but got {names}")


def contracted(result: Any, out: Any) -> RuntimeError:
    """Return the error of `tensordot`."""
    return RuntimeError(
        f"tensordot: Expected the output tensor to have dtype {scalar_name(result)}, but got an output "
        f"tensor with dtype {scalar_name(out)}"
    )


def of_vectors(result: Any, out: Any) -> RuntimeError:
    """Return the error of `linalg.vecdot`."""
    return RuntimeError(f"linalg.vecdot: Expected out of dtype{scalar_name(result)} but found {scalar_name(out)}")


def of_chain(result: Any, out: Any) -> RuntimeError:
    """Return the error of `linalg.multi_dot`."""
    return RuntimeError(f"multi_dot(): expected out tensor to have dtype {c_name(result)} but got {c_name(out)}")


def quantile(result: Any, out: Any) -> RuntimeError:
    return RuntimeError("quantile() out tensor must be same dtype as the input tensor")


def heaviside(result: Any, out: Any) -> RuntimeError:
    what = "complex tensors" if out.is_complex else "tensors with different dtypes"
    return RuntimeError(f"heaviside is not yet implemented for {what}.")


def mantissa(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"torch.frexp() expects mantissa to have dtype {c_name(result)} but got {c_name(out)}")


def exponent(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"torch.frexp() expects exponent to have int dtype but got {c_name(out)}")


def kth_index(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"output indices must be of scalar type {scalar_name(result)}")


def reflected(result: Any, out: Any) -> RuntimeError:
    """Return the error of `ormqr`."""
    return RuntimeError(
        f"torch.ormqr: Expected input and result to have the same dtype, but input has dtype"
        f"{scalar_name(result)} and result has dtype {scalar_name(out)}"
    )


def float_power(result: Any, out: Any, target: str = "output given to float_power") -> RuntimeError:
    return RuntimeError(
        f"the {target} has dtype {scalar_name(out)} but the operation's result requires dtype {scalar_name(result)}"
    )


def cannot_become(name: str, what: str = "output") -> Callable[[Any, Any], RuntimeError]:
    return lambda result, out: RuntimeError(
        f"{name}: result type {scalar_name(result)} can't be cast to the desired {what} type {scalar_name(out)}"
    )


def mvlgamma(operand: Any) -> Callable[[Any, Any], RuntimeError]:
    """Return a function that makes the error of `mvlgamma`. It names the dtypes of the operand and of the result."""
    return lambda result, out: cannot_become("mvlgamma")(operand, result)


def ldexp(result: Any, out: Any) -> RuntimeError:
    if out.is_floating_point:
        return cannot_cast(result, out)
    return RuntimeError(f"ldexp can't be cast to the desired output type {scalar_name(out)}")


def narrowed(result: Any, out: Any) -> RuntimeError:
    """Return the error of `narrow_copy`."""
    return RuntimeError(f"Expected self.dtype() == output.dtype() to be true, but got false.  {_REPORT}")


def extreme(result: Any, out: Any) -> RuntimeError:
    """Return the error of `max` and `min` over all elements."""
    return RuntimeError(
        "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) "
        f"to be true, but got false.  {_REPORT}"
    )


_REPORT = "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"


def truth(name: str) -> Callable[[Any, Any], RuntimeError | None]:
    """Return a function that makes the error of `all` or `any`, or returns None for uint8, which they support."""

    def misfit(result: Any, out: Any) -> RuntimeError | None:
        if out.name == "uint8":
            return None
        return RuntimeError(f"{name} only supports bool tensor for result, got: {scalar_name(out)}")

    return misfit


def norm(name: str) -> Callable[[Any, Any], RuntimeError]:
    return lambda result, out: RuntimeError(
        f"linalg.{name} expected out tensor dtype {scalar_name(result)} but got: {scalar_name(out)}"
    )


def chosen(result: Any, out: Any) -> RuntimeError:
    """Return the error of `where`."""
    return RuntimeError(f"Expected out type to be {scalar_name(result)} but got {scalar_name(out)}")


def hashed(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"Expected result to be of dtype uint64, but got {scalar_name(out)}")


def logsumexp(result: Any, out: Any) -> RuntimeError | None:
    if out.is_floating_point or out.is_complex:
        return None
    return RuntimeError(f"logsumexp(): Expected floating point type for result tensor, but got: {scalar_name(out)}")


def spectrum(name: str, is_complex: bool) -> Callable[[Any], RuntimeError | None]:
    """Return a check for Fourier transforms with complex or with real results."""

    def misfit(out: Any) -> RuntimeError | None:
        if out.is_complex if is_complex else out.is_floating_point:
            return None
        kind = "complex" if is_complex else "floating point"
        return RuntimeError(f"{name} expects a {kind} output tensor, but got {scalar_name(out)}")

    return misfit


def no_loop(name: str) -> Callable[[Any], Exception | None]:
    """Return a check for an operator that computes in the dtype of `out=`, which must be a floating-point dtype."""
    return lambda out: None if out.is_floating_point else not_implemented(name, out)


def no_complex_loop(name: str) -> Callable[[Any], Exception | None]:
    """Return a check for an operator that supports all dtypes of `out=` except complex ones."""
    return lambda out: not_implemented(name, out) if out.is_complex else None


def counted(result: Any, out: Any) -> RuntimeError:
    """Return the error of `histc`."""
    return RuntimeError(
        f"torch.histogram: input tensor and hist tensor should have the same dtype, but got input "
        f"{c_name(result)} and hist {c_name(out)}"
    )


def mean(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"mean.dtype_out(): input types can't be cast to the desired output type {scalar_name(out)}")
