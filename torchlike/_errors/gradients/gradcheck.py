"""PyTorch's error messages of `gradcheck`."""

from __future__ import annotations

from typing import Any


class GradcheckError(RuntimeError):
    """Raised if a gradient differs from the finite differences of the function."""


GradcheckError.__module__ = "torchlike.autograd.gradcheck"


def not_double(place: int) -> str:
    return (
        f"Input #{place} requires gradient and is not a double precision floating point or complex. This check "
        "will likely fail if all the inputs are not of double precision floating point or complex. "
    )


def overlapping(place: int) -> RuntimeError:
    return RuntimeError(
        f"The {place}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping "
        "to be able to compute the numerical gradients correctly. You should call .contiguous on the input before "
        "passing it to gradcheck."
    )


def expected_zero() -> GradcheckError:
    return GradcheckError("Numerical gradient for function expected to be zero")


def mismatch(mode: str, part: str, output: int, place: int, numerical: Any, analytical: Any) -> GradcheckError:
    where = f"While considering the {part} part of complex outputs only, " if part else ""
    return GradcheckError(
        f"{where}Jacobian {mode}mismatch for output {output} with respect to input {place},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def not_reentrant(tolerance: float) -> GradcheckError:
    return GradcheckError(
        "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
        "different values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism "
        f"was {tolerance}.\n\nNOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
        "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\nthis failure might be "
        "expected.\n"
    )


def not_multiplied() -> GradcheckError:
    return GradcheckError("backward not multiplied by grad_output")


def gradient_dtype() -> GradcheckError:
    return GradcheckError("Gradient has dtype mismatch")


def tangent_dtype() -> GradcheckError:
    return GradcheckError("Forward AD gradient has dtype mismatch.")


def batched_mismatch(output: int, place: int, batched: Any, expected: Any) -> GradcheckError:
    return GradcheckError(
        f"For output {output} and input {place}:\n\ngradcheck or gradgradcheck failed while testing "
        f"batched gradient computation.\n\nGot:\n{batched}\n\nExpected:\n{expected}\n"
    )


def changed_shape(place: int, eps: float, before: Any, after: Any) -> AssertionError:
    return AssertionError(
        f"Expected `func` to return outputs with the same shape when inputs are perturbed on index "
        f"{place} by {eps}, but got: shapes {before} and {after}."
    )
