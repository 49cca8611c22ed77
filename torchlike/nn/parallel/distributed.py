"""`DistributedDataParallel`: data-parallel training of one module by several processes."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _errors, modes
from torchlike.distributed import _collectives as collectives
from torchlike.distributed import _errors as errors
from torchlike.distributed._c10d._buckets import BuiltinCommHookType, GradBucket
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._reducer import Reducer as Reducer
from torchlike.distributed._reducing import RedOpType
from torchlike.distributed._world import member
from torchlike.distributed.algorithms.ddp_comm_hooks import default_hooks
from torchlike.distributed.algorithms.join import Join, Joinable, JoinHook, notified
from torchlike.distributed.utils import _sync_module_states, _sync_params_and_buffers
from torchlike.futures import Future
from torchlike.nn.modules.module import Module
from torchlike.nn.modules.sparse import Embedding, EmbeddingBag


def _refuse(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise _errors.arguments.unsupported("DistributedDataParallel", name)


class DistributedDataParallel(Module, Joinable):
    """A wrapper that calls `module` and averages its gradients over the processes of a group.

    Each process wraps a module with the same parameters and feeds it its own batches. The constructor broadcasts the
    parameters and buffers of the first process to the others. Each forward pass broadcasts the buffers of the first
    process, for example the running statistics of batch norm. At the end of a backward pass the gradients of all
    parameters are averaged over the processes, with one operator for each dtype.

    Args:
      module: the wrapped module, available as `self.module`.
      device_ids, output_device: at most one device, and none for modules on the CPU.
      dim: has no effect.
      broadcast_buffers: broadcast the buffers of the first process before each forward pass. The default is True.
      forward_sync_buffers: takes precedence over `broadcast_buffers`.
      init_sync: check that the processes have the same parameters, and broadcast the state of the first process.
      process_group: the process group. The default is the default group.
      find_unused_parameters: allow parameters that a pass does not use. If False, such a pass makes the next forward
        pass raise RuntimeError.
      static_graph: the same as `find_unused_parameters` here.
      bucket_cap_mb, bucket_cap_mb_list, gradient_as_bucket_view, batched_grad_copy, check_reduction: have no effect on
        results.
      delay_all_reduce_named_params, param_to_hook_all_reduce, mixed_precision, device_mesh: not supported.
      skip_all_reduce_unused_params: not supported.

    Raises:
      ValueError: there is no process group.
      RuntimeError: the module has no parameter that requires grad, or its parameters differ between processes.
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
        Module.__init__(self)
        Joinable.__init__(self)
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
        self._divide_by_initial_world_size = True  # in the context manager `join`
        self.device_ids, self.output_device = _device_ids(device_ids, output_device, trained)
        self._make_reducer(trained)

    def _make_reducer(self, trained: list[Tensor]) -> None:
        may_leave_out = self.find_unused_parameters or self.static_graph
        self.reducer = Reducer(self.process_group, trained, may_leave_out, _sparse_weights(self.module))

    def __getstate__(self) -> dict[str, Any]:
        if self.process_group is not member(None):
            raise errors.copied_with_group()
        return {name: value for name, value in super().__getstate__().items() if name not in _OF_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Use the default process group. A communication hook is not copied."""
        super().__setstate__(state)
        self.process_group = member(None)
        self.modules_buffers = []
        self._assign_modules_buffers()
        self._make_reducer([p for p in self._synchronized() if p.requires_grad])

    def _synchronized(self) -> list[Tensor]:
        """Return the parameters that are not ignored."""
        return [p for name, p in self.module.named_parameters() if name not in self.parameters_to_ignore]

    def _take(self, module: Module, init_sync: bool) -> list[Tensor]:
        """Set the module, copy its state from the first process, and return the parameters that require grad."""
        self.parameters_to_ignore: set[str] = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self.module = module
        params = self._synchronized()
        trained = [p for p in params if p.requires_grad]
        if not trained:
            raise errors.nothing_to_distribute()
        self.device = trained[0].device
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.modules_buffers: list[Tensor] = []
        self._assign_modules_buffers()
        if init_sync:
            _check_alike(self.process_group, trained)  # PyTorch's errors count the parameters that require grad
            _check_alike(self.process_group, params)
            _sync_params_and_buffers(self.process_group, [p.detach() for p in params] + self.modules_buffers, 0, 0)
        return trained

    def _assign_modules_buffers(self) -> None:
        """Collect the buffers. They may be others in each step, because programs assign new tensors to them."""
        named = self.module.named_buffers()
        self.modules_buffers[:] = [buffer for name, buffer in named if name not in self.parameters_to_ignore]

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        self.reducer.check_ended()
        count, _ = notified(self)
        self.reducer.divisor = None if self._divide_by_initial_world_size else count
        self._sync_buffers(is_candidate=True)
        if self._join_config.enable:
            self._agree_on_sync(self.require_backward_grad_sync)
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

        Args:
          state: the first argument of the hook.
          hook: the function.

        Raises:
          TypeError: the hook is not callable.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        _check_annotations(hook)
        self.reducer.ask(hook, state)

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(
        module: Module, params_and_buffers_to_ignore: Iterable[str]
    ) -> None:
        """Name the parameters and buffers of a module that its wrapper will not synchronize."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

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

    # -- buffers, and uneven inputs ------------------------------------------------------------------------------------

    def _sync_buffers(self, is_candidate: bool) -> None:
        """Broadcast the buffers, if this step does so.

        In the context manager `join` they are those of the last process with `is_candidate`, because the first process
        may have no inputs left.
        """
        if self.require_forward_param_sync and self.broadcast_buffers and self.modules_buffers:
            source = self._last_rank(is_candidate) if self._join_config.enable else 0
            self._assign_modules_buffers()
            _sync_params_and_buffers(self.process_group, self.modules_buffers, 0, source)

    def _last_rank(self, is_candidate: bool) -> int:
        """Return the last of the processes with `is_candidate`."""
        rank = torchlike.tensor([self.process_group.rank() if is_candidate else -1], device=self.device)
        collectives.all_reduce(rank, RedOpType.MAX, self.process_group)
        return int(rank.item())

    def _agree_on_sync(self, syncs: bool) -> Tensor:
        """Tell the other processes whether this step averages gradients. Return the number of those that do."""
        count = torchlike.full((1,), float(syncs), device=self.device)
        collectives.all_reduce(count, group=self.process_group, async_op=True)
        return count

    def _shadow(self) -> None:
        """Take part in the collectives of one step of other processes."""
        self._sync_buffers(is_candidate=False)
        self.require_forward_param_sync = bool(self._agree_on_sync(False).item())
        if self.require_forward_param_sync:
            self.reducer.shadow()

    def _take_last_state(self, is_candidate: bool) -> None:
        """Copy the parameters and buffers of the last process with `is_candidate`."""
        source, ignored = self._last_rank(is_candidate), self.parameters_to_ignore
        _sync_module_states(self.module, self.process_group, 0, source, ignored, self.broadcast_buffers)

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Join:
        """Return a context manager for a training loop whose processes may have different numbers of batches.

        A process without batches takes part in the averages with zeros until all processes have left the block. Then
        all get the parameters and buffers of the last process.

        Args:
          divide_by_initial_world_size: divide the sum of the gradients by the number of all processes. If False, it is
            divided by the number of processes that still have batches.
          enable: whether the numbers of batches may differ. If False, the context manager does nothing.
          throw_on_early_termination: raise RuntimeError in all processes as soon as one has no batches left.
        """
        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return the hook for `Join`. It uses the argument `divide_by_initial_world_size` (default True)."""
        self._divide_by_initial_world_size = kwargs.get("divide_by_initial_world_size", True)
        return _DDPJoinHook(self)

    @property
    def join_device(self) -> torchlike.device:
        """The device of the parameters."""
        return self.device

    @property
    def join_process_group(self) -> ProcessGroup:
        """The process group."""
        return self.process_group


_OF_PROCESS = {"process_group", "reducer", "modules_buffers"}  # attributes that a copy makes anew


class _DDPJoinHook(JoinHook):
    """The actions of a process without batches for a module."""

    def __init__(self, ddp: DistributedDataParallel) -> None:
        self.ddp = ddp

    def main_hook(self) -> None:
        self.ddp._shadow()

    def post_hook(self, is_last_joiner: bool) -> None:
        self.ddp._take_last_state(is_last_joiner)


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
    """Raise RuntimeError if the parameters of another process differ in number, shape or dtype."""
    own = [(str(p.dtype), list(p.shape)) for p in parameters]
    heard = group.share(json.dumps(own).encode()) if group.size() > 1 else {}
    others = {rank: json.loads(each) for rank, each in heard.items()}
    for rank, other in others.items():
        if len(other) != len(own):
            raise errors.unlike_count(group.rank(), len(own), rank, len(other))
    for rank, other in others.items():
        for i, ((dtype, shape), (their_dtype, their_shape)) in enumerate(zip(own, other)):
            if shape != their_shape:
                raise errors.unlike_size(group.rank(), i, shape, rank)
            if dtype != their_dtype:
                raise errors.unlike_dtype(i, dtype, rank, their_dtype)


def _tensors_in(found: Any) -> list[Tensor]:
    """Return the tensors in the nested output of a module."""
    if isinstance(found, Tensor):
        return [found]
    if isinstance(found, dict):
        found = list(found.values())
    elif hasattr(found, "__dataclass_fields__"):
        found = list(vars(found).values())
    return [x for one in found for x in _tensors_in(one)] if isinstance(found, list | tuple) else []


def _sparse_weights(module: Module) -> set[int]:
    """Return the ids of the parameters whose gradients are sparse."""
    found = [m for m in module.modules() if isinstance(m, Embedding | EmbeddingBag) and m.sparse]
    return {id(m.weight) for m in found}
