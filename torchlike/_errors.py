"""PyTorch's error sentences, each written once: a function here returns the exception to raise."""

from __future__ import annotations

import inspect
import math
from typing import Any

# -- shapes and dims ---------------------------------------------------------------------------------------------------


def not_broadcastable(a: int, b: int, dim: int) -> RuntimeError:
    return RuntimeError(
        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
    )


def dim_out_of_range(dim: int, ndim: int) -> IndexError:
    return IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")


def dim_of_scalar(dim: int) -> IndexError:
    return IndexError(f"Dimension specified as {dim} but tensor has no dimensions")


def repeated_dim(dim: int) -> RuntimeError:
    return RuntimeError(f"dim {dim} appears multiple times in the list of dims")


def invalid_shape(shape: tuple[int, ...], count: int) -> RuntimeError:
    return RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")


def ambiguous_minus_one(shape: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                        "dimension size -1 can be any value and is ambiguous")  # fmt: skip


def view_not_possible() -> RuntimeError:
    return RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension spans "
                        "across two contiguous subspaces). Use .reshape(...) instead.")  # fmt: skip


def permute_length(ndim: int, given: int) -> RuntimeError:
    return RuntimeError(
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
        f"desired ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {given}"
    )


def expand_rank(shape: tuple[int, ...], size: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(f"expand({_list(shape)}, size={list(size)}): the number of sizes provided ({len(size)}) must "
                        f"be greater or equal to the number of dimensions in the tensor ({len(shape)})")  # fmt: skip


def expand_leading(size: tuple[int, ...], dim: int) -> RuntimeError:
    return RuntimeError("The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
                        f"{dim}")  # fmt: skip


def expand_mismatch(n: int, old: int, dim: int, size: tuple[int, ...], shape: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size ({old}) at non-singleton "
                        f"dimension {dim}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}")  # fmt: skip


def _list(shape: tuple[int, ...]) -> str:
    return f"torch.FloatTensor{{{list(shape)}}}"


def check_matmul(a: Any, b: Any) -> None:
    """Raise PyTorch's error when two avals cannot be multiplied as matrices."""
    if not a.ndim or not b.ndim:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise _inner_mismatch(a, b)
    if a.dtype is not b.dtype:
        if b.ndim == 1:
            raise dot_dtypes(a.dtype, b.dtype) if a.ndim == 1 else mv_dtypes(a.dtype, b.dtype)
        raise (expected_scalar_type if a.ndim > 2 and b.ndim > 2 else product_dtypes)(a.dtype, b.dtype)


def _inner_mismatch(a: Any, b: Any) -> RuntimeError:
    if a.ndim == 1 and b.ndim == 1:
        return dot_sizes(a.shape[0], b.shape[0])
    rows = math.prod(a.shape[:-1])
    if b.ndim == 1:
        return RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{a.shape[-1]}), vec ({b.shape[0]})")
    if b.ndim > 2 and a.ndim != 2:
        batch = math.prod(b.shape[:-2] if a.ndim == 1 else a.shape[:-2])
        return RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {a.shape[-1]}] "
                            f"but got: [{batch}, {b.shape[-2]}].")  # fmt: skip
    return mat_shapes(rows, a.shape[-1], b.shape[-2], b.shape[-1])


def mat_shapes(n: int, k: int, k2: int, m: int) -> RuntimeError:
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {k2}x{m})")


def product_dtypes(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}")


def batch_shapes(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] "
                        f"but got: [{b.shape[0]}, {b.shape[1]}].")  # fmt: skip


def expected_scalar_type(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"expected scalar type {scalar_name(a)} but found {scalar_name(b)}")


def mv_dtypes(a: Any, v: Any) -> RuntimeError:
    names = ", ".join(map(scalar_name, (v, a)))
    return RuntimeError(f"addmv input tensors must have the same dtype, but got {names}, and {scalar_name(v)}")


def dot_dtypes(a: Any, b: Any) -> RuntimeError:
    return RuntimeError("dot : expected both vectors to have same dtype, but found "
                        f"{scalar_name(a)} and {scalar_name(b)}")  # fmt: skip


def dot_sizes(n: int, m: int) -> RuntimeError:
    return RuntimeError(f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of "
                        f"elements, but got {n} and {m} elements respectively")  # fmt: skip


