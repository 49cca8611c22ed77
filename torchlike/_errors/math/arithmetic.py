"""PyTorch's error messages about arithmetic and reductions."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name


def no_freedom(name: str) -> str:
    return (
        f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
        "(input numel divided by output numel)."
    )


def complex_extreme(name: str) -> RuntimeError:
    return RuntimeError(f"{name}(): does not support complex input")


def quantile_range(name: str, q: float | None) -> RuntimeError:
    if q is None:
        return RuntimeError("quantile() q values must be in the range [0, 1]")
    return RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")


def histogram_range(low: float, high: float) -> RuntimeError:
    if low != low or high != high or float("inf") in (abs(low), abs(high)):
        return RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    return RuntimeError("torch.histc: max must be larger than min")


def sorted_dims(sequence: tuple, values: tuple) -> RuntimeError:
    if not sequence and values:
        return RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if not values:
        return RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension "
            f"is 1, but we got boundaries tensor dim({len(sequence)}) and input value's dim(0) numel(1)"
        )
    return RuntimeError(
        "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
        "boundaries tensor and input value tensor must match, but we got boundaries tensor "
        f"{list(sequence)} and input value tensor {list(values)}"
    )


def clamped_complex() -> NotImplementedError:
    return NotImplementedError("clamp is not supported for complex types")


def areas_of_bools(name: str, between: bool) -> RuntimeError:
    which = "`x` or `y`" if between else "`y`"
    return RuntimeError(f"{name}: received a bool input for {which}, but bool is not supported")


def mean_of_integers(dtype: Any, what: str = "Input") -> RuntimeError:
    return RuntimeError(
        f"mean(): could not infer output dtype. {what} dtype must be either a floating point or "
        f"complex dtype. Got: {scalar_name(dtype)}"
    )


def check_mean(call: Any) -> None:
    """Check that `mean` gets a floating-point or complex dtype."""
    dtype = call.dtype or call.input.dtype
    if dtype.category < 2:
        raise mean_of_integers(dtype, "Input" if call.dtype is None else "Optional")


def check_extreme(
    name: str, call: Any, whole: type = RuntimeError, hint: str = " Specify the reduction dim with the 'dim' argument."
) -> None:
    """Check that a maximum, median or mode has at least one element to choose from."""
    source, dim = call.input, call.arguments.get("dim")
    if source.numel:
        return
    if dim is None or dim == ():
        called = name if name == "hash_tensor" else f"{name}()"
        raise whole(f"{called}: Expected reduction dim to be specified for input.numel() == 0.{hint}")
    for d in dim if isinstance(dim, tuple) else (dim,):
        if -source.ndim <= d < source.ndim and not source.shape[d]:
            d = d if name in ("amax", "amin") else d % source.ndim
            called = name if name in ("aminmax", "hash_tensor") else f"{name}()"
            raise IndexError(f"{called}: Expected reduction dim {d} to have non-zero size.")


def bool_minus_bool() -> RuntimeError:
    return RuntimeError(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
        "`logical_xor()` operator instead."
    )


def bool_minus() -> RuntimeError:
    return RuntimeError(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead."
    )


def check_negation(call: Any) -> None:
    """Raise for a bool tensor, which cannot be negated."""
    if call.input.dtype.name == "bool":
        raise bool_negated()


def bool_negated() -> RuntimeError:
    return RuntimeError(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
        "a mask, use the `~` or `logical_not()` operator instead."
    )


def fractional_factor(name: str = "alpha") -> RuntimeError:
    return RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")


def bool_factor(name: str = "alpha") -> RuntimeError:
    return RuntimeError(f"Boolean {name} only supported for Boolean results.")


def clamp_without_bounds(name: str) -> RuntimeError:
    return RuntimeError(f"{name}: At least one of 'min' or 'max' must not be None")


def rounding_mode(got: str) -> RuntimeError:
    return RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{got}'")


def whole_addcdiv() -> RuntimeError:
    return RuntimeError(
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
        "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
        "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
        "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
        "tensor2), for all dtypes."
    )


def check_isclose(call: Any) -> None:
    """Check that the tensors of `isclose` have the same dtype and that the tolerances are not negative."""
    a, b = call.input.dtype, call.other.dtype
    if a is not b:
        raise RuntimeError(f"{scalar_name(a)} did not match {scalar_name(b)}")
    for name in ("rtol", "atol"):
        if call.arguments[name] < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {call.arguments[name]:g}")


def check_gradient(input: Any, spacing: list, dims: list[int], edge_order: int) -> None:
    """Check the arguments of `gradient` (finite differences)."""
    if len(spacing) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
            "arguments to have the same length, but got a spacing argument of length "
            f"{len(spacing)} and a dim argument of length {len(dims)}."
        )
    for step in spacing:
        if hasattr(step, "device") and step.device != input.device:
            raise RuntimeError(
                "torch.gradient expected each tensor to be on the same device, but got devices "
                f"{input.device} and {step.device}!"
            )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    places = [input._nonnegative(d) for d in dims]
    for place in places:
        if places.count(place) > 1:
            raise RuntimeError(f"dim {place} appears multiple times in the list of dims")
        if input.shape[place] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")


def check_renorm(input: Any, p: float, maxnorm: float) -> None:
    """Check the arguments of `renorm`."""
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")


def check_pdist(input: Any, p: float) -> None:
    """Check the arguments of `pdist`."""
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if not input.is_floating_point():
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")


def too_many_dims(name: str, ndim: int) -> RuntimeError:
    return RuntimeError(
        f"{name}(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions"
    )


def check_cov(x: Any) -> None:
    """Check the observations of `cov`."""
    if x.ndim > 2:
        raise too_many_dims("cov", x.ndim)
    if x.dtype.category == 0:
        raise RuntimeError("cov(): bool dtype is not supported for input")


def check_cov_weights(name: str, weights: Any, count: int) -> None:
    """Check the observation weights of `cov`."""
    if weights.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions"
        )
    kind, category = ("integral", 1) if name == "fweights" else ("floating point", 2)
    if weights.dtype.category != category:
        raise RuntimeError(
            f"cov(): expected {name} to have {kind} dtype but got {name} with {scalar_name(weights.dtype)} dtype"
        )
    if weights.numel() != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but "
            f"got {weights.numel()} != {count}"
        )


def no_freedom_left() -> str:
    return "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
