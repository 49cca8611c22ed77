"""`Module`, the base class of layers and models."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from torchlike import Tensor
from torchlike._internal import active, boundary, clear_gradient, current, entering, pending, prelude, shortened
from torchlike.nn import _errors
from torchlike.nn.modules._convert import Conversion
from torchlike.nn.modules._handle import RemovableHandle
from torchlike.nn.modules._hooks import add_hook, call_with_hooks, everywhere, on_registration
from torchlike.nn.modules._hooks import register_module_backward_hook as register_module_backward_hook
from torchlike.nn.modules._hooks import (
    register_module_buffer_registration_hook as register_module_buffer_registration_hook,
)
from torchlike.nn.modules._hooks import register_module_forward_hook as register_module_forward_hook
from torchlike.nn.modules._hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from torchlike.nn.modules._hooks import register_module_full_backward_hook as register_module_full_backward_hook
from torchlike.nn.modules._hooks import register_module_full_backward_pre_hook as register_module_full_backward_pre_hook
from torchlike.nn.modules._hooks import (
    register_module_module_registration_hook as register_module_module_registration_hook,
)
from torchlike.nn.modules._hooks import (
    register_module_parameter_registration_hook as register_module_parameter_registration_hook,
)
from torchlike.nn.modules._members import Members
from torchlike.nn.modules._state import _EXTRA_STATE_KEY_SUFFIX as _EXTRA_STATE_KEY_SUFFIX
from torchlike.nn.modules._state import State
from torchlike.nn.modules._state import _IncompatibleKeys as _IncompatibleKeys
from torchlike.nn.modules._state import _WrappedHook as _WrappedHook
from torchlike.nn.parameter import Buffer, Parameter

__all__ = [
    "register_module_forward_pre_hook",
    "register_module_forward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_backward_hook",
    "register_module_full_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
    "Module",
]


def _blank_state() -> dict[str, Any]:
    """Return the attributes of an empty module, with PyTorch's names and order."""
    return {
        "training": True,
        "_parameters": {},
        "_buffers": {},
        "_non_persistent_buffers_set": set(),
        "_backward_pre_hooks": OrderedDict(),
        "_backward_hooks": OrderedDict(),
        "_is_full_backward_hook": None,
        "_forward_hooks": OrderedDict(),
        "_forward_hooks_with_kwargs": OrderedDict(),
        "_forward_hooks_always_called": OrderedDict(),
        "_forward_pre_hooks": OrderedDict(),
        "_forward_pre_hooks_with_kwargs": OrderedDict(),
        "_state_dict_hooks": OrderedDict(),
        "_state_dict_pre_hooks": OrderedDict(),
        "_load_state_dict_pre_hooks": OrderedDict(),
        "_load_state_dict_post_hooks": OrderedDict(),
        "_modules": {},
    }


class _Depth(threading.local):
    """The depth of module calls in progress in this thread.

    Without gradients every nested call counts. With gradients only the outermost call counts.
    """

    value = 0


_depth = _Depth()


@contextlib.contextmanager
def inside_a_module() -> Iterator[None]:
    """Treat modules called inside as part of a larger computation.

    A module called without gradients inside the block does not flush the pending trace when it returns.
    """
    _depth.value += 1
    try:
        yield
    finally:
        _depth.value -= 1


if TYPE_CHECKING:

    class _Parts(Members, State, Conversion):
        """The methods that are defined in other files and copied to `Module`."""

else:
    _Parts = object


