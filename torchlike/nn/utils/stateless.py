"""Calling a module with other tensors in the places of its own."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torchlike._tensor import Tensor

from . import _errors


def call_with(
    module: Any,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` as if its parameters and buffers were the given ones, by dotted name; it is left as it was.

    Where one parameter has several names, a tensor given for one of them stands for all (`tie_weights`). With
    `strict` every name must be given and known.
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = dict(parameter_and_buffer_dicts)
    else:
        counts = Counter(key for part in parameter_and_buffer_dicts for key in part)
        repeated = [key for key, count in counts.items() if count > 1]
        if repeated:
            raise _errors.repeated_keys(repeated)
        given = {key: value for part in parameter_and_buffer_dicts for key, value in part.items()}
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def functional_call(
    module: Any,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The deprecated place of `torch.func.functional_call`."""
    warnings.warn(_errors.stateless_deprecated(), FutureWarning, stacklevel=2)
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


@contextmanager
def _replaced(module: Any, given: dict[str, Tensor], tie_weights: bool, strict: bool) -> Iterator[None]:
    """Hold the given tensors in the module's places while the block runs."""
    names = _names_of_each_tensor(module)
    wanted = _with_ties(given, names) if tie_weights else given
    known = {name for same in names for name in same}
    if strict:
        missing = [name for same in names for name in same if name not in wanted]
        unexpected = [name for name in given if name not in known]
        if missing or unexpected:
            raise _errors.reparametrizing(type(module).__name__, unexpected, missing)
    places = [(*_place(module, name), tensor) for name, tensor in wanted.items() if name in known]
    before = [holder[name] for holder, name, _ in places]
    try:
        for holder, name, tensor in places:
            holder[name] = tensor
        yield
    finally:
        for (holder, name, _), tensor in zip(places, before):
            holder[name] = tensor


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
        if known:
            wanted |= {name: given[known[0]] for name in same if name not in given}
    return wanted


def _place(module: Any, name: str) -> tuple[dict, str]:
    """The dictionary that holds the tensor of this dotted name, and its key there."""
    path, _, last = name.rpartition(".")
    owner = module.get_submodule(path)
    return (owner._parameters if last in owner._parameters else owner._buffers), last
