"""The inputs and outputs of an exported program, by PyTorch's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any


class InputKind(Enum):
    """The kind of an input of the program."""

    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()


class OutputKind(Enum):
    """The kind of an output of the program."""

    USER_OUTPUT = auto()
    BUFFER_MUTATION = auto()


@dataclass
class TensorArgument:
    """A tensor of the graph.

    Args:
      name: its name in the graph.
    """

    name: str


@dataclass
class ConstantArgument:
    """A value that is not a tensor.

    Args:
      name: its name in the graph.
      value: the value.
    """

    name: str
    value: Any


@dataclass
class SymIntArgument:
    """An integer of the graph that depends on shapes.

    Args:
      name: its name in the graph.
    """

    name: str


@dataclass
class SymFloatArgument:
    """A float of the graph that depends on shapes.

    Args:
      name: its name in the graph.
    """

    name: str


@dataclass
class SymBoolArgument:
    """A bool of the graph that depends on shapes.

    Args:
      name: its name in the graph.
    """

    name: str


@dataclass
class CustomObjArgument:
    """An object of a class of TorchScript.

    Args:
      name: its name in the graph.
      class_fqn: the name of the class.
      fake_val: an object in place of it.
    """

    name: str
    class_fqn: str
    fake_val: Any = None


@dataclass
class ExportBackwardSignature:
    """The gradients that an exported training step returns.

    Args:
      gradients_to_parameters: the names of the parameters by those of the gradients.
      gradients_to_user_inputs: the names of the inputs by those of the gradients.
      loss_output: the name of the loss.
    """

    gradients_to_parameters: dict[str, str]
    gradients_to_user_inputs: dict[str, str]
    loss_output: str


@dataclass
class InputSpec:
    """One input of the program.

    Args:
      kind: what it is.
      arg: the tensor or the constant.
      target: the name of the parameter, buffer or constant; None for inputs of the user.
      persistent: whether a buffer is part of the state dict; None for other inputs.
    """

    kind: InputKind
    arg: TensorArgument | ConstantArgument
    target: str | None
    persistent: bool | None = None


@dataclass
class OutputSpec:
    """One output of the program.

    Args:
      kind: what it is.
      arg: the tensor or the constant.
      target: the name of the buffer that is replaced; None for outputs of the user.
    """

    kind: OutputKind
    arg: TensorArgument | ConstantArgument
    target: str | None


@dataclass
class ExportGraphSignature:
    """The inputs and outputs of an exported program.

    Args:
      input_specs: the inputs, in the order of the graph: parameters, buffers, inputs of the user.
      output_specs: the outputs: replaced buffers, then outputs of the user.
    """

    input_specs: list[InputSpec] = field(default_factory=list)
    output_specs: list[OutputSpec] = field(default_factory=list)

    def _of(self, specs: Sequence, kind: Any) -> list:
        return [spec for spec in specs if spec.kind is kind]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(spec.target for spec in self._of(self.input_specs, InputKind.PARAMETER))

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of the buffers."""
        return tuple(spec.target for spec in self._of(self.input_specs, InputKind.BUFFER))

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """The graph's names of the user's tensors, and the user's constants."""
        return tuple(_shown(spec) for spec in self._of(self.input_specs, InputKind.USER_INPUT))

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """The graph's names of the results, and constant results."""
        return tuple(_shown(spec) for spec in self._of(self.output_specs, OutputKind.USER_OUTPUT))

    @property
    def inputs_to_parameters(self) -> Mapping[str, str]:
        """The graph's name of each parameter, mapped to the parameter's name."""
        return {spec.arg.name: spec.target for spec in self._of(self.input_specs, InputKind.PARAMETER)}

    @property
    def inputs_to_buffers(self) -> Mapping[str, str]:
        """The graph's name of each buffer, mapped to the buffer's name."""
        return {spec.arg.name: spec.target for spec in self._of(self.input_specs, InputKind.BUFFER)}

    @property
    def buffers_to_mutate(self) -> Mapping[str, str]:
        """The graph's name of each result that replaces a buffer, mapped to the buffer's name."""
        return {spec.arg.name: spec.target for spec in self._of(self.output_specs, OutputKind.BUFFER_MUTATION)}


def _shown(spec: InputSpec | OutputSpec) -> Any:
    return spec.arg.name if isinstance(spec.arg, TensorArgument) else spec.arg.value