def _forward_unimplemented(self: Any, *input: Any) -> Any:
    """Compute the output. Every subclass overrides this method."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(_Parts):
    """The base class of all layers and models.

    A subclass calls `super().__init__()`, assigns parameters and submodules as attributes, and defines `forward`.
    Assigned `Parameter`s, `Buffer`s and modules are registered under their attribute's name. `parameters()`,
    `state_dict()`, `to()` and similar methods process the registered members.

    Args:
      *args, **kwargs: must be empty, unless the subclass sets `call_super_init`. Then they go to the next base class.

    Raises:
      TypeError: there are arguments.

    >>> import torchlike as torch
    >>> class Twice(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.inner = torch.nn.Linear(2, 1)
    ...     def forward(self, x):
    ...         return 2 * self.inner(x)
    >>> Twice()
    Twice(
      (inner): Linear(in_features=2, out_features=1, bias=True)
    )
    >>> Twice()(torch.ones(3, 2)).shape
    torch.Size([3, 1])
    """

    dump_patches = False
    call_super_init = False
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _compiled_call_impl: Callable | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            raise _errors.module_init_arguments(type(self).__name__, args, kwargs)
        vars(self).update(_blank_state())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # --- calling ---

    if TYPE_CHECKING:
        forward: Callable[..., Any]
    else:
        forward = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if not current().grad:
                return self._call_without_grad(args, kwargs)
            if not _depth.value:
                return self._call_outermost(args, kwargs)
            if self._compiled_call_impl is not None:
                return self._compiled_call_impl(*args, **kwargs)
            # The body of `_call_impl` is repeated here to save a call: every layer of every step runs this code.
            if (
                self._backward_hooks
                or self._backward_pre_hooks
                or self._forward_hooks
                or self._forward_pre_hooks
                or everywhere.calls
            ):
                return call_with_hooks(self, args, kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            raise shortened(error)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        """Run the hooks and forward, uncompiled even after `compile`."""
        hooks = self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks
        if hooks or everywhere.calls:
            return call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    _wrapped_call_impl = __call__

    def _call_outermost(self, args: tuple, kwargs: dict) -> Any:
        if pending:
            prelude()
        if active.mesh is not None:
            entering(self, (*args, *kwargs.values()))
        _depth.value = 1
        try:
            return (self._compiled_call_impl or self._call_impl)(*args, **kwargs)
        finally:
            _depth.value = 0

    def _call_without_grad(self, args: tuple, kwargs: dict) -> Any:
        """Run a call without gradients and flush the pending trace when the outermost module returns.

        Since every call flushes at this point, every call traces the same program, which is compiled only once.
        """
        if active.mesh is not None and not _depth.value:
            entering(self, (*args, *kwargs.values()))
        _depth.value += 1
        try:
            result = (self._compiled_call_impl or self._call_impl)(*args, **kwargs)
        finally:
            _depth.value -= 1
        if not _depth.value:
            boundary(is_read=True)
        return result

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the calls of this module. The arguments are those of `torchlike.compile`."""
        import torchlike

        self._compiled_call_impl = torchlike.compile(self._call_impl, *args, **kwargs)

    # --- registering ---

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter. If `param` is None, only the name is registered and other methods ignore the entry.

        Args:
          name: the attribute's name, without a dot.
          param: the parameter, or None.

        Raises:
          KeyError: the name is empty, has a dot or is an attribute already.
          TypeError: `param` is not a `Parameter`.
          ValueError: `param` is not a leaf.
        """
        if "_parameters" not in vars(self):
            raise _errors.assigned_before_init("parameter")
        self._check_new_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise _errors.registered_value_type(param, "parameter", name, "torch.nn.Parameter or None required")
        if param is not None and param.grad_fn is not None:
            raise _errors.parameter_is_no_leaf(name)
        if param is not None:
            param = on_registration(everywhere.parameter, self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a buffer: a tensor of the module's state that is not a parameter.

        `state_dict` includes the buffer unless `persistent` is false.

        Args:
          name: the attribute's name, without a dot.
          tensor: the buffer, or None.
          persistent: whether `state_dict` includes the buffer.

        Raises:
          KeyError: the name is empty, has a dot or is an attribute already.
          TypeError: `tensor` is not a tensor.
        """
        if "_buffers" not in vars(self):
            raise _errors.assigned_before_init("buffer")
        self._check_new_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise _errors.registered_value_type(tensor, "buffer", name, "torch Tensor or None required")
        self._buffers[name] = on_registration(everywhere.buffer, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module under the attribute `name`.

        Args:
          name: the attribute's name, without a dot.
          module: the child, or None.

        Raises:
          KeyError: the name is empty, has a dot or is an attribute already.
          TypeError: `module` is not a module.
        """
        if module is not None and not isinstance(module, Module):
            raise _errors.not_a_module(module)
        self._check_new_name("module", name, self._modules)
        self._modules[name] = on_registration(everywhere.module, self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a child module, as `add_module` does.

        Args:
          name: the attribute's name, without a dot.
          module: the child, or None.
        """
        self.add_module(name, module)

    def _check_new_name(self, kind: str, name: Any, taken: dict) -> None:
        if not isinstance(name, str):
            raise _errors.registered_name_type(kind, name)
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in taken:
            raise _errors.attribute_exists(name)

    # --- attributes ---

    def __getattr__(self, name: str) -> Any:
        # Python calls this only if ordinary lookup fails. Before __init__ a module has none of the three dictionaries.
        # The lookups are written out instead of a loop for speed, because every layer reads its weight here.
        mine = self.__dict__
        held = mine.get("_parameters")
        if held is not None and name in held:
            return held[name]
        held = mine.get("_buffers")
        if held is not None and name in held:
            return held[name]
        held = mine.get("_modules")
        if held is not None and name in held:
            return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        parameters = self.__dict__.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise _errors.assigned_before_init("parameters")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise _errors.assigned_value_type(value, "parameter", name, "torch.nn.Parameter or None expected")
            self.register_parameter(name, None)
        else:
            self._set_module_or_other(name, value)

    def _set_module_or_other(self, name: str, value: Any) -> None:
        modules = self.__dict__.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise _errors.assigned_before_init("module")
            self._forget(name, "_modules")
            modules[name] = on_registration(everywhere.module, self, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise _errors.assigned_value_type(value, "child module", name, "torch.nn.Module or None expected")
            modules[name] = on_registration(everywhere.module, self, name, value)
        else:
            self._set_buffer_or_other(name, value)

    def _set_buffer_or_other(self, name: str, value: Any) -> None:
        buffers = self.__dict__.get("_buffers")
        is_new_buffer = isinstance(value, Buffer)
        if is_new_buffer and buffers is None:
            raise _errors.assigned_before_init("buffer")
        if buffers is None or not (is_new_buffer or name in buffers):
            object.__setattr__(self, name, value)
            return
        if value is not None and not isinstance(value, Tensor):
            kinds = "torch.nn.Buffer, torch.Tensor or None expected"
            raise _errors.assigned_value_type(value, "buffer", name, kinds)
        if is_new_buffer:
            self._forget(name, "_buffers")
            self.register_buffer(name, value, value.persistent)
        else:
            buffers[name] = on_registration(everywhere.buffer, self, name, value)

    def _forget(self, name: str, keep: str) -> None:
        """Remove `name` from the attributes and from every dictionary except `keep`, in which it will be registered."""
        mine = self.__dict__
        mine.pop(name, None)
        for holder in ("_parameters", "_buffers", "_modules"):
            if holder != keep:
                mine[holder].pop(name, None)
        if keep != "_buffers":
            self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for holder in (self._parameters, self._buffers, self._modules):
            if name in holder:
                del holder[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *vars(self), *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[:1].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_compiled_call_impl"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**_blank_state(), **state})

    # --- modes and mapping ---

    def train(self, mode: bool = True) -> Self:
        """Set training mode on this module and its submodules.

        In training mode dropout is active and batch norm uses the statistics of the batch. Returns the module.

        Args:
          mode: training mode if True, evaluation mode if False.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode on this module and its submodules. This is `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of every parameter: true to train it, false to freeze it. Returns the module.

        Args:
          requires_grad: the value.
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set every parameter's gradient to None, or to zeros if `set_to_none` is false.

        Args:
          set_to_none: whether the gradients become None.
        """
        for parameter in self.parameters():
            clear_gradient(parameter, set_to_none)

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call `fn` with every submodule, children before parents, and then with this module. Returns the module.

        Args:
          fn: a function of a module. Its result is ignored.
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # --- hooks ---

    def register_forward_pre_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False):
        """Run `hook(module, args)` before forward. A non-None result replaces the arguments.

        With `with_kwargs` the hook is `hook(module, args, kwargs)` and may return a new `(args, kwargs)`.

        Args:
          hook: the function.
          prepend: run it before the hooks that are registered already.
          with_kwargs: pass keyword arguments to the hook.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        flags = (self._forward_pre_hooks_with_kwargs,) if with_kwargs else ()
        return add_hook(self._forward_pre_hooks, hook, flags, prepend)

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Run `hook(module, args, output)` after forward. A non-None result replaces the output.

        With `with_kwargs` the hook is `hook(module, args, kwargs, output)`. With `always_call` it also runs if forward
        raises.

        Args:
          hook: the function.
          prepend: run it before the hooks that are registered already.
          with_kwargs: pass keyword arguments to the hook.
          always_call: run the hook even if forward raises.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        flags = (self._forward_hooks_with_kwargs,) if with_kwargs else ()
        flags += (self._forward_hooks_always_called,) if always_call else ()
        return add_hook(self._forward_hooks, hook, flags, prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Run `hook(module, grad_output)` when the output gradients are known. A non-None result replaces them.

        Args:
          hook: the function.
          prepend: run it before the hooks that are registered already.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return add_hook(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Run `hook(module, grad_input, grad_output)` when the input gradients are known.

        A non-None result replaces the input gradients.

        Args:
          hook: the function.
          prepend: run it before the hooks that are registered already.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return self._register_backward_hook(hook, full=True, prepend=prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """Register a hook on the last node of the module's graph. Deprecated: use `register_full_backward_hook`.

        Args:
          hook: `hook(module, grad_input, grad_output)`. A non-None result replaces the input gradients of that node.

        Returns:
          A handle whose `remove()` removes the hook.
        """
        return self._register_backward_hook(hook, full=False)

    def _register_backward_hook(self, hook: Callable, full: bool, prepend: bool = False) -> RemovableHandle:
        if self._is_full_backward_hook is (not full):
            raise _errors.mixed_backward_hooks()
        self._is_full_backward_hook = full
        return add_hook(self._backward_hooks, hook, prepend=prepend)

    # --- printing ---

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return the text that `repr` prints between the parentheses. Subclasses override this method."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()]
        return framed(self._get_name(), extra_lines, children)


def _take_methods(parts: tuple[type, ...]) -> None:
    """Copy the members of the parts to `Module`, so that it has no base classes, as in PyTorch."""
    for part in parts:
        for name, member in vars(part).items():
            if callable(member) and not name.startswith("__"):
                member.__qualname__ = f"Module.{name}"
            if name not in vars(Module) and name not in ("__dict__", "__weakref__"):
                setattr(Module, name, member)


_take_methods((Members, State, Conversion))


def _addindent(s_: str, numSpaces: int) -> str:
    """Return a text with every line but the first indented. Modules of other projects import this for their `repr`."""
    first, *rest = s_.split("\n")
    return "\n".join([first, *(" " * numSpaces + line if line.strip() else "" for line in rest)])


def framed(name: str, extra_lines: list[str], children: list[str]) -> str:
    """Return the `repr` of a module. It is a single line if there are no children and at most one extra line."""
    if len(extra_lines) == 1 and not children:
        return f"{name}({extra_lines[0]})"
    lines = extra_lines + children
    body = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
    return f"{name}({body})"


# The global hooks under PyTorch's names, which libraries import from this module.
_global_backward_pre_hooks = everywhere.backward_pre
_global_backward_hooks = everywhere.backward
_global_forward_pre_hooks = everywhere.forward_pre
_global_forward_hooks = everywhere.forward
_global_forward_hooks_always_called = everywhere.forward_always
_global_forward_hooks_with_kwargs = everywhere.forward_with_kwargs
_global_buffer_registration_hooks = everywhere.buffer
_global_module_registration_hooks = everywhere.module
_global_parameter_registration_hooks = everywhere.parameter


def _has_any_global_hook() -> bool:
    """Return whether any global hook runs around the calls of modules."""
    return everywhere.calls
