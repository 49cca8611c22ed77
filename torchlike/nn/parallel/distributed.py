"""`DistributedDataParallel`: data-parallel training of one module by several processes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import ref

import torchlike
from torchlike import Tensor
from torchlike._internal import AccumulateGrad, _errors, collectives, modes, running
from torchlike.distributed import _errors as errors
from torchlike.distributed import _tensors as t
from torchlike.distributed._buckets import BuiltinCommHookType, GradBucket
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import member
from torchlike.distributed.algorithms.ddp_comm_hooks import default_hooks
from torchlike.distributed.utils import _sync_params_and_buffers
from torchlike.futures import Future
from torchlike.nn.modules.module import Module


def _refuse(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise _errors.arguments.unsupported("DistributedDataParallel", name)


class DistributedDataParallel(Module):
    """A wrapper that calls `module` and averages its gradients over the processes of a group.

    Each process wraps a module with the same parameters and feeds it its own batches. The constructor broadcasts the
    parameters and buffers of the first process to the others. Each forward pass broadcasts the buffers of the first
    process, for example the running statistics of batch norm. At the end of a backward pass the gradients of all
    parameters are averaged over the processes, with one operator for each dtype.

    Args:
      module: the wrapped module, available as `self.module`.
      device_ids, output_device: at most one device, and none for modules on the CPU.
      broadcast_buffers: broadcast the buffers of the first process before each forward pass. The default is True.
      process_group: the process group. The default is the default group.
      find_unused_parameters: allow parameters that a pass does not use. If False, such a pass makes the next forward
        pass raise RuntimeError.
      static_graph: the same as `find_unused_parameters` here.
      bucket_cap_mb, gradient_as_bucket_view, check_reduction: have no effect on results.

    Raises:
      ValueError: there is no process group.
      RuntimeError: the module has no parameter that requires grad, or its parameters differ between processes.

    `join` is not supported.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: list[int] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:
        super().__init__()
        _refuse(
            delay_all_reduce_named_params=delay_all_reduce_named_params,
            mixed_precision=mixed_precision,
            param_to_hook_all_reduce=param_to_hook_all_reduce,
            device_mesh=device_mesh,
            skip_all_reduce_unused_params=skip_all_reduce_unused_params or None,
        )
        self.process_group = member(process_group)
        self.dim = dim
        self.broadcast_buffers = next(x for x in (forward_sync_buffers, broadcast_buffers, True) if x is not None)
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        trained = self._take(module, init_sync)
        self.device_ids, self.output_device = _device_ids(device_ids, output_device, trained)
        self.reducer = Reducer(self.process_group, trained, find_unused_parameters or static_graph)

    def _take(self, module: Module, init_sync: bool) -> list[Tensor]:
        """Set the module, copy its state from the first process, and return the parameters that require grad."""
        self.parameters_to_ignore: set[str] = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        params: list[Tensor] = [p for name, p in module.named_parameters() if name not in self.parameters_to_ignore]
        trained = [p for p in params if p.requires_grad]
        if not trained:
            raise errors.nothing_to_distribute()
        self.module, self.device = module, trained[0].device
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self._assign_modules_buffers()
        if init_sync:
            _check_alike(self.process_group, params)
            _sync_params_and_buffers(self.process_group, [p.detach() for p in params] + self.modules_buffers, 0, 0)
        return trained

    def _assign_modules_buffers(self) -> None:
        """Collect the buffers. They may be others in each step, because programs assign new tensors to them."""
        named = self.module.named_buffers()
        self.modules_buffers = [buffer for name, buffer in named if name not in self.parameters_to_ignore]

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        self.reducer.check_ended()
        if self.require_forward_param_sync and self.broadcast_buffers and self.modules_buffers:
            self._assign_modules_buffers()
            _sync_params_and_buffers(self.process_group, self.modules_buffers, 0, 0)
        returned = self.module(*inputs, **kwargs)
        self.require_forward_param_sync = modes.local.grad and self.require_backward_grad_sync
        if self.require_forward_param_sync:
            self.reducer.prepare_for_backward(_tensors_in(returned))
        return returned

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Accumulate gradients without synchronization inside the block.

        The first forward and backward pass after the block averages the accumulated gradients.
        """
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state: object, hook: Callable[..., Any]) -> None:
        """Register `hook(state, bucket)` to average gradients.

        The hook is called once for each dtype with a `torch.distributed.GradBucket`, which holds all gradients of that
        dtype. It returns a future of the tensor that replaces the bucket's buffer. Call this method at most once, and
        before the first backward pass.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        _check_annotations(hook)
        self.reducer.ask(hook, state)

    def _register_builtin_comm_hook(self, comm_hook_type: BuiltinCommHookType) -> None:
        hook = _HOOKS[comm_hook_type]
        self.reducer.ask(hook, self.process_group)

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        """Return information about the module and the process group. It does not contain PyTorch's timings."""
        group, parameters = self.process_group, list(self.module.parameters())
        return {
            "module_name": type(self.module).__name__,
            "world_size": group.size(),
            "rank": group.rank(),
            "backend_name": group.name(),
            "num_parameter_tensors": len(parameters),
            "total_parameter_size_bytes": sum(p.numel() * p.element_size() for p in parameters),
            "broadcast_buffers": int(self.broadcast_buffers),
            "find_unused_parameters": int(self.find_unused_parameters),
        }

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Any:
        """Raise an error, because uneven inputs are not supported. All processes need the same number of batches."""
        raise _errors.arguments.unsupported("DistributedDataParallel.join", "enable")


