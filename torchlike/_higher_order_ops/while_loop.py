"""The loop operator `torch.while_loop`, built on `jax.lax.while_loop`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes.recorder import current
from torchlike._engine.trace.subtrace import Sampled, SubTrace
from torchlike._engine.xla.jax_private import eval_jaxpr
from torchlike._higher_order_ops._record import (
    InputProperties,
    Recorded,
    ResultIndex,
    device_of,
    differences,
    operate,
    record,
)
from torchlike._higher_order_ops._trees import flatten
from torchlike._tensor import factories
from torchlike._transforms.jax_operators import Functions, Higher
from torchlike._transforms.recording import is_tensor

# The maximum number of loop states that are saved for backward. A longer loop saves only every second, fourth, ...
# state.
KEPT = 64


def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: tuple | list) -> Any:
    """Repeat `carried = body_fn(*carried)` while `cond_fn(*carried)` is true. Return the final carried values.

    Args:
      cond_fn: a pure function that returns a bool tensor with one element, or a bool.
      body_fn: a pure function that returns tensors with the containers, shapes and dtypes of `carried_inputs`.
      carried_inputs: a tuple or list of tensors, ints, or containers of these.

    Raises the errors of `torch.cond`. Backward visits the states of the loop in reverse order. For a loop of more than
    64 iterations, it recomputes some of the states. The gradient itself is not differentiable.

    >>> import torchlike as torch
    >>> torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, tuple | list):
        raise RuntimeError(f"Expect carried_inputs to be a tuple or list, got {type(carried_inputs).__name__}.")
    leaves, tree = flatten(carried_inputs)
    if not all(is_tensor(leaf) or leaf.__class__ is int for leaf in leaves):
        raise _errors.control_flow.carried_leaves(leaves)
    device = device_of([leaf for leaf in leaves if is_tensor(leaf)])
    tensors = [leaf if is_tensor(leaf) else factories.of_array(np.asarray(leaf), device) for leaf in leaves]
    properties = [InputProperties.of_carried(tensor) for tensor in tensors]
    call = lambda function, inputs: function(*tree.filled(inputs))
    try:
        goes_on = record("torch.while_loop", "cond_fn", cond_fn, properties, device, call)
        body = record("torch.while_loop", "body_fn", body_fn, properties, device, call)
    except Sampled:
        return _looked_at(cond_fn, body_fn, carried_inputs)
    _check(goes_on, body, tensors)
    if not isinstance(goes_on.leaves[0], ResultIndex):
        return carried_inputs  # the condition is the constant False, so the body never runs
    results = operate(_WHILE, tensors, [goes_on, body])
    # Inside another captured function the values are not concrete yet.
    if not isinstance(current().capture, SubTrace):
        results = [result if is_tensor(leaf) else result.item() for leaf, result in zip(leaves, results)]
    return body.tree.filled(results) if len(leaves) != 1 or body.tree.kind is not None else results[0]


def _looked_at(cond_fn: Callable, body_fn: Callable, carried: Any) -> Any:
    """Run the loop eagerly: read the condition before each iteration."""
    while bool(cond_fn(*carried)):
        made = body_fn(*carried)
        carried = made if isinstance(made, tuple | list) else (made,)
    return carried


def _check(goes_on: Recorded, body: Recorded, tensors: list) -> None:
    leaf = goes_on.leaves[0] if len(goes_on.leaves) == 1 else None
    if leaf is True:
        raise _errors.control_flow.infinite_loop()
    if leaf is not False and not (
        isinstance(leaf, ResultIndex) and goes_on.avals[0].numel == 1 and goes_on.avals[0].dtype is _dtypes.bool_
    ):
        raise _errors.control_flow.condition_kind(goes_on.avals[0].shape if goes_on.avals else goes_on.leaves)
    if len(body.avals) != len(tensors):
        raise _errors.control_flow.carried_count("body_fn_output and carried_inputs", body.avals, tensors)
    different = differences(body, tensors, len(tensors))
    if different:
        raise _errors.control_flow.carried_metadata("body_fn_output and carried_inputs", different)


def _run(functions: Functions, given: list, outside: list) -> list:
    goes_on = lambda carried: jnp.reshape(functions[0](carried, outside[0])[0], ())
    step = lambda carried, changes: functions[1](carried, changes)
    return _loop(goes_on, step, given, outside[1])


