"""What is observed of each set of options of an optimizer: one program for each check."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

from tests.conformance.optimizers.entries import Side

STEPS = 10


def construction(side: Side) -> Any:
    """Return what the constructor makes, its warnings, and the state after one step."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = side.optimizer(side.parameters())
    texts = [f"{w.category.__name__}: {w.message}".replace("torchlike.", "torch.") for w in told]
    return [repr(made), made.defaults, state(made), texts]


def steps(side: Side) -> Any:
    """Return the parameters and the state after every step."""
    params = side.parameters()
    return stepped(side, side.optimizer(params), params)


def state(optimizer: Any) -> Any:
    """Return the state dictionary, with keys and the types of numbers in the order of the dictionary."""
    found = copy.deepcopy(optimizer.state_dict())
    if type(optimizer).__name__ == "LBFGS":
        # The history of gradients that vanish is rounding. The parameters show that it is correct.
        found["state"] = _kinds(found["state"])
    return found


def _kinds(kept: Any) -> Any:
    if isinstance(kept, dict):
        return {key: _kinds(value) for key, value in kept.items()}
    if isinstance(kept, list):
        return [_kinds(value) for value in kept[:1]]
    return (
        str([*kept.shape, kept.dtype]).replace("torchlike.", "torch.")
        if hasattr(kept, "dtype")
        else type(kept).__name__
    )


def stepped(
    side: Side, optimizer: Any, params: list[Any], count: int = STEPS, first: int = 0, give: Callable | None = None
) -> list[Any]:
    """Make steps with fixed gradients, or those that `give` returns. Return the parameters and the state after each."""
    found = []
    for number in range(first, first + count):
        grads = side.random(tuple(tuple(p.shape) for p in params), 100 + number)
        for place, (param, grad) in enumerate(zip(params, grads)):
            param.grad = give(number, place, grad) if give else grad.to(param.dtype)
        loss = (
            optimizer.step(_loss(optimizer, params))
            if side.sample.entry.info.step_requires_closure
            else optimizer.step()
        )
        found.append([loss, [p.detach().clone() for p in params], state(optimizer)])
    return found


def _loss(optimizer: Any, params: list[Any]) -> Callable[[], Any]:
    """Return a closure that computes a loss with gradients, whose minimum is where the parameters are 0.3."""

    def evaluate() -> Any:
        optimizer.zero_grad()
        loss = sum(((p - 0.3) * (p - 0.3).conj()).real.sum() for p in params)
        loss.backward()
        return loss

    return evaluate


def gaps(side: Side) -> Any:
    """Return every step if some gradients are None."""
    params = side.parameters()
    give = lambda number, place, grad: None if (number + place) % 3 == 0 else grad
    return stepped(side, side.optimizer(params), params, give=give)


def no_elements(side: Side) -> Any:
    """Return steps of parameters without elements, among others."""
    params = side.parameters(((0, 3), (2, 3), (2, 0)))
    return stepped(side, side.optimizer(params), params, 3)


def transposed(side: Side) -> Any:
    """Return steps of parameters and gradients that are not contiguous, and the strides of the state."""
    params = [side.library.nn.Parameter(t.t()) for t in side.random(((3, 4), (5, 2)), 0)]
    optimizer = side.optimizer(params)
    found = stepped(side, optimizer, params, 3, give=lambda number, place, grad: grad.t().contiguous().t())
    held = [t for kept in optimizer.state.values() for t in kept.values() if hasattr(t, "stride")]
    return [found, [tuple(t.stride()) for t in held]]


def mixed(side: Side) -> Any:
    """Return steps of parameters of several dtypes."""
    shapes = ((2, 3), (2, 3), (3, 2), (4, 2))
    names = ("float32", "bfloat16", "float16", "float64")
    params = [side.library.nn.Parameter(t.to(side.dtype(n))) for n, t in zip(names, side.random(shapes, 0))]
    return stepped(side, side.optimizer(params), params, 5)


def sparse(side: Side) -> Any:
    """Return steps of gradients with indices, as those of an embedding."""
    params = side.parameters(((6, 3),))
    info = side.sample.entry.info

    def give(number: int, place: int, grad: Any) -> Any:
        at = side.library.tensor([[number % 6, 2, 2]])
        return side.library.sparse_coo_tensor(at, grad[:3], grad.shape)

    more = info.metadata_for_sparse[0]
    return stepped(
        side,
        side.optimizer(params, **{k: v for k, v in more.items() if k not in side.sample.options}),
        params,
        give=give,
    )