_HOOKS = {
    BuiltinCommHookType.ALLREDUCE: default_hooks.allreduce_hook,
    BuiltinCommHookType.FP16_COMPRESS: default_hooks.fp16_compress_hook,
}


def _check_annotations(hook: Callable[..., Any]) -> None:
    """Raise if a hook's annotations differ from the required types. Annotations that are strings are not checked."""
    signature = inspect.signature(hook)
    said = signature.parameters["bucket"].annotation if "bucket" in signature.parameters else GradBucket
    if said not in (inspect.Parameter.empty, GradBucket) and not isinstance(said, str):
        raise errors.hook_annotation("bucket", "dist.GradBucket")
    said = signature.return_annotation
    if said not in (inspect.Parameter.empty, Future, Future[Tensor]) and not isinstance(said, str):
        raise errors.hook_annotation("return", "torch.futures.Future[torch.Tensor]")


def _device_ids(ids: Sequence[Any] | None, output: Any, parameters: list[Tensor]) -> tuple[Any, Any]:
    devices = {p.device for p in parameters}
    if not ids and output is None:
        return None, None
    if ids is None or len(ids) != 1 or len(devices) > 1 or next(iter(devices)).type == "cpu":
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with "
            "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
            f"{ids}, output_device {output}, and module parameters {devices}."
        )
    return list(ids), ids[0] if output is None else output


def _check_alike(group: ProcessGroup, parameters: list[Tensor]) -> None:
    said = repr([(p.dtype, tuple(p.shape)) for p in parameters]).encode()
    for rank, heard in group.share(said).items() if group.size() > 1 else ():
        if heard != said:
            raise errors.unlike_modules(rank)


def _tensors_in(found: Any) -> list[Tensor]:
    """Return the tensors in the nested output of a module."""
    if isinstance(found, Tensor):
        return [found]
    if isinstance(found, dict):
        found = list(found.values())
    elif hasattr(found, "__dataclass_fields__"):
        found = list(vars(found).values())
    return [x for one in found for x in _tensors_in(one)] if isinstance(found, list | tuple) else []


class Reducer:
    """The object that averages gradients.

    The gradients are averaged at the end of the backward pass that computes the last missing gradient.
    """

    def __init__(self, group: ProcessGroup, parameters: list[Tensor], may_leave_out: bool) -> None:
        self._group, self._parameters = group, parameters
        self._may_leave_out = may_leave_out  # whether a backward pass may compute only some of the gradients
        self._expects = False  # whether a backward pass is expected
        self._missing: set[int] = set()  # the parameters whose gradients that pass has not computed yet
        self._touched: set[int] = set()  # parameters with new gradients since the last average, also within `no_sync`
        self._began = False
        self._hook: Callable[[list[Tensor], int, bool], Tensor] | None = None
        itself: ref[Reducer] = ref(self)
        for i, parameter in enumerate(parameters):
            parameter.register_post_accumulate_grad_hook(_Told(itself, i))

    def ask(self, hook: Callable[..., Any], state: object) -> None:
        """Register a communication hook, which averages the concatenated gradients."""
        if self._hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")

        def asked(parameters: list[Tensor], index: int, is_last: bool) -> Tensor:
            found = hook(state, GradBucket(index, _flat_gradients(parameters), parameters, is_last))
            if not isinstance(found, Future):
                raise errors.no_future(found)
            mean = found.wait()
            if not isinstance(mean, Tensor):
                raise errors.no_tensor(mean)
            return mean

        self._hook = asked

    def prepare_for_backward(self, outputs: list[Tensor]) -> None:
        """Prepare for a backward pass.

        `outputs` are the tensors in the output of the module. They are used only if the pass may leave out gradients.
        """
        self._expects, self._began = True, False
        self._missing.clear()
        used = _leaves_behind(outputs) if self._may_leave_out else None
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
        """Record that parameter `i` received its gradient, and schedule the average after the last one."""
        self._touched.add(i)
        if not self._expects:
            return
        self._began = True
        self._missing.discard(i)
        if not self._missing:
            self._expects = self._began = False
            if running.walk is None:
                self._average()
            else:
                running.walk.at_end.append(self._average)

    def _average(self) -> None:
        touched = set(self._touched)
        self._touched.clear()
        if self._group.size() == 1 and self._hook is None:
            return
        parameters = self._parameters
        if self._may_leave_out:
            said = self._group.share(bytes([i in touched for i in range(len(parameters))]))
            parameters = [p for i, p in enumerate(parameters) if any(used[i] for used in said.values())]
        dtypes = list(dict.fromkeys(p.dtype for p in parameters))
        for i, dtype in enumerate(dtypes):
            bucket = [p for p in parameters if p.dtype is dtype]
            if self._hook is None:
                self._average_of(bucket)
            else:
                _spread(self._hook(bucket, i, i + 1 == len(dtypes)), bucket)

    def _average_of(self, parameters: list[Tensor]) -> None:
        """Average the gradients of one dtype over the processes, with one operator."""
        group, size = self._group, self._group.size()
        with torchlike.no_grad():
            shares = [(torchlike.zeros_like(p) if p.grad is None else p.grad) / size for p in parameters]
            results = collectives.all_reduce(group.mesh(parameters[0].device), [*map(t.value, shares)], "SUM")
            for parameter, result in zip(parameters, results):
                if parameter.grad is None:
                    parameter.grad = t.tensor(result)
                else:
                    t.write(parameter.grad, result)


def _flat_gradients(parameters: list[Tensor]) -> Tensor:
    with torchlike.no_grad():
        return torchlike.cat([(torchlike.zeros_like(p) if p.grad is None else p.grad).reshape(-1) for p in parameters])


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
