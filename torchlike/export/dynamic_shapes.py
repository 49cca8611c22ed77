"""Declarations of varying sizes."""

from __future__ import annotations

from typing import Any

from torchlike import Tensor
from torchlike._internal import _errors
from torchlike.utils._pytree import tree_map

from ._shapes import Dim as Dim
from ._shapes import dims as dims
from ._shapes import named_inputs


class ShapesCollection:
    """The varying dims of tensors, by the tensors themselves. It is an argument `dynamic_shapes` of `export`.

    >>> import torchlike as torch
    >>> x = torch.ones(4, 2)
    >>> shapes = torch.export.ShapesCollection()
    >>> shapes[x] = {0: torch.export.Dim("batch")}
    >>> len(shapes), shapes.dynamic_shapes(torch.nn.Linear(2, 3), (x,))["input"].keys()
    (1, dict_keys([0]))
    """

    def __init__(self) -> None:
        self._shapes: dict[int, tuple[Tensor, Any]] = {}

    def __setitem__(self, t: Tensor, shape: Any) -> None:
        if not isinstance(t, Tensor):
            raise AssertionError(f"Cannot assign shape to non-tensor or non-_IntWrapper type {type(t)}")
        if id(t) in self._shapes and self._shapes[id(t)][1] != shape:
            raise AssertionError(
                f"Shapes assigned to input do not match: expected {self._shapes[id(t)][1]}, got {shape}"
            )
        self._shapes[id(t)] = t, shape

    def __getitem__(self, t: Tensor) -> Any:
        return self._shapes.setdefault(id(t), (t, {}))[1]

    def __len__(self) -> int:
        return len(self._shapes)

    def dynamic_shapes(self, m: Any, args: tuple, kwargs: dict[str, Any] | None = None) -> Any:
        """Return the argument `dynamic_shapes` of `export` for example inputs.

        Args:
          m (Module): the module.
          args, kwargs: the example inputs, which contain the tensors.

        Raises:
          ValueError: a tensor is no input.
        """
        seen: set[int] = set()

        def shape_of(each: Any) -> Any:
            seen.add(id(each))
            return self._shapes[id(each)][1] if id(each) in self._shapes else None

        found = tree_map(shape_of, named_inputs(m, args, kwargs or {}))
        unseen = [shape for key, (_, shape) in self._shapes.items() if key not in seen]
        if unseen:
            raise ValueError(
                f"Some tensors that were assigned shapes were not found in args: {unseen}. Maybe such tensors were "
                "copied when passing them as args? Maybe such tensors are contained in classes that were not "
                "registered with pytree?"
            )
        return found


class AdditionalInputs:
    """Further example inputs, from which PyTorch infers varying sizes. Not supported: the constructor raises."""

    def __init__(self) -> None:
        raise _errors.arguments.cannot("export.AdditionalInputs", "declare the varying dims with torch.export.Dim")


def refine_dynamic_shapes_from_suggested_fixes(msg: str, dynamic_shapes: Any) -> Any:
    """Raise NotImplementedError. Errors of torchlike's `export` suggest no fixes in PyTorch's form.

    Args:
      msg, dynamic_shapes: not used.
    """
    raise _errors.arguments.cannot(
        "export.dynamic_shapes.refine_dynamic_shapes_from_suggested_fixes", "change the declared dims"
    )


__all__ = ["AdditionalInputs", "Dim", "ShapesCollection", "dims", "refine_dynamic_shapes_from_suggested_fixes"]