class LinAlgError(RuntimeError):
    """A decomposition that its matrix does not allow, such as the inverse of a singular one."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"  # as PyTorch's prints


def check_matrix(name: str, a: Any, square: bool) -> None:
    """Decompositions take matrices (square ones, some of them) of single or double precision."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if square and a.shape[-1] != a.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} "
                           "matrices")  # fmt: skip
    if a.dtype.category < 2:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {scalar_name(a.dtype)}")
    if a.dtype.itemsize < 4:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {scalar_name(a.dtype)}")


def incompatible_system(name: str, a: Any, b: str, left: bool = True) -> RuntimeError:
    equation = "AX = B" if left else "XA = B"
    return RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {equation} "
                        f"({a.shape[-2]}x{a.shape[-1]} and {b})")  # fmt: skip


def singular(name: str, batch: int | None, order: int) -> LinAlgError:
    where = "" if batch is None else f"(Batch element {batch}): "
    if name == "linalg.inv":
        return LinAlgError(f"{name}: {where}The diagonal element {order} is zero, the inversion could not be completed "
                           "because the input matrix is singular.")  # fmt: skip
    return LinAlgError(f"{name}: {where}The solver failed because the input matrix is singular.")


def not_positive_definite(batch: int | None, order: int) -> LinAlgError:
    where = "" if batch is None else f"(Batch element {batch}): "
    return LinAlgError(f"linalg.cholesky: {where}The factorization could not be completed because the input is not "
                       f"positive-definite (the leading minor of order {order} is not positive-definite).")  # fmt: skip


_C_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
            "int64": "long int", "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
            "uint64": "long unsigned int", "uint32": "unsigned int", "uint16": "short unsigned int", "bool": "bool",
            "complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}  # fmt: skip
_SCALAR_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
                 "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
                 "complex64": "ComplexFloat", "complex128": "ComplexDouble", "uint16": "UInt16", "uint32": "UInt32",
                 "uint64": "UInt64"}  # fmt: skip


def c_name(dtype: Any) -> str:
    """The C++ type of a dtype, such as `float` or `long int`, as some of PyTorch's errors print it."""
    return _C_NAMES.get(str(dtype.name)) or str(dtype.name)


def scalar_name(dtype: Any) -> str:
    """PyTorch's internal name of a dtype, such as `Float` or `Long`, as its errors print it."""
    return _SCALAR_NAMES[dtype.name]


def check_linear(call: Any) -> None:
    """Raise PyTorch's errors for a linear layer's shapes and dtypes."""
    a, w = call.input, call.weight
    if a.shape[-1:] != w.shape[-1:]:
        rows = 1
        for n in a.shape[:-1]:
            rows *= n
        raise mat_shapes(rows, a.shape[-1] if a.ndim else 1, w.shape[-1], w.shape[0])
    if a.dtype is not w.dtype and call.bias is None:
        raise product_dtypes(a.dtype, w.dtype)
    if a.dtype is not w.dtype:
        raise RuntimeError("mat1 and mat2 must have the same dtype, but got "
                           f"{scalar_name(a.dtype)} and {scalar_name(w.dtype)}")  # fmt: skip
    if call.bias is not None and call.bias.shape[-1:] not in ((1,), (w.shape[0],)) and w.ndim > 1:
        size = (*a.shape[:-1], w.shape[0])
        raise expand_mismatch(w.shape[0], call.bias.shape[-1], len(size) - 1, size, tuple(call.bias.shape))


def check_mean(call: Any) -> None:
    """`mean` needs a floating-point or complex dtype."""
    dtype = call.dtype or call.input.dtype
    if dtype.category < 2:
        what = "Input" if call.dtype is None else "Optional"
        raise RuntimeError("mean(): could not infer output dtype. " f"{what} dtype must be either a floating point or "
                           f"complex dtype. Got: {scalar_name(dtype)}")  # fmt: skip


