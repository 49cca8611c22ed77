"""PyTorch's error messages about the creation of tensors and about devices."""

from __future__ import annotations

import math
from typing import Any

from torchlike._errors.arguments import cannot, type_name
from torchlike._errors.dtypes import c_name, scalar_name

Ints = tuple[int, ...]


def different_devices(a: Any, b: Any) -> RuntimeError:
    if "meta" in (a.type, b.type):
        return RuntimeError(f"Tensor on device {b} is not on the expected device {a}!")
    return RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {a} and {b}!")


class OutOfMemoryError(RuntimeError):
    """Raised if an accelerator does not have enough free memory."""

    __module__ = "torchlike"

    def __init__(self, *args: Any, tried: int = 0) -> None:
        super().__init__(*args)
        self.tried = tried  # bytes; 0 if the user's program raised the error


class AcceleratorError(RuntimeError):
    """PyTorch's class for errors of kernels that run on an accelerator. torchlike does not raise it."""

    __module__ = "torchlike"


def data_of_text(data: Any) -> TypeError:
    return TypeError(f"new(): invalid data type '{type_name(data)}'")


def cannot_alias(found: Any, wanted: Any) -> ValueError:
    if found.device is not wanted.device:
        return ValueError(f"can't alias tensor from device '{found.device}' to '{wanted.device}'.")
    names = scalar_name(found.dtype), scalar_name(wanted.dtype)
    return ValueError(f"can't alias tensor with dtype '{names[0]}' into dtype '{names[1]}'.")


def never_called(cls: type, hook: str) -> NotImplementedError:
    return cannot(
        f"Tensor.{hook}",
        f"operators would not call the hook of {cls.__name__}: use a function, a module or a "
        "torch.autograd.Function instead",
    )


def has_slots(cls: type) -> NotImplementedError:
    return cannot("Tensor.__slots__", f"tensors cannot change their class to {cls.__name__}: use plain attributes")


def no_tensor_class() -> TypeError:
    return TypeError(
        "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
        "class inherits from Tensor."
    )


def cannot_require_grad() -> RuntimeError:
    return RuntimeError("Only Tensors of floating point and complex dtype can require gradients")


def unsafe_cast(function: str, inferred: Any, given: Any) -> RuntimeError:
    return RuntimeError(
        f"torch.{function}(): inferred dtype {c_name(inferred)} can't be safely cast to passed dtype "
        f"{scalar_name(given)}"
    )


def negative_dim(n: int, shape: Ints) -> RuntimeError:
    return RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")


def range_resized(shape: Ints, count: int) -> str:
    return (
        f"The number of elements in the out tensor of shape {list(shape)} is {math.prod(shape)} which does not match "
        f"the computed number of elements {count}. Note that this may occur as a result of rounding error. The out "
        f"tensor will be resized to a tensor of shape ({count},)."
    )


def no_accelerator() -> RuntimeError:
    return RuntimeError("Cannot access accelerator device when none is available.")


def cannot_pin(tensor: Any) -> RuntimeError:
    return RuntimeError(f"cannot pin '{tensor.type()}' only dense CPU tensors can be pinned")


def copy_construct(call: str) -> str:
    return (
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {call}(sourceTensor)."
    )


DEPRECATED_RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)


DEFAULT_TENSOR_TYPE = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives."
)


def other_options(wanted: Any, got: Any) -> str:
    rest = (
        "device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
        "memory_format=(nullopt))"
    )
    return f"expected TensorOptions(dtype={c_name(wanted)}, {rest} (got TensorOptions(dtype={c_name(got)}, {rest})"


def check_window(name: str, length: int, layout: Any, dtype: Any, allowed: tuple) -> None:
    """Check the arguments of a window function of `torch.signal`."""
    if length < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={length}")
    if layout is not None and repr(layout) != "torch.strided":
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in allowed:
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")


def check_ends(name: str, start: Any, end: Any) -> None:
    """Check that tensor end points of a range of evenly spaced numbers are zero-dim."""
    ends = (("start", getattr(start, "ndim", 0)), ("end", getattr(end, "ndim", 0)))
    if found := " and ".join(f"{which} with {ndim} dimension(s)" for which, ndim in ends if ndim):
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {found}.")


