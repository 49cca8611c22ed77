"""Forward and backward hooks of modules: registration, order of execution and the connection to autograd."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from torchlike import Tensor
from torchlike._internal import checked_gradient, warn
from torchlike.nn import _errors
from torchlike.nn.modules._handle import RemovableHandle


def add_hook(hooks: OrderedDict, hook: Callable, flags: tuple[OrderedDict, ...] = (), prepend: bool = False):
    """Add `hook` to `hooks` and to every dictionary of `flags`, and return the handle that removes these entries."""
    handle = RemovableHandle(hooks, extra_dict=list(flags) or None)
    hooks[handle.id] = hook
    for flag in flags:
        flag[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class _GlobalHooks:
    """The hooks that run for every module. `calls` is true if any of them runs when a module is called."""

    def __init__(self) -> None:
        self.forward_pre: OrderedDict[int, Callable] = OrderedDict()
        self.forward: OrderedDict[int, Callable] = OrderedDict()
        self.forward_with_kwargs: OrderedDict[int, bool] = OrderedDict()
        self.forward_always: OrderedDict[int, bool] = OrderedDict()
        self.backward_pre: OrderedDict[int, Callable] = OrderedDict()
        self.backward: OrderedDict[int, Callable] = OrderedDict()
        self.backward_is_full: bool | None = None
        self.buffer: OrderedDict[int, Callable] = OrderedDict()
        self.module: OrderedDict[int, Callable] = OrderedDict()
        self.parameter: OrderedDict[int, Callable] = OrderedDict()

    @property
    def calls(self) -> bool:
        return bool(self.forward_pre or self.forward or self.backward_pre or self.backward)


everywhere = _GlobalHooks()


def on_registration(hooks: OrderedDict[int, Callable], module: Any, name: str, value: Any) -> Any:
    """Run the global registration hooks. Return `value`, or the last replacement that a hook returned."""
    for hook in hooks.values():
        replacement = hook(module, name, value)
        value = value if replacement is None else replacement
    return value


# --- the call ---------------------------------------------------------------------------------------------------------


def call_with_hooks(module: Any, args: tuple, kwargs: dict) -> Any:
    """Run a module's forward with its hooks. Global hooks run before the module's own hooks."""
    ran: set[int] = set()
    results: list[Any] = []
    try:
        args, kwargs = _before_forward(module, args, kwargs)
        watch = _backward_watch(module)
        if watch is not None:
            args = watch.inputs(args)
        results.append(module.forward(*args, **kwargs))
        _after_forward(module, args, kwargs, results, ran)
        if watch is not None:
            results.append(watch.outputs(results[-1]))
        _attach_partial_backward_hooks(module, args, results[-1])
        return results[-1]
    except Exception:
        _run_always_called(module, args, kwargs, results, ran)
        raise


def _before_forward(module: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    for hooks, with_kwargs in (
        (everywhere.forward_pre, ()),
        (module._forward_pre_hooks, module._forward_pre_hooks_with_kwargs),
    ):
        for key, hook in tuple(hooks.items()):
            if key in with_kwargs:
                replaced = hook(module, args, kwargs)
                if replaced is not None:
                    if not (isinstance(replaced, tuple) and len(replaced) == 2):
                        raise _errors.forward_pre_hook_result(replaced)
                    args, kwargs = replaced
            else:
                replaced = hook(module, args)
                if replaced is not None:
                    args = replaced if isinstance(replaced, tuple) else (replaced,)
    return args, kwargs


def _forward_hooks(module: Any):
    """Yield every forward hook as (key, hook, takes kwargs, always called), in the order of execution."""
    for hooks, with_kwargs, always in (
        (everywhere.forward, everywhere.forward_with_kwargs, everywhere.forward_always),
        (module._forward_hooks, module._forward_hooks_with_kwargs, module._forward_hooks_always_called),
    ):
        for key, hook in tuple(hooks.items()):
            yield key, hook, key in with_kwargs, key in always


def _after_forward(module: Any, args: tuple, kwargs: dict, results: list, ran: set[int]) -> None:
    """Run the forward hooks. Append to `results` what they return."""
    for key, hook, takes_kwargs, _ in _forward_hooks(module):
        ran.add(key)
        _run_forward_hook(module, hook, takes_kwargs, args, kwargs, results)


def _run_forward_hook(
    module: Any, hook: Callable, takes_kwargs: bool, args: tuple, kwargs: dict, results: list
) -> None:
    result = results[-1] if results else None
    replaced = hook(module, args, kwargs, result) if takes_kwargs else hook(module, args, result)
    if replaced is not None:
        results.append(replaced)


def _run_always_called(module: Any, args: tuple, kwargs: dict, results: list, ran: set[int]) -> None:
    """Run the `always_call` hooks that have not run yet, after a failure. An exception in a hook becomes a warning."""
    for key, hook, takes_kwargs, always in _forward_hooks(module):
        if always and key not in ran:
            try:
                _run_forward_hook(module, hook, takes_kwargs, args, kwargs, results)
            except Exception as error:
                where = "global " if key in everywhere.forward else ""
                warn(_errors.always_called_hook_failed(where, error))


# --- full backward hooks ----------------------------------------------------------------------------------------------


def _backward_watch(module: Any) -> BackwardWatch | None:
    pre_hooks = [*everywhere.backward_pre.values(), *module._backward_pre_hooks.values()]
    hooks = [*everywhere.backward.values()] if everywhere.backward_is_full is True else []
    if module._is_full_backward_hook is True:
        hooks += module._backward_hooks.values()
    return BackwardWatch(module, hooks, pre_hooks) if hooks or pre_hooks else None


@functools.cache
def _tap() -> Any:
    """Return the identity `Function` whose backward passes the gradients to a callback.

    The callback returns the gradients that the backward pass continues with. None among them is replaced by zeros. If
    `filled` is true, the callback also receives zeros instead of None. The class is created on first use, because its
    imports are circular at import time.
    """
    from torchlike import zeros
    from torchlike.autograd import Function

    class BackwardHookFunction(Function):
        @staticmethod
        def forward(ctx, callback, filled, *tensors):
            ctx.callback, ctx.filled = callback, filled
            ctx.kinds = [(t.shape, t.dtype, t.device) for t in tensors]
            ctx.set_materialize_grads(False)
            ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
            return tensors

        @staticmethod
        def backward(ctx, *grads):
            answered = ctx.callback(fill(ctx, grads) if ctx.filled else grads)
            return (None, None, *answered)

    def fill(ctx, grads):
        return tuple(
            zeros(shape, dtype=dtype, device=device) if grad is None else grad
            for grad, (shape, dtype, device) in zip(grads, ctx.kinds)
        )

    return BackwardHookFunction


_NAMED = SimpleNamespace(__name__="hook")  # PyTorch's function that error messages name


class BackwardWatch:
    """The backward hooks of one module call.

    The pre-hooks run when the output gradients are known. The hooks run when the input gradients are known. If no input
    requires a gradient, the hooks run right after the pre-hooks, with None for every input.
    """

    def __init__(self, module: Any, hooks: list[Callable], pre_hooks: list[Callable]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: tuple | None = None
        self.watches_inputs = False
        self.input_count = 0

    def inputs(self, args: tuple) -> tuple:
        self.input_count = len(args)
        args, self.watches_inputs = _tapped(args, self._on_input_gradients, filled=True)
        return args

    def outputs(self, result: Any) -> Any:
        if not isinstance(result, (Tensor, tuple)):
            warn(_errors.backward_hook_needs_tensors(type(result)))
            return result
        given = (result,) if isinstance(result, Tensor) else result
        outputs, _ = _tapped(given, self._on_output_gradients, filled=False)
        return outputs[0] if isinstance(result, Tensor) else outputs

    def _on_output_gradients(self, grads: tuple) -> tuple:
        for hook in self.pre_hooks:
            grads = _replaced(hook(self.module, grads), grads, _errors.backward_pre_hook_count)
        self.grad_outputs = grads
        if not self.watches_inputs:
            warn(_errors.backward_hook_without_inputs())
            if any(grad is not None for grad in self._run((None,) * self.input_count)):
                raise _errors.backward_hook_needs_inputs()
        return grads

    def _on_input_gradients(self, grads: tuple) -> tuple:
        return grads if self.grad_outputs is None else self._run(grads)

    def _run(self, grad_inputs: tuple) -> tuple:
        for hook in self.hooks:
            returned = hook(self.module, grad_inputs, self.grad_outputs)
            grad_inputs = _replaced(returned, grad_inputs, _errors.backward_hook_count)
        self.grad_outputs = None  # a later backward pass may reach the inputs but not the outputs
        return grad_inputs


def _replaced(returned: Any, grads: tuple, error: Callable) -> tuple:
    if returned is None:
        return grads
    if len(returned) != len(grads):
        raise error(len(returned), len(grads))
    for grad in returned:
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(grad).__name__}'")
    return tuple(returned)


def _tapped(values: tuple, callback: Callable, filled: bool) -> tuple[tuple, bool]:
    """Pass the tensors among `values` through the `_tap` function, if autograd records any of them.

    The callback receives one entry for each value: the gradient of a tensor, or None for another value. Returns the new
    values, and whether the tensors were passed through the function.
    """
    from torchlike import is_grad_enabled

    places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
    if not (is_grad_enabled() and any(values[i].requires_grad for i in places)):
        return values, False

    def on_gradients(grads: tuple) -> tuple:
        spread: list = [None] * len(values)
        for place, grad in zip(places, grads):
            spread[place] = grad
        answered = callback(tuple(spread))
        for before, now in zip(spread, answered):
            if before is not None and now is not None:
                checked_gradient(now, before._pair(), _NAMED)
        return tuple(answered[place] for place in places)

    tapped = list(values)
    for place, tensor in zip(places, _tap().apply(on_gradients, filled, *[values[i] for i in places])):
        tapped[place] = tensor
    kind: Any = type(values)
    rebuilt = kind._make(tapped) if hasattr(values, "_make") else tuple(tapped)
    return rebuilt, True


# --- the old, partial backward hooks ----------------------------------------------------------------------------------


def _attach_partial_backward_hooks(module: Any, args: tuple, result: Any) -> None:
    """Register the hooks of `register_backward_hook` on the `grad_fn` of the first output tensor, as PyTorch does."""
    hooks = [*everywhere.backward.values()] if everywhere.backward_is_full is False else []
    if module._is_full_backward_hook is False:
        hooks += module._backward_hooks.values()
    if not hooks:
        return
    first = result
    while not isinstance(first, Tensor):
        first = next(v for v in first.values() if isinstance(v, Tensor)) if isinstance(first, dict) else first[0]
    if first.grad_fn is None:
        return
    for hook in hooks:
        first.grad_fn.register_hook(functools.partial(hook, module))
    _warn_if_partial(args, result, first.grad_fn)


def _warn_if_partial(args: tuple, result: Any, last_node: Any) -> None:
    results = (result,) if isinstance(result, Tensor) else result
    if not (isinstance(results, tuple) and all(isinstance(r, Tensor) for r in results)):
        reason = _errors.partial_hook_output()
    elif not all(isinstance(a, Tensor) for a in args):
        reason = _errors.partial_hook_input()
    elif len({r.grad_fn for r in results} - {None}) > 1:
        reason = _errors.partial_hook_many_outputs()
    elif {a.grad_fn for a in args} - {None} != {node for node, _ in last_node.next_functions}:
        reason = _errors.partial_hook_many_nodes()
    else:
        return
    warn(reason, FutureWarning)


# --- global hooks -----------------------------------------------------------------------------------------------------


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Run `hook(module, args)` before the forward of every module. A non-None result replaces the arguments.

    Args:
      hook: the function.

    Returns:
      A handle whose `remove()` removes the hook.

    >>> import torchlike as torch
    >>> from torchlike.nn.modules import module
    >>> handle = module.register_module_forward_pre_hook(lambda layer, args: (args[0] + 1,))
    >>> torch.nn.Identity()(1)
    2
    >>> handle.remove()
    """
    return add_hook(everywhere.forward_pre, hook)


