"""PyTorch's error messages about dtypes, and the names of dtypes in error messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._errors import warned

_C_NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "int64": "long int",
    "int32": "int",
    "int16": "short int",
    "int8": "signed char",
    "uint8": "unsigned char",
    "uint64": "long unsigned int",
    "uint32": "unsigned int",
    "uint16": "short unsigned int",
    "bool": "bool",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}
_SCALAR_NAMES = {
    "float32": "Float",
    "float64": "Double",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "int64": "Long",
    "int32": "Int",
    "int16": "Short",
    "int8": "Char",
    "uint8": "Byte",
    "bool": "Bool",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
}


def c_name(dtype: Any) -> str:
    """Return the C++ type of a dtype, such as `float` or `long int`, as some of PyTorch's errors print it."""
    return _C_NAMES.get(dtype.name) or f"c10::{scalar_name(dtype)}"


def scalar_name(dtype: Any) -> str:
    """Return PyTorch's internal name of a dtype, such as `Float` or `Long`, as its errors print it."""
    return _SCALAR_NAMES.get(dtype.name) or str(dtype.name.capitalize())  # 8-bit floats


def type_text(tensor: Any) -> str:
    """Return the type of a tensor or aval, as some errors print it: `torch.FloatTensor`."""
    on_gpu, name = tensor.device.type == "cuda", scalar_name(tensor.dtype)
    if tensor.dtype.is_complex or name in ("BFloat16", "Bool"):  # PyTorch's C++ has no Python name for these
        return ("CUDA" if on_gpu else "CPU") + name + "Type"
    return ("torch.cuda." if on_gpu else "torch.") + name + "Tensor"


def expected_scalar_type(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"expected scalar type {scalar_name(a)} but found {scalar_name(b)}")


def not_implemented(kernel: str, dtype: Any) -> NotImplementedError:
    """Return PyTorch's error for a dtype that a kernel does not support. It names the inner kernel."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


def not_eight_bits(kernel: str, *dtypes: Any) -> None:
    """Raise PyTorch's error if a dtype is an 8-bit float. The calling function reads elements on the host."""
    for dtype in dtypes:
        if dtype.category == 2 and dtype.itemsize == 1:
            raise not_implemented(kernel, dtype)


def wide_promotion(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
        f"{scalar_name(a)} and {scalar_name(b)}"
    )


def float8_promotion(a: Any, b: Any) -> RuntimeError:
    names = f"{scalar_name(a)} and {scalar_name(b)}"
    return RuntimeError(f"Promotion for Float8 Types is not supported, attempted to promote {names}")


def no_storage(dtype: Any) -> TypeError:
    return TypeError(f"couldn't find storage object {scalar_name(dtype)}Storage")


def no_complex_of(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Unknown Complex ScalarType for {scalar_name(dtype)}")


def no_complex(name: str) -> Any:
    """Return a check that raises PyTorch's error for complex inputs."""

    def check(call: Any) -> None:
        if call.input.dtype.is_complex:
            raise NotImplementedError(f"{name} is not supported for complex inputs")

    return check


def only_complex_has(name: str) -> RuntimeError:
    return RuntimeError(f"{name} is not implemented for tensors with non-complex dtypes.")


def cannot_become(source: Any, target: Any) -> RuntimeError:
    return RuntimeError(f"result type {scalar_name(source)} can't be cast to the desired output type {c_name(target)}")


def cannot_cast(source: Any, target: Any) -> RuntimeError:
    return RuntimeError(
        f"result type {scalar_name(source)} can't be cast to the desired output type {scalar_name(target)}"
    )


COMPLEX_TO_REAL = "Casting complex values to real discards the imaginary part"


def warn_of_cast(source: Any, target: Any) -> None:
    """Warn, once per process, if a cast discards the imaginary part of complex numbers."""
    if source.is_complex and not target.is_complex and target.name != "bool":
        warned.once(COMPLEX_TO_REAL)


def exact_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"Expected out tensor to have dtype {c_name(result)}, but got {c_name(out)} instead")


def unlike_out(result: Any, out: Any) -> RuntimeError:
    """Return the error of `amax` and `amin` for an `out=` of another dtype."""
    return RuntimeError(
        f"Expected the dtype for input and out to match, but got {scalar_name(result)} for input's "
        f"dtype and {scalar_name(out)} for out's dtype."
    )


def scalar_type_of_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"expected scalar_type {scalar_name(result)} but found {scalar_name(out)}")


def object_of_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected object of scalar type {scalar_name(result)} but got scalar type {scalar_name(out)} "
        "for argument 'out'"
    )


def mode_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"expected scalar type '{scalar_name(result)}' but got '{scalar_name(out)}' for values output")


def mode_indices_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"expected scalar type '{scalar_name(result)}' but got '{scalar_name(out)}' for indices output")


def kthvalue_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError("output values must be of same type as input")


def nan_to_num_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(f"nan_to_num: dtype of out: {scalar_name(out)} should be same as input: {scalar_name(result)}")


def bool_out(name: str) -> Callable[[Any, Any], RuntimeError]:
    return lambda result, out: RuntimeError(f"{name} does not support non-boolean outputs.")


def same_scalar_type(name: str) -> Callable[[Any, Any], RuntimeError]:
    return lambda result, out: RuntimeError(f"{name}(): self and result must have the same scalar type")


def take_out(result: Any, out: Any) -> RuntimeError:
    return RuntimeError(
        "take(): self and out expected to have the same dtype, but got self.dtype = "
        f"{scalar_name(result)} and out.dtype = {scalar_name(out)}"
    )


def made_out(made: Any, out: Any) -> RuntimeError:
    """Return the error of factory functions for an `out=` whose dtype differs from the `dtype` argument."""
    return RuntimeError(f"dtype {scalar_name(made)} does not match dtype of out parameter ({scalar_name(out)})")


def cannot_join_out(result: Any, out: Any) -> TypeError:
    return cannot_join(out)


def cannot_join(out: Any) -> TypeError:
    return TypeError(f"torch.cat(): input types can't be cast to the desired output type {scalar_name(out)}")


def unequal_target(target: Any, input: Any) -> RuntimeError:
    return RuntimeError(f"Found dtype {scalar_name(target)} but expected {scalar_name(input)}")


def not_integer(dtype: Any) -> TypeError:
    if dtype.name == "bool":
        return TypeError("torch.bool is not supported by torch.iinfo")
    return TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")


def too_large(number: int) -> OverflowError:
    return OverflowError("int too big to convert" if number > 0 else "can't convert negative int to unsigned")


def too_large_to_unpack() -> ValueError:
    return ValueError("Overflow when unpacking long long")


def check_width(number: int) -> None:
    """Raise if an int does not fit 64 bits."""
    if not -(1 << 63) <= number < 1 << 63:
        raise too_large_to_unpack()


def overflow(dtype_name: str) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {dtype_name} without overflow")


def fixed_width_name(dtype: Any) -> str:
    """Return the C type name as some errors print it: `uint8_t` with a width, but `int` for int32."""
    return f"{dtype.name}_t" if dtype.category == 1 and dtype.name != "int32" else c_name(dtype)


def index_put_dtypes(target: Any, source: Any) -> RuntimeError:
    names = f"got {scalar_name(target)} for the destination and {scalar_name(source)} for the source."
    return RuntimeError(f"Index put requires the source and destination dtypes match, {names}")


def complex_in_place(name: str) -> RuntimeError:
    return RuntimeError(f"In-place {name} is not supported for complex tensors.")
