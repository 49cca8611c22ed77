"""Error and warning messages of modules, with PyTorch's wording.

Functions return the exception to raise or the text of the warning.
"""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import type_name
from torchlike._internal import unsupported as unsupported


def _kind(value: Any) -> str:
    """Return the same name as `torch.typename`.

    For a tensor, the name includes the dtype (`torch.FloatTensor`). For a class or function, it is its qualified name.
    For any other value, it is the name of the type. Names from `builtins` are unqualified.
    """
    if isinstance(value, Tensor):
        return value.type()
    owner = value if hasattr(value, "__qualname__") or hasattr(value, "__name__") else type(value)
    name = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", "")
    module = getattr(owner, "__module__", None)
    return name if module in (None, "builtins", "__builtin__") else f"{module}.{name}"


# -- building a module -------------------------------------------------------------------------------------------------


def module_init_arguments(name: str, args: tuple, kwargs: dict) -> TypeError:
    if kwargs:
        return TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
    return TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")


def assigned_before_init(kind: str) -> AttributeError:
    return AttributeError(f"cannot assign {kind} before Module.__init__() call")


def registered_name_type(kind: str, name: Any) -> TypeError:
    return TypeError(f"{kind} name should be a string. Got {_kind(name)}")


def attribute_exists(name: str) -> KeyError:
    return KeyError(f"attribute '{name}' already exists")


def registered_value_type(value: Any, kind: str, name: str, wanted: str) -> TypeError:
    return TypeError(f"cannot assign '{_kind(value)}' object to {kind} '{name}' ({wanted})")


def assigned_value_type(value: Any, kind: str, name: str, wanted: str) -> TypeError:
    return TypeError(f"cannot assign '{_kind(value)}' as {kind} '{name}' ({wanted})")


def parameter_is_no_leaf(name: str) -> ValueError:
    return ValueError(
        f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To express "
        f"'{name}' as a function of another Tensor, compute the value in the forward() method."
    )


def not_a_module(value: Any) -> TypeError:
    return TypeError(f"{_kind(value)} is not a Module subclass")


# -- finding by name ---------------------------------------------------------------------------------------------------


def module_has_no_attribute(module: Any, name: str) -> AttributeError:
    return AttributeError(f"{module._get_name()} has no attribute `{name}`")


def attribute_is_not(name: str, kind: str) -> AttributeError:
    return AttributeError(f"`{name}` is not {kind}")


# -- calling and hooks -------------------------------------------------------------------------------------------------


def forward_pre_hook_result(result: Any) -> RuntimeError:
    return RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}.")


def always_called_hook_failed(where: str, error: Exception) -> str:
    return (
        f"{where}module forward hook with ``always_call=True`` raised an exception that was silenced as another error "
        f"was raised in forward: {error}"
    )


def backward_hook_count(got: int, expected: int) -> RuntimeError:
    return RuntimeError(f"Backward hook returned an invalid number of grad_input, got {got}, but expected {expected}")


def backward_pre_hook_count(got: int, expected: int) -> RuntimeError:
    return RuntimeError(
        f"Backward pre hook returned an invalid number of grad_output, got {got}, but expected {expected}"
    )


def backward_hook_needs_tensors(kind: type) -> str:
    return (
        f"For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {kind}"
    )


def backward_hook_without_inputs() -> str:
    return (
        "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
        "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
        "#torch.nn.Module.register_full_backward_hook for more details."
    )


def backward_hook_needs_inputs() -> RuntimeError:
    return RuntimeError(
        "Backward hook for Modules where no input requires gradient should always return None or None for all "
        "gradients."
    )


def _mixed_hooks(where: str) -> RuntimeError:
    return RuntimeError(
        f"Cannot use both regular backward hooks and full backward hooks {where}. Please use only one of them."
    )


def mixed_backward_hooks() -> RuntimeError:
    return _mixed_hooks("on a single Module")


def mixed_backward_hooks_global() -> RuntimeError:
    return _mixed_hooks("as a global Module hook")


def partial_hook_output() -> str:
    return (
        "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors is "
        "deprecated and will be removed in future versions. This hook will be missing some of the grad_output. Please "
        "use register_full_backward_hook to get the documented behavior."
    )


def partial_hook_input() -> str:
    return (
        "Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors "
        "is deprecated and will be removed in future versions. This hook will be missing some of the grad_input. "
        "Please use register_full_backward_hook to get the documented behavior."
    )


def partial_hook_many_outputs() -> str:
    return (
        "Using a non-full backward hook when outputs are generated by different autograd Nodes is deprecated and will "
        "be removed in future versions. This hook will be missing some grad_output. Please use "
        "register_full_backward_hook to get the documented behavior."
    )