def register_module_forward_hook(hook: Callable, *, with_kwargs: bool = False, always_call: bool = False):
    """Run `hook(module, args, output)` after the forward of every module. A non-None result replaces the output.

    Args:
      hook: the function.
      with_kwargs: call `hook(module, args, kwargs, output)`.
      always_call: run the hook also if the call raises an exception. The output is None if forward has not returned.

    Returns:
      A handle whose `remove()` removes the hook.

    >>> import torchlike as torch
    >>> from torchlike.nn.modules import module
    >>> handle = module.register_module_forward_hook(lambda layer, args, output: output + 1)
    >>> torch.nn.Identity()(1)
    2
    >>> handle.remove()
    """
    flags = ((everywhere.forward_with_kwargs, with_kwargs), (everywhere.forward_always, always_call))
    return add_hook(everywhere.forward, hook, tuple(table for table, wanted in flags if wanted))


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Run `hook(module, grad_output)` whenever the gradients of a module's outputs are known.

    Args:
      hook: the function.

    Returns:
      A handle whose `remove()` removes the hook.

    >>> import torchlike as torch
    >>> from torchlike.nn.modules import module
    >>> handle = module.register_module_full_backward_pre_hook(lambda layer, grads: (2 * grads[0],))
    >>> x = torch.ones(1, requires_grad=True)
    >>> torch.nn.Identity()(x).backward()
    >>> x.grad
    tensor([2.])
    >>> handle.remove()
    """
    return add_hook(everywhere.backward_pre, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Run `hook(module, grad_input, grad_output)` whenever the gradients of a module's inputs are known.

    Args:
      hook: the function.

    Returns:
      A handle whose `remove()` removes the hook.
    """
    return _register_module_backward_hook(hook, full=True)


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """Register a hook on the `grad_fn` of the first output of every module.

    Deprecated: use `register_module_full_backward_hook`.

    Args:
      hook: `hook(module, grad_input, grad_output)`. A non-None result replaces the input gradients of that node.

    Returns:
      A handle whose `remove()` removes the hook.

    Raises:
      RuntimeError: a hook of `register_module_full_backward_hook` was registered before.
    """
    return _register_module_backward_hook(hook, full=False)