def check_extreme(name: str, call: Any, whole: type = RuntimeError,
                  hint: str = " Specify the reduction dim with the 'dim' argument.") -> None:  # fmt: skip
    """A maximum, median or mode needs at least one element to choose from."""
    source, dim = call.input, call.arguments.get("dim")
    if source.numel:
        return
    if dim is None or dim == ():
        raise whole(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{hint}")
    for d in dim if isinstance(dim, tuple) else (dim,):
        d = d % max(source.ndim, 1) if -source.ndim <= d < source.ndim else None
        if d is not None and not source.shape[d]:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def selected_index_out_of_range() -> RuntimeError:
    return RuntimeError("selected index k out of range")


# -- arguments ---------------------------------------------------------------------------------------------------------


def unsupported(name: str, argument: str) -> NotImplementedError:
    return NotImplementedError(f"{name}: the argument '{argument}' is not supported by torchlike yet")


def unknown_name(module: str, name: str, known: list[str]) -> AttributeError:
    """An AttributeError that names the nearest names there are."""
    return UnknownName(f"module '{module}' has no attribute '{name}'", name, known)


class UnknownName(AttributeError):
    """Looks for the nearest names only when it is printed: `hasattr` asks for many names that do not exist."""

    def __init__(self, sentence: str, asked: str, known: list[str]) -> None:
        super().__init__(sentence)
        self._asked, self._known = asked, known

    def __str__(self) -> str:
        import difflib

        near = difflib.get_close_matches(self._asked, self._known, n=3)
        hint = f"; the nearest names are {', '.join(map(repr, near))}" if near else ""
        return self.args[0] + hint

    def __reduce__(self) -> tuple:
        return (AttributeError, (str(self),))


UnknownName.__name__ = UnknownName.__qualname__ = "AttributeError"  # what users see


def no_tensor_argument(name: str) -> TypeError:
    return TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not float")


def wrong_type(function: str, argument: str, position: int, wanted: str, got: Any) -> TypeError:
    return TypeError(f"{function}(): argument '{argument}' (position {position}) must be {wanted}, not "
                     f"{type(got).__name__}")  # fmt: skip


def bad_arguments(name: str, signature: inspect.Signature, args: tuple, kwargs: dict, error: TypeError) -> TypeError:
    """The TypeError for a call that does not fit the signature."""
    for key in kwargs:
        if key not in signature.parameters:
            return TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    positional = [p for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
    if len(args) > len(positional):
        were = "was" if len(args) == 1 else "were"
        plural = "s" if len(positional) != 1 else ""
        return TypeError(f"{name}() takes {len(positional)} positional argument{plural} but {len(args)} {were} given")
    missing = [p.name for i, p in enumerate(positional)
               if p.default is p.empty and i >= len(args) and p.name not in kwargs]  # fmt: skip
    if missing:
        plural = "s" if len(missing) == 1 else ""  # as PyTorch has it
        return TypeError(f"{name}() missing {len(missing)} required positional argument{plural}: "
                         + ", ".join(f'"{m}"' for m in missing))  # fmt: skip
    return TypeError(f"{name}(): {error}")


def bool_minus_bool() -> RuntimeError:
    return RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                        "`logical_xor()` operator instead.")  # fmt: skip


def bool_minus() -> RuntimeError:
    return RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                        "invert a mask, use the `~` or `logical_not()` operator instead.")  # fmt: skip


def different_devices(a: Any, b: Any) -> RuntimeError:
    if "meta" in (a.type, b.type):
        return RuntimeError(f"Tensor on device {b} is not on the expected device {a}!")
    return RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {a} and {b}!")


# -- dtypes ------------------------------------------------------------------------------------------------------------


def not_implemented(kernel: str, dtype: Any) -> NotImplementedError:
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


def check_negation(call: Any) -> None:
    """A bool tensor has no negative."""
    if call.input.dtype.name == "bool":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
                           "a mask, use the `~` or `logical_not()` operator instead.")  # fmt: skip


def positive_bool() -> RuntimeError:
    return RuntimeError("The `+` operator, on a bool tensor is not supported.")


def no_complex(name: str) -> Any:
    """A check: PyTorch refuses complex tensors by name."""

    def check(call: Any) -> None:
        if call.input.dtype.is_complex:
            raise NotImplementedError(f"{name} is not supported for complex inputs")

    return check


def only_complex_has(name: str) -> RuntimeError:
    return RuntimeError(f"{name} is not implemented for tensors with non-complex dtypes.")


def fractional_alpha() -> RuntimeError:
    return RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


def zero_division() -> RuntimeError:
    return RuntimeError("ZeroDivisionError")


