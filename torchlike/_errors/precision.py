"""PyTorch's error messages about the precision of float32 products."""

from __future__ import annotations

from typing import Any

_TF32_PAGE = "https://pytorch.org/docs/main/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices"


def unknown(value: Any) -> RuntimeError:
    return RuntimeError(f"Unknown precision: {value}")


def not_of_backend(backend: str, value: str) -> RuntimeError:
    return RuntimeError(f"backend '{backend}' does not support precision '{value}'")


def wrong_type(setter: str, wanted: str, got: Any) -> RuntimeError:
    return RuntimeError(f"{setter} expects a {wanted}, but got {type(got).__name__}")


def no_effect(precision: str) -> str:
    return (
        f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
        "setFloat32MatmulPrecision call has no effect."
    )


def mixed_matmul() -> RuntimeError:
    return RuntimeError(
        "PyTorch is checking the matmul precision without a specific backend name,Current status indicate that you "
        "have used mix of the legacy and new APIs to set the matmul precision. We suggest only using the new API for "
        f"matmul precision. See also: {_TF32_PAGE}"
    )


def mixed_cublas() -> RuntimeError:
    return RuntimeError(
        "PyTorch is checking whether allow_tf32_new is enabled for cuBlas matmul,Current status indicate that you "
        "have used mix of the legacy and new APIs to set the TF32 status for cublas matmul. We suggest only using the "
        f"new API to set the TF32 flag. See also: {_TF32_PAGE}"
    )


def mixed_cudnn() -> RuntimeError:
    return RuntimeError(
        "PyTorch is checking whether allow_tf32 is enabled for cuDNN without a specific operator name,but the current "
        "flag(s) indicate that cuDNN conv and cuDNN RNN have different TF32 flags.This combination indicates that you "
        "have used a mix of the legacy and new APIs to set the TF32 flags. We suggest only using the new API to set "
        f"the TF32 flag(s). See also: {_TF32_PAGE}"
    )


def wrong_setting(value: Any, backend: str, op: str) -> TypeError:
    return TypeError(
        "_set_fp32_precision_setter(): incompatible function arguments. The following argument types are supported:\n"
        f"    1. (arg0: str, arg1: str, arg2: str) -> str\n\nInvoked with: {backend!r}, {op!r}, {value!r}"
    )


def wrong_reduction(name: str, value: Any, which: str = "") -> TypeError:
    wanted = f"a bool for {which}" if which else "a bool or a tuple/list of bools"
    return TypeError(f"{name} expects {wanted}, but got {type(value)!r}")


def wrong_reduction_count(name: str, count: int) -> TypeError:
    return TypeError(f"{name} expects at {'most two boolean arguments' if count else 'least one boolean argument'}")


def no_split() -> RuntimeError:
    return RuntimeError("allow_splitk=False is not supported when reduced precision reductions are enabled")


def not_guaranteed(name: str) -> str:
    return (
        f"backends.cuda.matmul.{name} = False is not guaranteed: XLA's own kernels always sum in float32, but cuBLASLt "
        "chooses how it adds partial sums."
    )


def unknown_depthwise(value: Any) -> RuntimeError:
    return RuntimeError(f"Unknown cuDNN depthwise kernel mode: {value}. Expected one of: auto, cudnn, native")
