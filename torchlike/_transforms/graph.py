"""What `autograd.graph` offers besides hooks on saved tensors: edges, hooks on several tensors, versions."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from torchlike import _errors
from torchlike._autograd import engine
from torchlike._autograd.handles import RemovableHandle
from torchlike._autograd.nodes import Node as EngineNode
from torchlike._transforms import saved
from torchlike._transforms.context import BackwardCFunction


class Node(ABC):
    """A node of the gradient graph: what `grad_fn` and `next_functions` give."""

    @abstractmethod
    def name(self) -> str:
        """The name of the operator's gradient."""

    @property
    @abstractmethod
    def next_functions(self) -> tuple:
        """The nodes that this node passes its gradients to, each with an output number."""

    @property
    @abstractmethod
    def metadata(self) -> dict:
        """A dictionary for the user's own notes on this node."""

    @abstractmethod
    def register_hook(self, fn: Callable) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after this node ran; it may return new grad_inputs."""

    @abstractmethod
    def register_prehook(self, fn: Callable) -> RemovableHandle:
        """Call `fn(grad_outputs)` before this node runs; it may return new grad_outputs."""


Node.register(EngineNode)
Node.register(BackwardCFunction)


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor is computed: a node and which of its outputs. `autograd.grad` and `backward` take
    it in place of the tensor."""

    node: Any
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The edge of a tensor's gradient.

    Raises:
      RuntimeError: the tensor does not require grad.
    """
    if not tensor.requires_grad:
        raise _errors.autograd.no_gradient_edge()
    return GradientEdge(tensor._edge[0].public(), tensor._edge[1])


def increment_version(tensor: Any) -> None:
    """Note that a tensor (or each of several) was written to in a way that could not be seen.

    What was saved of it for backward counts as overwritten from now on.
    """
    if not isinstance(tensor, Iterable):
        raise _errors.autograd.not_tensors_to_count()
    each: Any
    for each in [tensor] if hasattr(tensor, "_storage") else tensor:
        storage = each._storage
        if storage.inference:  # which counts nothing
            continue
        old = storage.value.settle()
        if old.array is None and old.trace is not None:
            fresh = engine.apply_op("clone", (old, None))[0]
        else:
            fresh = old.twin()
        storage.put(fresh, None, each)


# -- hooks on several tensors ------------------------------------------------------------------------------------------


class _Handles:
    """The handle of several hooks at once."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take the hooks away."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable, *, mode: str = "all") -> Any:
    """Call `fn` once in each backward pass that computes gradients of some of these tensors.

    Args:
      tensors: tensors that require grad (in mode "any", those that do not are left out).
      fn: in mode "all", `fn(grads)` with one gradient, or None, for each tensor, once all that the pass will compute
        are there; in mode "any", `fn(grad)` with the first.
      mode: "all" or "any".

    Returns a handle whose `remove()` takes the hook away.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    hooks = _All(tensors, fn) if mode == "all" else _Any(fn)
    chosen = [(i, t) for i, t in enumerate(tensors) if mode == "all" or t.requires_grad]
    return _Handles([t.register_hook(hooks.of(i)) for i, t in chosen])


class _Any:
    """Calls a function with the first gradient of each pass."""

    def __init__(self, fn: Callable) -> None:
        self.fn = fn
        self.ran: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
        self.lock = threading.Lock()

    def of(self, place: int) -> Callable:
        def hook(grad: Any) -> None:
            walk = engine.running.walk
            with self.lock:
                before, self.ran[walk] = self.ran.get(walk, False), True
            if not before:
                self.fn(grad)

        return hook


class _All:
    """Gathers the gradients of one pass until the last that it will compute is there."""

    def __init__(self, tensors: Sequence[Any], fn: Callable) -> None:
        self.fn = fn
        if not all(t.requires_grad for t in tensors):
            raise AssertionError("Expected gradient function to be set")
        self.nodes = [t._edge[0] for t in tensors]
        self.passes: WeakKeyDictionary[Any, tuple[list, list[int]]] = WeakKeyDictionary()
        self.lock = threading.Lock()

    def of(self, place: int) -> Callable:
        def hook(grad: Any) -> None:
            walk: Any = engine.running.walk
            with self.lock:
                if walk not in self.passes:
                    expected = sum(walk.will_run(node) for node in self.nodes)
                    self.passes[walk] = [None] * len(self.nodes), [expected]
                grads, left = self.passes[walk]
                grads[place] = grad
                left[0] -= 1
                done = not left[0]
            if done:
                del self.passes[walk]
                self.fn(grads)

        return hook


# -- mutation of saved tensors -----------------------------------------------------------------------------------------


class _MutationContext:
    """What `allow_mutation_on_saved_tensors` gives to the `with` statement."""

    def __init__(self) -> None:
        self.is_open = True

    def clear(self) -> None:
        """Nothing to forget: nodes hold the values that they saw."""


class allow_mutation_on_saved_tensors:
    """Within the `with` block, tensors saved for backward may be overwritten: backward uses what was saved.

    Values are immutable here, so nothing is copied. Backward must run within the block too.
    """

    _open = False

    def __enter__(self) -> _MutationContext:
        if allow_mutation_on_saved_tensors._open:
            raise _errors.autograd.nested_mutation()
        allow_mutation_on_saved_tensors._open = True
        self.context = context = _MutationContext()

        def unpack(tensor: Any) -> Any:
            if not context.is_open:
                raise _errors.autograd.mutation_is_over()
            return tensor

        self.hooks = saved.saved_tensors_hooks(_as_it_is_now, unpack)
        self.hooks.__enter__()
        return context

    def __exit__(self, *error: object) -> None:
        self.hooks.__exit__(*error)
        self.context.is_open = False
        allow_mutation_on_saved_tensors._open = False


def _as_it_is_now(tensor: Any) -> Any:
    """A tensor of its own over the present value."""
    from torchlike._tensor.tensor import wrap

    return wrap(engine.another(tensor._value.settle()), tensor._edge, tensor._strides)


def region_activation_memory_budget(budget: float) -> Any:
    """Refused: a hint for PyTorch's compiler."""
    raise NotImplementedError(
        "torch.autograd.graph.region_activation_memory_budget speaks to torch.compile's "
        "partitioner, which torchlike does not have; use torch.utils.checkpoint"
    )
