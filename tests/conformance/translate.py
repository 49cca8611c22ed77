"""Translate the database's objects to torchlike: tensors, dtypes, and functions that use ``torch``."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import types
from collections.abc import Callable, Iterable
from typing import Any

import torch

import torchlike
from tests.oracle import to_ours

_OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)


class Untranslatable(NotImplementedError):
    """An object without a counterpart in torchlike, such as a sparse tensor."""


# -- functions ---------------------------------------------------------------------------------------------------------


def function(entry_name: str, theirs: Callable) -> Callable:
    """Return torchlike's counterpart of an entry's function.

    If the function belongs to PyTorch's test code, return the same code with ``torchlike`` in place of ``torch``.
    """
    if _is_test_code(theirs):
        return _rebuilt(theirs)
    path = f"ops.{theirs}" if isinstance(theirs, _OPERATORS) else entry_name.removeprefix("torch.")
    if isinstance(theirs, torch.cuda.jiterator._JittedFunction):
        return torchlike.cuda.jiterator._create_jit_fn(theirs.code_string)
    own = getattr(theirs, "__name__", "")
    # An entry's name may differ from that of its function.
    if getattr(torch, own, None) is theirs and hasattr(torchlike, own):
        path = own
    try:
        found = _walk(torchlike, path)
        return found if callable(found) else _walk(torchlike.Tensor, path)  # a dtype may have a method's name
    except AttributeError:
        if "." in path:
            raise
        return _walk(torchlike.Tensor, path)


def method(theirs: Any) -> Callable | None:
    """Return torchlike's counterpart of an unbound tensor method, or None if `theirs` is None."""
    if theirs is None or _is_test_code(theirs):
        return theirs and _rebuilt(theirs)
    if isinstance(theirs, functools.partial):
        return functools.partial(method(theirs.func), *theirs.args, **theirs.keywords)  # type: ignore[arg-type]
    place = torchlike.nn.functional if getattr(theirs, "__module__", "") == "torch.nn.functional" else torchlike.Tensor
    return getattr(place, theirs.__name__)


def _walk(start: Any, path: str) -> Any:
    return functools.reduce(getattr, path.split("."), start)


def _is_test_code(theirs: Any) -> bool:
    return isinstance(theirs, types.FunctionType) and theirs.__module__.startswith("torch.testing")


_rebuilt_already: dict[types.FunctionType, Callable] = {}


def _rebuilt(theirs: types.FunctionType) -> Callable:
    """Return a function with the same code, and with translated globals, defaults and closure."""
    if theirs in _rebuilt_already:
        return _rebuilt_already[theirs]
    found: dict[str, Any] = dict(theirs.__globals__)
    cells = tuple(types.CellType(_part(cell.cell_contents)) for cell in theirs.__closure__ or ())
    defaults = theirs.__defaults__ and tuple(_part(d) for d in theirs.__defaults__)
    made = types.FunctionType(theirs.__code__, found, theirs.__name__, defaults, cells)
    made.__kwdefaults__ = theirs.__kwdefaults__ and {k: _part(d) for k, d in theirs.__kwdefaults__.items()}
    _rebuilt_already[theirs] = made  # before its globals, which may contain the function itself
    for name in _global_names(theirs.__code__) & found.keys():
        found[name] = _part(found[name])
    return made


def _global_names(code: types.CodeType) -> set[str]:
    nested = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*[_global_names(c) for c in nested])


def _part(thing: Any) -> Any:
    if thing is torch:
        return torchlike
    if getattr(thing, "__name__", "") == "freeze_rng_state":
        return contextlib.nullcontext  # every call sets the seed
    return _rebuilt(thing) if _is_test_code(thing) else _simple(thing)


# -- arguments ---------------------------------------------------------------------------------------------------------


def arguments(x: Any, made: Callable[[torch.Tensor], Any] | None = None) -> Any:
    """Return an argument translated to torchlike; ``made`` translates the tensors."""
    if isinstance(x, torch.Tensor):
        return (made or tensor)(x)
    if isinstance(x, torch.Size):
        return torchlike.Size(x)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        own = torchlike.nn.utils.rnn.PackedSequence if isinstance(x, torch.nn.utils.rnn.PackedSequence) else type(x)
        return own(*[arguments(item, made) for item in x])
    if isinstance(x, list | tuple):
        return type(x)([arguments(item, made) for item in x])
    if isinstance(x, dict):
        return {key: arguments(item, made) for key, item in x.items()}
    if isinstance(x, slice):
        return slice(*[arguments(item, made) for item in (x.start, x.stop, x.step)])
    return _simple(x)


