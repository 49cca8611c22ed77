"""The base class of transforms, and transforms that are composed of other transforms."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import torchlike
from torchlike import Size, Tensor

from . import _errors, constraints
from .distribution import not_given
from .utils import sum_rightmost


class Transform:
    """An invertible map with a computable log |det Jacobian|.

    A subclass defines `domain`, `codomain` (constraints), `bijective`, `_call`, `_inverse` and `log_abs_det_jacobian`.

    Args:
      cache_size (int, default 0): 0 for no cache. 1 keeps the last pair (x, y), so that the inverse of the last result
        is the same object as the argument.

    Raises:
      ValueError: `cache_size` is neither 0 nor 1.

    >>> import torchlike as torch
    >>> x, exp = torch.tensor(2.0), torch.distributions.ExpTransform(cache_size=1)
    >>> exp.inv(exp(x)) is x
    True
    """

    bijective = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size
        self._inv: Any = None
        if cache_size not in (0, 1):
            raise _errors.cache_size()
        self._cached_x_y: tuple = (None, None)
        super().__init__()  # of the next class in the MRO, such as `nn.Module`

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}  # a weak reference cannot be pickled

    @property
    def event_dim(self) -> int:
        """The number of event dims. Domain and codomain must agree on it."""
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return self.domain.event_dim

    @property
    def inv(self) -> Any:
        """The inverse transform. The inverse of the inverse is this same object."""
        inverse = self._inv() if self._inv is not None else None
        if inverse is None:
            inverse = _InverseTransform(self)
            self._inv = weakref.ref(inverse)
        return inverse

    sign: Any = property(not_given, doc="1 for an increasing bijection of numbers, -1 for a decreasing one.")

    def with_cache(self, cache_size: int = 1) -> Any:
        """Return the same transform with another cache size."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    __hash__ = object.__hash__

    def __call__(self, x: Tensor) -> Tensor:
        """Apply the transform to `x`."""
        if not self._cache_size:
            return self._call(x)
        last, image = self._cached_x_y
        if x is not last:
            image = self._call(x)
            self._cached_x_y = x, image
        return image

    def _inv_call(self, y: Tensor) -> Tensor:
        if not self._cache_size:
            return self._inverse(y)
        x, last = self._cached_x_y
        if y is not last:
            x = self._inverse(y)
            self._cached_x_y = x, y
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |dy/dx| for the events `x` and their images `y`."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the transform's output for an input of this shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the transform's input for an output of this shape."""
        return shape

    def __repr__(self) -> str:
        return self.__class__.__name__ + "()"


class OneOfAKind(Transform):
    """A transform without parameters. Two instances of the same class are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    __hash__ = None


class _InverseTransform(Transform):
    """The inverse of a transform, created by `transform.inv`. It keeps a strong reference to the transform."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv: Any = transform

    @property
    def domain(self) -> Any:
        return self._inv.codomain

    @property
    def codomain(self) -> Any:
        return self._inv.domain

    @property
    def bijective(self) -> bool:
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    @property
    def inv(self) -> Any:
        return self._inv

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def with_cache(self, cache_size: int = 1) -> Any:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = None

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self._inv!r})"

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """Several transforms, applied in the order of `parts`. `identity_transform` has no parts.

    Args:
      parts (list of Transforms): the transforms. Each may need other event dims than the one before it.
      cache_size (int, default 0): 0 or 1, see `Transform`. 1 applies to each of the parts.
      x (Tensor): the argument of a call of the transform.

    >>> import torchlike as torch
    >>> scaled, exp = torch.distributions.AffineTransform(0.0, 2.0), torch.distributions.ExpTransform()
    >>> torch.distributions.ComposeTransform([scaled, exp])(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 7.3891])
    """

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    def _extended_constraint(self, first: Any, seen: Sequence[tuple[Any, Any]]) -> Any:
        """Return the constraint at one end of the composition, extended to the event dims that the parts need.

        `first` is the constraint at the opposite end. `seen` starts at the end of the result. It has a pair of
        constraints for each part: at the side of the result, and at the opposite side.
        """
        dims = first.event_dim
        for near, far in reversed(seen):
            dims = max(dims + near.event_dim - far.event_dim, near.event_dim)
        near = seen[0][0]
        return constraints.independent(near, dims - near.event_dim) if dims > near.event_dim else near

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        if not self.parts:
            return constraints.real
        return self._extended_constraint(self.parts[-1].codomain, [(part.domain, part.codomain) for part in self.parts])

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        if not self.parts:
            return constraints.real
        return self._extended_constraint(
            self.parts[0].domain, [(part.codomain, part.domain) for part in reversed(self.parts)]
        )

    @property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        sign = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Any:
        inverse = self._inv() if self._inv is not None else None
        if inverse is None:
            inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv, inverse._inv = weakref.ref(inverse), weakref.ref(self)
        return inverse

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return torchlike.zeros_like(x)
        points = [x]
        for part in self.parts[:-1]:
            points.append(part(points[-1]))
        points.append(y)
        total: Any = 0
        dims = self.domain.event_dim
        for part, before, after in zip(self.parts, points, points[1:]):
            total = total + sum_rightmost(part.log_abs_det_jacobian(before, after), dims - part.domain.event_dim)
            dims += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}(\n    " + ",\n    ".join([repr(part) for part in self.parts]) + "\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform that treats the last `reinterpreted_batch_ndims` batch dims of `base_transform` as event dims.

    The log |det Jacobian| is summed over these dims.

    Args:
      base_transform (Transform): the transform of the values.
      reinterpreted_batch_ndims (int): the number of batch dims that become event dims.
      cache_size (int, default 0): 0 or 1, see `Transform`. It applies to `base_transform` too.

    Raises:
      ValueError: an argument of a call has fewer dims than an event.

    >>> import torchlike as torch
    >>> exp = torch.distributions.IndependentTransform(torch.distributions.ExpTransform(), 1)
    >>> exp.log_abs_det_jacobian(torch.ones(2, 3), torch.ones(2, 3).exp())
    tensor([3., 3.])
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        if x.dim() < self.domain.event_dim:
            raise _errors.too_few_dimensions()
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        if y.dim() < self.codomain.event_dim:
            raise _errors.too_few_dimensions()
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Any) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """A transform that reshapes the rightmost dims of a tensor from `in_shape` to `out_shape`.

    Args:
      in_shape (sequence of ints): the shape of an event before the transform.
      out_shape (sequence of ints): the shape of an event after it, with as many elements.
      cache_size (int, default 0): 0 or 1, see `Transform`.

    Raises:
      ValueError: the shapes have different numbers of elements.

    >>> import torchlike as torch
    >>> torch.distributions.ReshapeTransform((2, 3), (6,))(torch.zeros(5, 2, 3)).shape
    torch.Size([5, 6])
    """

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        shape = x.shape[: x.dim() - len(self.in_shape)]
        return torchlike.zeros(shape, dtype=x.dtype, device=x.device)

    def forward_shape(self, shape: Any) -> Any:
        return _exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return _exchanged(shape, self.out_shape, self.in_shape)


def _exchanged(shape: Any, old: Size, new: Size) -> Any:
    """Replace the last dims of `shape`, which must equal `old`, by `new`."""
    cut = len(shape) - len(old)
    if cut < 0:
        raise _errors.too_few_dimensions()
    if tuple(shape[cut:]) != tuple(old):
        raise _errors.shape_mismatch(shape[cut:], old)
    return shape[:cut] + new
