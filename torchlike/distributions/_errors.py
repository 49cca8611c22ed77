"""PyTorch's error messages about distributions."""

from __future__ import annotations

from typing import Any


def not_broadcastable_arguments() -> ValueError:
    return ValueError(
        "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
    )


def diagonal_outside(diag: int, n: int) -> ValueError:
    return ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")


def not_triangular(count: int, diag: int) -> ValueError:
    return ValueError(
        f"The size of last dimension is {count} which cannot be expressed as "
        "the lower triangular part of a square D x D matrix."
    )


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


def value_is_no_tensor() -> ValueError:
    return ValueError("The value argument to log_prob must be a Tensor")


def value_of_other_event(value: Any, event_shape: Any) -> ValueError:
    return ValueError(f"The right-most size of value must match event_shape: {value.size()} vs {event_shape}.")


def value_of_other_batch(value: Any, shape: Any) -> ValueError:
    return ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {shape}.")


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


def no_expand(kind: type, base: type) -> NotImplementedError:
    return NotImplementedError(
        f"Subclass {kind.__name__} of {base.__name__} that defines a custom __init__ method "
        "must also define a custom .expand() method."
    )


def bregman_of_two_families() -> NotImplementedError:
    # PyTorch's message contains the run of spaces.
    return NotImplementedError(
        "The cross KL-divergence between different exponential families cannot "
        + " " * 28
        + "be computed using Bregman divergences"
    )


def cannot_transform(constraint: Any) -> NotImplementedError:
    return NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")


def dependent_statically(name: str) -> NotImplementedError:
    return NotImplementedError(f".{name} cannot be determined statically")


def dependent_check() -> ValueError:
    return ValueError("Cannot determine validity of dependent constraint")


def registers_constraints(given: object) -> TypeError:
    return TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {given}")


def no_kl(p: type, q: type) -> NotImplementedError:
    return NotImplementedError(f"No KL(p || q) is implemented for p type {p.__name__} and q type {q.__name__}")


def ambiguous_kl(best: tuple[type, type], other: tuple[type, type]) -> str:
    p, q = best[0].__name__, other[1].__name__
    return f"Ambiguous kl_divergence({p}, {q}). Please register_kl({p}, {q})"


def kl_of_more_trials() -> NotImplementedError:
    return NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")


def kl_of_other_shapes(kind: str) -> ValueError:
    # PyTorch's message contains the run of spaces.
    return ValueError(f"KL-divergence between two {kind} with{' ' * 26}different event shapes cannot be computed")


def reinterpreted(wanted: int, given: int, holder: str) -> ValueError:
    return ValueError(f"Expected reinterpreted_batch_ndims <= len({holder}), actual {wanted} vs {given}")


def no_cartesian_product() -> NotImplementedError:
    return NotImplementedError("Enumeration over cartesian product is not implemented")


def no_transforms(given: object = None) -> ValueError:
    if given is None:
        return ValueError("transforms must be a Transform or a list of Transforms")
    return ValueError(f"transforms must be a Transform or list, but was {given}")


def base_too_small(dims: int, shape: object) -> ValueError:
    return ValueError(f"base_distribution needs to have shape with size at least {dims}, but got {shape}.")


def no_mixture() -> ValueError:
    return ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")


def no_component() -> ValueError:
    return ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")


def mixture_size(wanted: int, given: int) -> ValueError:
    return ValueError(
        f"`mixture_distribution component` ({wanted}) does not equal `component_distribution.batch_shape[-1]` ({given})"
    )


def mixture_shape(wanted: object, given: object) -> ValueError:
    return ValueError(
        f"`mixture_distribution.batch_shape` ({wanted}) is not compatible with "
        f"`component_distribution.batch_shape`({given})"
    )


def inhomogeneous_total(method: str = "") -> NotImplementedError:
    if method:
        return NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
    return NotImplementedError("inhomogeneous total_count is not supported")


def correlation_size(dim: int) -> ValueError:
    return ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")


def no_vector(name: str) -> ValueError:
    return ValueError(f"{name} must be at least one-dimensional.")


def no_matrix(name: str) -> ValueError:
    return ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")


def factor_shape(size: int) -> ValueError:
    return ValueError(f"cov_factor must be a batch of matrices with shape {size} x m")


def diagonal_shape(shape: object) -> ValueError:
    return ValueError(f"cov_diag must be a batch of vectors with shape {shape}")


def batch_shapes(loc: object, factor: object, diagonal: object) -> ValueError:
    return ValueError(f"Incompatible batch shapes: loc {loc}, cov_factor {factor}, cov_diag {diagonal}")


def one_covariance(kind: type[Exception]) -> Exception:
    return kind("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")


def geometric_zero(value: Any, distribution: Any, invalid: Any) -> ValueError:
    return ValueError(
        f"Expected parameter probs {_received(value)} of distribution {distribution!r} to be positive "
        f"but found invalid values:\n{invalid}"
    )


def too_little_freedom(df: Any, size: int) -> ValueError:
    return ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")


def singular_likely() -> str:
    return "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim."


def cache_size() -> ValueError:
    return ValueError("cache_size must be 0 or 1")


def two_event_dims() -> ValueError:
    return ValueError("Please use either .domain.event_dim or .codomain.event_dim")


def too_few_dimensions() -> ValueError:
    return ValueError("Too few dimensions on input")


def shape_mismatch(expected: object, given: object) -> ValueError:
    return ValueError(f"Shape mismatch: expected {expected} but got {given}")


def element_counts() -> ValueError:
    return ValueError("in_shape, out_shape have different numbers of elements")


def not_flattened() -> ValueError:
    return ValueError("Input is not a flattened lower-diagonal number")


def not_square() -> ValueError:
    return ValueError("Input is not square")


def no_wishart_matrix() -> ValueError:
    return ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")


# -- joined transforms and constraints ---------------------------------------------------------------------------------


def only_of(sequence: str, kind: str) -> AssertionError:
    return AssertionError(f"All elements of {sequence} must be {kind} instances")


def lengths_match(given: int, name: str, wanted: int) -> AssertionError:
    return AssertionError(f"lengths ({given}) must match {name} ({wanted})")


def dim_outside(dim: int, name: str, dims: int) -> AssertionError:
    return AssertionError(f"dim {dim} out of range for {name} with {dims} dimensions")


def wrong_length(name: str, dim: int, given: int, wanted: str) -> AssertionError:
    return AssertionError(f"{name}.size({dim}) = {given} must equal {wanted}")


def no_constraint(given: object) -> AssertionError:
    return AssertionError(f"base_constraint must be a Constraint, got {type(given).__name__}")


def reinterpreted_kind(given: object) -> AssertionError:
    return AssertionError(f"reinterpreted_batch_ndims must be an int, got {type(given).__name__}")


def reinterpreted_negative(given: int) -> AssertionError:
    return AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {given}")


def fewer_dims(wanted: int, given: int) -> ValueError:
    return ValueError(f"Expected value.dim() >= {wanted} but got {given}")
