"""Functions of `autograd.graph`: gradient edges, hooks on several tensors, version counters.

The hooks on saved tensors are in a separate module.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from torchlike._autograd import engine
from torchlike._autograd.hook_handles import RemovableHandle
from torchlike._autograd.nodes import Node as EngineNode
from torchlike._transforms import saved_tensor_hooks
from torchlike._transforms.context import BackwardCFunction


class Node(ABC):
    """The abstract base class of gradient nodes, as `grad_fn` and `next_functions` return them."""

    @abstractmethod
    def name(self) -> str:
        """Return the name of the node."""

    @property
    @abstractmethod
    def next_functions(self) -> tuple:
        """The nodes that this node passes its gradients to, each with an output number."""

    @property
    @abstractmethod
    def metadata(self) -> dict:
        """A dictionary for user-defined data about this node."""

    @abstractmethod
    def register_hook(self, fn: Callable) -> RemovableHandle:
        """Register `fn(grad_inputs, grad_outputs)`, called after this node ran. It may return new grad_inputs."""

    @abstractmethod
    def register_prehook(self, fn: Callable) -> RemovableHandle:
        """Register `fn(grad_outputs)`, called before this node runs. It may return new grad_outputs."""


Node.register(EngineNode)
Node.register(BackwardCFunction)


class GradientEdge(NamedTuple):
    """The gradient edge of a tensor: a node and the number of one of its outputs.

    `autograd.grad` and `backward` accept it in place of the tensor.
    """

    node: Any
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Return the gradient edge of a tensor.

    Raises:
      RuntimeError: the tensor does not require grad.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(tensor._edge[0].public(), tensor._edge[1])


def increment_version(tensor: Any) -> None:
    """Increment the version of a tensor, or of several, after a write that autograd could not observe.

    A tensor that was saved for backward counts as overwritten from then on.
    """
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    each: Any
    for each in [tensor] if hasattr(tensor, "_storage") else tensor:
        storage = each._storage
        if storage.inference:  # inference tensors have no version counter
            continue
        old = storage.value.settle()
        if old.array is None and old.trace is not None:
            fresh = engine.apply_op("clone", (old, None))[0]
        else:
            fresh = old.twin()
        storage.put(fresh, None, each)


# -- hooks on several tensors ------------------------------------------------------------------------------------------


class _Handles:
    """The handle of several hooks."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Remove the hooks."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable, *, mode: str = "all") -> Any:
    """Register a hook that is called once in each backward pass that computes gradients of some of the tensors.

    Args:
      tensors: tensors that require grad. In mode "any", tensors that do not require grad are ignored.
      fn: in mode "all", `fn(grads)` is called with one gradient, or None, for each tensor, after the pass computed all
        of them. In mode "any", `fn(grad)` is called with the first gradient.
      mode: "all" or "any".

    Returns a handle whose `remove()` removes the hook.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    hooks = _All(tensors, fn) if mode == "all" else _Any(fn)
    chosen = [(i, t) for i, t in enumerate(tensors) if mode == "all" or t.requires_grad]
    return _Handles([t.register_hook(hooks.of(i)) for i, t in chosen])


class _Any:
    """A hook that calls a function with the first gradient of each pass."""

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
    """A hook that collects the gradients of a pass, and calls a function when the last one is computed."""

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
    """The context object that `allow_mutation_on_saved_tensors` returns."""

    def __init__(self) -> None:
        self.is_open = True

    def clear(self) -> None:
        """Do nothing. Nodes hold the immutable values that they saved, so there are no clones to drop."""


class allow_mutation_on_saved_tensors:
    """A context manager in which tensors saved for backward may be overwritten. Backward uses the saved contents.

    Values are immutable, so nothing is copied. Backward must run inside the block too.
    """

    _open = False

    def __enter__(self) -> _MutationContext:
        if allow_mutation_on_saved_tensors._open:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        self.context = context = _MutationContext()

        def unpack(tensor: Any) -> Any:
            if not context.is_open:
                raise AssertionError(
                    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the "
                    "graph was originally recorded."
                )
            return tensor

        self.hooks = saved_tensor_hooks.saved_tensors_hooks(_as_it_is_now, unpack)
        self.hooks.__enter__()
        allow_mutation_on_saved_tensors._open = True
        return context

    def __exit__(self, *error: object) -> None:
        self.hooks.__exit__(*error)
        self.context.is_open = False
        allow_mutation_on_saved_tensors._open = False


def _as_it_is_now(tensor: Any) -> Any:
    """Return a new tensor with the current value of `tensor`."""
    from torchlike._tensor.tensor import wrap

    return wrap(engine.another(tensor._value.settle()), tensor._edge, tensor._strides)


def region_activation_memory_budget(budget: float) -> Any:
    """Raise. PyTorch passes this hint to its compiler's partitioner."""
    raise NotImplementedError(
        "torch.autograd.graph.region_activation_memory_budget configures the partitioner "
        "of torch.compile, which torchlike does not have; use torch.utils.checkpoint"
    )
