"""PyTorch's error messages about distributions."""

from __future__ import annotations

from typing import Any


def probs_or_logits() -> ValueError:
    return ValueError("Either `probs` or `logits` must be specified, but not both.")


def too_few_dims(name: str) -> ValueError:
    return ValueError(f"{name} parameter must be at least one-dimensional.")


def _received(value: Any) -> str:
    return f"({type(value).__name__} of shape {tuple(value.shape)})"


def invalid_parameter(name: str, value: Any, distribution: Any, constraint: Any) -> ValueError:
    return ValueError(
        f"Expected parameter {name} {_received(value)} of distribution {distribution!r} to satisfy the "
        f"constraint {constraint!r}, but found invalid values:\n{value}"
    )


def invalid_value(value: Any, distribution: Any, support: Any) -> ValueError:
    return ValueError(
        f"Expected value argument {_received(value)} to be within the support ({support!r}) of the "
        f"distribution {distribution!r}, but found invalid values:\n{value}"
    )


def undefined(kind: type, name: str, remedy: str = "") -> str:
    """Return the warning for a distribution that does not define `name`, so validation is impossible."""
    return (
        f"{kind} does not define `{name}`{remedy} "
        "initialize the distribution with `validate_args=False` to turn off validation."
    )


def use_sample() -> str:
    return "`sample_n(n)` will be deprecated. Use `sample((n,))` instead."


def no_mode(kind: type) -> NotImplementedError:
    return NotImplementedError(f"{kind} does not implement mode")


def dependent_statically(name: str) -> NotImplementedError:
    return NotImplementedError(f".{name} cannot be determined statically")


def no_kl(p: type, q: type) -> NotImplementedError:
    return NotImplementedError(f"No KL(p || q) is implemented for p type {p.__name__} and q type {q.__name__}")


def ambiguous_kl(best: tuple[type, type], other: tuple[type, type]) -> str:
    p, q = best[0].__name__, other[1].__name__
    return f"Ambiguous kl_divergence({p}, {q}). Please register_kl({p}, {q})"


def reinterpreted(wanted: int, given: int, holder: str) -> ValueError:
    return ValueError(f"Expected reinterpreted_batch_ndims <= len({holder}), actual {wanted} vs {given}")


def no_transforms(given: object = None) -> ValueError:
    if given is None:
        return ValueError("transforms must be a Transform or a list of Transforms")
    return ValueError(f"transforms must be a Transform or list, but was {given}")


def base_too_small(dims: int, shape: object) -> ValueError:
    return ValueError(f"base_distribution needs to have shape with size at least {dims}, but got {shape}.")


def mixture_size(wanted: int, given: int) -> ValueError:
    return ValueError(
        f"`mixture_distribution component` ({wanted}) does not equal `component_distribution.batch_shape[-1]` ({given})"
    )


def inhomogeneous_total(method: str = "") -> NotImplementedError:
    if method:
        return NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
    return NotImplementedError("inhomogeneous total_count is not supported")


def no_vector(name: str) -> ValueError:
    return ValueError(f"{name} must be at least one-dimensional.")


def no_matrix(name: str) -> ValueError:
    return ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")


def batch_shapes(loc: object, factor: object, diagonal: object) -> ValueError:
    return ValueError(f"Incompatible batch shapes: loc {loc}, cov_factor {factor}, cov_diag {diagonal}")


def geometric_zero(value: Any, distribution: Any, invalid: Any) -> ValueError:
    return ValueError(
        f"Expected parameter probs {_received(value)} of distribution {distribution!r} to be positive "
        f"but found invalid values:\n{invalid}"
    )


def singular_likely() -> str:
    return "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim."


def cache_size() -> ValueError:
    return ValueError("cache_size must be 0 or 1")


def too_few_dimensions() -> ValueError:
    return ValueError("Too few dimensions on input")


def shape_mismatch(expected: object, given: object) -> ValueError:
    return ValueError(f"Shape mismatch: expected {expected} but got {given}")


# -- joined transforms and constraints ---------------------------------------------------------------------------------


def only_of(sequence: str, kind: str) -> AssertionError:
    return AssertionError(f"All elements of {sequence} must be {kind} instances")


def lengths_match(given: int, name: str, wanted: int) -> AssertionError:
    return AssertionError(f"lengths ({given}) must match {name} ({wanted})")


def dim_outside(dim: int, name: str, dims: int) -> AssertionError:
    return AssertionError(f"dim {dim} out of range for {name} with {dims} dimensions")


def no_constraint(given: object) -> AssertionError:
    return AssertionError(f"base_constraint must be a Constraint, got {type(given).__name__}")
