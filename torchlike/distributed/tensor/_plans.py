"""Plans: the placements that an operator's inputs get and its results have, for one signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torchlike
from torchlike import Tensor
from torchlike._internal import autocast
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torchlike.distributed.tensor._rules.costs import choose_all
from torchlike.distributed.tensor._rules.table import Call, Rule, Way
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate
from torchlike.utils import _pytree


class Plan(NamedTuple):
    """The decisions for a call.

    Attributes:
      steps: the way along each dim of the mesh.
      inputs: the placements of each tensor argument.
      copies: for each tensor argument, the dims of the mesh along which its gradient is partial, and the reduction.
      outputs: the layout of each result.
      out_shapes: the global shapes of the results.
    """

    steps: list[Way]
    inputs: list[tuple[Placement, ...]]
    copies: list[list[tuple[int, str]]]
    outputs: list[DTensorSpec]
    out_shapes: list[tuple[int, ...]]


_plans: dict[Any, Plan | None] = {}


def placements_of(call: Call) -> list[tuple[Placement, ...]]:
    """Return the placements of all tensor arguments."""
    whole = (Replicate(),) * call.mesh.ndim
    specs = [getattr(tensor, "_spec", None) for tensor in call.tensors]
    return [whole if spec is None else spec.placements for spec in specs]


def plan_of(call: Call, rule: Rule) -> Plan | None:
    """Return the plan of a call, or None if the rule cannot run it in place."""
    try:
        # Meshes are equal by their ranks. After the groups were made again, an equal mesh has others.
        groups = call.mesh._groups_if_known()
        key = (call.name, call.in_place, torchlike.is_grad_enabled(), groups, _key((call.args, call.kwargs)))
        found = _plans.get(key, False)
    except TypeError:
        return _made(call, rule)
    if found is False:
        found = _plans[key] = _made(call, rule)
    return found  # type: ignore[return-value]


def _key(given: Any) -> Any:
    if isinstance(given, Tensor):
        spec = getattr(given, "_spec", None)
        return (spec or (given.shape, given.dtype), given.requires_grad)
    if isinstance(given, list | tuple):
        return (given.__class__, *map(_key, given))
    if isinstance(given, dict):
        return tuple((name, _key(each)) for name, each in given.items())
    if isinstance(given, slice):
        return slice, given.start, given.stop, given.step
    return given.__class__, given


def _made(call: Call, rule: Rule) -> Plan | None:
    try:
        metas = [_meta(call.tensors[0])] if call.in_place and not rule.moves else _metas(call)
    except NotImplementedError:  # the shape of the result depends on the elements
        return None
    call.out_shapes = [tuple(meta.shape) for meta in metas]
    now = call.placed = placements_of(call)
    if rule.steps is not None:
        steps: Sequence[Way | None] = rule.steps(call, now)
    else:
        steps = choose_all(call, rule, now)
    if any(each is None for each in steps):
        return None
    chosen: list[Way] = [each for each in steps if each is not None]
    inputs = [tuple(each.inputs[i] for each in chosen) for i in range(len(call.tensors))]
    outputs = []
    for i, meta in enumerate(metas):
        placed = tuple(each.outputs[min(i, len(each.outputs) - 1)] for each in chosen)
        outputs.append(DTensorSpec(call.mesh, placed, TensorMeta(meta.shape, tuple(meta.stride()), meta.dtype)))
    return Plan(chosen, inputs, _copies(call, rule, chosen), outputs, call.out_shapes)


def _copies(call: Call, rule: Rule, steps: Sequence[Way]) -> list[list[tuple[int, str]]]:
    """A replicated input of results that are not replicated has partial gradients."""
    found: list[list[tuple[int, str]]] = []
    for i, tensor in enumerate(call.tensors):
        own = []
        is_target = call.in_place and i == 0
        for dim, each in enumerate(steps if tensor.requires_grad and torchlike.is_grad_enabled() else ()):
            if each.inputs[i].is_replicate() and not is_target and not all(o.is_replicate() for o in each.outputs):
                own.append((dim, _reduction(rule, each)))
        found.append(own)
    return found


def _reduction(rule: Rule, each: Way) -> str:
    is_mean = rule.local is None and any(isinstance(o, Partial) and o.reduce_op != "sum" for o in each.outputs)
    return "avg" if is_mean else "sum"


def _meta(tensor: Tensor) -> Tensor:
    return torchlike.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


def _metas(call: Call) -> list[Tensor]:
    """Return the results of the operator on tensors without data, of the global shapes."""

    def meta(each: Any) -> Any:
        return _meta(each) if isinstance(each, Tensor) else each

    if call.name in ("to", "cpu", "cuda", "type"):  # a dtype or a device; `_dispatch` takes the dtype of the result
        return [_meta(call.tensors[0])]
    args, kwargs = _pytree.tree_map(meta, (call.args, call.kwargs))
    with torchlike.no_grad(), autocast.on_meta(call.tensors[0].device.type):
        found = call.func(*args, **kwargs)
    return [each for each in _pytree.tree_leaves(found) if isinstance(each, Tensor)]
