"""The calls that a file may make with `weights_only=True`.

A `Row` describes one permitted function, with a check for each argument and the number of required arguments. All
other calls raise.
"""

from __future__ import annotations

import _codecs
import collections
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any, NamedTuple

import numpy as np

import torchlike
from torchlike._errors.memory import is_out_of_memory
from torchlike.serialization import _errors as errors
from torchlike.serialization import _rebuild, _tensors
from torchlike.serialization._budget import Budget
from torchlike.serialization._classes import wrappers
from torchlike.storage import TypedStorage

Check = Callable[[Any], bool]
_MOST = 1 << 63


def _is_exactly(*kinds: type) -> Check:
    return lambda x: type(x) in kinds


def _is_count(x: Any) -> bool:
    return type(x) is int and 0 <= x < _MOST


def _is_shape(x: Any) -> bool:
    return type(x) in (tuple, torchlike.Size) and all(map(_is_count, x))


def _is_tensor(x: Any) -> bool:
    return isinstance(x, torchlike.Tensor)


def _is_no_hooks(x: Any) -> bool:
    return x is None or (type(x) in (dict, collections.OrderedDict) and not x)


def _is_metadata(x: Any) -> bool:
    return x is None or (type(x) is dict and all(_is_mark(k) and type(v) is bool for k, v in x.items()))


def _is_mark(x: Any) -> bool:
    return type(x) is str and x in ("conj", "neg")


def is_state(x: Any) -> bool:
    """Return whether `x` is a dictionary of attributes, or a pair of dictionaries (attributes, slots)."""
    if type(x) is tuple and len(x) == 2:
        return all(part is None or (type(part) is not tuple and is_state(part)) for part in x)
    return type(x) in (dict, collections.OrderedDict) and all(type(name) is str for name in x)


def _is_tensor_class(x: Any) -> bool:
    return isinstance(x, type) and issubclass(x, torchlike.Tensor)


def _is_data(x: Any) -> bool:
    """Return whether `x` is a strided tensor with at most as many elements as its storage.

    The cost of reading such a tensor is bounded by the size of the file. A meta tensor has no data and is accepted.
    """
    if not _is_tensor(x) or x.layout is not torchlike.strided:
        return False
    return x.device.type == "meta" or x.numel() <= x.untyped_storage().nbytes() // x.element_size()


def _is_sparse_data(x: Any) -> bool:
    if type(x) is not tuple or not 3 <= len(x) <= 4 or not _is_data(x[0]) or not _is_data(x[1]):
        return False
    if _is_data(x[2]):
        return len(x) == 4 and _is_shape(x[3])
    return _is_shape(x[2]) and (len(x) == 3 or type(x[3]) is bool or x[3] is None)


def _is_nested_data(x: Any) -> bool:
    """Return whether `x` holds the members of a nested tensor: rows, and as many indices as components."""
    if type(x) is not dict or not {"values", "offsets", "lengths", "_ragged_idx", "requires_grad"} <= {*x}:
        return False
    values, indices = x["values"], [t for t in (x["offsets"], x["lengths"]) if t is not None]
    are_indices = indices and all(_is_data(t) and t.dtype is torchlike.int64 and t.ndim == 1 for t in indices)
    if not (_is_data(values) and are_indices and type(x["requires_grad"]) is bool):
        return False
    return type(x["_ragged_idx"]) is int and 1 <= x["_ragged_idx"] <= values.ndim


def _is_quantizer(x: Any) -> bool:
    """Return whether `x` holds a scheme and its parameters: two numbers, or two sequences and a dim."""
    if type(x) is not tuple or not x:
        return False
    if x[0] is torchlike.per_tensor_affine:
        return len(x) == 3 and type(x[1]) is float and type(x[2]) is int
    if x[0] not in (torchlike.per_channel_affine, torchlike.per_channel_affine_float_qparams):
        return False
    return len(x) == 4 and all(_is_data(part) or _is_numbers(part) for part in x[1:3]) and _is_count(x[3])


def _is_numbers(x: Any) -> bool:
    return type(x) is list and all(type(n) in (int, float) for n in x)


_flag, _text = _is_exactly(bool), _is_exactly(str)
_layout = _is_exactly(torchlike.layout)


def _dtype(x: Any) -> bool:
    return isinstance(x, torchlike.dtype)


def _storage(x: Any) -> bool:
    return type(x) is TypedStorage and x._file_storage is not None


def _is_array(x: Any) -> bool:
    return type(x) is np.ndarray


_TENSOR = (_storage, _is_count, _is_shape, _is_shape)
_V2 = (*_TENSOR, _flag, _is_no_hooks)


class Row(NamedTuple):
    """A permitted function, the checks of its arguments, and the number of required arguments."""

    function: Callable
    checks: tuple[Check, ...]
    required: int

    def takes(self, args: tuple) -> bool:
        """Return whether the arguments are valid in number and type."""
        count = len(args)
        return self.required <= count <= len(self.checks) and all(check(x) for check, x in zip(self.checks, args))


def _is_rebuild(x: Any) -> bool:
    return any(x is function for function in REBUILDS)


