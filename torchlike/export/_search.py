"""Search for the dims of example inputs that can vary: forward has the same operators for other sizes of these dims."""

from __future__ import annotations

from typing import Any

from torchlike._engine.trace.subtrace import Observed
from torchlike._engine.trace.trace import operators
from torchlike._transforms.recording import is_tensor
from torchlike.export._record import Forward, record
from torchlike.export._shapes import Dim, Sizes
from torchlike.utils import _pytree as pytree

Place = tuple[int, int]  # the number of a tensor, and a dim of it
_STEP = 7  # a prime, so that an even size becomes odd


def varying(module: Any, args: tuple, kwargs: dict) -> Sizes:
    """Return the sizes of the inputs, in which every dim that can vary has a name.

    A dim that cannot vary alone may vary together with the same dim of the other tensors, as a batch does. A varying
    dim of size one is given the size two.
    """
    forward, lifts = Forward(module), True
    shapes = [tuple(t.shape) for t in pytree.tree_leaves((args, kwargs)) if is_tensor(t)]
    try:
        names = _names(forward, args, kwargs, shapes)
    except Observed:  # forward reads a constant that it makes
        lifts = False
        names = _names(forward, args, kwargs, shapes, lifts)
    alone, together = {}, {}
    for place in [(i, dim) for i, shape in enumerate(shapes) for dim in range(len(shape))]:
        if _agrees(forward, args, kwargs, shapes, (place,), names, lifts):
            alone[place] = f"s{place[0]}_{place[1]}"
        else:
            together.setdefault((place[1], shapes[place[0]][place[1]]), []).append(place)
    for (dim, size), places in together.items():
        if len(places) > 1 and _agrees(forward, args, kwargs, shapes, tuple(places), names, lifts):
            alone.update(dict.fromkeys(places, f"d{dim}_{size}"))
    return _sizes(shapes, alone)


def _sizes(shapes: list[tuple], names: dict[Place, str]) -> Sizes:
    found = Sizes({}, [], {})
    for i, shape in enumerate(shapes):
        named: list[int | str] = list(shape)
        for dim, size in enumerate(shape):
            if (i, dim) in names:
                name = named[dim] = names[i, dim]
                found.dims[name], found.given[name] = Dim(name), max(size, 2)
        found.shapes.append(tuple(named))
    return found


def _names(forward: Forward, args: tuple, kwargs: dict, shapes: list[tuple], lifts: bool = True) -> list[str]:
    primal = record(forward, args, kwargs, shapes, lifts).recording.primal
    return [plan.name for plan, _ in operators(primal.code)]


def _agrees(
    forward: Forward,
    args: tuple,
    kwargs: dict,
    shapes: list[tuple],
    places: tuple[Place, ...],
    names: list[str],
    lifts: bool,
) -> bool:
    """Return whether forward has the same operators if some dims are larger."""
    larger = [list(shape) for shape in shapes]
    for i, dim in places:
        larger[i][dim] += _STEP
    try:
        return _names(forward, args, kwargs, [tuple(shape) for shape in larger], lifts) == names
    except Exception:  # forward does not accept this size
        return False
