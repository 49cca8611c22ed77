"""Activation checkpointing: recompute activations in the backward pass instead of storing them.

If the forward pass and the recomputation are in the same XLA program, XLA normally merges them and keeps the first
result. The recomputation therefore starts behind an optimization barrier (see `_transforms/recompute.py`). It uses the
same random number generator state as the forward pass.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import torchlike
from torchlike import Tensor
from torchlike._internal import Function, Preserved, _errors, engine, recompute, saved_tensor_hooks, warn
from torchlike._internal import checkpoint as _sentences
from torchlike.nn.modules.module import inside_a_module

CheckpointError = _sentences.CheckpointError
_DETERMINISM: dict[str, Callable[[Any], Any]] = {
    "default": lambda t: {"shape": t.shape, "dtype": t.dtype, "device": t.device},
    "none": lambda t: None,
}
_early_stop: bool | None = None  # the value of `set_checkpoint_early_stop`; None means that each call decides


def noop_context_fn() -> tuple[Any, Any]:
    """Return two context managers that do nothing. This is the default `context_fn`.

    >>> import torchlike as torch
    >>> first, second = torch.utils.checkpoint.noop_context_fn()
    >>> with first, second:
    ...     torch.ones(2)
    tensor([1., 1.])
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `function(*args, **kwargs)` and recompute its activations in the backward pass instead of storing them.

    Args:
      function: the function to checkpoint. The backward pass calls it a second time with the same inputs.
      args: the positional arguments of `function`. Other tensors, for example those in a closure, have their current
        values in the recomputation.
      use_reentrant: if True, the forward pass records no graph, and the backward pass runs a nested backward pass. This
        variant does not support `autograd.grad` and `inputs=`. If False, the forward pass records the graph, and the
        saved tensors are recomputed when the backward pass first needs one of them.
      context_fn: a function that returns two context managers, for the forward pass and for the recomputation
        (`use_reentrant=False` only).
      determinism_check: "default" compares the shapes, dtypes and devices of the tensors that both computations save.
        "none" skips the check (`use_reentrant=False` only).
      debug: must be False, because there is no operator trace to print.
      early_stop: whether the recomputation stops as soon as all saved tensors have been recomputed
        (`use_reentrant=False` only).
      kwargs: with `preserve_rng_state=False`, the recomputation samples new random numbers. All other keyword arguments
        are passed to `function` (`use_reentrant=False` only).

    Returns:
      The result of `function(*args, **kwargs)`.

    Raises:
      CheckpointError: The recomputation saved different tensors than the forward pass.

    >>> import torchlike as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint(lambda t: (t * t).exp(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([5.4366, 5.4366])
    """
    if use_reentrant is None:
        warn(_sentences.explicit("checkpoint"), site="checkpoint")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs and use_reentrant:
        raise _sentences.unexpected(kwargs)
    if use_reentrant:
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if debug:
        raise _errors.arguments.unsupported("checkpoint", "debug")
    if determinism_check not in _DETERMINISM:
        raise _sentences.determinism_check(list(_DETERMINISM), determinism_check)
    stop = early_stop if _early_stop is None else _early_stop
    return _non_reentrant(function, args, kwargs, preserve, context_fn(), _DETERMINISM[determinism_check], stop)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run a sequence of functions in `segments` segments and checkpoint all segments except the last.

    Args:
      functions: an `nn.Sequential`, or a list of modules or functions of one argument, called in order.
      segments: the number of segments.
      input: the argument of the first function.
      use_reentrant: see `checkpoint`.
      kwargs: `preserve_rng_state`, see `checkpoint`.

    Returns:
      The result of the last function.

    >>> import torchlike as torch
    >>> layers = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Softplus(), torch.nn.Tanh())
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.utils.checkpoint.checkpoint_sequential(layers, 2, x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([0.1839, 0.1839])
    """
    if use_reentrant is None:
        warn(_sentences.explicit("checkpoint_sequential"))
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise _sentences.unexpected(kwargs)
    each = list(functions.children()) if isinstance(functions, torchlike.nn.Sequential) else functions
    size = len(each) // segments

    def run(part: list) -> Callable:
        def forward(value: Any) -> Any:
            for function in part:
                value = function(value)
            return value

        return forward

    last = 0
    for start in range(0, size * (segments - 1), size):
        last = start + size
        part = run(each[start:last])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(each[last:])(input)


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Set `early_stop` for all checkpoints in a `with` block. It overrides the argument of `checkpoint`.

    Args:
      enable: whether the recomputation stops as soon as all saved tensors have been recomputed.

    >>> import torchlike as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.utils.checkpoint.set_checkpoint_early_stop(False):
    ...     y = torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([0.5403, 0.5403])
    """
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


def set_checkpoint_debug_enabled(enabled: bool | None) -> Any:
    """Return a context manager that does nothing. Debugging is not supported, so `enabled` must not be True.

    Args:
      enabled (bool or None): must be False or None.

    Raises:
      NotImplementedError: `enabled` is True.

    >>> import torchlike as torch
    >>> with torch.utils.checkpoint.set_checkpoint_debug_enabled(False):
    ...     torch.ones(2)
    tensor([1., 1.])
    """
    if enabled:
        raise _errors.arguments.unsupported("set_checkpoint_debug_enabled", "enabled")
    return contextlib.nullcontext()


# -- the global state of the recomputation -----------------------------------------------------------------------------


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """Return the indices of the CUDA devices of the tensors in `args`, and the RNG states of these devices.

    Args:
      *args: any objects. Those that are not CUDA tensors are skipped.

    >>> import torchlike as torch
    >>> torch.utils.checkpoint.get_device_states(torch.ones(2))
    ([], [])
    """
    devices = {a.get_device() for a in args if isinstance(a, Tensor) and a.device.type == "cuda"}
    return sorted(devices), [torchlike.cuda.get_rng_state(i) for i in sorted(devices)]


def set_device_states(devices: list[int], states: list[Tensor], *, device_type: str | None = None) -> None:
    """Set the RNG states of the given CUDA devices.

    Args:
      devices (list of ints): the indices of the devices.
      states (list of Tensors): the state of each device, as `get_device_states` returns them.
      device_type (str, optional): must be "cuda" or None.

    Raises:
      NotImplementedError: `device_type` has another value.

    >>> import torchlike as torch
    >>> devices, states = torch.utils.checkpoint.get_device_states(torch.ones(2))
    >>> torch.utils.checkpoint.set_device_states(devices, states)
    """
    if device_type not in (None, "cuda"):
        raise _errors.arguments.unsupported("set_device_states", "device_type")
    for index, state in zip(devices, states):
        torchlike.cuda.set_rng_state(state, index)


class DefaultDeviceType:
    """The type of device that checkpointing assumes if no argument is on an accelerator.

    It has no effect here: the states of the random number generators are restored for every device.
    """

    _default_device_type: str | None = None

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Set the type.

        Args:
          device: the type of device.
        """
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        """Return the type that was set, or else that of the accelerator, or "cpu"."""
        if not DefaultDeviceType._default_device_type:
            found = torchlike.accelerator.current_accelerator(True)
            DefaultDeviceType._default_device_type = "cpu" if found is None else found.type
        return DefaultDeviceType._default_device_type


class SelectiveCheckpointContext:
    """The first argument of a policy of selective checkpointing.

    Args:
      is_recompute: whether the operator runs in the recomputation.
      op_output: the output of the operator.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class GraphExecGroup:
    """A context in which several backward passes share a recomputation. Not supported: entering it raises."""

    def __enter__(self) -> Any:
        raise _errors.arguments.cannot(
            "utils.checkpoint.GraphExecGroup", "make one backward pass from the sum of the losses"
        )

    def __exit__(self, *args: object) -> None:
        raise NotImplementedError


class CheckpointPolicy(enum.Enum):
    """The policy for an operator under selective checkpointing, which is not supported.

    Args:
      value, values: the value of the member that a call returns.
      names, module, qualname, type, start, boundary: not used. They create an enumeration: see `enum.Enum`.

    >>> import torchlike as torch
    >>> torch.utils.checkpoint.CheckpointPolicy.MUST_SAVE.value
    0
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> Any:
    """Raise `NotImplementedError`: a checkpoint recomputes all of its operators.

    XLA decides which intermediate values within a program it stores.

    Args:
      policy_fn_or_list: not used: in PyTorch, the operators to save, or a function that returns a `CheckpointPolicy`.
      allow_cache_entry_mutation: not used.

    Raises:
      NotImplementedError: always.
    """
    raise _errors.arguments.cannot(
        "utils.checkpoint.create_selective_checkpoint_contexts",
        "`checkpoint` without `context_fn` recomputes all operators",
    )


class _GlobalState:
    """The global state that affects the result of a function: the RNG state and the autocast settings."""

    def __init__(self, preserve_rng_state: bool, args: tuple) -> None:
        devices = {x.device for x in args if isinstance(x, Tensor) and x.device.type not in ("cpu", "meta")}
        self.state = Preserved(devices) if preserve_rng_state else None
        self.autocast = _autocast_now()

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """Restore the saved state inside the block. After the block, the RNG continues from its previous state."""
        with contextlib.ExitStack() as stack:
            if self.state is not None:
                stack.callback(Preserved().restore)
                self.state.restore()
            for kind, settings in self.autocast:
                stack.enter_context(torchlike.amp.autocast(kind, **settings))
            yield


def _autocast_now() -> list[tuple[str, dict]]:
    """Return the autocast settings for each device type."""
    asked, cached = torchlike.is_autocast_enabled, torchlike.is_autocast_cache_enabled()
    return [
        (kind, {"enabled": asked(kind), "dtype": torchlike.get_autocast_dtype(kind), "cache_enabled": cached})
        for kind in ("cpu", "cuda")
    ]


# -- reentrant ---------------------------------------------------------------------------------------------------------


def detach_variable(inputs: tuple) -> tuple:
    """Detach each tensor in `inputs` and preserve its `requires_grad`.

    Args:
      inputs (tuple): tensors and other objects. The other objects are kept.

    Returns:
      The tuple of the detached tensors.

    Raises:
      RuntimeError: `inputs` is not a tuple.

    >>> import torchlike as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.utils.checkpoint.detach_variable((2 * x, 3))
    (tensor([2., 2.], requires_grad=True), 3)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(x.detach()._require_grad(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs)


def check_backward_validity(inputs: Any) -> None:
    """Warn if no input requires grad, because then no gradients are computed.

    Args:
      inputs (iterable): tensors and other objects. The other objects are skipped.

    >>> import torchlike as torch
    >>> torch.utils.checkpoint.check_backward_validity([torch.ones(2, requires_grad=True)])
    """
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warn(_sentences.NO_INPUT_REQUIRES_GRAD)


class CheckpointFunction(Function):
    """The reentrant variant of `checkpoint`.

    `forward` records no graph. `backward` runs the function again with grad enabled and runs a nested backward pass.
    The call is `CheckpointFunction.apply(function, preserve_rng_state, *args)`.

    Args:
      args, kwargs: not used: the class has no useful instances.
    """

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.global_state = _GlobalState(preserve_rng_state, args)
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with inside_a_module():  # otherwise, an outermost module call without gradients would flush the pending trace
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        walk = engine.running.walk
        if walk is not None and walk.targets is not None:
            raise _sentences.not_by_grad()
        tensors = ctx.saved_tensors
        arriving = [g._value for g in grads if isinstance(g, Tensor)]
        inputs = list(ctx.others)
        for i, before, tensor in zip(ctx.places, tensors, recompute.behind_a_barrier(tensors, arriving)):
            inputs[i] = tensor.detach()._require_grad(before.requires_grad)
        with ctx.global_state.restored(), torchlike.enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [(o, g) for o, g in zip(outputs, grads) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        torchlike.autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *[x.grad if isinstance(x, Tensor) else None for x in inputs])


# -- not reentrant -----------------------------------------------------------------------------------------------------


class _Stop(Exception):
    """The exception that ends a recomputation early, after all saved tensors have been recomputed."""


class _Segment:
    """A checkpointed call: the metadata of the tensors that it saved, and the function that recomputes them."""

    def __init__(self, run: Callable[[], Any], describe: Callable[[Any], Any], early_stop: bool) -> None:
        self.run, self.describe, self.early_stop = run, describe, early_stop
        self.metadata: list = []  # the metadata of each saved tensor, in order
        self.is_complete = False
        self.passes: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()

    def pack(self, tensor: Any) -> int:
        """Store the metadata of a tensor and return its index. The tensor itself is not kept."""
        self.metadata.append(self.describe(tensor))
        return len(self.metadata) - 1

    def unpack(self, place: int) -> Any:
        """Return the tensor with this index.

        The first call in each backward pass, and every call outside a backward pass, recomputes all tensors.
        """
        walk = engine.running.walk
        found = self.passes.get(walk) if walk is not None else None
        if found is None:
            found = self._compute()
            if walk is not None:
                self.passes[walk] = found
        if place not in found:
            raise _sentences.unpacked_twice()
        return found.pop(place)

    def _compute(self) -> dict[int, Any]:
        found: dict[int, Any] = {}
        count = len(self.metadata)
        saved_within = False  # a backward pass inside the function saved more tensors than before

        def pack(tensor: Any) -> Any:
            nonlocal saved_within
            place = len(found)
            if place >= count:
                if self.is_complete:
                    raise _sentences.more_saved()
                saved_within = True
                return tensor
            found[place] = tensor.detach()
            if self.early_stop and place + 1 == count:
                raise _Stop
            return tensor

        try:
            with saved_tensor_hooks.saved_tensors_hooks(pack, lambda tensor: tensor), torchlike.enable_grad():
                self.run()
        except _Stop:
            pass
        if not saved_within:
            self._check(found)
        return found

    def _check(self, found: dict[int, Any]) -> None:
        if len(found) != len(self.metadata):
            raise _sentences.number_saved(len(self.metadata), len(found))
        metadata = [(i, expected, self.describe(found[i])) for i, expected in enumerate(self.metadata)]
        different = [row for row in metadata if row[1] != row[2]]
        if different:
            raise _sentences.kinds_saved(different)


def _non_reentrant(
    function: Callable,
    args: tuple,
    kwargs: dict,
    preserve: bool,
    contexts: tuple[Any, Any],
    describe: Callable,
    early_stop: bool,
) -> Any:
    forward_context, second_context = contexts
    if not torchlike.is_grad_enabled():
        return function(*args, **kwargs)
    global_state = _GlobalState(preserve, args)
    tensors: list = []
    shape = _without_tensors((args, kwargs), tensors)
    kept = [saved_tensor_hooks.keep(t) for t in tensors]

    def run() -> None:
        fresh = recompute.behind_a_barrier([k.tensor() for k in kept])
        positional, named = _with_tensors(shape, iter(fresh))
        with global_state.restored(), second_context:
            function(*positional, **named)

    segment = _Segment(run, describe, early_stop)
    with saved_tensor_hooks.saved_tensors_hooks(segment.pack, segment.unpack), forward_context:
        result = function(*args, **kwargs)
        segment.is_complete = True
        return result
    raise _sentences.suppressed()  # reached if a context manager has suppressed an exception of the function


class _Place:
    """A placeholder for a tensor in the arguments."""


def _without_tensors(x: Any, found: list) -> Any:
    """Replace each tensor in nested tuples, lists and dicts by a placeholder. Append the tensors to `found`."""
    if isinstance(x, Tensor):
        found.append(x)
        return _Place
    if type(x) in (tuple, list):
        return type(x)([_without_tensors(y, found) for y in x])
    return {k: _without_tensors(v, found) for k, v in x.items()} if type(x) is dict else x


def _with_tensors(x: Any, tensors: Iterator[Any]) -> Any:
    if x is _Place:
        return next(tensors)
    if type(x) in (tuple, list):
        return type(x)([_with_tensors(y, tensors) for y in x])
    return {k: _with_tensors(v, tensors) for k, v in x.items()} if type(x) is dict else x