def _row(function: Callable, *checks: Check, optional: int = 0) -> Row:
    return Row(function, checks, len(checks) - optional)


def _encoded(text: str, encoding: str) -> bytes:
    return text.encode(encoding)


def _is_latin(x: Any) -> bool:
    return type(x) is str and x in ("latin1", "latin-1")


def _is_pairs(x: Any) -> bool:
    return type(x) in (list, tuple) and all(type(pair) in (list, tuple) and len(pair) == 2 for pair in x)


REBUILDS = {
    row.function: row
    for row in (
        _row(_rebuild.rebuild_tensor, *_TENSOR),
        _row(_rebuild.rebuild_tensor_v2, *_V2, _is_metadata, optional=1),
        _row(_rebuild.rebuild_tensor_v3, *_V2, _dtype, _is_metadata, optional=1),
        _row(_rebuild.rebuild_parameter, _is_tensor, _flag, _is_no_hooks),
        _row(_rebuild.rebuild_parameter_with_state, _is_tensor, _flag, _is_no_hooks, is_state),
        _row(_rebuild.rebuild_meta_tensor_no_storage, _dtype, _is_shape, _is_shape, _flag),
        _row(_rebuild.rebuild_sparse_tensor, _layout, _is_sparse_data),
        _row(_rebuild.rebuild_njt, _is_nested_data),
        _row(_rebuild.rebuild_qtensor, *_TENSOR, _is_quantizer, _flag, _is_no_hooks),
        _row(_rebuild.rebuild_device_tensor_from_cpu_tensor, _is_data, _dtype, _text, _flag),
        _row(
            wrappers.rebuild_wrapper_subclass,
            wrappers.is_wrapper,
            *(_dtype, _is_shape, _is_shape, _is_count, _layout, _is_exactly(torchlike.device), _flag),
        ),
        _row(_rebuild.rebuild_device_tensor_from_numpy, _is_array, _dtype, _text, _flag),
    )
}
CALLS = REBUILDS | {
    row.function: row
    for row in (
        _row(
            _rebuild.rebuild_from_type_v2,
            _is_rebuild,
            _is_tensor_class,
            _is_exactly(tuple),
            lambda x: x is None or is_state(x),
        ),
        _row(_rebuild.get_layout, _text),
        _row(torchlike.device, _text, lambda x: type(x) is int and 0 <= x < 128, optional=1),
        _row(torchlike.Size, lambda x: type(x) in (tuple, list) and all(type(n) is int and abs(n) < _MOST for n in x)),
        _row(collections.OrderedDict, _is_pairs, optional=1),
        _row(collections.Counter, _is_exactly(dict), optional=1),
        _row(set, _is_exactly(list), optional=1),
        _row(bytearray, lambda x: type(x) in (str, bytes), _is_latin, optional=2),
        _row(complex, _is_exactly(float), _is_exactly(float)),
        _row(_codecs.encode, _text, _is_latin),
    )
}
_RESULTS = (
    torchlike.Tensor,
    torchlike.Size,
    torchlike.device,
    torchlike.layout,
    dict,
    set,
    bytearray,
    bytes,
    complex,
)


def is_described(function: Any) -> bool:
    """Return whether `function` is in `CALLS`. Compare by identity, because `function` may come from the file."""
    return any(function is known for known in CALLS)


def perform(function: Any, args: Any, budget: Budget) -> Any:
    """Perform a call that `CALLS` describes and return its result.

    Raises:
        UnpicklingError: The arguments do not match the description, or are inconsistent with each other.
    """
    row = _checked(function, args)
    _pay(args, budget)
    if function in REBUILDS or function is _rebuild.rebuild_from_type_v2:
        budget.tensor()
    elif function in (set, collections.OrderedDict, collections.Counter):
        _check_keys(function, args, budget)
    try:
        made = row.function(*args)
    except (errors.OfFile, UnpicklingError):
        raise
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise errors.bad_arguments(function) from None
    if not isinstance(made, _RESULTS):
        raise errors.bad_arguments(function)
    return made


def _checked(function: Any, args: Any) -> Row:
    """Check the arguments of a call and return the `Row` of its function."""
    row = _described(function, args)
    if function is _rebuild.rebuild_from_type_v2:
        _checked(args[0], args[2])
    elif function is _rebuild.rebuild_parameter_with_state:
        _tensors.check_state(torchlike.nn.Parameter, args[3])
    return row


def _described(function: Any, args: Any) -> Row:
    row = CALLS[function] if is_described(function) else None
    if row is None or type(args) is not tuple or not row.takes(args):
        raise errors.bad_arguments(function)
    return row


def _pay(args: tuple, budget: Budget) -> None:
    """Add the items that a call copies to the budget, because a file can pass one list or string to many calls."""
    for x in args:
        if type(x) in (list, tuple, dict):
            budget.objects(len(x))
        elif type(x) in (str, bytes):
            budget.bytes(len(x))


def _check_keys(function: Any, args: tuple, budget: Budget) -> None:
    for items in args:
        pairs = function is collections.OrderedDict
        budget.keys((item[0] for item in items) if pairs else items, function is set)