def check_physical_layout(ndim: int, order: Ints) -> None:
    """Check that a memory order contains each dim once."""
    if len(order) != ndim:
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {ndim} is not equal to len(physical_layout) = {len(order)}"
        )
    for at, dim in enumerate(order):
        if not 0 <= dim < ndim:
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {ndim - 1}, but got {dim} at "
                f"index {at}).  NB: negative dims not currently supported; file an issue if you want it."
            )
    if len(set(order)) != ndim:
        raise RuntimeError("Duplicate dim not allowed")


def not_built_for(kind: str) -> AssertionError:
    return AssertionError(f"Torch not compiled with {kind} enabled")


def absent(type: str) -> Exception:
    """Return the error of PyTorch's CPU build for a device type, or torchlike's error for a type of its own."""
    if type in ("cuda", "xpu"):
        return not_built_for(type.upper())
    if type == "mtia":
        return AssertionError(
            "Torch not compiled with MTIA enabled. Ensure you have `import "
            "mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
            "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!"
        )
    return NotImplementedError("No TPU devices are available") if type == "tpu" else not_linked(type)


def no_native(name: str) -> AttributeError:
    """Return the error of functions whose C++ part is not in PyTorch's CPU build."""
    return AttributeError(f"module 'torch._C' has no attribute '{name}'")


def no_instance(name: str) -> RuntimeError:
    """Return the error of classes whose C++ part is not in PyTorch's CPU build."""
    return RuntimeError(f"Tried to instantiate dummy base class {name}")


def not_linked(type: str) -> RuntimeError:
    return RuntimeError(f"PyTorch is not linked with support for {type} devices")


def no_support(kind: str) -> RuntimeError:
    return RuntimeError(f"PyTorch was compiled without {kind} support")


def accelerator_expected() -> RuntimeError:
    return RuntimeError("Accelerator expected")


def needs_index(got: Any) -> ValueError:
    return ValueError(f"Expected a torch.device with a specified index or an integer, but got:{got}")


def wrong_device(type: str, got: Any) -> ValueError:
    return ValueError(f"Expected a {type} device, but got: {got}")


def renamed_memory(stem: str) -> str:
    return f"`torch.cuda.{stem}_cached` has been renamed to `torch.cuda.{stem}_reserved`"


def resets_all(name: str) -> str:
    return f"torch.cuda.{name} now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak memory stats."


def no_handle() -> RuntimeError:
    return RuntimeError("Backend doesn't support getting stream native handle.")


def no_cuda_stream() -> RuntimeError:
    return RuntimeError("torch.cuda.Stream requires CUDA support")


def no_nvtx() -> RuntimeError:
    return RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


def no_mps(order: str) -> RuntimeError:
    return RuntimeError(f"Cannot execute {order}() without MPS backend.")


def no_events(device: str) -> RuntimeError:
    return RuntimeError(f"{device} backend doesn't support events.")


NO_MESSAGE = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)
CHECK_IS_SIZE = (
    "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     Use "
    "_check(i >= 0) instead."
)

IGNORE_DROP = (
    "ignore(True) has been deprecated. TorchScript will now drop the function call on compilation. Use "
    "torch.jit.unused now. {}"
)


def check_of(condition: object) -> TypeError:
    if hasattr(condition, "_storage"):
        return TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() "
            "to assert that all elements are true."
        )
    return TypeError(f"cond must be a bool, but got {type(condition)}")


def old_storage(name: str, wrong: str) -> str:
    return (
        f"<class 'torch.{name}'>.__new__ received an invalid combination of arguments. Expected one of:\n"
        f" * no arguments\n * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)\n{wrong}"
    )


def not_a_stream(got: Any) -> TypeError:
    return TypeError(
        "_accelerator_setStream(): incompatible function arguments. The following argument types are supported:\n"
        f"    1. (arg0: torch.Stream) -> None\n\nInvoked with: {got!r}"
    )


def not_cuda() -> RuntimeError:
    return RuntimeError("Invalid device, must be cuda device")