def _simple(x: Any) -> Any:
    if isinstance(x, torch.dtype | torch.layout | torch.memory_format):
        return getattr(torchlike, str(x).removeprefix("torch."))
    if isinstance(x, torch.device):
        return torchlike.device(str(x))
    if isinstance(x, torch.Generator):
        return torchlike.Generator().manual_seed(x.initial_seed())
    if isinstance(x, type) and x.__module__.startswith("torch.optim."):
        return _walk(torchlike, f"{x.__module__}.{x.__name__}".removeprefix("torch."))
    if callable(x) and getattr(torch.nn.functional, getattr(x, "__name__", ""), None) is x:
        return getattr(torchlike.nn.functional, x.__name__)
    if type(x).__module__.startswith("torch.nn.modules"):
        return _of_networks(x, getattr(torchlike.nn, type(x).__name__))
    return x


def _of_networks(theirs: Any, ours: type) -> Any:
    """Translate an options object by its fields, or a module without tensors by its constants."""
    if dataclasses.is_dataclass(theirs):
        return ours(**{f.name: _simple(getattr(theirs, f.name)) for f in dataclasses.fields(theirs)})
    if isinstance(theirs, torch.nn.TransformerEncoderLayer):
        return _of_layers(theirs, ours)
    made = ours()
    for name in theirs.__constants__:
        setattr(made, name, _simple(getattr(theirs, name)))
    return made


def _of_layers(theirs: torch.nn.TransformerEncoderLayer, ours: type) -> Any:
    """Translate a layer of a transformer with its parameters."""
    attention, linear, first = theirs.self_attn, theirs.linear1, theirs.norm1
    options = {"dropout": theirs.dropout.p, "layer_norm_eps": first.eps, "bias": linear.bias is not None}
    options |= {"batch_first": attention.batch_first, "norm_first": theirs.norm_first}
    activation = getattr(torchlike.nn.functional, theirs.activation.__name__)
    made = ours(attention.embed_dim, attention.num_heads, linear.out_features, activation=activation, **options)
    made = made.to(_simple(linear.weight.dtype))
    made.load_state_dict({name: to_ours(t) for name, t in theirs.state_dict().items()})
    return made


class Sharing:
    """A translator of the tensors of one call.

    Tensors that share memory share it after the translation too. A repeated tensor is translated once.
    """

    def __init__(self, theirs: Iterable[torch.Tensor]) -> None:
        self._all = {id(t): t for t in theirs if t.layout is torch.strided and t.device.type == "cpu"}
        self._made: dict[int, Any] = {}
        self._memories: dict[tuple, Any] = {}

    def __call__(self, theirs: torch.Tensor) -> Any:
        if id(theirs) not in self._made:
            shared = any(_memory(t) == _memory(theirs) for t in self._all.values() if t is not theirs)
            self._made[id(theirs)] = self._within(theirs) if shared and id(theirs) in self._all else tensor(theirs)
        return self._made[id(theirs)]

    def _within(self, theirs: torch.Tensor) -> Any:
        plain, key = theirs.detach(), _memory(theirs)
        if key not in self._memories:
            count = plain.untyped_storage().nbytes() // plain.itemsize
            self._memories[key] = to_ours(torch.as_strided(plain, (count,), (1,), 0))
        ours = torchlike.as_strided(self._memories[key], plain.shape, plain.stride(), plain.storage_offset())
        return ours.detach().requires_grad_(theirs.requires_grad)


def _memory(theirs: torch.Tensor) -> tuple:
    return theirs.untyped_storage()._cdata, theirs.dtype, theirs.is_conj(), theirs.is_neg()


def tensor(theirs: torch.Tensor) -> Any:
    """Return a torchlike leaf with the same values, dtype, shape, strides, offset and ``requires_grad``."""
    if theirs.layout is not torch.strided or theirs.is_quantized or theirs.is_nested:
        raise Untranslatable(f"a tensor of layout {theirs.layout}")
    plain = theirs.detach().resolve_conj().resolve_neg()
    if theirs.device.type == "meta":
        return torchlike.empty_strided(plain.shape, plain.stride(), dtype=_simple(plain.dtype), device="meta")
    if plain.ndim > 64:  # more dims than NumPy supports
        ours = to_ours(plain.reshape(-1)).reshape(tuple(plain.shape))
    elif plain.is_contiguous() and plain.storage_offset() == 0:
        ours = to_ours(plain)
    else:
        flat = torch.as_strided(plain, (_extent(plain) + plain.storage_offset(),), (1,), 0)
        ours = torchlike.as_strided(to_ours(flat), plain.shape, plain.stride(), plain.storage_offset()).detach()
    return ours.requires_grad_(theirs.requires_grad)


def _extent(plain: torch.Tensor) -> int:
    """Return the number of elements that the memory of a tensor spans, including the gaps between its own."""
    return 1 + sum((n - 1) * s for n, s in zip(plain.shape, plain.stride())) if plain.numel() else 0
