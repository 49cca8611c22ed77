"""`Reducer`, which averages the gradients of `DistributedDataParallel` over the processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any
from weakref import ref

import torchlike
from torchlike import Tensor
from torchlike._internal import AccumulateGrad, Value, collectives, engine, running
from torchlike.distributed import _errors as errors
from torchlike.distributed import _tensors as t
from torchlike.distributed._c10d._buckets import GradBucket
from torchlike.distributed._c10d._sparse import summed
from torchlike.distributed._group import ProcessGroup
from torchlike.futures import Future


class Reducer:
    """The object that averages gradients.

    The gradients are averaged at the end of the backward pass that computes the last missing gradient. If a pass may
    leave out gradients, they are averaged at the end of the first pass through an output of the module: the loss need
    not use all outputs.
    """

    def __init__(
        self, group: ProcessGroup, parameters: list[Tensor], may_leave_out: bool, sparse: Set[int] = frozenset()
    ) -> None:
        self._group, self._parameters = group, parameters
        self._sparse = sparse  # the ids of the parameters whose gradients are sparse
        self._may_leave_out = may_leave_out  # whether a backward pass may compute only some of the gradients
        self._expects = False  # whether a backward pass is expected
        self._missing: set[int] = set()  # the parameters whose gradients that pass has not computed yet
        self._touched: set[int] = set()  # parameters with new gradients since the last average, also within `no_sync`
        self._began = False
        self._outputs: list[ref[Any]] = []  # the nodes of the outputs of the module, if a pass may leave out gradients
        self._hook: Callable[..., Any] | None = None
        self._state: object = None  # the first argument of the hook
        self._order = list(range(len(parameters)))  # the order of the gradients that the hook gets
        self._arrived: list[int] | None = [] if not may_leave_out else None  # until the first average sets the order
        self.divisor: Tensor | None = None  # the number of processes whose gradients are averaged, if it varies
        itself: ref[Reducer] = ref(self)
        for i, parameter in enumerate(parameters):
            parameter.register_post_accumulate_grad_hook(_Told(itself, i))

    def ask(self, hook: Callable[..., Any], state: object) -> None:
        """Register a communication hook, which averages the concatenated gradients."""
        if self._hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self._hook, self._state = hook, state

    def _asked(self, bucket: GradBucket) -> Tensor:
        """Return the gradients of a bucket as the communication hook averages them."""
        assert self._hook is not None
        found = self._hook(self._state, bucket)
        if not isinstance(found, Future):
            raise errors.no_future(found)
        mean = found.wait()
        if not isinstance(mean, Tensor):
            raise errors.no_tensor(mean)
        return mean

    def _followed(self) -> list:
        """Return the objects that a captured call reaches through this reducer."""
        return [self._hook, self._state]

    def prepare_for_backward(self, outputs: list[Tensor]) -> None:
        """Prepare for a backward pass.

        `outputs` are the tensors in the output of the module. They are used only if the pass may leave out gradients.
        """
        self._expects, self._began = True, False
        self._missing.clear()
        used = _leaves_behind(outputs) if self._may_leave_out else None
        results = [x for x in outputs if not x.is_leaf] if self._may_leave_out else []
        self._outputs[:] = [ref(x._edge[0]) for x in results if x._edge is not None]
        self._missing.update(i for i, p in enumerate(self._parameters) if used is None or id(p) in used)

    def _rebuild_buckets(self) -> bool:
        """Return False: there are no buckets that have to be rebuilt."""
        return False

    def _delay_all_reduce(self) -> None:
        """Do nothing: the gradients are averaged at the end of the first backward pass of a static graph too."""

    def check_ended(self) -> None:
        """Raise RuntimeError if the last backward pass began but left gradients missing."""
        if self._missing and self._began:
            raise errors.not_reduced(self._group.rank(), sorted(self._missing))

    def came(self, i: int) -> None:
        """Record that parameter `i` received its gradient, and schedule the average."""
        self._touched.add(i)
        if self._hook is not None and self._arrived is not None:
            self._arrived.append(i)
        if not self._expects:
            return
        self._began = True
        self._missing.discard(i)
        walk = None if running.walk is None else running.walk.outermost
        if not self._missing or (walk is not None and self._passes(walk)):
            self._expects = self._began = False
            self._missing.clear()
            self._outputs.clear()  # a compiled step leaves the reducer as it was
            if walk is None:
                self._average()
            else:
                walk.at_end.append(self._average)

    def _passes(self, walk: engine.Walk) -> bool:
        """Return whether a backward pass goes through an output of the module."""
        nodes = [output() for output in self._outputs]
        return any(node is not None and walk.will_run(node) for node in nodes)

    def _average(self) -> None:
        touched = set(self._touched)
        self._touched.clear()
        if self._group.size() == 1 and self._hook is None:
            return
        used = self._used(touched)
        self._average_sparse(used)
        for i, (parameters, is_last) in enumerate(self._buckets(used)):
            if self._hook is None:
                self._average_of(parameters)
            else:
                bucket = GradBucket(i, _flat(map(_gradient, parameters)), parameters, is_last)
                _spread(self._asked(bucket), parameters)
        self._reorder()

    def _reorder(self) -> None:
        """Set the order of later buckets, after the first average: that in which rank 0 computed the gradients."""
        if self._hook is not None and self._arrived is not None:
            own = [*dict.fromkeys([*self._arrived, *self._order])]
            self._order = [int(i) for i in self._group.share(" ".join(map(str, own)).encode())[0].split()]
            self._arrived = None

    def shadow(self) -> None:
        """Take part, with zeros, in the average after a backward pass of other processes. Gradients do not change.

        A parameter that any process used in a shadowed pass counts as used in later shadowed passes, as in PyTorch.
        """
        used = self._used(self._touched)
        self._touched.update(used if self._may_leave_out else ())
        self._average_sparse(used, is_shadow=True)
        for i, (parameters, is_last) in enumerate(self._buckets(used)):
            with torchlike.no_grad():
                zeros = [torchlike.zeros_like(p) for p in parameters]
            if self._hook is None:
                self._summed(zeros)
            else:
                self._asked(GradBucket(i, _flat(zeros), parameters, is_last))

    def _used(self, touched: set[int]) -> list[int]:
        """Return the parameters to average: all, or those with new gradients (`touched`) in any process."""
        everything = self._order
        if not self._may_leave_out:
            return list(everything)
        said = self._group.share(bytes([i in touched for i in everything]))
        return [i for i in everything if any(used[i] for used in said.values())]

    def _buckets(self, used: list[int]) -> list[tuple[list[Tensor], bool]]:
        """Return the used parameters of each dtype with dense gradients, and whether they are the last."""
        parameters = [p for p in (self._parameters[i] for i in used) if id(p) not in self._sparse]
        dtypes = list(dict.fromkeys(p.dtype for p in parameters))
        return [([p for p in parameters if p.dtype is dtype], dtype is dtypes[-1]) for dtype in dtypes]

    def _average_sparse(self, used: list[int], is_shadow: bool = False) -> None:
        """Average the sparse gradients over the processes. In a shadowed pass, this process contributes zeros."""
        count = self._group.size() if self.divisor is None else self.divisor.item()
        for parameter in (self._parameters[i] for i in used if id(self._parameters[i]) in self._sparse):
            with torchlike.no_grad():
                total = summed(None if is_shadow else parameter.grad, parameter, self._group)
                if not is_shadow:
                    parameter.grad = total / count

    def _average_of(self, parameters: list[Tensor]) -> None:
        """Average the gradients of one dtype over the processes, with one operator."""
        count = self._group.size() if self.divisor is None else self.divisor.to(parameters[0].dtype)
        with torchlike.no_grad():
            results = self._summed([_gradient(p) / count for p in parameters])
            for parameter, result in zip(parameters, results):
                if parameter.grad is None:
                    parameter.grad = t.tensor(result)
                else:
                    t.write(parameter.grad, result)

    def _summed(self, shares: list[Tensor]) -> Sequence[Value]:
        return collectives.all_reduce(self._group.mesh(shares[0].device), [*map(t.value, shares)], "SUM")


def _gradient(parameter: Tensor) -> Tensor:
    with torchlike.no_grad():
        return torchlike.zeros_like(parameter) if parameter.grad is None else parameter.grad


def _flat(gradients: Iterable[Tensor]) -> Tensor:
    with torchlike.no_grad():
        return torchlike.cat([gradient.reshape(-1) for gradient in gradients])


def _spread(flat: Tensor, parameters: list[Tensor]) -> None:
    """Copy the concatenated gradients to the parameters' `grad`."""
    with torchlike.no_grad():
        for parameter, part in zip(parameters, flat.split([p.numel() for p in parameters])):
            if parameter.grad is None:
                parameter.grad = torchlike.zeros_like(parameter)
            parameter.grad.copy_(part.view(parameter.shape))


class _Told:
    """The gradient hook of one parameter.

    It holds a weak reference to the reducer, and does nothing once the reducer is deleted.
    """

    def __init__(self, reducer: ref[Reducer], i: int) -> None:
        self.reducer, self.i = reducer, i

    def __call__(self, parameter: Tensor) -> None:
        reducer = self.reducer()
        if reducer is not None:
            reducer.came(self.i)

    def _followed(self) -> list:
        """Return the reducer, which a captured call reaches through this hook."""
        return [self.reducer()]

    def __deepcopy__(self, memo: dict) -> _Told:
        return self


def _leaves_behind(outputs: Iterable[Tensor]) -> set[int]:
    """Return the ids of the leaf tensors from which the outputs were computed."""
    seen, leaves = set(), set()
    stack = [x.grad_fn for x in outputs if x.grad_fn is not None]
    leaves.update(id(x) for x in outputs if x.grad_fn is None)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, AccumulateGrad):
            leaves.add(id(node.variable))
        stack.extend(before for before, _ in node.next_functions if before is not None)
    return leaves
