"""Mixed precision (autocast): the state of each thread, and the casts of operands.

Operators declare a cast policy (`Op.autocast`). The caller of an operator, which is the function that users call, has a
fast path and a slow path. It reads the policy only in the slow path. While some thread uses autocast, a shared closure
cell sends all callers to the slow path. Autocast therefore costs nothing while no thread uses it.

The fast dtype of a device type is the lower-precision dtype to which autocast casts there.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices, modes
from torchlike._dtypes.recorder import current
from torchlike._engine.xla.forked import held_in_forks
from torchlike._ops.schema.autocast_policies import Casts, Policy
from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened

_local = modes.local
_lock = held_in_forks(threading.Lock())
_threads = 0  # the number of threads that use autocast
CASTING = object()  # the value of the shared cells while some thread uses autocast

# -- callers -----------------------------------------------------------------------------------------------------------

# Closure cells of callers: the cell, its value while some thread uses autocast, and its usual value.
_switches: list[tuple[types.CellType, Any, Any]] = []
_slow = types.CellType(False)  # the closure variable `slow` of all callers of operators that autocast may cast
_switches.append((_slow, CASTING, False))


def listening(call: Any) -> Any:
    """Return a copy of a caller whose closure variable `slow` becomes `CASTING` while some thread uses autocast."""
    cells = list(call.__closure__)
    cells[call.__code__.co_freevars.index("slow")] = _slow
    made = types.FunctionType(call.__code__, call.__globals__, call.__name__, call.__defaults__, tuple(cells))
    return functools.update_wrapper(made, call) if call.__dict__ else made


def without_plans(quick: Any) -> Any:
    """Register a fast caller that takes the slow path while some thread uses autocast.

    Its closure variable `plans` is empty during that time.
    """
    cell = quick.__closure__[quick.__code__.co_freevars.index("plans")]
    _switches.append((cell, {}, cell.cell_contents))
    return quick


def casting(policies: Casts) -> Callable[[Callable], Callable]:
    """Return a decorator that gives cast policies to a function that is not a single operator.

    Operators called inside the function are not cast again.
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                if not _local.autocast or kwargs.get("out") is not None:
                    return function(*args, **kwargs)
                found = _policy(policies, args, kwargs)
                if found is None:
                    return function(*args, **kwargs)
                args, kwargs = _cast(*found, args, kwargs)
                before, _local.autocast = _local.autocast, ()
                try:
                    return function(*args, **kwargs)
                finally:
                    _local.autocast = before
            except Exception as error:
                raise shortened(error)

        made: Any = call
        made.uncast = function
        return made

    return decorate


def uncast(function: Callable) -> Callable:
    """Return the function without the decorator of `casting`. In-place variants use it, because they cast nothing."""
    return getattr(function, "uncast", function)


# -- casting -----------------------------------------------------------------------------------------------------------


def call(op: Any, args: tuple, kwargs: dict) -> Any:
    """Call an operator that has policies, with its operands cast as the thread's autocast state requires."""
    if _local.autocast:
        found = _policy(op.public.autocast, args, kwargs)
        if found is not None:
            args, kwargs = _cast(*found, args, kwargs)
    return op.public.uncast(*args, **kwargs)


def _operands(args: tuple, kwargs: dict) -> list[Tensor]:
    every = (*args, *kwargs.values()) if kwargs else args
    return [x for a in every for x in (a if isinstance(a, list | tuple) else (a,)) if isinstance(x, Tensor)]


def _policy(policies: Casts, args: tuple, kwargs: dict) -> tuple[Policy, str, _dtypes.dtype, list[Tensor]] | None:
    """Return the policy for the operands' device, the device type, its fast dtype, and the operands.

    Return None if autocast does not apply to the operands.
    """
    tensors = _operands(args, kwargs)
    if not tensors:
        return None
    kind = tensors[0].device.type
    for each, fast in _local.autocast:
        if each == kind:
            policy = policies.on(kind)
            return None if policy is None else (policy, kind, fast, tensors)
    return None


def rounded(x: Tensor) -> Tensor:
    """Cast a result to the fast dtype of the autocast region.

    Used for functions that are one operator here. In PyTorch they consist of several operators, and the last one is a
    matrix product.
    """
    fast = next((fast for kind, fast in _local.autocast if is_eligible(x, kind)), x.dtype)
    return x if fast is x.dtype else x.to(fast)


def is_eligible(x: Tensor, kind: str) -> bool:
    """Return whether autocast may cast a tensor: its dtype is real floating-point, and not float64."""
    return x.dtype.is_floating_point and x.dtype is not _dtypes.float64 and x.device.type == kind


