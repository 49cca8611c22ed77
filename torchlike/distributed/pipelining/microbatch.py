"""Division of the arguments of a pipeline into microbatches, and merging of its outputs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.distributed.tensor import DTensor
from torchlike.fx.node import map_aggregate
from torchlike.nn.attention.flex_attention import BlockMask
from torchlike.utils._pytree import tree_flatten, tree_map, tree_unflatten

DEFAULT_CHUNK_DIM = 0


class _CustomReducer:
    """A rule that merges the outputs of microbatches by a function, starting from a value."""

    def __init__(self, init_value: Any, reduce_fn: Callable[[Any, Any], Any]) -> None:
        self.init_value, self.reduce_fn = init_value, reduce_fn


class _LossReducer(_CustomReducer):
    """A rule that merges losses."""


sum_reducer = _LossReducer(torchlike.tensor(0.0), operator.add)


class TensorChunkSpec:
    """The dim along which a tensor is divided into microbatches.

    Args:
      split_dim (int): the dim.

    >>> TensorChunkSpec.from_tuple((0, 1))[1].split_dim
    1
    """

    split_dim: int

    def __init__(self, split_dim: int) -> None:
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"{self.__class__.__module__}.{self.__class__.__name__}({self.split_dim})"

    def __str__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims: tuple[int, ...]) -> Any:
        """Return a tuple of specs.

        Args:
          chunk_dims (tuple of ints): the dims, one for each positional argument.
        """
        return map_aggregate(chunk_dims, TensorChunkSpec)

    @staticmethod
    def from_dict(chunk_dims: dict[str, int]) -> Any:
        """Return a dict of specs.

        Args:
          chunk_dims (dict): the dims by the names of keyword arguments.
        """
        return map_aggregate(chunk_dims, TensorChunkSpec)


class _Replicate:
    """The rule of arguments that all microbatches share."""


def split_args_kwargs_into_chunks(
    args: tuple,
    kwargs: dict[str, Any] | None,
    chunks: int,
    args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
    kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
) -> tuple[list[tuple], list[dict]]:
    """Divide arguments into microbatches.

    Args:
      args (tuple): the positional arguments.
      kwargs (dict or None): the keyword arguments.
      chunks (int): the number of microbatches.
      args_chunk_spec (tuple, optional): the specs of `args`, nested as they are. Default: tensors are divided along dim
        0, and other values are shared.
      kwargs_chunk_spec (dict, optional): the specs of `kwargs`.

    Returns:
      The positional arguments and the keyword arguments of each microbatch.

    Raises:
      AssertionError: a tensor is smaller than the number of microbatches.

    >>> import torchlike as torch
    >>> args, kwargs = split_args_kwargs_into_chunks((torch.arange(4), 7), None, 2)
    >>> args
    [(tensor([0, 1]), 7), (tensor([2, 3]), 7)]
    """
    kwargs = {} if kwargs is None else kwargs
    if args_chunk_spec is None:
        args_chunk_spec = tree_map(_default_spec, args, is_leaf=_is_mask)
    if kwargs_chunk_spec is None:
        kwargs_chunk_spec = tree_map(_default_spec, kwargs, is_leaf=_is_mask)
    placed, specs = dict(enumerate(args)), dict(enumerate(args_chunk_spec or ()))
    args_split = _divided(placed, specs, chunks)
    kwargs_split = _divided(kwargs, kwargs_chunk_spec, len(args_split))
    if len(kwargs_split) < len(args_split):
        args_split = _divided(placed, specs, len(kwargs_split))
    if len(args_split) != len(kwargs_split):
        raise RuntimeError(
            f"args and kwargs are split into different number of chunks: {len(args_split)}, {len(kwargs_split)}"
        )
    return [tuple(each[i] for i in range(len(each))) for each in args_split], kwargs_split


def _is_mask(value: Any) -> bool:
    return isinstance(value, BlockMask)


def _default_spec(value: Any) -> Any:
    return TensorChunkSpec(DEFAULT_CHUNK_DIM) if isinstance(value, Tensor | BlockMask) else _Replicate()


def _divided(values: dict, specs: Any, chunks: int) -> list[dict]:
    """Divide the values of a dict, and return a dict for each microbatch."""
    if not values:
        return [{} for _ in range(chunks)]
    if len(values) != len(specs):
        raise AssertionError(f"args_dict.keys() = {list(values)} args_chunk_spec.keys() = {list(specs)}")
    flat, structure = tree_flatten(values, is_leaf=_is_mask)
    flat_specs = tree_flatten(specs, is_leaf=_is_mask)[0]
    pairs = [*zip(flat, flat_specs, strict=True)]
    count = min(*(_most_chunks(value, spec, chunks) for value, spec in pairs), chunks)
    parts = [_parts(value, spec, count) for value, spec in pairs]
    return [tree_unflatten(list(each), structure) for each in zip(*parts, strict=True)]


def _most_chunks(value: Any, spec: Any, chunks: int) -> int:
    """Return the number of parts into which a value can be divided."""
    if spec is _Replicate or isinstance(spec, _Replicate):
        return chunks
    if not isinstance(value, Tensor | BlockMask):
        raise ValueError(f"Unsupported chunk spec: {spec} and value: {value} combination.")
    if not isinstance(spec, TensorChunkSpec):
        raise AssertionError(f"Expected TensorChunkSpec, got {type(spec)}")
    if isinstance(value, Tensor):
        return value.size(spec.split_dim)
    if spec.split_dim != 0:
        raise AssertionError("BlockMask only supports split_dim=0")
    rows = value.kv_num_blocks.size(0)
    return chunks if rows == 1 else rows


def _parts(value: Any, spec: Any, count: int) -> Sequence[Any]:
    if isinstance(value, Tensor) and isinstance(spec, TensorChunkSpec):
        return _split_tensor(value, spec, count)
    if isinstance(value, BlockMask) and isinstance(spec, TensorChunkSpec):
        return _split_mask(value, count)
    return [value] * count


def _split_tensor(tensor: Tensor, spec: TensorChunkSpec, num_chunks: int) -> Sequence[Tensor]:
    """Divide a tensor. The parts of a leaf that requires a gradient keep their gradients."""
    size = tensor.size(spec.split_dim)
    if size < num_chunks:
        raise AssertionError(f"Tensor size {size} is smaller than num_chunks")
    if isinstance(tensor, DTensor):
        parts = torchlike.tensor_split(tensor.to_local(), num_chunks, spec.split_dim)
        sizes = [size // num_chunks + (i < size % num_chunks) for i in range(num_chunks)]
        chunks = [_as_part(part, tensor, spec.split_dim, length) for part, length in zip(parts, sizes)]
    else:
        chunks = torchlike.tensor_split(tensor, num_chunks, spec.split_dim)
    if tensor.requires_grad and tensor.is_leaf:
        for chunk in chunks:
            chunk.retain_grad()
    return chunks


def _as_part(local: Tensor, whole: DTensor, dim: int, length: int) -> DTensor:
    """Return a DTensor like `whole` with another local tensor and another size of one dim."""
    shape = list(whole.shape)
    shape[dim] = length
    return DTensor.from_local(
        local, whole.device_mesh, whole.placements, shape=torchlike.Size(shape), stride=whole.stride(), run_check=False
    )


def _split_mask(mask: BlockMask, count: int) -> list[BlockMask]:
    """Divide a block mask along its batch dim. A mask for all batches is shared."""
    if mask.kv_num_blocks.size(0) == 1:
        return [mask] * count
    names = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices")
    tensors = [getattr(mask, name) for name in names]
    divided = [[None] * count if x is None else torchlike.tensor_split(x, count, 0) for x in tensors]
    masks, offset = [], 0
    for parts in zip(*divided):
        function = _shifted(mask.mask_mod, offset)
        chosen: Any = dict(zip(names, parts))
        masks.append(
            BlockMask.from_kv_blocks(
                **chosen, BLOCK_SIZE=mask.BLOCK_SIZE, mask_mod=function, seq_lengths=mask.seq_lengths
            )
        )
        offset += parts[0].size(0)
    return masks


def _shifted(mask_mod: Any, offset: int) -> Callable[..., Tensor]:
    return lambda b, h, q_idx, kv_idx: mask_mod(b + torchlike.full_like(b, offset), h, q_idx, kv_idx)


def merge_chunks(chunks: list[Any], chunk_spec: Any) -> Any:
    """Merge the outputs of microbatches.

    Args:
      chunks (list): the outputs, nested in the same way.
      chunk_spec: the specs of the parts of an output, nested as it is: tensors with a `TensorChunkSpec` are
        concatenated. None concatenates all along dim 0.

    Raises:
      ValueError: an output has another structure than the specs.
      AssertionError: values without a spec differ.

    >>> import torchlike as torch
    >>> merge_chunks([torch.ones(1), torch.zeros(2)], None)
    tensor([1., 0., 0.])
    """
    if chunk_spec is not None:
        specs, structure = tree_flatten(chunk_spec)
    else:
        flat, structure = tree_flatten(chunks[0])
        specs = [TensorChunkSpec(DEFAULT_CHUNK_DIM)] * len(flat)
    rows = [tree_flatten(chunk)[0] for chunk in chunks]
    for chunk, row in zip(chunks, rows):
        if len(row) != len(specs):
            raise ValueError(f"Chunk {chunk} did not match chunk spec {chunk_spec}")
    return tree_unflatten([_merged(spec, [row[i] for row in rows]) for i, spec in enumerate(specs)], structure)


def _merged(spec: Any, values: list) -> Any:
    if isinstance(spec, TensorChunkSpec):
        return _joined(values, spec.split_dim)
    if isinstance(spec, _CustomReducer):
        result = spec.init_value
        for value in values:
            result = spec.reduce_fn(result, value)
        return result
    for value in values[1:]:
        if not value == values[0]:
            raise AssertionError(f"Expected {values[0]}, got {value}")
    return values[0]


def _joined(values: list, dim: int) -> Tensor:
    """Concatenate tensors, or the local tensors of DTensors."""
    flags = [isinstance(value, DTensor) for value in values]
    if not any(flags):
        return torchlike.cat(values, dim=dim)
    if not all(flags):
        raise AssertionError("merge_chunks: expected all values to be DTensors or none to be DTensors, got a mix")
    placements = values[0].placements
    for i, value in enumerate(values):
        if value.placements != placements:
            raise AssertionError(
                f"merge_chunks: placement mismatch at chunk {i}: expected {placements}, got {value.placements}"
            )
    local = torchlike.cat([value.to_local() for value in values], dim=dim)
    return _as_part(local, values[0], dim, sum(value.shape[dim] for value in values))
