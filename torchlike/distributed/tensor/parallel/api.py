"""`parallelize_module`: the styles of a plan, applied to the submodules that it names."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import torchlike.nn as nn
from torchlike._internal import warn
from torchlike.distributed.device_mesh import DeviceMesh, current_mesh
from torchlike.distributed.tensor.parallel._styles import ParallelStyle


def parallelize_module(
    module: nn.Module,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> nn.Module:
    """Shard the layers of a module over a one-dimensional mesh, and return the module.

    Args:
      module: the module. It is changed in place.
      device_mesh: the mesh, such as `mesh["tp"]`. By default, the mesh of the enclosing `with` statement.
      parallelize_plan: the style of the module, or a dictionary of the names of submodules and their styles. A part of
        a name may have wildcards (`"layers.*.attention"`).
      src_data_rank: the process whose parameters are distributed. None: each process uses its own.

    Raises:
      TypeError: the plan is something else.
    """
    mesh = device_mesh or current_mesh()
    if parallelize_plan is None:
        warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this "
            "parallelize_module call will do nothing."
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        _parallelize_path(module, mesh, path, style, src_data_rank)
    return module


def _parallelize_path(module: nn.Module, mesh: DeviceMesh, path: str, style: Any, src_data_rank: int | None) -> None:
    """Apply a style to the submodules with this name."""
    if not path:
        parallelize_module(module, mesh, style)
        return
    token, _, rest = path.partition(".")
    found = [each for name, each in module.named_children() if fnmatch(name, token)]
    if not found:
        warn(
            f"Parallelize plan key '{path}' could not be resolved: no submodule matching token '{token}' in module "
            f"{module}, skipping this plan entry."
        )
    for each in found:
        parallelize_module(each, mesh, {rest: style} if rest else style, src_data_rank=src_data_rank)