_WHILE = Higher("while_loop", "WhileLoopAutogradOpBackward", "while_loop", _run, most=1)


def _loop(goes_on: Callable, step: Callable, given: list, changes: list) -> list:
    """Run the loop as a JAX function that is differentiable once.

    The values that the functions close over are passed as explicit arguments, because `custom_vjp` traces the forward
    and the backward function separately.
    """
    goes_on, read = _closed(goes_on, given)
    step, used = _closed(step, given, changes)

    @jax.custom_vjp
    def run(given: list, changes: list, read: list, used: list) -> list:
        return jax.lax.while_loop(lambda x: goes_on(read, x), lambda x: step(used, x, changes), given)

    def forward(given: list, changes: list, read: list, used: list) -> tuple:
        kept = _keeping_states(lambda x: goes_on(read, x), lambda x: step(used, x, changes), given)
        return kept[0], (changes, used, *kept[1:])

    def backward(saved: tuple, cotangents: list) -> tuple:
        changes, used, count, apart, states = saved
        grads, totals = _back(lambda x, changes: step(used, x, changes), changes, count, apart, states, cotangents)
        return grads, totals, None, None

    run.defvjp(forward, backward)
    return run(given, changes, read, used)


def _closed(function: Callable, *like: Any) -> tuple[Callable, list]:
    """Convert the closed-over values of a function to a leading argument. Return the new function and these values."""
    traced, shapes = jax.make_jaxpr(function, return_shape=True)(*like)
    tree = jax.tree.structure(shapes)

    def run(consts: list, *args: Any) -> Any:
        return jax.tree.unflatten(tree, eval_jaxpr(traced.jaxpr, consts, *jax.tree.leaves(args)))

    return run, traced.consts


def _keeping_states(goes_on: Callable, step: Callable, given: list) -> tuple:
    """Run the loop and save the state before every `apart`-th iteration.

    Return the final carried values, the number of iterations, `apart` and the saved states. When the buffer is full,
    every second saved state is dropped and `apart` doubles.
    """
    kept = [jnp.zeros((KEPT, *x.shape), x.dtype) for x in given]

    def thinned(state: tuple) -> tuple:
        count, apart, kept = state
        return count, apart * 2, [jnp.concatenate([x[::2], jnp.zeros_like(x[::2])]) for x in kept]

    def next_round(state: tuple) -> tuple:
        carried, *rest = state
        full = rest[0] == KEPT * rest[1]
        count, apart, kept = jax.lax.cond(full, thinned, lambda same: same, tuple(rest))
        # The index KEPT is out of bounds, so that mode="drop" writes nothing.
        here = jnp.where(count % apart == 0, count // apart, KEPT)
        kept = [x.at[here].set(now, mode="drop") for x, now in zip(kept, carried)]
        return step(carried), count + 1, apart, kept

    start = (given, jnp.zeros((), jnp.int64), jnp.ones((), jnp.int64), kept)
    return jax.lax.while_loop(lambda state: goes_on(state[0]), next_round, start)


def _back(step: Callable, changes: list, count: Any, apart: Any, kept: list, cotangents: list) -> tuple:
    """Return the gradients of the initial carried values and of the tensors that the body closes over."""
    floating = [i for i, x in enumerate(kept) if jnp.issubdtype(x.dtype, jnp.inexact)]

    def state_before(number: Any) -> list:
        nearest = [x[number // apart] for x in kept]
        return jax.lax.fori_loop(0, number % apart, lambda _, carried: step(carried, changes), nearest)

    def round_back(state: tuple) -> tuple:
        number, grads, totals = state
        before = state_before(number - 1)

        def forward(chosen: list, changes: list) -> list:
            full = list(before)
            for i, x in zip(floating, chosen):
                full[i] = x
            results = step(full, changes)
            return [results[i] for i in floating]

        grads, more = jax.vjp(forward, [before[i] for i in floating], changes)[1](grads)
        return number - 1, grads, [a + b for a, b in zip(totals, more)]

    start = (count, [cotangents[i] for i in floating], [jnp.zeros_like(x) for x in changes])
    _, grads, totals = jax.lax.while_loop(lambda state: state[0] > 0, round_back, start)
    found = dict(zip(floating, grads))
    return [found.get(i) for i in range(len(kept))], totals
