"""Styles that only change the inputs and the outputs of a module."""

from __future__ import annotations

from typing import Any

import torchlike.nn as nn
from torchlike import Tensor
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor._api import DTensor
from torchlike.distributed.tensor.parallel._styles import ParallelStyle
from torchlike.distributed.tensor.placement_types import Placement

Some = Placement | tuple[Placement | None, ...] | None


def _tuple(layouts: Some) -> Any:
    return (layouts,) if isinstance(layouts, Placement) else layouts


def _same_length(layouts: Any, wanted: Any, name: str) -> None:
    if len(layouts) != len(wanted):
        raise AssertionError(f"{name} and desired_{name} should have same length!")


class PrepareModuleInput(ParallelStyle):
    """Turn the inputs of a module into distributed tensors with the wanted layouts.

    Args:
      input_layouts: the placement of each input. None for an input that stays as it is.
      desired_input_layouts: the placement that each input gets.
      input_kwarg_layouts: the placements of keyword arguments.
      desired_input_kwarg_layouts: the placements that they get.
      use_local_output: whether the module gets local tensors instead of `DTensor`s.

    Raises:
      AssertionError: the numbers of layouts differ.
    """

    def __init__(
        self,
        *,
        input_layouts: Some = None,
        desired_input_layouts: Some = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ) -> None:
        self.input_layouts, self.desired_input_layouts = _tuple(input_layouts), _tuple(desired_input_layouts)
        self.use_local_output = use_local_output
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            _same_length(self.input_layouts, self.desired_input_layouts, "input_layouts")
        self.with_kwargs = input_kwarg_layouts is not None
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        if self.with_kwargs:
            _same_length(self.input_kwarg_layouts, self.desired_input_kwarg_layouts, "input_kwarg_layouts")

    def _prepared(self, given: Any, mesh: DeviceMesh, layout: Placement | None, wanted: Placement | None) -> Any:
        if layout is None:
            return given
        if not isinstance(given, Tensor):
            raise AssertionError("expecting input to be a torch.Tensor!")
        made = given if isinstance(given, DTensor) else DTensor.from_local(given, mesh, (layout,), run_check=False)
        if wanted is not None and layout != wanted:
            made = made.redistribute(placements=(wanted,))
        return made.to_local() if self.use_local_output else made

    def _prepare_input_fn(self, inputs: Any, device_mesh: DeviceMesh) -> Any:
        if self.input_layouts is None:
            return inputs
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        if len(inputs) != len(self.input_layouts):
            raise ValueError("module inputs and input_layouts should have same length!")
        layouts = zip(inputs, self.input_layouts, self.desired_input_layouts)
        return tuple(self._prepared(each, device_mesh, layout, wanted) for each, layout, wanted in layouts)

    def _prepare_input_kwarg_fn(self, inputs: Any, kwarg_inputs: dict[str, Any], device_mesh: DeviceMesh) -> tuple:
        layouts, wanted = self.input_kwarg_layouts, self.desired_input_kwarg_layouts
        named = {
            name: self._prepared(each, device_mesh, layouts.get(name), wanted.get(name))
            for name, each in kwarg_inputs.items()
        }
        return self._prepare_input_fn(inputs, device_mesh), named

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        if self.with_kwargs:
            module.register_forward_pre_hook(
                lambda _, inputs, kwargs: self._prepare_input_kwarg_fn(inputs, kwargs, device_mesh), with_kwargs=True
            )
        else:
            module.register_forward_pre_hook(lambda _, inputs: self._prepare_input_fn(inputs, device_mesh))
        return module

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(input_layouts={self.input_layouts}, "
            f"desired_input_layouts={self.desired_input_layouts}, input_kwarg_layouts={self.input_kwarg_layouts}, "
            f"desired_input_kwarg_layouts={self.desired_input_kwarg_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class PrepareModuleOutput(ParallelStyle):
    """Turn the outputs of a module into tensors with the wanted layouts.

    Args:
      output_layouts: the placement of each output. None for an output that stays as it is.
      desired_output_layouts: the placement that each output gets.
      use_local_output: whether the outputs are local tensors instead of `DTensor`s.

    Raises:
      AssertionError: the numbers of layouts differ.
    """

    def __init__(self, *, output_layouts: Some, desired_output_layouts: Some, use_local_output: bool = True) -> None:
        self.output_layouts, self.desired_output_layouts = _tuple(output_layouts), _tuple(desired_output_layouts)
        self.use_local_output = use_local_output
        _same_length(self.output_layouts, self.desired_output_layouts, "output_layouts")

    def _prepare_out_fn(self, outputs: Any, device_mesh: DeviceMesh) -> Any:
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        if len(outputs) != len(self.output_layouts):
            raise ValueError("module outputs and output_layouts should have same length!")
        found = []
        for each, layout, wanted in zip(outputs, self.output_layouts, self.desired_output_layouts):
            if layout is None:
                found.append(each)
                continue
            made = each if isinstance(each, DTensor) else DTensor.from_local(each, device_mesh, (layout,))
            if layout != wanted:
                made = made.redistribute(placements=(wanted,))
            found.append(made.to_local() if self.use_local_output else made)
        return found[0] if len(found) == 1 else tuple(found)

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        module.register_forward_hook(lambda _, inputs, outputs: self._prepare_out_fn(outputs, device_mesh))
        return module

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(output_layouts={self.output_layouts}, "
            f"desired_output_layouts={self.desired_output_layouts}, use_local_output={self.use_local_output})"
        )


class PrepareModuleInputOutput(ParallelStyle):
    """Apply `PrepareModuleInput` and `PrepareModuleOutput` to a module.

    Args:
      input_layouts, desired_input_layouts, input_kwarg_layouts, desired_input_kwarg_layouts: as in
        `PrepareModuleInput`.
      use_local_input: whether the module gets local tensors instead of `DTensor`s.
      output_layouts, desired_output_layouts: as in `PrepareModuleOutput`.
      use_local_output: whether the outputs are local tensors instead of `DTensor`s.
    """

    def __init__(
        self,
        *,
        input_layouts: Some = None,
        desired_input_layouts: Some = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_input: bool = False,
        output_layouts: Some,
        desired_output_layouts: Some,
        use_local_output: bool = True,
    ) -> None:
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts,
            desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        self.prepare_module_input._apply(module, device_mesh)
        self.prepare_module_output._apply(module, device_mesh)
        return module

    def __repr__(self) -> str:
        given, made = self.prepare_module_input, self.prepare_module_output
        return (
            f"{type(self).__name__}(input_layouts={given.input_layouts}, "
            f"desired_input_layouts={given.desired_input_layouts}, input_kwarg_layouts={given.input_kwarg_layouts}, "
            f"desired_input_kwarg_layouts={given.desired_input_kwarg_layouts}, "
            f"use_local_input={given.use_local_output}, output_layouts={made.output_layouts}, "
            f"desired_output_layouts={made.desired_output_layouts}, use_local_output={made.use_local_output})"
        )
