"""`--mesh` and `torchlike.distribute`: a program for one device runs over all local devices (docs/many_devices.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

from torchlike._engine.xla.mesh import BATCH_AXES, STATE_AXES, GlobalMesh, activate, active, parse
from torchlike._mesh.spreading import Rules, axes_of, placed

M = TypeVar("M")
_NAMED = tuple(dict.fromkeys((*BATCH_AXES, *STATE_AXES)))


def distribute(model: M, mesh: str | Mapping[str, int] | Any = None, rules: Rules | None = None) -> M:
    """Spread a model, and the program that uses it, over the local devices. Results are those of one device.

    The process becomes one program over a mesh of devices, in which every tensor is global: its shape is the shape that
    the program sees. Batches that a `DataLoader` yields or that are passed to a module or compiled function are sharded
    on dimension 0 over the axes `data` and `fsdp`. Parameters are replicated, or sharded by rules. Gradients and
    optimizer state are laid out as their parameter. XLA inserts the collectives. The flag
    `python -m torchlike --mesh data=8 script.py` does the same for a script that does not call this function.
    PyTorch has no such function.

    Args:
      model: a module. Its parameters are placed now, and those of modules that the program calls later when they are
        first called.
      mesh: the axes and the number of devices along each: `"data=4,model=2"`, a dictionary, or a `jax.sharding.Mesh`,
        of which the names and sizes are used. By default the active mesh, or all local devices on the axis `data`.
      rules: a dictionary from patterns (`fnmatch`) to placements. The first pattern that matches the name of a
        parameter determines its placement: None (replicated), the name of an axis (which shards the largest dimension
        that it divides), or a tuple with one element for each dimension as in a `PartitionSpec`: the name of an axis, a
        tuple of names, or None. Other parameters are sharded over the axes `fsdp` and `model`, if the mesh has them and
        the parameter has at least 4096 elements, as if each name were a placement. An embedding is then sharded by
        rows.

    Returns:
      The model.

    Raises:
      RuntimeError: another mesh is active, or the number of devices differs from that of the mesh.
      ValueError: the mesh or a rule is not valid.

    >>> model = torchlike.nn.Linear(2, 4)
    >>> torchlike.distribute(model, mesh="fsdp=8", rules={"bias": None})  # doctest: +SKIP
    Linear(in_features=2, out_features=4, bias=True)
    """
    found = begin(_axes(mesh), f"the mesh {_text(mesh)}", rules or {})
    if rules is not None:
        placed.rules = dict(rules)
    placed.module(model, found, placed.rules)
    placed.move(found)
    return model


def begin(axes: Mapping[str, int], what: str, rules: Rules) -> GlobalMesh:
    """Check a mesh and rules, and make the mesh that of the process. `what` is the mesh as the user wrote it."""
    used = {axis for rule in rules.values() for part in _parts(rule) for axis in axes_of(part)}
    unknown = sorted(used - {*axes})
    if unknown:
        raise ValueError(f"a rule uses the axis {unknown[0]!r}, which {what} does not have")
    unused = [axis for axis, size in axes.items() if axis not in used and axis not in _NAMED and size > 1]
    if unused:
        raise ValueError(
            f"{what} has an axis {unused[0]!r} that no rule uses; the axes with a meaning of their own are "
            f"{', '.join(_NAMED)}"
        )
    mesh = activate(axes, what)
    mesh.wanted = placed.wanted
    return mesh


def _parts(rule: Any) -> tuple:
    return (rule,) if rule is None or isinstance(rule, str) else tuple(rule)


def _axes(mesh: Any) -> Mapping[str, int]:
    if mesh is None:
        if active.mesh is not None:
            return active.mesh.axes
        from torchlike._dtypes import devices

        return {"data": len(devices.jax_devices(devices.accelerator() or "cpu"))}
    if isinstance(mesh, str):
        return parse(mesh)
    axes = dict(getattr(mesh, "shape", mesh))  # the shape of JAX's meshes is a dictionary
    if not axes or math.prod(axes.values()) < 1:
        raise ValueError(f"a mesh needs at least one axis of positive size, not {axes}")
    return axes


def _text(mesh: Any) -> str:
    return mesh if isinstance(mesh, str) else ",".join(f"{name}={size}" for name, size in _axes(mesh).items())
