"""What is observed of each sample of a module: one program for each check."""

from __future__ import annotations

import copy
import functools
import pickle
import warnings
from collections.abc import Callable
from typing import Any

from tests.conformance.compare import tensors
from tests.conformance.modules.entries import WIDER, Side
from tests.conformance.programs import converted, cotangents, strides


def construction(side: Side) -> Any:
    """Return everything that the constructor makes, and its warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = side.float32_module()
    texts = [f"{w.category.__name__}: {w.message}".replace("torchlike.", "torch.") for w in told]
    modules = [f"{name}: {type(m).__name__}" for name, m in made.named_modules()]
    return [repr(made).replace("torchlike.", "torch."), modules, made.training, state(made), texts]


def state(module: Any) -> list[Any]:
    """Return the parameters and buffers, the state dictionary, and its versions."""
    entries = module.state_dict()
    lazy = any(type(t).__name__.startswith("Uninitialized") for t in entries.values())
    values = [type(t).__name__ for t in entries.values()] if lazy else list(entries.values())
    parameters = [f"{name} {type(p).__name__} {p.requires_grad}" for name, p in module.named_parameters()]
    buffers = [name for name, _ in module.named_buffers()]
    versions = {k: dict(v) for k, v in entries._metadata.items()}
    return [list(entries), values, parameters, buffers, repr(versions)]


def call(side: Side) -> Any:
    """Return the result, the buffers after the call, and the next random number."""
    module = side.module()
    result = _called(module, side.inputs())
    return [result, dict(module.named_buffers()), side.library.rand(1)]


def layout(side: Side) -> Any:
    """Return the strides of the result."""
    return strides(_called(side.module(), side.inputs()))


def non_contiguous(side: Side) -> Any:
    """Return the result and its strides for inputs with gaps between the elements."""
    with_gaps = lambda t: side.library.stack([t, t], -1).detach()[..., 0].requires_grad_(t.requires_grad)
    result = _called(side.module(), converted(side.inputs(), with_gaps))
    return [result, strides(result)]


def channels_last(side: Side) -> Any:
    """Return results and strides for inputs in channels_last, without and with a module in it."""
    if not any(t.ndim in (4, 5) for t in tensors(side.inputs())):
        return None
    found = []
    for moves_module in (False, True):
        for ndim, name in ((4, "channels_last"), (5, "channels_last_3d")):
            form = getattr(side.library, name)
            module = side.module()
            fits = not side.sample.entry.info.is_lazy and all(p.ndim in (ndim, 0, 1) for p in module.parameters())
            if moves_module and fits:
                module = module.to(memory_format=form)
            result = _called(module, converted(side.inputs(), functools.partial(_in_format, form, ndim)))
            found += [result, strides(result)]
    return found


def _in_format(form: Any, ndim: int, t: Any) -> Any:
    return t.detach().contiguous(memory_format=form).requires_grad_(t.requires_grad) if t.ndim == ndim else t


def gradients(side: Side) -> Any:
    """Return the gradients of the inputs and the parameters."""
    module, inputs = side.module(), side.inputs()
    roots = [t for t in tensors(_called(module, inputs)) if t.requires_grad]
    if not roots:
        return "no gradients"
    side.library.autograd.backward(roots, cotangents(side.library, roots))
    return {name: t.grad for name, t in _leaves(module, inputs)}


def second_gradients(side: Side) -> Any:
    """Return the gradients of the gradients."""
    if side.sample.dtype != "float64" or not side.sample.entry.info.supports_gradgrad:
        return None
    module, inputs = side.module(), side.inputs()
    roots = [t for t in tensors(_called(module, inputs)) if t.requires_grad]
    leaves = [t for _, t in _leaves(module, inputs) if t.requires_grad]
    grad = side.library.autograd.grad
    for creates in (True, False):
        if not roots or not leaves:
            return "no gradients" if creates else [side.library.zeros_like(t) for t in leaves]
        weights = cotangents(side.library, roots)
        found = grad(roots, leaves, weights, create_graph=creates, allow_unused=True, materialize_grads=not creates)
        roots = [t for t in found if t is not None and t.requires_grad]
    return list(found)


def _leaves(module: Any, inputs: Any) -> list[tuple[str, Any]]:
    given = [(f"input {number}", t) for number, t in enumerate(tensors(inputs))]
    return [*given, *module.named_parameters()]


def copies(side: Side) -> Any:
    """Return the state and the results of a deep copy and of a module that was pickled."""
    module = side.module()
    again = [copy.deepcopy(module), pickle.loads(pickle.dumps(module))]
    return [[repr(m).replace("torchlike.", "torch."), state(m), _called(m, side.inputs())] for m in again]


def foreign_state(side: Side) -> Any:
    """Return the result with the state that the other library saved."""
    module, found = side.module(), side.foreign_state()
    matched = module.load_state_dict(found)
    return [repr(matched), state(module), _called(module, side.inputs())]


def wrong_state(side: Side) -> Any:
    """Load a state with a missing entry, an unexpected one, and another shape."""
    module = side.module()
    found = module.state_dict()
    if not found:
        return None
    first = next(iter(found))
    found["more"] = found.pop(first)
    for name in list(found)[:1]:
        found[name] = side.library.zeros(7, 7)
    module.load_state_dict(found)


def _cut(cut: Callable[[Any], Any], only_first: bool) -> Callable[[Side], Any]:
    def program(side: Side) -> Any:
        args, kwargs = side.inputs()
        if hasattr(args[0], "batch_sizes") or not any(t.ndim for t in tensors((args, kwargs))):
            return None
        change = lambda t: cut(t).detach().requires_grad_(t.requires_grad) if t.ndim else t
        if only_first and args:
            args = (converted(args[0], change), *args[1:])
        else:
            args, kwargs = converted((args, kwargs), change)
        module = side.module()
        result = _called(module, (args, kwargs))
        return [result, dict(module.named_buffers())]

    return program


without_batch, without_batch_first = (_cut(lambda t: t[0], only) for only in (False, True))
empty_batch, empty_batch_first = (_cut(lambda t: t[:0], only) for only in (False, True))
more_dims, more_dims_first = (_cut(lambda t: t[None], only) for only in (False, True))


def other_dtype(name: str, moves_inputs: bool) -> Callable[[Side], Any]:
    """Return a program of a module moved to another dtype."""

    def program(side: Side) -> Any:
        kind = getattr(side.library, WIDER[name] if side.sample.wide else name)
        module = side.module().to(kind)
        own = getattr(side.library, side.sample.dtype)
        move = lambda t: t.detach().to(kind) if moves_inputs and t.dtype == own else t
        return [state(module), _called(module, converted(side.inputs(), move))]

    return program


def on_meta(side: Side) -> Any:
    """Return shapes and strides of results of a module without storage."""
    if side.sample.entry.info.is_lazy:
        return None
    module = side.module().to("meta")
    result = _called(module, converted(side.inputs(), lambda t: t.detach().to("meta")))
    return [
        str([(tuple(t.shape), str(t.dtype).split(".")[-1], str(t.device)) for t in tensors(result)]),
        strides(result),
    ]


def refused(side: Side) -> Any:
    """Make the module of an error input, and call it."""
    module = side.float32_module()
    if side.sample.made.forward_input is not None:
        return _called(module, side.inputs())
    return None


def _called(module: Any, inputs: tuple[tuple, dict]) -> Any:
    args, kwargs = inputs
    return module(*args, **kwargs)
