"""Names of `torch.export` that can be imported but not used, and the descriptions of calls of modules."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from torchlike._internal import _errors
from torchlike.utils._pytree import GetAttrKey, register_pytree_node


@dataclass
class ModuleCallSignature:
    """The inputs and outputs of a call of a submodule.

    Args:
      inputs, outputs (list): the arguments and results.
      in_spec, out_spec: the structures of the arguments and results.
      forward_arg_names (list of str, optional): the names of the arguments.
    """

    inputs: list[Any]
    outputs: list[Any]
    in_spec: Any
    out_spec: Any
    forward_arg_names: list[str] | None = None


@dataclass
class ModuleCallEntry:
    """A call of a submodule.

    Args:
      fqn (str): the dotted name of the submodule.
      signature (ModuleCallSignature, optional): its inputs and outputs.
    """

    fqn: str
    signature: ModuleCallSignature | None = None


class FlatArgsAdapter:
    """The base class of adapters for arguments of another structure. `unflatten`, which takes it, is not supported."""

    def adapt(
        self,
        target_spec: Any,
        input_spec: Any,
        input_args: list[Any],
        metadata: dict[str, Any] | None = None,
        obj: Any = None,
    ) -> list[Any]:
        """Return the arguments in the structure `target_spec`. Subclasses override this method.

        Args:
          target_spec, input_spec: the wanted structure and that of the arguments.
          input_args (list): the arguments.
          metadata (dict, optional): information about the arguments.
          obj (optional): the object that is called.
        """
        raise NotImplementedError


class UnflattenedModule:
    """A module with the submodules of an exported program. Not supported: the constructor raises.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("export.UnflattenedModule", "call the method module() of the exported program")


class CustomDecompTable:
    """A table of decompositions. Not supported: the constructor raises NotImplementedError."""

    def __init__(self) -> None:
        raise _errors.arguments.cannot("export.CustomDecompTable", "programs are exported to StableHLO")


def unflatten(module: Any, flat_args_adapter: FlatArgsAdapter | None = None) -> Any:
    """Raise NotImplementedError. An exported program is one program in StableHLO, without submodules.

    Args:
      module, flat_args_adapter: not used.
    """
    raise _errors.arguments.cannot("export.unflatten", "call the method module() of the exported program")


def draft_export(mod: Any, args: tuple, kwargs: Any = None, **options: Any) -> Any:
    """Raise NotImplementedError. Use `export`.

    Args:
      mod, args, kwargs, options: not used.
    """
    raise _errors.arguments.cannot("export.draft_export", "call torch.export.export")


def default_decompositions() -> Any:
    """Raise NotImplementedError. Operators are not decomposed: programs are exported to StableHLO."""
    raise _errors.arguments.cannot("export.default_decompositions", "programs are exported to StableHLO")


def move_to_device_pass(ep: Any, location: Any) -> Any:
    """Raise NotImplementedError. A program is compiled for the devices that `export` names.

    Args:
      ep, location: not used.
    """
    raise _errors.arguments.cannot("export.passes.move_to_device_pass", "export the module on the other device")


def register_dataclass(cls: type, *, serialized_type_name: str | None = None) -> None:
    """Make the instances of a dataclass containers of tensors, for arguments and results of exported programs.

    Args:
      cls (type): the dataclass.
      serialized_type_name (str, optional): has no effect: files name no types.

    Raises:
      AssertionError: `cls` is not a dataclass.

    >>> import dataclasses
    >>> import torchlike as torch
    >>> @dataclasses.dataclass
    ... class Pair:
    ...     a: torch.Tensor
    ...     b: torch.Tensor
    >>> torch.export.register_dataclass(Pair)
    >>> torch.utils._pytree.tree_map(lambda x: x + 1, Pair(1, 2))
    Pair(a=2, b=3)
    """
    if not is_dataclass(cls):
        raise AssertionError(f"Only dataclasses can be registered with this function: {cls}")
    names = [each.name for each in fields(cls) if each.init]

    def flatten(value: Any) -> tuple[list, Any]:
        given = [name for name in names if getattr(value, name) is not None]
        return [getattr(value, name) for name in given], tuple(given)

    def unflatten(values: Any, given: Any) -> Any:
        return cls(**{**dict.fromkeys(names), **dict(zip(given, values))})

    def flatten_with_keys(value: Any) -> tuple[list, Any]:
        values, given = flatten(value)
        return [(GetAttrKey(name), each) for name, each in zip(given, values)], given

    register_pytree_node(cls, flatten, unflatten, flatten_with_keys_fn=flatten_with_keys)
