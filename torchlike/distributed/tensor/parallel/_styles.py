"""The styles of layers: how the parameters, the inputs and the outputs of a layer are divided."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torchlike.nn as nn
from torchlike import Tensor
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor._api import DTensor
from torchlike.distributed.tensor._making import distribute_tensor
from torchlike.distributed.tensor._modules import distribute_module
from torchlike.distributed.tensor.placement_types import Placement, Replicate, Shard

Layouts = tuple[Placement, ...]


class ParallelStyle(ABC):
    """The base class of styles. A subclass defines `_apply`."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        """Divide a module over a mesh, and return it."""


def _replace(module: nn.Module, name: str, mesh: DeviceMesh, placement: Placement, source: int | None) -> None:
    """Replace a parameter by a distributed one."""
    param: Any = module._parameters[name]
    made = distribute_tensor(param, mesh, [placement], src_data_rank=source)
    module.register_parameter(name, nn.Parameter(made, requires_grad=param.requires_grad))


class _LayerParallel(ParallelStyle):
    """A style of `nn.Linear` and `nn.Embedding`.

    `_placements` has the placements of the parameters of each kind of layer. `_inputs` has the layout in which each
    kind computes.
    """

    _placements: dict[type, dict[str, Placement]]
    _inputs: dict[type, Layouts]
    input_layouts: Layouts
    output_layouts: Layouts
    use_local_output: bool

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        kind = next((kind for kind in self._placements if isinstance(module, kind)), None)
        if kind is None:
            name = type(self).__name__
            raise NotImplementedError(f"{name} currently only support nn.Linear and nn.Embedding!")
        placements, wanted = self._placements[kind], self._inputs[kind]

        def divide(name: str, each: nn.Module, mesh: DeviceMesh) -> None:
            for key, param in list(each._parameters.items()):
                if param is not None:
                    _replace(each, key, mesh, placements[key], self.src_data_rank)

        return distribute_module(
            module,
            device_mesh,
            divide,
            lambda mod, inputs, mesh: _entering(inputs[0], mesh, self.input_layouts, wanted),
            lambda mod, outputs, mesh: self._leaving(outputs),
        )

    def _leaving(self, outputs: DTensor) -> Tensor:
        if outputs.placements != self.output_layouts:
            outputs = outputs.redistribute(placements=self.output_layouts, async_op=True)
        return outputs.to_local() if self.use_local_output else outputs

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(input_layouts={self.input_layouts}, output_layouts={self.output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


def _entering(tensor: Tensor, mesh: DeviceMesh, layouts: Layouts, wanted: Layouts) -> DTensor:
    """Return an input as a distributed tensor with the wanted layout."""
    made = tensor if isinstance(tensor, DTensor) else DTensor.from_local(tensor, mesh, layouts, run_check=False)
    return made.redistribute(placements=wanted, async_op=True) if layouts != wanted else made


class ColwiseParallel(_LayerParallel):
    """Divide the output features of an `nn.Linear`, or the columns of the table of an `nn.Embedding`.

    Args:
      input_layouts: the placement of an input that is a plain tensor. By default, `Replicate()`.
      output_layouts: the placement of the output. By default, `Shard(-1)`.
      use_local_output: whether the output is the local tensor instead of a `DTensor`.

    Raises:
      NotImplementedError: the module is of another class.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        self.input_layouts = (input_layouts or Replicate(),)
        self.output_layouts = (output_layouts or Shard(-1),)
        self.desired_input_layouts = (Replicate(),)
        self.use_local_output = use_local_output

    _placements = {nn.Linear: {"weight": Shard(0), "bias": Shard(0)}, nn.Embedding: {"weight": Shard(1)}}
    _inputs = {nn.Linear: (Replicate(),), nn.Embedding: (Replicate(),)}


class RowwiseParallel(_LayerParallel):
    """Divide the input features of an `nn.Linear`, or the rows of the table of an `nn.Embedding`.

    Args:
      input_layouts: the placement of an input that is a plain tensor. By default, `Shard(-1)`.
      output_layouts: the placement of the output. By default, `Replicate()`.
      use_local_output: whether the output is the local tensor instead of a `DTensor`.

    Raises:
      NotImplementedError: the module is of another class.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        self.input_layouts = (input_layouts or Shard(-1),)
        self.output_layouts = (output_layouts or Replicate(),)
        self.use_local_output = use_local_output

    _placements = {nn.Linear: {"weight": Shard(1), "bias": Replicate()}, nn.Embedding: {"weight": Shard(0)}}
    _inputs = {nn.Linear: (Shard(-1),), nn.Embedding: (Replicate(),)}


class SequenceParallel(ParallelStyle):
    """Run a layer with replicated parameters, such as `nn.LayerNorm` or `nn.Dropout`, on a divided sequence.

    A plain tensor as input is taken as this process's part of the sequence.

    Args:
      sequence_dim: the dim of the sequence.
      use_local_output: whether the output is the local tensor instead of a `DTensor`.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        self.sequence_sharding = (Shard(sequence_dim),)
        self.use_local_output = use_local_output

    def _entering(self, module: nn.Module, inputs: Any, mesh: DeviceMesh) -> DTensor:
        tensor = inputs[0]
        if isinstance(tensor, DTensor):
            if tensor.placements != self.sequence_sharding:
                tensor = tensor.redistribute(placements=self.sequence_sharding, async_op=True)
            return tensor
        if isinstance(tensor, Tensor):
            return DTensor.from_local(tensor, mesh, self.sequence_sharding, run_check=False)
        raise ValueError(f"expecting input of {module} to be a torch.Tensor or DTensor, but got {tensor}")

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        def replicate(name: str, each: nn.Module, mesh: DeviceMesh) -> None:
            for key, param in list(each._parameters.items()):
                if param is not None and not isinstance(param, DTensor):
                    made = DTensor.from_local(param.detach(), mesh, [Replicate()], run_check=False)
                    each.register_parameter(key, nn.Parameter(made))

        return distribute_module(
            module,
            device_mesh,
            replicate,
            self._entering,
            lambda mod, outputs, mesh: outputs.to_local() if self.use_local_output else outputs,
        )

    def __repr__(self) -> str:
        dim = f"sequence_dim={self.sequence_sharding[0].dim}, " if len(self.sequence_sharding) == 1 else ""
        return f"{type(self).__name__}({dim}use_local_output={self.use_local_output})"
