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
from torchlike._dtypes import devices, modes
from torchlike._engine import aval
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.recording import Scene, is_array, is_tensor, recording
from torchlike.jax._arrays import array_of
from torchlike.jax._draws import drawing

_NO_KEY: Any = None
_SEEN = ("_storage", "_chain", "_strides", "_offset", "_edge", "_origin", "_cache", "_tracks")


def functional(module: Any, *, mutable: bool = False, random: bool = False) -> tuple[dict[str, jax.Array], Callable]:
    """Return a module's parameters and buffers as JAX arrays, and its forward as a pure function.

    `apply(params, *args, **kwargs)` takes and returns JAX arrays in arbitrary pytrees. It can be transformed with
    `jax.jit`, `grad`, `vmap`, `shard_map` and similar functions. Its gradient equals that of `backward()`, so
    `detach`, `no_grad`, hooks and the backward of an `autograd.Function` take effect. Every parameter and buffer has a
    gradient, even if it does not require grad. On the CPU, the arrays share the module's memory. Calls of `apply` do
    not change the module.

    Args:
      module: any `nn.Module`. The training mode (`train()`, `eval()`) of each submodule is fixed by this call.
      mutable: whether forward may write to buffers, such as the running statistics of batch normalization. If False,
        such a write raises an error. If True, `apply` returns `(result, written)`, and the next call takes
        `{**params, **written}`.
      random: whether forward may sample random numbers, as dropout does. If False, sampling raises an error. If True,
        `apply(params, key, *args)` samples from a `jax.random` key. The samples differ from those of PyTorch's
        generator.

    Returns:
      The pair `(params, apply)`.

    `apply` raises RuntimeError if forward reads elements (`item()`, `if` on a tensor), samples random numbers without
    `random=True`, writes to a tensor that is neither a parameter nor a buffer, or uses an existing view of a parameter
    or buffer. It also raises RuntimeError if names in `params` are missing or unknown. Other tensors that forward uses
    are constants. Under `jax.jit`, everything that is not an argument is a constant. Forward mode (`jax.jvp`) is not
    supported, because the gradient is defined for reverse mode only.

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
    device = next((tensor.device for tensor in tensors.values()), modes.get_default_device())
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
            training(trains),
            standing_in(scene, tensors, given),
        ):
            inner = [placeholder(scene, next(given), device) if is_array(leaf) else leaf for leaf in leaves]
            inner_args, inner_kwargs = jax.tree.unflatten(tree, inner)
            results, out_tree = jax.tree.flatten(module(*inner_args, **inner_kwargs))
            changed = written(scene, tensors)
            pairs = [leaf._pair() for leaf in results if is_tensor(leaf)]
            scene.recording.finish([*pairs, *changed.values()])
        arrays += draws.arrays(scene, key)
        check_aliases(what, scene, tensors)
        if scene.undo_writes():
            raise _errors.recording.impure(what, "writes to a tensor that is neither a parameter nor a buffer")
        if changed and not mutable:
            raise _errors.recording.written(what, sorted(changed))
        found = iter(pure(scene.recording)(arrays, [], [], []))
        results = [next(found) if is_tensor(leaf) else leaf for leaf in results]
        result = jax.tree.unflatten(out_tree, results)
        return (result, dict(zip(changed, found))) if mutable else result

    return params, apply


def _check_names(tensors: dict[str, Tensor], params: dict[str, Any]) -> None:
    if params.keys() != tensors.keys():
        missing, unknown = sorted(tensors.keys() - params.keys()), sorted(params.keys() - tensors.keys())
        raise RuntimeError(
            f"params must have the names that functional returned; missing: {missing}, unknown: {unknown}"
        )
    for name, tensor in tensors.items():
        if tuple(np.shape(params[name])) != tuple(tensor.shape):
            raise RuntimeError(
                f"params[{name!r}] has shape {tuple(np.shape(params[name]))}; the module's has {tuple(tensor.shape)}"
            )


def check_aliases(what: str, scene: Scene, tensors: dict[str, Tensor]) -> None:
    """Raise RuntimeError if forward uses a view of a parameter or buffer that is not itself a parameter or buffer.

    Such a view would refer to the module's own memory, not to the values that are passed to `apply`.
    """
    used = {id(value) for value in scene.recording.sub.outer}
    seen = sorted(name for name, tensor in tensors.items() if id(tensor._storage.value) in used)
    if seen:
        raise RuntimeError(
            f"{what} uses a tensor that shares memory with {', '.join(seen)} but is not a parameter or "
            "buffer: it would have the values of the module, not the values that are passed to apply"
        )


def placeholder(scene: Scene, array: Any, device: devices.device, strides: tuple[int, ...] | None = None) -> Tensor:
    return scene.tensor(aval(array.shape, _dtypes.from_numpy(np.dtype(array.dtype)), device), True, strides)


@contextmanager
def training(trains: list) -> Iterator[None]:
    """Set every submodule to its saved training mode within the block."""
    before = [part.training for part, _ in trains]
    try:
        for part, mode in trains:
            part.training = mode
        yield
    finally:
        for (part, _), mode in zip(trains, before):
            part.training = mode


@contextmanager
def standing_in(scene: Scene, tensors: dict[str, Tensor], given: Iterator) -> Iterator[None]:
    """Replace the contents of every parameter and buffer by a placeholder within the block."""
    before = [[getattr(tensor, name) for name in _SEEN] for tensor in tensors.values()]
    try:
        for tensor in tensors.values():
            tensor._storage.version += 1  # invalidate cached views, although nothing is written (see `check_aliases`)
            shown = placeholder(scene, next(given), tensor.device, tensor._strides)
            for name in _SEEN:
                setattr(tensor, name, getattr(shown, name))
        yield
    finally:
        for tensor, held in zip(tensors.values(), before):
            for name, what in zip(_SEEN, held):
                setattr(tensor, name, what)


def written(scene: Scene, tensors: dict[str, Tensor]) -> dict[str, Grad]:
    """Return the new values and gradient edges of the parameters and buffers that were overwritten."""
    inputs = {name: value for name, (value, _) in zip(tensors, scene.recording.inputs)}
    pairs = {name: tensor._pair() for name, tensor in tensors.items()}
    return {name: pair for name, pair in pairs.items() if pair[0] is not inputs[name]}
