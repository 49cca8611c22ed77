"""The comparison of two traversals of the Python objects that a compiled call reads."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from torchlike._compile.places import Place, label

if TYPE_CHECKING:
    from torchlike._compile.reach import Reach


def first_difference(now: Reach, before: Reach, explained: Container[Any] = ()) -> str | None:
    """Describe the first difference between two traversals, or return None if there is none.

    `explained` are the keys of the locations whose differences are assignments that a replay repeats.
    """
    for key, place in now.places.items():
        was = None if key in explained else before.places.get(key)
        if was is not None and (found := place.difference(*_in_common(was, place))):
            return found
    for key, (keys, path) in now.keys.items():
        other = keys if key not in before.keys else before.keys[key][0]
        if keys != other:
            return label(path, sorted(keys ^ other)[0])
    for key, (_, cls, path) in now.instances.items():
        if key in before.instances and before.instances[key][1] is not cls:
            return f"the class of `{path}`"
    for key, (_, mro, path) in now.classes.items():
        if key in before.classes and before.classes[key][1] != mro:
            return f"the bases of `{path}`"
    return None


def _in_common(was: Place, place: Place) -> tuple[list, list]:
    """Return the earlier and the later contents of a guarded location, in the order of the later reading's names.

    A name that the earlier reading lacks counts as unchanged.
    """
    if not place.names or was.names == place.names:
        return was.seen, place.seen
    seen = dict(zip(was.names, was.seen))
    return [seen.get(n, x) for n, x in zip(place.names, place.seen)], place.seen[: len(place.names)]