def partial_hook_many_nodes() -> str:
    return (
        "Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will be "
        "removed in future versions. This hook will be missing some grad_input. Please use "
        "register_full_backward_hook to get the documented behavior."
    )


# -- saving and loading ------------------------------------------------------------------------------------------------


def state_dict_positional() -> str:
    return (
        "Positional args are being deprecated, use kwargs instead. Refer to "
        "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
    )


def unreachable_extra_state(verb: str) -> RuntimeError:
    return RuntimeError(
        f"Reached a code path in Module.{verb}_extra_state() that should never be called. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    )


def load_state_dict_hook_result() -> AssertionError:
    return AssertionError(
        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
        "incompatible_keys need to be modified, it should be done inplace."
    )


def missing_keys(keys: list[str]) -> str:
    return "Missing key(s) in state_dict: {}. ".format(", ".join(f'"{key}"' for key in keys))


def unexpected_keys(keys: list[str]) -> str:
    return "Unexpected key(s) in state_dict: {}. ".format(", ".join(f'"{key}"' for key in keys))


def loaded_value_is_no_tensor(key: str, kind: type) -> str:
    return (
        f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but '
        f"received {kind}"
    )


def loaded_size_mismatch(key: str, theirs: Any, mine: Any) -> str:
    return (
        f"size mismatch for {key}: copying a param with shape {theirs} from checkpoint, the shape in current model is "
        f"{mine}."
    )


def loading_into_meta(key: str) -> str:
    return (
        f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, "
        "which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their "
        "corresponding key in the module instead of copying them in place?)"
    )


def loading_failed(key: str, mine: Any, theirs: Any, error: Exception) -> str:
    return (
        f'While copying the parameter named "{key}", whose dimensions in the model are {mine} and whose dimensions in '
        f"the checkpoint are {theirs}, an exception occurred : {error.args}."
    )


# -- converting --------------------------------------------------------------------------------------------------------


def module_to_from_meta() -> NotImplementedError:
    return NotImplementedError(
        "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to()"
        " when moving module from meta to a different device."
    )


def complex_module() -> str:
    return (
        "Complex modules are a new feature under active development whose design may change, and some modules might "
        "not work as expected when using complex tensors as parameters or buffers. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
        "expected."
    )


def to_arguments(args: tuple, kwargs: dict) -> TypeError:
    got = ", ".join(map(type_name, args))
    if kwargs:
        got += (", " if args else "") + "".join(f"{k}={type_name(v)}, " for k, v in kwargs.items())
    tail = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)\n"
    return TypeError(
        f"to() received an invalid combination of arguments - got ({got}), but expected one of:\n"
        f" * (torch.device device = None, torch.dtype dtype = None, {tail}"
        f" * (torch.dtype dtype, {tail} * (Tensor tensor, {tail}"
    )


# -- containers --------------------------------------------------------------------------------------------------------


def container_deprecated() -> str:
    return (
        "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
        "instead."
    )


def container_called(name: str) -> RuntimeError:
    return RuntimeError(f"{name} should not be called.")


def extend_needs_iterable(name: str, given: Any) -> TypeError:
    return TypeError(f"{name}.extend should be called with an iterable, but got {type(given).__name__}")


def parameter_dict_key(key: Any) -> TypeError:
    return TypeError(
        f"Index given to ParameterDict cannot be used as a key as it is not a string (type is '{type(key).__name__}'). "
        "Open an issue on github if you need non-string keys."
    )


def sequential_add(kind: type) -> ValueError:
    return ValueError(f"add operator supports only objects of Sequential class, but {kind} is given.")


# -- nn.utils ----------------------------------------------------------------------------------------------------------


def total_norm_not_finite(norm_type: float) -> RuntimeError:
    return RuntimeError(
        f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. "
        "To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
    )


def clip_grad_norm_renamed() -> str:
    return "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`."


def no_parameters_to_clip() -> str:
    return "`parameters` is an empty generator, no gradient clipping will occur."


def vector_type(value: Any) -> TypeError:
    return TypeError(f"expected torch.Tensor, but got: {_kind(value)}")


# -- lazy modules ------------------------------------------------------------------------------------------------------


def uninitialized(function: Any = None) -> ValueError:
    name = getattr(function, "__name__", "")
    where = f" in <method '{name}' of 'torch._C.TensorBase' objects>" if hasattr(Tensor, name) else ""
    if where and getattr(Tensor, name) != function:
        where = f" in <built-in method {name} of type object at {id(Tensor):#x}>"
    return ValueError(
        f"Attempted to use an uninitialized parameter{where}. This error happens when you are using a `LazyModule` or "
        "explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call "
        "`forward` with a dummy batch to initialize the parameters before calling torch functions"
    )


def uninitialized_shape() -> RuntimeError:
    return RuntimeError(
        "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
        "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` to "
        "initialize the parameters before accessing their attributes."
    )