def negative_integer_power() -> RuntimeError:
    return RuntimeError("Integers to negative integer powers are not allowed.")


def clamp_without_bounds(name: str) -> RuntimeError:
    return RuntimeError(f"{name}: At least one of 'min' or 'max' must not be None")


def rounding_mode(got: str) -> RuntimeError:
    return RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                        f"'{got}'")  # fmt: skip


def whole_addcdiv() -> RuntimeError:
    return RuntimeError(
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
        "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
        "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
        "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
        "tensor2), for all dtypes."
    )


def check_isclose(call: Any) -> None:
    """`isclose` compares tensors of one dtype, with tolerances of at least zero."""
    a, b = call.input.dtype, call.other.dtype
    if a is not b:
        raise RuntimeError(f"{scalar_name(a)} did not match {scalar_name(b)}")
    for name in ("rtol", "atol"):
        if call.arguments[name] < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {call.arguments[name]:g}")


def cannot_cast(source: Any, target: Any) -> RuntimeError:
    return RuntimeError(f"result type {scalar_name(source)} can't be cast to the desired output type "
                        f"{scalar_name(target)}")  # fmt: skip


def in_place_shape(shape: tuple, result: tuple) -> RuntimeError:
    return RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(result)}")


# -- autograd ----------------------------------------------------------------------------------------------------------

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
    "the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations."
)


def leaf_in_place() -> RuntimeError:
    return RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def leaf_view_in_place() -> RuntimeError:
    return RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


def backward_twice() -> RuntimeError:
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward."
    )


def modified_in_place(tensor: Any, made_by: tuple[int, str] | None, version: int, expected: int) -> RuntimeError:
    kind = ("torch.cuda." if tensor.device.type == "cuda" else "torch.") + scalar_name(tensor.dtype) + "Tensor"
    source = "" if made_by is None else f", which is output {made_by[0]} of {made_by[1]},"
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} {list(tensor.shape)}]{source} is at version {version}; expected version {expected} instead. Hint: "
        "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def no_grad_fn(index: int) -> RuntimeError:
    return RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")


def scalar_only() -> RuntimeError:
    return RuntimeError("grad can be implicitly created only for scalar outputs")


def unused_input(index: int) -> RuntimeError:
    return RuntimeError(f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                        "allow_unused=True if this is the desired behavior.")  # fmt: skip


def unflagging_non_leaf() -> RuntimeError:
    return RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a computed "
                        "variable in a subgraph that doesn't require differentiation use var_no_grad = "
                        "var.detach().")  # fmt: skip


def only_floating_requires_grad() -> RuntimeError:
    return RuntimeError("only Tensors of floating point dtype can require gradients")


def check_grad(tensor: Any, grad: Any) -> None:
    """Raise PyTorch's errors for a tensor that cannot be `tensor`'s gradient."""
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if grad.dtype is not tensor.dtype:
        raise RuntimeError(f"attempting to assign a gradient with dtype '{c_name(grad.dtype)}' to a tensor with dtype "
                           f"'{c_name(tensor.dtype)}'. The gradient must match the tensor's dtype (by default). If the "
                           "tensor is a parameter, set tensor.grad_dtype to the desired dtype.")  # fmt: skip
    if grad.device is not tensor.device:
        raise RuntimeError(f"attempting to assign a gradient with device type '{grad.device.type}' to a tensor with "
                           f"device type '{tensor.device.type}'. Please ensure that the gradient and the tensor are on "
                           "the same device")  # fmt: skip
    if grad.shape != tensor.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )


def overlapping_write() -> RuntimeError:
    return RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                        "memory location. Please clone() the tensor before performing the operation.")  # fmt: skip


# -- observation -------------------------------------------------------------------------------------------------------


def not_one_element(count: int) -> RuntimeError:
    return RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar")


def not_one_scalar() -> ValueError:
    return ValueError("only one element tensors can be converted to Python scalars")


def item_of_meta() -> RuntimeError:
    return RuntimeError("Tensor.item() cannot be called on meta tensors")


def ambiguous_bool(what: str) -> RuntimeError:
    return RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")


def contains_only(got: Any) -> RuntimeError:
    return RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(got)}.")


def numpy_of_grad() -> RuntimeError:
    return RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