def groups(side: Side) -> Any:
    """Return steps of named parameters in groups with options of their own, and of a group that is added later."""
    params, later = side.parameters(), side.parameters(seed=7)
    named = [{"params": [(f"w{i}", p)], "lr": 0.01 * (i + 1), "weight_decay": 0.1} for i, p in enumerate(params)]
    if side.sample.entry.name == "SparseAdam":
        return None
    optimizer = side.optimizer(named)
    found = stepped(side, optimizer, params, 3)
    optimizer.add_param_group({"params": [(f"v{i}", p) for i, p in enumerate(later)], "lr": 0.5})
    return [found, repr(optimizer), stepped(side, optimizer, [*params, *later], 3)]


def tensor_lr(side: Side) -> Any:
    """Return steps with a rate in a tensor that changes in place."""
    params = side.parameters()
    rate = side.library.tensor(0.01)
    optimizer = side.optimizer(params, lr=rate)
    found = stepped(side, optimizer, params, 3)
    rate.mul_(0.5)
    return [found, stepped(side, optimizer, params, 3, 3), repr(optimizer)]


def closure(side: Side) -> Any:
    """Return the loss, the parameters and the state of steps that evaluate a loss."""
    params = side.parameters()
    optimizer = side.optimizer(params)
    found = []
    for _ in range(STEPS // 2):
        loss = optimizer.step(_loss(optimizer, params))
        found.append([loss.detach(), [p.detach().clone() for p in params], state(optimizer)])
    return found


def copies(side: Side) -> Any:
    """Return steps of copies that are made after some steps."""
    params = side.parameters()
    optimizer = side.optimizer(params)
    found = [stepped(side, optimizer, params, 2)]
    for change in (copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))):
        again = change(optimizer)
        own = [p for group in again.param_groups for p in group["params"]]
        found.append([repr(again), stepped(side, again, own, 2, 2)])
    return found


def foreign_state(side: Side) -> Any:
    """Return steps that continue from a state that the other library saved."""
    other = side.other()
    theirs = other.parameters()
    started = other.optimizer(theirs)
    stepped(other, started, theirs, 3)
    values = side.through_a_file([[p.detach() for p in theirs], started.state_dict()])
    params = [side.library.nn.Parameter(p) for p in values[0]]
    optimizer = side.optimizer(params)
    optimizer.load_state_dict(values[1])
    return [state(optimizer), stepped(side, optimizer, params, 3, 3)]


def wrong_state(side: Side) -> Any:
    """Load states that do not fit: of another number of groups, and of parameters."""

    def tried(state: Any) -> str:
        try:
            return repr(side.optimizer(side.parameters()).load_state_dict(state))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    fits = side.optimizer(side.parameters()).state_dict()
    group = fits["param_groups"][0]
    wrong = [
        {**fits, "param_groups": [group, group]},
        {**fits, "param_groups": [{**group, "params": [0]}]},
        {},
        {"state": {}},
    ]
    return [tried(state) for state in wrong]


def to_other_dtypes(side: Side) -> Any:
    """Return the dtypes of a state that is loaded for parameters of another dtype, and steps from it."""
    params = side.parameters()
    optimizer = side.optimizer(params)
    stepped(side, optimizer, params, 2)
    found = []
    for name in ("bfloat16", "float64"):
        again = [side.library.nn.Parameter(p.detach().to(side.dtype(name))) for p in params]
        loaded = side.optimizer(again)
        loaded.load_state_dict(optimizer.state_dict())
        found += [state(loaded), stepped(side, loaded, again, 2, 2)]
    return found


def differentiated(side: Side) -> Any:
    """Return the gradients of a parameter after steps, with respect to what it depends on."""
    if not side.sample.options.get("differentiable"):
        return None
    first = side.random(((3, 2),), 0)[0].requires_grad_()
    grads = [t.requires_grad_() for t in side.random(((3, 2),) * 2, 1)]
    param = first.clone()
    optimizer = side.optimizer([param])
    for grad in grads:
        param.grad = grad
        optimizer.step()
    (param * param.conj()).real.sum().backward()
    return [param.detach(), first.grad, [side.library.zeros_like(g) if g.grad is None else g.grad for g in grads]]


def refused(side: Side) -> Any:
    """Make the optimizer of an error input, and step."""
    params = side.own(side.sample.params)
    if params is None:
        params = side.parameters(((1, 1),))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        optimizer = side.optimizer(params)
    for group in optimizer.param_groups:
        for param in group["params"]:
            param.grad = side.library.ones_like(param)
    optimizer.step()
    return [f"{w.category.__name__}: {w.message}".partition("\n")[0] for w in told]
