"""Functional calls of a module with replaced parameters and buffers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torchlike import Tensor
from torchlike._internal import warn
from torchlike.nn.modules.module import Module
from torchlike.nn.utils import _errors


def call_with(
    module: Any,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with its parameters and buffers replaced by the given tensors, then restore the originals.

    Args:
      module: the module.
      parameter_and_buffer_dicts: a dictionary of dotted names and tensors, or a sequence of such dictionaries.
      args: the argument of the call, or a tuple of arguments.
      kwargs: keyword arguments.
      tie_weights: a tensor given for one name of a shared parameter replaces it under all its names.
      strict: the given names must be exactly those of the module.

    Returns:
      The result of the call.

    Raises:
      ValueError: a name is in several dictionaries.
      RuntimeError: the module is a `DataParallel`, or the names differ with `strict`.

    >>> import torchlike as torch
    >>> layer = torch.nn.Linear(1, 1)
    >>> torch.func.functional_call(layer, {"weight": torch.ones(1, 1), "bias": torch.ones(1)}, torch.ones(1)).item()
    2.0
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    else:
        if not all(isinstance(part, dict) for part in parameter_and_buffer_dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        counts = Counter(key for part in parameter_and_buffer_dicts for key in part)
        repeated = [key for key, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        given = {key: value for part in parameter_and_buffer_dicts for key, value in part.items()}
    from torchlike.nn import DataParallel

    if isinstance(module, DataParallel):
        raise RuntimeError("The stateless API can't be used with nn.DataParallel module")
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, given, tie_weights=tie_weights, strict=strict):
        return module(*args, **({} if kwargs is None else kwargs))


def functional_call(
    module: Any,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with replaced tensors. Deprecated, with a warning: use `torch.func.functional_call`.

    Args:
      module: the module.
      parameters_and_buffers: a dictionary of dotted names and tensors.
      args: the argument of the call, or a tuple of arguments.
      kwargs: keyword arguments.
      tie_weights: a tensor given for one name of a shared parameter replaces it under all its names.
      strict: the given names must be exactly those of the module.

    Returns:
      The result of the call.

    >>> import torchlike as torch, warnings
    >>> from torchlike.nn.utils.stateless import functional_call
    >>> layer = torch.nn.Linear(1, 1)
    >>> with warnings.catch_warnings(action="ignore"):
    ...     functional_call(layer, {"weight": torch.ones(1, 1), "bias": torch.ones(1)}, torch.ones(1)).item()
    2.0
    """
    warn(_errors.stateless_deprecated(), FutureWarning)
    parameters_and_buffers.keys()  # raises for a sequence of dictionaries, which only `torch.func` accepts
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


@contextmanager
def _reparametrize_module(
    module: Any,
    parameters_and_buffers: dict[str, Tensor],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:
    """Replace parameters and buffers of the module by the given tensors while the block runs.

    Tensors that the module assigns under these names inside the block are written to `parameters_and_buffers`.
    `stack_weights` has no effect: the original tensors are always restored in reverse order.
    """
    names = _names_of_each_tensor(module)
    wanted = _with_ties(parameters_and_buffers, names) if tie_weights else dict(parameters_and_buffers)
    if strict:
        _check_names(module, parameters_and_buffers, wanted, [name for same in names for name in same])
    before: list[tuple[dict, str, str, Any]] = []
    try:
        for path, tensor in wanted.items():
            holder, name = _place(module, path, tensor)
            before.append((holder, name, path, holder.get(name, _MISSING)))
            holder[name] = tensor
        yield
    finally:
        now = {path: holder[name] for holder, name, path, _ in before if name in holder}
        for holder, name, _, tensor in reversed(before):
            if tensor is _MISSING:
                holder.pop(name, None)
            else:
                holder[name] = tensor
        parameters_and_buffers.update({path: now[path] for path in parameters_and_buffers if path in now})


_MISSING = object()


def _check_names(module: Any, given: dict, wanted: dict, known: list[str]) -> None:
    """Raise if a given name is not in the module, or a tensor of the module is not given."""
    missing = sorted(name for name in known if name not in wanted)
    unexpected = sorted(name for name in given if name not in known)
    if missing or unexpected:
        raise _errors.reparametrizing(type(module).__name__, unexpected, missing)


def _names_of_each_tensor(module: Any) -> list[list[str]]:
    found: dict[int, list[str]] = {}
    for members in (module.named_parameters, module.named_buffers):
        for name, tensor in members(remove_duplicate=False):
            found.setdefault(id(tensor), []).append(name)
    return list(found.values())


def _with_ties(given: dict[str, Tensor], names: list[list[str]]) -> dict[str, Tensor]:
    wanted = dict(given)
    for same in names:
        known = [name for name in same if name in given]
        if len({id(given[name]) for name in known}) > 1:
            raise _errors.tied_keys(sorted(known))
        if known:
            wanted |= {name: given[known[0]] for name in same if name not in given}
    return wanted


def _place(module: Any, path: str, tensor: Any) -> tuple[dict, str]:
    """Return the dictionary that holds the tensor with the dotted name `path`, and its key there."""
    prefix, _, name = path.rpartition(".")
    owner = _submodule(module, prefix)
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for holder in (owner._parameters, owner._buffers):
        if name in holder:
            return holder, name
    held = getattr(owner, name, None)
    if held is not None and not isinstance(held, Tensor):
        raise TypeError(f"attribute `{path}`: {held} is not an instance of torch.Tensor")
    return owner.__dict__, name


def _submodule(module: Any, path: str) -> Any:
    if not path:
        return module
    prefix, _, name = path.rpartition(".")
    owner = _submodule(module, prefix)
    if not hasattr(owner, name):
        raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
    found = getattr(owner, name)
    if not isinstance(found, Module):
        raise TypeError(f"submodule `{path}`: {found} is not an instance of torch.nn.Module")
    return found