def numpy_of_device(device: Any) -> TypeError:
    return TypeError(f"can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                     "memory first.")  # fmt: skip


def non_leaf_deepcopy() -> RuntimeError:
    return RuntimeError(
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
        "the moment.  If you were attempting to deepcopy a module, this may be because of a "
        "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
    )


# -- random numbers ----------------------------------------------------------------------------------------------------


def seed_not_an_integer(seed: Any) -> RuntimeError:
    return RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")


def seed_out_of_range() -> ValueError:
    return ValueError("Overflow when unpacking long long")


def random_state_not_bytes() -> TypeError:
    return TypeError("RNG state must be a torch.ByteTensor")


def random_state_kind(got: Any) -> TypeError:
    return TypeError(f"expected a torch.ByteTensor, but got {type(got).__name__}")


def random_state_size(wanted: int, got: int) -> RuntimeError:
    return RuntimeError(f"Expected a CPUGeneratorImplState of size {wanted} but found the input RNG state size to be "
                        f"{got}")  # fmt: skip


def random_state_invalid() -> RuntimeError:
    return RuntimeError("Invalid mt19937 state")


def generator_without_offset() -> RuntimeError:
    return RuntimeError("CPU Generator does not use offset")


def kernel_not_implemented(kernel: str, dtype: Any) -> NotImplementedError:
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


def continuous_distribution(name: str, dtype: str) -> RuntimeError:
    return RuntimeError(f"{name} distribution is a continuous probability distribution. dtype must be a floating point "
                        f"but you specified {dtype}")  # fmt: skip


def out_of_bounds_of(name: str, dtype: Any) -> RuntimeError:
    return RuntimeError(f"{name} is out of bounds for {c_name(dtype)}")


def parameter_of(draw: str, rule: str, name: str, value: float) -> RuntimeError:
    """As in `cauchy_ expects sigma > 0.0, but found sigma=0`."""
    return RuntimeError(f"{draw} expects {rule}, but found {name}={value:g}")


def probability_of(draw: str, interval: str, p: float) -> RuntimeError:
    return RuntimeError(f"{draw} expects p to be in {interval}, but got p={p:g}")


def probability_in_array() -> RuntimeError:
    return RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
                        "improved?  If so, please report an enhancement request to PyTorch.)")  # fmt: skip


def normal_std(std: float) -> RuntimeError:
    return RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")


def uniform_order(low: float, high: float) -> RuntimeError:
    return RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")


def uniform_width(low: float, high: float, dtype: Any) -> RuntimeError:
    return RuntimeError(f"uniform_ expects to-from <= std::numeric_limits<{scalar_name(dtype)}>::max(), but found "
                        f"to={high:g} and from={low:g} which result in to-from to exceed the limit")  # fmt: skip


def random_order(low: int, high: int) -> RuntimeError:
    return RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")


def random_order_in_dtype(low: int, high: int) -> RuntimeError:
    return RuntimeError("random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                        f"from={low} >= to={high}")  # fmt: skip


def random_order_to_last(low: int, last: int) -> RuntimeError:
    return RuntimeError("random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
                        f"but got from={low} > to_inc={last}")  # fmt: skip


def random_full_range() -> RuntimeError:
    return RuntimeError("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")


def random_kind() -> RuntimeError:
    return RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")


def poisson_rate() -> RuntimeError:
    return RuntimeError("invalid Poisson rate, expected rate to be non-negative")


def binomial_dtype(name: str, dtype: Any) -> ValueError:
    return ValueError(f"binomial only supports floating-point dtypes for {name}, got: {scalar_name(dtype)}")


def multinomial_shape() -> RuntimeError:
    return RuntimeError("prob_dist must be 1 or 2 dim")


def multinomial_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {scalar_name(dtype)}")


def multinomial_count(count: int) -> RuntimeError:
    return RuntimeError("cannot sample n_sample <= 0 samples" if count <= 0 else
                        "cannot sample n_sample > prob_dist.size(-1) samples without replacement")  # fmt: skip


def multinomial_categories() -> RuntimeError:
    return RuntimeError("number of categories cannot exceed 2^24")


def multinomial_entry() -> RuntimeError:
    return RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")


def multinomial_row(what: str) -> RuntimeError:
    return RuntimeError(f"invalid multinomial distribution ({what})")
