"""The operators of a `DTensor`: the rule of an operator, applied to local tensors."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any

from torchlike import Tensor
from torchlike._internal import name_of, warn
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor import _copies
from torchlike.distributed.tensor._api import DTensor, changed, local_of, of_spec
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torchlike.distributed.tensor._names import shown
from torchlike.distributed.tensor._plans import Plan, placements_of, plan_of
from torchlike.distributed.tensor._redistribute import redistributed
from torchlike.distributed.tensor._rules import ROWS
from torchlike.distributed.tensor._rules.table import COMPOSED, Call, Rule
from torchlike.distributed.tensor.placement_types import Replicate
from torchlike.utils import _pytree


class _Modes(threading.local):
    """The modes of a thread.

    Attributes:
      composed: the functions that `loss_parallel` replaces.
      replicates_plain: whether plain tensors count as replicated (`implicit_replication`).
    """

    composed: Mapping[str, Callable] = {}
    replicates_plain = False


modes = _Modes()

_ONE_ELEMENT = (
    "Found a non-scalar tensor with numel=1 and ndim!=0, we are implicitly creating a replicated DTensor for it. "
    "However, please consider changing it to a scalar tensor or explicitly create a DTensor under distributed "
    "environment."
)


def call(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a function that has a `DTensor` among its arguments."""
    name, in_place = name_of(func)
    composed = modes.composed.get(name) or COMPOSED.get(name)
    if composed is not None:
        return composed(*args, **kwargs)
    tensors = [each for each in _pytree.tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
    mesh = _mesh_of(tensors)
    _check_mixed(name, in_place, tensors)
    if kwargs.pop("inplace", False):
        in_place = True
    out = kwargs.pop("out", None)
    made = Call(name, func, args, kwargs, mesh, tensors, in_place)
    found = _run(made)
    if out is None:
        return found
    out.copy_(found)
    return out


def _run(made: Call) -> Any:
    rule = ROWS.get(made.name)
    plan = plan_of(made, rule) if rule is not None else None
    if rule is None or plan is None:
        return _in_place_on_whole(made) if made.in_place else _on_whole(made)
    with _as_plain(made.tensors):
        found = _on_local(made, rule, plan)
    if made.in_place:
        if rule.moves:
            made.args[0]._spec = plan.outputs[0]
        return made.args[0]
    specs = iter(plan.outputs)
    return _pytree.tree_map(lambda each: _wrapped(each, next(specs)) if isinstance(each, Tensor) else each, found)


def _wrapped(local: Tensor, spec: DTensorSpec) -> DTensor:
    if local.dtype != spec.tensor_meta.dtype:
        spec = DTensorSpec(spec.mesh, spec.placements, TensorMeta(spec.shape, spec.stride, local.dtype))
    return of_spec(local, spec)


@contextlib.contextmanager
def _as_plain(tensors: Sequence[Tensor]) -> Iterator[None]:
    """Give distributed tensors the class Tensor for a while: they then behave as their local tensors.

    All classes change in one call of C code, so that no signal handler runs in between.
    """
    found = [each for each in tensors if each.__class__ is not Tensor and hasattr(each, "_spec")]
    change = partial(deque, map(setattr, found, repeat("__class__"), repeat(Tensor)), 0)
    restore = partial(deque, map(setattr, found, repeat("__class__"), [each.__class__ for each in found]), 0)
    try:
        change()
        yield
    finally:
        restore()


def _on_local(made: Call, rule: Rule, plan: Plan) -> Any:
    """Give the inputs the placements of the plan, and call the operator on the local tensors."""
    layouts = zip(made.tensors, made.shapes, placements_of(made), plan.inputs, plan.copies)
    prepared = [
        _copies.prepared(tensor, shape, made.mesh, before, after, copies)
        for tensor, shape, before, after, copies in layouts
    ]
    made.out_shapes = plan.out_shapes
    local = iter(prepared)
    args, kwargs = _pytree.tree_map(
        lambda each: next(local) if isinstance(each, Tensor) else each, (made.args, made.kwargs)
    )
    if rule.local is not None:
        return rule.local(made, args, kwargs, plan.steps)
    return made.func(*args, **kwargs)


def _mesh_of(tensors: Sequence[Tensor]) -> DeviceMesh:
    """Return the mesh of the arguments. Raise an error if there are several."""
    meshes = [each.device_mesh for each in tensors if isinstance(each, DTensor)]
    for mesh in meshes[1:]:
        if mesh is not meshes[0] and mesh != meshes[0]:
            raise NotImplementedError(f"{meshes[0]} and {mesh}: operators on several meshes are not supported")
    return meshes[0]


def _check_mixed(name: str, in_place: bool, tensors: Sequence[Tensor]) -> None:
    """Raise RuntimeError if plain tensors are mixed with distributed ones. Tensors of one element are replicated."""
    for each in tensors:
        if isinstance(each, DTensor) or not each.ndim or modes.replicates_plain:
            continue
        if each.numel() != 1:
            raise RuntimeError(
                f"aten.{shown(name, in_place, len(tensors))} got mixed torch.Tensor and DTensor, need to convert all "
                "torch.Tensor to DTensor before calling distributed operators!"
            )
        warn(_ONE_ELEMENT)


def _on_whole(made: Call) -> Any:
    """Call a function without a rule on the whole tensors. Its results are replicated."""
    placements = (Replicate(),) * made.mesh.ndim

    def whole(each: Any) -> Any:
        return local_of(changed(each, placements)) if isinstance(each, DTensor) else each

    args, kwargs = _pytree.tree_map(whole, (made.args, made.kwargs))
    found = made.func(*args, **kwargs)

    def replicated(each: Any) -> Any:
        if not isinstance(each, Tensor):
            return each
        meta = TensorMeta(each.shape, each.stride(), each.dtype)
        return of_spec(each, DTensorSpec(made.mesh, placements, meta))

    return _pytree.tree_map(replicated, found)


def _in_place_on_whole(made: Call) -> Any:
    """Call a function that writes to its first argument on whole tensors, and write the own part of the result."""
    target = made.args[0]
    placements, spec = (Replicate(),) * made.mesh.ndim, target._spec

    def whole(each: Any) -> Any:
        if not isinstance(each, DTensor):
            return each
        found = local_of(changed(each, placements))
        return found.clone() if each is target else found

    args, kwargs = _pytree.tree_map(whole, (made.args, made.kwargs))
    made.func(*args, **kwargs)
    if args[0].shape != spec.shape:
        raise NotImplementedError(
            f"aten.{shown(made.name, True)} changes the shape of its tensor in place from {list(spec.shape)} to "
            f"{list(args[0].shape)}. A DTensor with placements {spec.placements} does not support this operator."
        )
    part = redistributed(args[0], spec.shape, spec.mesh, placements, spec.placements)
    with _as_plain([target]):
        target.copy_(part)
    return target
