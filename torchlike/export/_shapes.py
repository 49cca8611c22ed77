"""The dims that vary between calls of an exported program."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from torchlike._tensor.tensor import Tensor

_FIRST, _SECOND = 7, 13  # added to a size for the second and third recording; primes, so that sums and products differ


class _Hint:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Dim.{self.name}"


class Dim:
    """A named dim whose size may differ between calls of an exported program.

    Args:
      name: an identifier. Dims with the same name have equal sizes.
      min: the least size. A size below 2 is not supported: 2 is used.
      max: the greatest size; None for no limit.

    `Dim.AUTO` and `Dim.DYNAMIC` stand for a dim of its own, and `Dim.STATIC` for a fixed size.

    >>> import torchlike as torch
    >>> torch.export.Dim("batch", max=64)
    Dim('batch', min=0, max=64)
    """

    AUTO = _Hint("AUTO")
    DYNAMIC = _Hint("DYNAMIC")
    STATIC = _Hint("STATIC")

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__ = name
        self._min = 0 if min is None else min  # as it was given; sizes of 0 and 1 are not supported
        self.min, self.max = 2 if self._min < 2 else self._min, max
        if max is not None and max < self.min:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")

    def __repr__(self) -> str:
        limit = "" if self.max is None else f", max={self.max}"
        return f"Dim('{self.__name__}', min={self._min}{limit})"


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Return a `Dim` for each name.

    Args:
      names: the names.
      min, max: the least and the greatest size of each; None for no limit.

    >>> import torchlike as torch
    >>> torch.export.dims("batch", "length", min=1)
    (Dim('batch', min=1), Dim('length', min=1))
    """
    return tuple(Dim(name, min=min, max=max) for name in names)


class Sizes(NamedTuple):
    """The varying dims of the tensor inputs.

    Attributes:
      dims: the dims by name.
      shapes: for each tensor input, its shape, with a name in place of each varying size.
      given: the size of each dim in the example inputs.
    """

    dims: dict[str, Dim]
    shapes: list[tuple[int | str, ...]]
    given: dict[str, int]

    def samples(self) -> list[dict[str, int]]:
        """Return the sizes of the recordings.

        They are those of the example, two others, and the limits that the dims declare, because a branch may depend on
        a size. Without varying dims, they are those of the example only.
        """
        if not self.dims:
            return [{}]
        found = [self.given, *(self._moved(step) for step in (_FIRST, _SECOND))]
        for corner in (self._at_limits(lambda dim: dim.max), self._at_limits(lambda dim: dim._min)):
            if corner not in found:
                found.append(corner)
        return found

    def _at_limits(self, limit: Callable[[Dim], int | None]) -> dict[str, int]:
        return {name: max(limit(dim) or self.given[name], 2) for name, dim in self.dims.items()}

    def _moved(self, step: int) -> dict[str, int]:
        moved = {}
        for place, (name, size) in enumerate(self.given.items()):
            dim, by = self.dims[name], step + 4 * place
            fits = dim.max is None or size + by <= dim.max
            moved[name] = size + by if fits else max(dim.min, size - 1 - (step == _SECOND) - place)
        return moved

    def at(self, sizes: Mapping[str, Any]) -> list[tuple]:
        """Return the shapes of the inputs for these sizes."""
        return [tuple(sizes[n] if isinstance(n, str) else n for n in shape) for shape in self.shapes]


def sizes_of(function: Callable, args: tuple, kwargs: dict, given: Any, leaves: list) -> Sizes:
    """Return the varying dims that `dynamic_shapes` declares.

    Args:
      function: the forward, whose parameters name the inputs.
      args, kwargs: the example inputs.
      given: the `dynamic_shapes` of `export`, or a `ShapesCollection`.
      leaves: the tensors of the example inputs, in their order.
    """
    found = Sizes({}, [tuple(t.shape) for t in leaves], {})
    if given is None:
        return found
    bound = named_inputs(function, args, kwargs)
    if hasattr(given, "dynamic_shapes"):
        given = given.dynamic_shapes(function, args, kwargs)
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in bound]:
            raise ValueError(f"dynamic_shapes names {unknown}, which are not inputs")
        given = {name: given.get(name) for name in bound}
    pairs: list[tuple[Tensor, Any]] = []
    _pair(bound if isinstance(given, Mapping) else tuple(bound.values()), given, pairs)
    specs = {id(tensor): spec for tensor, spec in pairs}
    for i, tensor in enumerate(leaves):
        found.shapes[i] = _named(found, i, tensor, specs.get(id(tensor)))
    return found


def named_inputs(function: Any, args: tuple, kwargs: dict) -> dict[str, Any]:
    """Return the example inputs by the names of the parameters of a function, or of a module's forward."""
    called = getattr(function, "forward", function)
    return dict(inspect.signature(called).bind(*args, **kwargs).arguments)


def _pair(inputs: Any, spec: Any, into: list) -> None:
    if isinstance(inputs, Tensor):
        into.append((inputs, spec))
    elif isinstance(inputs, Mapping):
        for name, value in inputs.items():
            _pair(value, None if spec is None else spec.get(name), into)
    elif isinstance(inputs, list | tuple):
        if spec is not None and len(spec) != len(inputs):
            raise ValueError(f"dynamic_shapes has {len(spec)} items for an input of {len(inputs)}")
        for value, one in zip(inputs, spec or [None] * len(inputs)):
            _pair(value, one, into)


def _named(found: Sizes, place: int, tensor: Tensor, spec: Mapping[int, Any] | Sequence | None) -> tuple:
    items = spec.items() if isinstance(spec, Mapping) else enumerate(spec or ())
    shape: list = list(tensor.shape)
    for i, dim in items:
        if dim is None or dim is Dim.STATIC or isinstance(dim, int):
            continue
        if dim is Dim.AUTO or dim is Dim.DYNAMIC:
            dim = Dim(f"s{place}_{i % len(shape)}")
        size = int(tensor.shape[i])
        if found.given.setdefault(dim.__name__, size) != size:
            sizes = f"{found.given[dim.__name__]} and {size}"
            raise ValueError(f"the dims named {dim.__name__!r} have different sizes in the example inputs: {sizes}")
        if size < dim.min or (dim.max is not None and size > dim.max):
            raise ValueError(f"the example input has size {size} at {dim!r}")
        found.dims[dim.__name__] = dim
        shape[i] = dim.__name__
    return tuple(shape)