def _cast(
    policy: Policy, kind: str, fast: _dtypes.dtype, tensors: list[Tensor], args: tuple, kwargs: dict
) -> tuple[tuple, dict]:
    eligible = [x for x in tensors if is_eligible(x, kind)]
    to = policy(fast, [x.dtype for x in eligible], args)
    others = {id(x): x for x in eligible if x.dtype is not to}
    if to is None or not others:
        return args, kwargs
    made = {key: _cached(x, to) if to is fast else x.to(to) for key, x in others.items()}

    def one(a: Any) -> Any:
        if isinstance(a, list | tuple):
            return type(a)([made.get(id(x), x) for x in a])
        return made.get(id(a), a)

    return tuple([one(a) for a in args]), {name: one(a) for name, a in kwargs.items()}


def _cached(x: Tensor, to: _dtypes.dtype) -> Tensor:
    """Return a tensor cast to the fast dtype. A weight is cast only once in each outermost `autocast` region."""
    is_weight = x.dtype is _dtypes.float32 and x.requires_grad and x.is_leaf and x._chain is None
    # Casts that are recorded in a capture must not be cached beyond the capture.
    if not (is_weight and state.cache_enabled and current().capture is state.capture):
        return x.to(to)
    key = (id(x), to, _local.grad)
    held, made = state.cache.get(key, (None, None))
    if made is None or held() is not x:
        made = x.to(to)
        state.cache[key] = ref(x), made
    return made


# -- the state of a thread ---------------------------------------------------------------------------------------------

_BFLOAT16, _FLOAT16 = _dtypes.bfloat16, _dtypes.float16
_DEFAULTS = {
    "cpu": _BFLOAT16,
    "cuda": _FLOAT16,
    "tpu": _BFLOAT16,
    "mps": _FLOAT16,
    "xpu": _FLOAT16,
    "hpu": _BFLOAT16,
    "mtia": _FLOAT16,
    "maia": _BFLOAT16,
    "ipu": _FLOAT16,
}


class _State(threading.local):
    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes = dict(_DEFAULTS)
        self.cache_enabled = True
        self.nesting = 0
        self.cache: dict = {}
        self.capture: Any = None  # the capture in which the outermost region began


state = _State()


def named(device_type: Any, name: str) -> str:
    """Return the device type that a string names. `name` is the calling function, for error messages."""
    if not isinstance(device_type, str):
        raise _errors.arguments.wrong_type(name, "device_type", 1, "str", device_type)
    return devices.device(device_type).type


def kind_of(device_type: Any, name: str) -> str:
    """Return the device type that a string names. Raise if mixed precision does not support it."""
    kind = named(device_type, name)
    if not is_known(kind):
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")
    return kind


def autocast_increment_nesting() -> int:
    """Increment the number of nested autocast regions and return it."""
    if not state.nesting:
        state.capture = current().capture
    state.nesting += 1
    return state.nesting


def autocast_decrement_nesting() -> int:
    """Decrement the number of nested autocast regions and return it."""
    state.nesting -= 1
    return state.nesting


def _settle() -> None:
    """Apply the thread's settings: update the state that callers read, and the shared closure cells."""
    global _threads
    wanted = tuple([(kind, state.dtypes[kind]) for kind, on in state.enabled.items() if on])
    before, _local.autocast = _local.autocast, wanted
    if bool(before) is not bool(wanted):
        with _lock:
            was_on = _threads > 0
            _threads += 1 if wanted else -1
            if was_on is not (_threads > 0):
                for cell, on, off in _switches:
                    cell.cell_contents = off if was_on else on


def is_enabled(kind: str) -> bool:
    """Return whether autocast is enabled for this device type."""
    return state.enabled.get(kind, False)


def is_known(kind: str) -> bool:
    """Return whether mixed precision supports this device type."""
    return kind in _DEFAULTS


def set_enabled(kind: str, enabled: bool) -> None:
    """Enable or disable autocast for this device type in this thread."""
    change(kind, enabled, state.dtypes[kind])


def fast_dtype(kind: str) -> _dtypes.dtype:
    """Return the lower-precision dtype that autocast uses on this device type."""
    if kind not in state.dtypes:
        raise _errors.autocast.no_dtype()
    dtype, capture = state.dtypes[kind], current().capture
    if capture is not None and not is_enabled(kind):  # if autocast is enabled, the modes of the call guard it
        capture.guards.append(lambda: state.dtypes[kind] is dtype)
    return dtype


def set_fast_dtype(kind: str, dtype: _dtypes.dtype) -> None:
    """Set the lower-precision dtype that autocast uses on this device type."""
    change(kind, is_enabled(kind), dtype)


def change(kind: str, enabled: bool, dtype: _dtypes.dtype) -> None:
    """Set the enabled flag and the fast dtype of a device type for this thread."""
    state.enabled[kind], state.dtypes[kind] = enabled, dtype
    _settle()


@contextlib.contextmanager
def on_meta(kind: str) -> Iterator[None]:
    """Let autocast treat meta tensors as it treats the tensors of a device type."""
    if not is_enabled(kind):
        yield
        return
    change("meta", True, state.dtypes[kind])
    try:
        yield
    finally:
        del state.enabled["meta"], state.dtypes["meta"]
        _settle()
