"""Averages of parameters over the processes of a group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torchlike
from torchlike.distributed import _collectives as c
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import get_rank, member
from torchlike.nn import Parameter


def average_parameters(params: Iterator[Parameter], process_group: ProcessGroup | None) -> None:
    """Replace parameters by their averages over the processes, with one all-reduce.

    Parameters of different dtypes are averaged in the dtype to which they promote. A process outside of the group does
    nothing.

    Args:
      params (iterator of Parameters): the parameters. Afterwards, those of the promoted dtype share one storage.
      process_group (ProcessGroup, optional): the processes. Default: all.
    """
    if get_rank(process_group) == -1:
        return
    group, averaged = member(process_group), list(params)
    flat = torchlike.cat([p.data.reshape(-1) for p in averaged])
    flat /= group.size()
    c.all_reduce(flat, group=group)
    for param, part in zip(averaged, flat.split([p.numel() for p in averaged])):
        param.data = part.view_as(param).type_as(param)


def get_params_to_average(params: Iterable[Any]) -> list[Parameter]:
    """Return the parameters that have gradients.

    Args:
      params (iterable of Parameters or of dicts): the parameters, or the groups of an optimizer.

    Raises:
      NotImplementedError: an element is neither a parameter nor a dict.
    """
    found: list[Parameter] = []
    for each in params:
        if not isinstance(each, Parameter | dict):
            raise NotImplementedError(f"Parameter input of type {type(each)} is not supported")
        candidates = each["params"] if isinstance(each, dict) else [each]
        found += [param for param in candidates if param.grad is not None]
    return found


def average_parameters_or_parameter_groups(params: Iterable[Any], process_group: ProcessGroup | None) -> None:
    """Replace the parameters that have gradients by their averages over the processes.

    Args:
      params (iterable of Parameters or of dicts): the parameters, or the groups of an optimizer.
      process_group (ProcessGroup, optional): the processes. Default: all.
    """
    average_parameters(iter(get_params_to_average(params)), process_group)


__all__ = ["average_parameters", "average_parameters_or_parameter_groups", "get_params_to_average"]
