"""Parts that the modules of pipelines share: the ranks of stages, and descriptions of tensors in errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchlike import Tensor
from torchlike.fx.graph import Graph
from torchlike.fx.node import map_aggregate


class PipeliningMetadataError(RuntimeError):
    """The error of stages whose inputs or outputs do not fit together."""


@dataclass(slots=True)
class PipeInfo:
    """A description of a `Pipe`.

    Args:
      graph (Graph): the graph of the calls of the stages.
      num_stages (int): the number of stages.
      has_loss_and_backward: whether the graph computes a loss and its gradients. It is always False.
    """

    graph: Graph
    num_stages: int
    has_loss_and_backward: bool


def generate_stage_to_rank_mapping(pp_size: int, num_stages: int, style: str = "loop") -> dict[int, int]:
    """Return the rank of each stage.

    Args:
      pp_size (int): the number of ranks.
      num_stages (int): the number of stages.
      style (str, default "loop"): "loop" begins again at rank 0 after the last rank, "v" goes back from the last rank.

    Raises:
      ValueError: the style is unknown, or "v" has a number of stages that is not a multiple of `pp_size`.

    >>> generate_stage_to_rank_mapping(2, 4, style="v")
    {0: 0, 1: 1, 2: 1, 3: 0}
    """
    if style == "loop":
        return {stage: stage % pp_size for stage in range(num_stages)}
    if style != "v":
        raise ValueError(f"Style {style} is not supported.")
    if num_stages % pp_size != 0:
        raise ValueError(f"num_stages {num_stages} must be evenly divisible by pp_size {pp_size} for V schedules")
    turns = ((stage, *divmod(stage, pp_size)) for stage in range(num_stages))
    return {stage: pp_size - 1 - place if turn % 2 else place for stage, turn, place in turns}


def generate_rank_to_stage_mapping(pp_size: int, num_stages: int, style: str = "loop") -> dict[int, list[int]]:
    """Return the stages of each rank, in ascending order.

    Args:
      pp_size (int): the number of ranks.
      num_stages (int): the number of stages.
      style (str, default "loop"): the style of `generate_stage_to_rank_mapping`.

    >>> generate_rank_to_stage_mapping(2, 4)
    {0: [0, 2], 1: [1, 3]}
    """
    found: dict[int, list[int]] = {}
    for stage, rank in generate_stage_to_rank_mapping(pp_size, num_stages, style).items():
        found.setdefault(rank, []).append(stage)
    return found


def as_tuple(output: Any) -> tuple:
    """Return the output of a module as a tuple."""
    return tuple(output) if type(output) in (list, tuple) else (output,)


def map_debug_info(a: Any) -> Any:
    """Replace the tensors in nested lists, tuples and dicts by descriptions.

    Args:
      a: the value.
    """
    return map_aggregate(a, _shown)


def _shown(v: Any) -> str:
    return f"Tensor({v.shape}, grad={v.requires_grad}, dtype={v.dtype})" if isinstance(v, Tensor) else str(v)
