"""PyTorch's error messages about random numbers."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import c_name, scalar_name


def random_state_size(wanted: int, got: int) -> RuntimeError:
    return RuntimeError(
        f"Expected a CPUGeneratorImplState of size {wanted} but found the input RNG state size to be {got}"
    )


def no_accelerator(kind: str) -> RuntimeError:
    return RuntimeError(f"{kind} device type not an accelerator.")


def no_generator(kind: str) -> RuntimeError:
    name = {"cuda": "CUDA", "tpu": "XLA"}[kind]
    return RuntimeError(f"Cannot get {name} generator, because JAX finds no device of the type '{kind}'.")


def generator_device(wanted: str, got: str) -> RuntimeError:
    return RuntimeError(f"Expected a '{wanted}' device type for generator but found '{got}'")


def generator_without_offset() -> RuntimeError:
    return RuntimeError("CPU Generator does not use offset")


def continuous_distribution(name: str, dtype: str) -> RuntimeError:
    return RuntimeError(
        f"{name} distribution is a continuous probability distribution. dtype must be a floating point "
        f"but you specified {dtype}"
    )


def out_of_bounds_of(name: str, dtype: Any) -> RuntimeError:
    return RuntimeError(f"{name} is out of bounds for {c_name(dtype)}")


def parameter_of(draw: str, rule: str, name: str, value: float) -> RuntimeError:
    """Return an error such as `cauchy_ expects sigma > 0.0, but found sigma=0`."""
    return RuntimeError(f"{draw} expects {rule}, but found {name}={value:g}")


def probability_of(draw: str, interval: str, p: float) -> RuntimeError:
    return RuntimeError(f"{draw} expects p to be in {interval}, but got p={p:g}")


def uniform_width(low: float, high: float, dtype: Any) -> RuntimeError:
    return RuntimeError(
        f"uniform_ expects to-from <= std::numeric_limits<{scalar_name(dtype)}>::max(), but found "
        f"to={high:g} and from={low:g} which result in to-from to exceed the limit"
    )


def random_order(low: int, high: int) -> RuntimeError:
    return RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")


def random_order_in_dtype(low: int, high: int) -> RuntimeError:
    return RuntimeError(
        f"random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from={low} >= to={high}"
    )


def random_order_to_last(low: int, last: int) -> RuntimeError:
    return RuntimeError(
        "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
        f"but got from={low} > to_inc={last}"
    )


def random_full_range() -> RuntimeError:
    return RuntimeError("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")


def random_kind() -> RuntimeError:
    return RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")


def binomial_dtype(name: str, dtype: Any) -> ValueError:
    return ValueError(f"binomial only supports floating-point dtypes for {name}, got: {scalar_name(dtype)}")


def multinomial_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {scalar_name(dtype)}")


def multinomial_row(what: str) -> RuntimeError:
    return RuntimeError(f"invalid multinomial distribution ({what})")


def permutation_too_long(bits: int, dtype: Any) -> RuntimeError:
    limit = 2**bits + 1 if bits == 11 else f"2^{bits}+1"
    return RuntimeError(f"n cannot be greater than {limit} for {scalar_name(dtype)} type.")


def long_out(out: Any) -> RuntimeError | None:
    return (
        None if out.name == "int64" else RuntimeError(f"multinomial expects Long tensor out, got: {scalar_name(out)}")
    )
