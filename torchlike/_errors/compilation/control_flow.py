"""PyTorch's error messages about control flow operators, such as `cond` and loops."""

from __future__ import annotations

from typing import Any

from torchlike._errors.compilation.compiling import TorchDynamoException


class UncapturedHigherOrderOpError(TorchDynamoException):
    """Raised if a function passed to a control flow operator does something that is not allowed."""


class TorchRuntimeError(TorchDynamoException):
    """Raised if the results of functions passed to a control flow operator do not match."""


for _kind in (UncapturedHigherOrderOpError, TorchRuntimeError):
    _kind.__module__ = "torch._dynamo.exc"  # the module from which programs import them

CONSTANT_PREDICATE = (
    "Pred is a Python constant. When used with torch.cond, it specializes on one of the branches. If "
    "you want torch.cond to preserve two branches, please make the predicate a boolean tensor or a SymBool."
)


def observed(name: str, sentence: str) -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(f"{name}: data-dependent branching. {sentence}")


def aliasing(name: str, which: str) -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(
        f"{name}: Encountered aliasing during higher order op tracing. Higher order ops do not support aliasing: "
        f"{which} aliasing detected. Replace `return input` with `return input.clone()` to avoid aliasing."
    )


def mutation(name: str) -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(
        f"{name}: Encountered input mutation during higher order op tracing. Higher "
        "order ops do not support input mutation."
    )


# -- cond --------------------------------------------------------------------------------------------------------------


def constant_result() -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(
        "torch.cond: unsupported branch return type (constant non-int). Constants returned from branches must be ints."
    )


def differing_branches(true: Any, false: Any) -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(
        "torch.cond: differing branch outputs. Expected branches to return the same "
        f"pytree structure, got {true} and {false}."
    )


def differing_results(true: Any, false: Any) -> TorchRuntimeError:
    what, a, b = "dim", true.ndim, false.ndim
    if true.dtype is not false.dtype:
        what, a, b = "dtype", true.dtype, false.dtype
    return TorchRuntimeError(
        f"When merging two branches' output in torch.cond,  expected same {what} but got {a} and {b}."
    )


def differing_strides(true: tuple, false: tuple) -> TorchRuntimeError:
    return TorchRuntimeError(
        "The sorted order of strides of the two branches' output doesn't match.this indicates the "
        f"contiguousness of the two branches are different. True branch has stride {true} but "
        f"false branch has stride {false}.Consider using contiguous() to make the two branches "
        "have the same contiguousness."
    )


# -- loops -------------------------------------------------------------------------------------------------------------

NO_SLICES = "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"


def carried_leaves(leaves: list) -> AssertionError:
    kinds = ", ".join(repr(type(leaf)) for leaf in leaves)
    return AssertionError(
        f"{leaves} can only be of (<class 'torch.Tensor'>, <class 'int'>, <class 'torch.SymInt'>) but got ({kinds})"
    )


def infinite_loop() -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(
        "torch.while_loop: infinite loop detected because while_loop's cond_fn always returns the same value True."
    )


def condition_kind(got: Any) -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(
        "torch.while_loop: unsupported cond_fn return type. Expected cond_fn to return "
        f"a scalar tensor or a bool but got {got}."
    )


def carried_count(what: str, made: list, given: list) -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(
        f"Expected {what} to have same number of outputs but got lhs:{made} and rhs:{given}"
    )


def carried_metadata(what: str, different: list[str]) -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(f"Expected {what} to have same metadata but found:\n" + "\n".join(different))


def combine_callable(given: Any) -> str:
    return f"Combine_fn must be a callable, but got {given}"


def reverse_kind(given: Any) -> RuntimeError:
    return RuntimeError(f"Reverse must be a bool, but got {type(given)}")


def different_lengths(shapes: list, dim: int) -> RuntimeError:
    return RuntimeError(f"all xs must have the same size along dim {dim}, got shapes {', '.join(map(str, shapes))}")


def scan_results(got: Any, carry: Any) -> UncapturedHigherOrderOpError:
    return UncapturedHigherOrderOpError(
        f"Expected combine_fn to return a tuple of a carry, whose structure is that of "
        f"init, {carry}, and any containers of tensors; got {got}"
    )


def no_tensor_leaf(name: str, leaves: list) -> TorchDynamoException:
    kinds = [type(x).__name__ for x in leaves]
    return UncapturedHigherOrderOpError(
        f"{name}: non torch.Tensor leaf. Expected all leaves to be of torch.Tensor type, got {kinds}"
    )


def combine_mode(given: Any) -> ValueError:
    return ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {given}")
