"""`loss_parallel`: the cross entropy of scores whose classes are sharded over a mesh."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import unsupported
from torchlike.distributed import _functional_collectives as functional
from torchlike.distributed.tensor import _collectives as c
from torchlike.distributed.tensor._api import DTensor, local_of, of_spec
from torchlike.distributed.tensor._dispatch import modes
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torchlike.distributed.tensor._layout import contiguous_strides, lengths
from torchlike.distributed.tensor._rules.table import shifted
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard


@contextlib.contextmanager
def loss_parallel() -> Iterator[None]:
    """A context in which `cross_entropy`, `nll_loss` and `log_softmax` keep the classes sharded.

    The scores are a `DTensor` whose class dim (the second one, or the only one) is sharded along one dim of the mesh.
    Only sums over the classes are exchanged, not the scores. `backward` may run outside of the context. In PyTorch it
    must run inside. `label_smoothing` and class probabilities are not supported.

    Raises:
      ValueError: the class dim is not sharded along exactly one dim of the mesh, or the target must be a `DTensor`.
      NotImplementedError: a mean over a mesh of several dims.
    """
    before = modes.composed
    modes.composed = {**before, "cross_entropy": _cross_entropy, "nll_loss": _nll_loss, "log_softmax": _log_softmax}
    try:
        yield
    finally:
        modes.composed = before


def _sharded_dim(placements: tuple[Placement, ...], dim: int) -> int:
    """Return the mesh dim along which the classes are sharded."""
    found = [i for i, placement in enumerate(placements) if placement.is_shard(dim)]
    if len(found) != 1:
        raise ValueError(
            f"loss_parallel() requires exactly one mesh dim to shard tensor dimension {dim}, but got placements "
            f"{placements} with {len(found)} such mesh dim(s)."
        )
    for i, placement in enumerate(placements):
        if i != found[0] and placement.is_partial():
            raise ValueError(
                f"loss_parallel() expects non-TP mesh dims to be Shard or Replicate, got {placement} at dim {i}."
            )
    return found[0]


def _log_sums(scores: Tensor, dim: int, group: Any) -> tuple[Tensor, Tensor]:
    """Return the scores less their maximum, and the logarithm of the sum of their exponentials."""
    largest = functional.all_reduce(scores.detach().amax(dim, keepdim=True), "max", group)
    less = scores - largest
    return less, c.reduced(less.exp().sum(dim, keepdim=True), "sum", group).log()


def _log_softmax(input: DTensor, dim: int | None = None, *args: Any, dtype: Any = None, **kwargs: Any) -> DTensor:
    dim = -1 if dim is None else dim
    spec = input._spec
    i = _sharded_dim(spec.placements, dim % input.ndim)
    group, local = spec.mesh.get_group(i), local_of(input)
    less, total = _log_sums(local if dtype is None else local.to(dtype), dim, group)
    made = less - c.copied(total, "sum", group)
    return of_spec(made, DTensorSpec(spec.mesh, spec.placements, TensorMeta(spec.shape, spec.stride, made.dtype)))


def _cross_entropy(
    input: DTensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> DTensor:
    if label_smoothing or target.is_floating_point():
        raise unsupported("loss_parallel", "label_smoothing" if label_smoothing else "a target of probabilities")
    i, dim = _class_dim(input)
    local, group = local_of(input), input._spec.mesh.get_group(i)
    less, total = _log_sums(local, dim, group)
    picked = _Picked(input, target, weight, ignore_index, i, dim)
    return picked.loss(total.squeeze(dim) - picked.of(less), reduction)


def _nll_loss(
    input: DTensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> DTensor:
    i, dim = _class_dim(input)
    picked = _Picked(input, target, weight, ignore_index, i, dim)
    return picked.loss(-picked.of(local_of(input)), reduction)


def _class_dim(input: DTensor) -> tuple[int, int]:
    dim = 1 if input.ndim > 1 else 0
    return _sharded_dim(input.placements, dim), dim


class _Picked:
    """The scores of the target classes. Each process has some of them."""

    def __init__(
        self, input: DTensor, target: Tensor, weight: Tensor | None, ignore_index: int, i: int, dim: int
    ) -> None:
        self.spec, self.i, self.dim = input._spec, i, dim
        self.group = self.spec.mesh.get_group(i)
        self.placements = tuple(
            Replicate() if j == i or not isinstance(each, Shard) else shifted(each, each.dim - (each.dim > dim))
            for j, each in enumerate(self.spec.placements)
        )
        self.target = _local(target, self.placements)
        self.weight = None if weight is None else _local(weight, (Replicate(),) * self.spec.mesh.ndim)
        self.is_kept = self.target != ignore_index

    def of(self, scores: Tensor) -> Tensor:
        """Return the score of each target class. The other processes contribute zeros."""
        own = lengths(self.spec.shape[self.dim], self.group.size())
        begin, length = sum(own[: self.group.rank()]), own[self.group.rank()]
        is_own = self.is_kept & (self.target >= begin) & (self.target < begin + length)
        places = (self.target - begin).masked_fill(~is_own, 0).unsqueeze(self.dim)
        found = scores.gather(self.dim, places).squeeze(self.dim).masked_fill(~is_own, 0)
        return c.reduced(found, "sum", self.group)

    def loss(self, losses: Tensor, reduction: str) -> DTensor:
        """Return the losses, their sum or their mean."""
        weights = self.is_kept.to(losses.dtype)
        if self.weight is not None:
            weights = weights * self.weight[self.target.masked_fill(~self.is_kept, 0)]
        losses = (losses * weights).masked_fill(~self.is_kept, 0)
        if reduction == "none":
            shape = torchlike.Size([n for d, n in enumerate(self.spec.shape) if d != self.dim])
            return self._made(losses, self.placements, shape)
        if reduction == "mean":
            if self.spec.mesh.ndim > 1:
                raise NotImplementedError(
                    "loss_parallel() with reduction='mean' is only supported on one-dimensional DeviceMesh; got mesh "
                    f"with ndim={self.spec.mesh.ndim}. Use reduction='sum' or 'none' instead."
                )
            return self._made(losses.sum() / weights.sum(), self.placements, torchlike.Size())
        summed = tuple(Partial() if isinstance(each, Shard) else each for each in self.placements)
        return self._made(losses.sum(), summed, torchlike.Size())

    def _made(self, local: Tensor, placements: tuple[Placement, ...], shape: torchlike.Size) -> DTensor:
        meta = TensorMeta(shape, contiguous_strides(shape), local.dtype)
        return of_spec(local, DTensorSpec(self.spec.mesh, placements, meta))


def _local(tensor: Tensor, placements: tuple[Placement, ...]) -> Tensor:
    """Return the local tensor of a target or of weights, which may be plain tensors if they are replicated."""
    if isinstance(tensor, DTensor):
        if tensor.placements != placements:
            raise RuntimeError(f"Expected {placements} but got {tensor.placements}.")
        return local_of(tensor)
    if any(placement.is_shard() for placement in placements):
        raise ValueError(
            f"loss_parallel() requires a DTensor (not a plain torch.Tensor) when the derived placements {placements} "
            "contain Shard — this happens on a multi-dimensional mesh with a batch-sharded non-TP dim. Wrap the tensor "
            "with DTensor.from_local or distribute_tensor to make the sharding explicit."
        )
    return tensor
