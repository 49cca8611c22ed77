"""Names of parameters in wrapped modules, and other parts that libraries import."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from torchlike import Tensor
from torchlike.distributed.algorithms._checkpoint.checkpoint_wrapper import _CHECKPOINT_PREFIX
from torchlike.nn import Module, Parameter

FSDP_WRAPPED_MODULE = "_fsdp_wrapped_module"
FSDP_PREFIX = FSDP_WRAPPED_MODULE + "."
FSDP_FLATTENED = "_fsdp_flattened"


class TrainingState(Enum):
    """The state of a `FullyShardedDataParallel`."""

    IDLE = auto()
    FORWARD_BACKWARD = auto()
    SUMMON_FULL_PARAMS = auto()


class HandleTrainingState(Enum):
    """The state of the parameters of a `FullyShardedDataParallel`."""

    IDLE = auto()
    FORWARD = auto()
    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()
    SUMMON_FULL_PARAMS = auto()


def clean_tensor_name(tensor_name: str) -> str:
    """Return the name of a parameter or buffer without the names of wrappers.

    Args:
      tensor_name (str): the name.

    >>> clean_tensor_name("_fsdp_wrapped_module.layer._checkpoint_wrapped_module.weight")
    'layer.weight'
    """
    return tensor_name.replace(FSDP_PREFIX, "").replace(_CHECKPOINT_PREFIX, "")


def _set_fsdp_flattened(tensor: Tensor) -> None:
    """Mark a tensor as a flat parameter."""
    setattr(tensor, FSDP_FLATTENED, True)


def _is_fsdp_flattened(tensor: Tensor) -> bool:
    """Return whether a tensor is marked as a flat parameter. Those of torchlike are not: there are none."""
    return getattr(tensor, FSDP_FLATTENED, False)


def _named_parameters_with_duplicates(module: Module, **kwargs: Any) -> list[tuple[str, Parameter]]:
    """Return the parameters of a module by all of their names."""
    if "remove_duplicate" in kwargs:
        raise AssertionError("_named_parameters_with_duplicates cannot be used with `remove_duplicate` argument.")
    try:
        return list(module.named_parameters(**kwargs, remove_duplicate=False))
    except AssertionError:
        return list(module.named_parameters(**kwargs))
