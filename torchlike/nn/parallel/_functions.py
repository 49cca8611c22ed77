"""The copies of `comm` as functions that autograd records."""

from __future__ import annotations

from itertools import chain
from typing import Any

from torchlike import Tensor
from torchlike._internal import _get_device_index, warn
from torchlike.autograd import Function
from torchlike.nn.parallel import comm


def _like(part: Tensor, is_complex: bool) -> Tensor:
    """Return a part of a tensor that `comm` has read as real numbers in the form of the original."""
    import torchlike

    return torchlike.view_as_complex(part) if is_complex else part


class Broadcast(Function):
    """Copies of tensors on several GPUs. The gradients of the copies are added."""

    @staticmethod
    def forward(ctx: Any, target_gpus: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
        if any(each.device.type == "cpu" for each in inputs):
            raise AssertionError("Broadcast function not implemented for CPU tensors")
        ctx.target_gpus = [_get_device_index(gpu, True) for gpu in target_gpus]
        if not inputs:
            return ()
        ctx.num_inputs, ctx.input_device = len(inputs), inputs[0].get_device()
        copies = [
            [_like(part, each.is_complex()) for part, each in zip(parts, inputs)]
            for parts in comm.broadcast_coalesced(inputs, ctx.target_gpus)
        ]
        fixed = [i for i, needed in enumerate(ctx.needs_input_grad[1:]) if not needed]
        ctx.mark_non_differentiable(*[parts[i] for i in fixed for parts in copies])
        return tuple(chain.from_iterable(copies))

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple:
        return None, *ReduceAddCoalesced.apply(ctx.input_device, ctx.num_inputs, *grad_outputs)


class ReduceAddCoalesced(Function):
    """The sums of tensors of several GPUs."""

    @staticmethod
    def forward(ctx: Any, destination: Any, num_inputs: int, *grads: Tensor) -> tuple[Tensor, ...]:
        starts = range(0, len(grads), num_inputs)
        ctx.target_gpus = [grads[i].get_device() for i in starts]
        real = [comm._handle_complex(grad) for grad in grads]
        sums = comm.reduce_add_coalesced([real[i : i + num_inputs] for i in starts], destination)
        return tuple([_like(each, grad.is_complex()) for each, grad in zip(sums, grads)])

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple:
        return None, None, *Broadcast.apply(ctx.target_gpus, *grad_outputs)


class Gather(Function):
    """The concatenation of tensors of several GPUs."""

    @staticmethod
    def forward(ctx: Any, target_device: Any, dim: int, *inputs: Tensor) -> Tensor:
        if any(each.device.type == "cpu" for each in inputs):
            raise AssertionError("Gather function not implemented for CPU tensors")
        target = target_device if target_device == "cpu" else _get_device_index(target_device, True)
        ctx.dim, ctx.input_gpus = dim, tuple([each.get_device() for each in inputs])
        ctx.unsqueezed_scalar = dim == 0 and all(each.dim() == 0 for each in inputs)
        if ctx.unsqueezed_scalar:
            inputs = tuple([each.view(1) for each in inputs])
            warn(
                "Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze "
                "and return a vector."
            )
        ctx.input_sizes = tuple([each.size(dim) for each in inputs])
        return _like(comm.gather(inputs, dim, target), bool(inputs) and inputs[0].is_complex())

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple:
        parts = Scatter.apply(ctx.input_gpus, ctx.input_sizes, ctx.dim, grad_output)
        return None, None, *([part[0] for part in parts] if ctx.unsqueezed_scalar else parts)


class Scatter(Function):
    """The parts of a tensor on several GPUs."""

    @staticmethod
    def forward(ctx: Any, target_gpus: Any, chunk_sizes: Any, dim: int, input: Tensor) -> tuple[Tensor, ...]:
        places = [_get_device_index(gpu, True) for gpu in target_gpus]
        ctx.dim, ctx.input_device = dim, -1 if input.device.type == "cpu" else input.get_device()
        return tuple([_like(part, input.is_complex()) for part in comm.scatter(input, places, chunk_sizes, dim)])

    @staticmethod
    def backward(ctx: Any, *grad_output: Tensor) -> tuple:
        target = "cpu" if ctx.input_device == -1 else ctx.input_device
        return None, None, None, Gather.apply(target, ctx.dim, *grad_output)


def _get_stream(device: Any) -> Any:
    """Return a stream for copies to a device, or None for the CPU."""
    import torchlike

    if device.type == "cpu" or not torchlike.accelerator.is_available():
        return None
    return torchlike.Stream(device)
