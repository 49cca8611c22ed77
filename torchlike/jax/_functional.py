"""A module as a pure function of its parameters and buffers, for JAX's transformations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._autograd.engine import Grad
from torchlike._autograd.jax_function import pure
from torchlike._dtypes import devices
from torchlike._engine import aval
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.recording import Scene, is_array, is_tensor, recording
from torchlike.jax._arrays import array_of
from torchlike.jax._draws import drawing

_NO_KEY: Any = None
_SEEN = ("_storage", "_chain", "_strides", "_offset", "_edge", "_origin", "_cache", "_tracks")


def functional(module: Any, *, mutable: bool = False, random: bool = False) -> tuple[dict[str, jax.Array], Callable]:
    """A module's parameters and buffers as JAX arrays, and its forward as a pure function of them.

    `apply(params, *args, **kwargs)` takes and returns JAX arrays, in any containers that JAX knows, and may be given to
    `jax.jit`, `grad`, `vmap`, `shard_map` and the like. Its gradient is the one that `backward()` computes: `detach`,
    `no_grad`, an `autograd.Function`'s own backward and hooks hold. Gradients reach every parameter and buffer, whether
    it requires grad or not. The arrays share the module's memory on the CPU; the module itself is not changed by calls.

    Args:
      module: any `nn.Module`. It is seen as it is now in one respect: whether each part trains (`train()`, `eval()`).
      mutable: what to do about buffers that forward writes to, such as batch normalization's running statistics. False:
        raise. True: `apply` returns `(result, written)`, and `{**params, **written}` are the params of the next call.
      random: what to do about random numbers, such as dropout's. False: raise. True: `apply(params, key, *args)` draws
        them from a key of `jax.random`; they are not those of PyTorch's generator.

    Returns `(params, apply)`.

    `apply` raises RuntimeError where forward looks at elements (`item()`, `if` on a tensor), draws random numbers,
    writes to a tensor that is neither parameter nor buffer, uses a view of one that was made before, and for names of
    params that are missing or unknown. Other
    tensors that forward uses are constants, and under `jax.jit` so is everything else that is no argument. Forward mode
    (`jax.jvp`) is refused by JAX: the gradient is known in reverse only.

    >>> import jax, jax.numpy as jnp, torchlike as torch
    >>> params, apply = torch.jax.functional(torch.nn.Linear(2, 1))
    >>> sorted(params)
    ['bias', 'weight']
    >>> jax.grad(lambda p: apply(p, jnp.ones((3, 2), "float32")).sum())(params)["bias"]
    Array([3.], dtype=float32)
    """
    tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    params = {name: array_of(tensor._value) for name, tensor in tensors.items()}
    trains = [(part, part.training) for part in module.modules()]
    device = next((tensor.device for tensor in tensors.values()), devices.canonical(None))
    what = f"{type(module).__name__}.forward"

    def apply(params: dict[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        _check_names(tensors, params)
        key, args = (args[0], args[1:]) if random else (_NO_KEY, args)
        leaves, tree = jax.tree.flatten((args, kwargs))
        leaves = [array_of(leaf._value) if is_tensor(leaf) else leaf for leaf in leaves]
        arrays = [params[name] for name in tensors] + [leaf for leaf in leaves if is_array(leaf)]
        given = iter(arrays)
        with (
            recording(what, device) as scene,
            drawing(scene, random) as draws,
            _training(trains),
            _standing_in(scene, tensors, given),
        ):
            inner = [_input(scene, next(given), device) if is_array(leaf) else leaf for leaf in leaves]
            inner_args, inner_kwargs = jax.tree.unflatten(tree, inner)
            results, out_tree = jax.tree.flatten(module(*inner_args, **inner_kwargs))
            written = _written(scene, tensors)
            pairs = [leaf._pair() for leaf in results if is_tensor(leaf)]
            scene.recording.finish([*pairs, *written.values()])
        arrays += draws.arrays(scene, key)
        _check_aliases(what, scene, tensors)
        if scene.undo_writes():
            raise _errors.recording.impure(what, "writes to a tensor that is neither parameter nor buffer")
        if written and not mutable:
            raise _errors.recording.written(what, sorted(written))
        found = iter(pure(scene.recording)(arrays, [], [], []))
        results = [next(found) if is_tensor(leaf) else leaf for leaf in results]
        result = jax.tree.unflatten(out_tree, results)
        return (result, dict(zip(written, found))) if mutable else result

    return params, apply


def _check_names(tensors: dict[str, Tensor], params: dict[str, Any]) -> None:
    if params.keys() != tensors.keys():
        missing, unknown = sorted(tensors.keys() - params.keys()), sorted(params.keys() - tensors.keys())
        raise RuntimeError(
            f"params must have the names that functional gave them; missing: {missing}, unknown: {unknown}"
        )
    for name, tensor in tensors.items():
        if tuple(np.shape(params[name])) != tuple(tensor.shape):
            raise RuntimeError(
                f"params[{name!r}] has shape {tuple(np.shape(params[name]))}; the module's has {tuple(tensor.shape)}"
            )


def _check_aliases(what: str, scene: Scene, tensors: dict[str, Tensor]) -> None:
    """Refuse what sees a parameter's memory and is none: it would go on showing the module's own."""
    used = {id(value) for value in scene.recording.sub.outer}
    seen = sorted(name for name, tensor in tensors.items() if id(tensor._storage.value) in used)
    if seen:
        raise RuntimeError(
            f"{what} uses a tensor that shares memory with {', '.join(seen)} and is no parameter or "
            "buffer itself: it would show the module's numbers, not those that apply is given"
        )


def _input(scene: Scene, array: Any, device: devices.device, strides: tuple[int, ...] | None = None) -> Tensor:
    return scene.tensor(aval(array.shape, _dtypes.from_numpy(np.dtype(array.dtype)), device), True, strides)


@contextmanager
def _training(trains: list) -> Iterator[None]:
    """Every part of the module in the mode that it was in."""
    before = [part.training for part, _ in trains]
    try:
        for part, mode in trains:
            part.training = mode
        yield
    finally:
        for (part, _), mode in zip(trains, before):
            part.training = mode


@contextmanager
def _standing_in(scene: Scene, tensors: dict[str, Tensor], given: Iterator) -> Iterator[None]:
    """Every parameter and buffer shows a placeholder."""
    before = [[getattr(tensor, name) for name in _SEEN] for tensor in tensors.values()]
    try:
        for tensor in tensors.values():
            tensor._storage.version += 1  # no write, but views are to look again: see `_check_aliases`
            shown = _input(scene, next(given), tensor.device, tensor._strides)
            for name in _SEEN:
                setattr(tensor, name, getattr(shown, name))
        yield
    finally:
        for tensor, held in zip(tensors.values(), before):
            for name, what in zip(_SEEN, held):
                setattr(tensor, name, what)


def _written(scene: Scene, tensors: dict[str, Tensor]) -> dict[str, Grad]:
    """The parameters and buffers that have other contents now."""
    inputs = {name: value for name, (value, _) in zip(tensors, scene.recording.inputs)}
    pairs = {name: tensor._pair() for name, tensor in tensors.items()}
    return {name: pair for name, pair in pairs.items() if pair[0] is not inputs[name]}
