"""Creation of random tensors. Within `vmap`, they follow its `randomness` argument."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike._composite.random.samplers import Sampler, on_device, taken
from torchlike._dtypes import strides as _layout
from torchlike._dtypes.devices import streams_of
from torchlike._dtypes.modes import canonical
from torchlike._engine import sampled, to_numpy
from torchlike._engine.trace.batched_values import Level, as_rows, levels_of, lift, local
from torchlike._engine.xla.allocation import allocated, check_new, created
from torchlike._ops.random.philox import offset_advance
from torchlike._tensor import storage
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.factories import of_array, unfilled
from torchlike._tensor.tensor import Tensor, wrap


def of_shape(draw: Sampler, shape: tuple[int, ...], device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return random numbers of a shape as a tensor.

    Within `vmap(randomness="different")`, the numbers of all examples are generated as one tensor.
    """
    place, levels = canonical(device), _different()
    whole = (*[level.size for level in levels], *shape)
    check_new(whole, draw.dtype.itemsize, place)  # before numbers are taken from the generator
    if place.type == "meta":  # no numbers are generated for meta tensors
        return of_array(unfilled(shape, draw((0, *shape)).dtype), place, requires_grad)
    if place.type == "cpu":
        made = of_array(allocated(lambda: sampled(lambda: draw(whole)), place), place, requires_grad)
    else:
        made = on_device(draw, whole, place)._require_grad(requires_grad)
    return wrap(as_rows(made._value, levels)) if levels else made


def like(input: Tensor, draw: Sampler) -> Tensor:
    """Return a random number for each element of `input`, generated in the order of memory."""
    shape = tuple(input.shape)
    if input._strides is None:
        return of_shape(draw, shape, input.device)
    strides = storage.strides_of(shape, input._strides)
    if not _layout.is_dense(shape, strides):
        strides = _layout.pointwise_strides(shape, [(shape, strides)]) or _layout.contiguous_strides(shape)
    return of_shape(draw.in_order(shape, strides), shape, input.device)


_VECTOR = 16  # bytes; what a thread of PyTorch's dropout kernel reads at a time


def dropped(input: Tensor, p: float) -> Tensor:
    """Return the dropout of a tensor of an accelerator, with the random numbers of PyTorch's CUDA kernel.

    The kernel generates numbers in the order of memory. A thread reads up to 16 bytes at a time, if they are aligned
    and no elements remain.
    """
    shape, count = tuple(input.shape), input.numel()
    strides = None if input._strides is None else storage.strides_of(shape, input._strides)
    vector = 1
    if strides is None or _layout.is_dense(shape, strides):
        vector = _VECTOR // input.dtype.itemsize
        while (count | input._offset) % vector:
            vector //= 2
    else:
        strides = None
    streams = streams_of(input.device)
    state, position = taken(None, input.device, offset_advance(count, 1, streams))
    return rows["_random_dropout"](input, state, position, float(p), strides, vector, streams)


def into(target: Tensor, draw: Sampler) -> None:
    """Overwrite a tensor with random numbers, generated in the order of its memory."""
    shape, kind = tuple(target.shape), target.dtype.numpy
    if target.is_meta:
        return target._write(of_array(unfilled(shape, kind), target.device)._value)
    levels = _different()
    if not set(levels) <= set(levels_of(target._value)):
        raise RuntimeError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear "
            "like same randomness. If this is necessary for your usage, please file an issue with functorch."
        )
    order = draw if target._strides is None else draw.in_order(shape, target._strides)
    sizes = (*[level.size for level in levels], *shape)
    if target.device.type == "cpu":
        fill = lambda: np.asarray(order(sizes).astype(kind, copy=False), order="C")
        made = of_array(created(lambda: sampled(fill), sizes, kind.itemsize, target.device), target.device)
    else:
        made = on_device(order, sizes, target.device)
    target._write(as_rows(made._value, levels))


def is_on_host(t: Tensor) -> bool:
    """Return whether random numbers for a tensor are generated on the host."""
    return t.device.type in ("cpu", "meta")


def elements(t: Tensor) -> np.ndarray:
    """Return the elements on the host, for use as parameters of a distribution."""
    return to_numpy(t._value, draws=True)


def by_elements(function: Callable, matrices: int | None = None) -> Callable:
    """Decorate a function whose random numbers depend on the elements of tensors, for use within `vmap`.

    With `randomness="different"`, the function is called once with the elements of all examples. `matrices` is the
    largest number of dims that the function accepts; further batch dims are flattened.
    """

    @functools.wraps(function)
    def draw(*args: Any, **kwargs: Any) -> Any:
        tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)]
        levels = _different()
        if not levels and not any(level in levels_of(t._value) for level in _active() for t in tensors):
            return function(*args, **kwargs)
        if not levels:
            raise RuntimeError(
                "Vmap does not currently support same randomness with a batched tensor input. Please file an "
                "issue with functorch"
            )
        level = levels[-1]
        shape = np.broadcast_shapes(*[tuple(t.shape) for t in tensors])
        whole = lambda x: _whole(x.expand(shape), level, matrices) if isinstance(x, Tensor) else x
        with _closed(level):
            made = draw(*map(whole, args), **{name: whole(x) for name, x in kwargs.items()})
        if matrices is not None and len(shape) == matrices:
            made = made.view(level.size, -1, *made.shape[1:])
        return wrap(as_rows(made._value, [level]))

    return draw


def _whole(x: Tensor, level: Level, matrices: int | None) -> Tensor:
    whole = wrap(lift(x._value, level).whole)
    return whole.flatten(0, 1) if matrices is not None and whole.ndim > matrices else whole


class _closed:
    """A context in which one `vmap` level is inactive, because its examples are processed together."""

    def __init__(self, level: Level) -> None:
        self.level = level

    def __enter__(self) -> None:
        self.before = local.open
        local.open = tuple([level for level in self.before if level is not self.level])

    def __exit__(self, *_: object) -> None:
        local.open = self.before


def is_batched() -> bool:
    """Return whether a `vmap` level is active."""
    return bool(_active())


def _active() -> tuple[Level, ...]:
    return local.open[local.suspended :]


def _different() -> list[Level]:
    """Return the active `vmap` levels with `randomness="different"`, the outermost first.

    Raises:
      RuntimeError: an active level has `randomness="error"`.
    """
    active = _active()
    if any(level.randomness == "error" for level in active):
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
            "'different' randomness flags on vmap or perform the randomness operation out of vmap"
        )
    return [level for level in active if level.randomness == "different"]