def _register_module_backward_hook(hook: Callable, full: bool) -> RemovableHandle:
    if everywhere.backward_is_full is (not full):
        raise _errors.mixed_backward_hooks_global()
    everywhere.backward_is_full = full
    return add_hook(everywhere.backward, hook)


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Run `hook(module, name, buffer)` whenever a module registers a buffer. A non-None result replaces the buffer.

    Args:
      hook: the function.

    Returns:
      A handle whose `remove()` removes the hook.

    >>> import torchlike as torch
    >>> from torchlike.nn.modules import module
    >>> names = []
    >>> handle = module.register_module_buffer_registration_hook(lambda layer, name, buffer: names.append(name))
    >>> layer = torch.nn.BatchNorm1d(2)
    >>> names
    ['running_mean', 'running_var', 'num_batches_tracked']
    >>> handle.remove()
    """
    return add_hook(everywhere.buffer, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Run `hook(module, name, submodule)` whenever a module registers a child. A non-None result replaces the child.

    Args:
      hook: the function.

    Returns:
      A handle whose `remove()` removes the hook.

    >>> import torchlike as torch
    >>> from torchlike.nn.modules import module
    >>> names = []
    >>> handle = module.register_module_module_registration_hook(lambda layer, name, child: names.append(name))
    >>> layers = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
    >>> names
    ['0', '1']
    >>> handle.remove()
    """
    return add_hook(everywhere.module, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Run `hook(module, name, param)` whenever a module registers a parameter. A non-None result replaces it.

    Args:
      hook: the function.

    Returns:
      A handle whose `remove()` removes the hook.

    >>> import torchlike as torch
    >>> from torchlike.nn.modules import module
    >>> names = []
    >>> handle = module.register_module_parameter_registration_hook(lambda layer, name, param: names.append(name))
    >>> layer = torch.nn.Linear(2, 3)
    >>> names
    ['weight', 'bias']
    >>> handle.remove()
    """
    return add_hook(everywhere.parameter, hook)
