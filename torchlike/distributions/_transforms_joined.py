"""Transforms that apply several transforms to parts of a tensor along a dim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor

from . import _errors, constraints
from ._transforms_base import Transform
from .utils import sum_rightmost


def _check(dim: int, length: int, wanted: str, x: Tensor, name: str, alone: bool) -> None:
    if not -x.dim() <= dim < x.dim():
        raise _errors.dim_outside(dim, "tensor" if alone else name, x.dim())
    if x.size(dim) != length:
        raise AssertionError(f"{name}.size({dim}) = {x.size(dim)} must equal {wanted}")


class CatTransform(Transform):
    """A transform that splits dim `dim` into parts and applies one of several transforms to each part.

    Args:
      tseq (sequence of Transforms): the transform of each part.
      dim (int, default 0): the dim that is split. A negative dim counts from the last.
      lengths (sequence of ints, optional): the sizes of the parts. Default: every part has size 1.
      cache_size (int, default 0): 0 or 1, see `Transform`. 1 applies to each of the transforms.

    Raises:
      AssertionError: an element of `tseq` is not a transform, `lengths` has another length, or the dim of an argument
        has another size.

    >>> import torchlike as torch
    >>> exp, twice = torch.distributions.ExpTransform(), torch.distributions.AffineTransform(0.0, 2.0)
    >>> torch.distributions.CatTransform([exp, twice], lengths=[1, 2])(torch.tensor([0.0, 1.0, 2.0]))
    tensor([1., 2., 4.])
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise _errors.only_of("tseq", "Transform")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise _errors.lengths_match(len(self.lengths), "transforms", len(self.transforms))
        self.dim = dim

    @property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self) -> int:
        """The total length of dim `dim`."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, x: Tensor, name: str, alone: bool = True) -> list[Tensor]:
        _check(self.dim, self.length, f"length {self.length}", x, name, alone)
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths))]
        return [x.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths)]

    def _call(self, x: Tensor) -> Tensor:
        return torchlike.cat([t(part) for t, part in zip(self.transforms, self._parts(x, "x"))], dim=self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return torchlike.cat([t.inv(part) for t, part in zip(self.transforms, self._parts(y, "y"))], dim=self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        found = []
        for t, before, after in zip(self.transforms, self._parts(x, "x", False), self._parts(y, "y", False)):
            each = t.log_abs_det_jacobian(before, after)
            found.append(sum_rightmost(each, self.event_dim - t.event_dim) if t.event_dim < self.event_dim else each)
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return torchlike.cat(found, dim=dim) if dim < 0 else sum(found)  # type: ignore[return-value]

    @property
    def bijective(self) -> bool:
        return all(t.bijective for t in self.transforms)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(Transform):
    """A transform that applies the i-th of several transforms to index i of dim `dim`.

    Args:
      tseq (sequence of Transforms): the transform of each index.
      dim (int, default 0): the dim whose size is the number of transforms. A negative dim counts from the last.
      cache_size (int, default 0): 0 or 1, see `Transform`. 1 applies to each of the transforms.

    Raises:
      AssertionError: an element of `tseq` is not a transform, or the dim of an argument has another size.

    >>> import torchlike as torch
    >>> exp, twice = torch.distributions.ExpTransform(), torch.distributions.AffineTransform(0.0, 2.0)
    >>> torch.distributions.StackTransform([exp, twice])(torch.ones(2, 2))
    tensor([[2.7183, 2.7183],
            [2.0000, 2.0000]])
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise _errors.only_of("tseq", "Transform")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _slice(self, z: Tensor) -> list[Tensor]:
        return [z.select(self.dim, i) for i in range(z.size(self.dim))]

    def _each(self, of: Callable[..., Tensor], **given: Tensor) -> Tensor:
        count = len(self.transforms)
        for name, z in given.items():
            _check(self.dim, count, f"len(transforms) {count}", z, name, len(given) == 1)
        parts = zip(*[self._slice(z) for z in given.values()])
        return torchlike.stack([of(t, *part) for t, part in zip(self.transforms, parts)], dim=self.dim)

    def _call(self, x: Tensor) -> Tensor:
        return self._each(lambda t, part: t(part), x=x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._each(lambda t, part: t.inv(part), y=y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self._each(lambda t, *parts: t.log_abs_det_jacobian(*parts), x=x, y=y)

    @property
    def bijective(self) -> bool:
        return all(t.bijective for t in self.transforms)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
