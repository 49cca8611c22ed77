"""Adapters for user hooks on tensors and nodes. The hooks take tensors, but the engine uses (Value, edge) pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

from torchlike import _errors
from torchlike._autograd import engine
from torchlike._autograd.engine import Grad
from torchlike._autograd.nodes import AccumulateGrad, Node, adapters, hooks_of
from torchlike._autograd.sparse_value import SparseValue
from torchlike._dtypes import modes
from torchlike._errors.warned import warn


def _tensors(pairs: dict[int, Grad], places: Sequence[int | None]) -> tuple:
    from torchlike._tensor.tensor import wrap

    return tuple(wrap(*pairs[i]) if i is not None and i in pairs else None for i in places)


def _listed(returned: Any, count: int, hook: Callable) -> tuple:
    """Return the value that a node hook returned. Raise if it is not a tuple of `count` gradients."""
    if not isinstance(returned, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(returned).__name__}'")
    if len(returned) != count:
        raise _errors.hooks.hook_returned_count(hook, len(returned), count)
    return returned


def checked_gradient(returned: Any, before: Grad | None, hook: Any) -> Grad:
    """Return the gradient that a hook returned. Raise if its shape, dtype or layout differs from the original.

    Error messages contain the `__name__` of `hook`.
    """
    from torchlike._tensor.tensor import Tensor

    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(returned, Tensor):
        raise _errors.hooks.hook_returned_no_tensor(returned)
    pair = returned._pair()
    if _is_sparse(pair) != _is_sparse(before):
        raise _errors.hooks.hook_changed_type(hook, before[0], pair[0])
    if pair[0].aval is not before[0].aval:
        old, new = before[0].aval, pair[0].aval
        if old.dtype is not new.dtype or old.device is not new.device:
            raise _errors.hooks.hook_changed_type(hook, before[0], pair[0])
        if old.shape != new.shape:
            raise _errors.hooks.hook_changed_size(hook)
    return pair


def _is_sparse(pair: Grad) -> bool:
    return pair[0].__class__ is SparseValue


def _pair(seen: Any) -> Grad | None:
    return None if seen is None else seen._pair()


def on_tensor(hook: Callable) -> Callable:
    """Wrap a hook on the gradient of one tensor. Its return value replaces the gradient, unless it is None."""

    def on_pair(pair: Grad | None, create_graph: bool) -> Grad | None:
        from torchlike._tensor.tensor import wrap

        seen = None if pair is None else wrap(*pair)
        with modes.set_grad_enabled(create_graph):
            returned = hook(seen)
        return _pair(seen) if returned is None else checked_gradient(returned, pair, hook)

    on_pair.__wrapped__ = hook  # type: ignore[attr-defined]
    return on_pair


def warn_of_lost_hooks(tensor: Any) -> None:
    """Warn of each hook on the gradient of a tensor that is pickled or saved, because files contain no hooks."""
    node, number = tensor._edge or (None, 0)
    extra = None if node is None else node.extra
    found = {} if extra is None else extra.tensor.get(number, {})
    for adapter in found.values():
        hook = getattr(adapter, "__wrapped__", None)
        if hook is not None and not hasattr(hook, "__torch_unserializable__"):
            warn(_errors.hooks.lost_hook(hook))


def before(hook: Callable) -> Callable:
    """Wrap a hook on the incoming gradients of a node. Its return value replaces them, unless it is None."""

    def on_pairs(held: dict[int, Grad], node: Node) -> dict[int, Grad]:
        places = range(node.outputs())
        with modes.set_grad_enabled(any(e is not None for _, e in held.values())):
            returned = hook(_tensors(held, places))
        if returned is None:
            return held
        returned = _listed(returned, len(places), hook)
        return {i: checked_gradient(t, held.get(i), hook) for i, t in enumerate(returned) if t is not None}

    return on_pairs


def after(hook: Callable) -> Callable:
    """Wrap a hook on the gradients that a node computed. Its return value replaces them, unless it is None."""

    def on_pairs(grads: Sequence, wanted: tuple[int, ...], held: dict[int, Grad], node: Node) -> Sequence:
        found = {i: g for i, g in zip(wanted, grads) if g is not None}
        slots = node.slots()
        with modes.set_grad_enabled(any(e is not None for _, e in held.values())):
            returned = hook(_tensors(found, slots), _tensors(held, range(node.outputs())))
        if returned is None:
            return grads
        new = dict(zip(slots, _listed(returned, len(slots), hook)))
        return [None if new.get(i) is None else checked_gradient(new[i], found.get(i), hook) for i in wanted]

    return on_pairs


def call_after_accumulation(hook: Callable, leaf: Any, create_graph: bool) -> None:
    """Call a hook on a leaf after accumulation into its `.grad`. The hook must return None or the leaf."""
    with modes.set_grad_enabled(create_graph):
        returned = hook(leaf)
    if returned is leaf:
        return
    if hasattr(returned, "_storage"):
        checked_gradient(returned, leaf._pair(), hook)
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    if returned is not None:
        raise _errors.hooks.hook_returned_no_tensor(returned)


def retain(tensor: Any) -> None:
    """Keep the gradient of a non-leaf in its `.grad` from now on, even if later writes change its gradient edge."""
    number = id(tensor)
    mine = ref(tensor, lambda _: engine.retaining.pop(number, None))

    def mark() -> None:
        """Register the tensor at its current node when a backward pass begins."""
        held = mine()
        if held is not None and held.requires_grad:
            node, output = edge = held._edge
            if not isinstance(node, AccumulateGrad):  # if it became a leaf, its gradient is accumulated anyway
                hooks_of(node).retained[output] = lambda pair: keep(pair, edge)

    def keep(pair: Grad, edge: Any) -> None:
        from torchlike._tensor.tensor import wrap

        held = mine()
        if held is None or held._edge != edge:
            return
        walk = engine.running.walk
        differentiate = walk is not None and walk.create_graph
        if held._grad is not None:
            pair = engine.add(held._grad._pair(), pair, differentiate)
        elif differentiate:
            pair = engine.apply_op("clone", pair, differentiate=True)
        held._grad = wrap(pair[0], pair[1] if differentiate else None)

    engine.retaining[number] = mark


adapters.before, adapters.after = before, after
