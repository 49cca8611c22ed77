"""Counting the floating-point operations of matrix products, convolutions and attention: `FlopCounterMode`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from torchlike._internal import Products, _errors, boundary, observers, warn
from torchlike.compiler import set_stance
from torchlike.ops import aten

from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

_SUFFIXES = ("", "K", "M", "B", "T")
_HEADER = ("Module", "FLOP", "% Total")


class FlopCounterMode:
    """Count the floating-point operations inside of a `with` block, by module and by operator.

    Matrix products, convolutions, recurrent layers and attention count, forward and backward, with PyTorch's formulas
    and under PyTorch's names of the operators (`torch.ops.aten.mm`, ...). As in PyTorch, attention and LSTMs that
    its CPU runs as one fused operator do not count. Compiled functions run uncompiled inside of the block. Gradients of
    gradients and functions mapped by `vmap` are not counted.

    Args:
      mods: ignored, with a warning.
      depth: how many levels of modules the table shows; None for all.
      display: whether the table is printed at the end of the block.
      custom_mapping: not supported.

    >>> import torchlike as torch
    >>> from torchlike.utils.flop_counter import FlopCounterMode
    >>> with FlopCounterMode(display=False) as counter:
    ...     _ = torch.nn.Linear(4, 5)(torch.ones(3, 4))
    >>> counter.get_total_flops()
    120
    >>> print(counter.get_table())
    Module          FLOP    % Total
    ------------  ------  ---------
    Linear           120    100.00%
    - aten.addmm     120    100.00%
    """

    def __init__(
        self, mods: Any = None, depth: int | None = 2, display: bool = True, custom_mapping: Mapping | None = None
    ) -> None:
        if custom_mapping:
            raise _errors.arguments.unsupported("FlopCounterMode", "custom_mapping")
        if mods is not None:
            warn("mods argument is not needed anymore, you can stop passing it")
        self.depth, self.display = depth, display
        self.flop_counts = _no_counts()
        self.mod_tracker = _Tracker()

    def get_total_flops(self) -> int:
        """Return the operations of the block."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Return the operations by module ("Global" for all) and by operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Return the counts as text, modules down to a depth (999999 levels unless the counter has a `depth`)."""
        depth = self.depth if depth is None else depth
        return _table(self.get_flop_counts(), 999999 if depth is None else depth)

    def __enter__(self) -> FlopCounterMode:
        boundary()
        self.flop_counts = _no_counts()
        self._stance = set_stance("force_eager")
        self._count = self._see  # one object, which is found again
        observers.append(self._count)
        self.mod_tracker.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            boundary()
        finally:
            self.mod_tracker.__exit__(*error)
            observers.remove(self._count)
            self._stance.__exit__()
        if self.display:
            print(self.get_table(self.depth))

    def _see(self, plan: Any) -> None:
        source, wanted = getattr(plan, "source", None) or (plan, None)
        op = getattr(source, "op", None)
        if op is None or op.flops is None or source.extra is None:
            return
        for name, flops in op.flops(Products(source, wanted)).items():
            for parent in self.mod_tracker.parents:
                self.flop_counts[parent][getattr(aten, name)] += flops


class _Tracker(ModuleTracker):
    """Ends a program wherever the running modules change, so that all operators of one belong to the same modules."""

    def _enter(self, name: str) -> None:
        boundary()
        super()._enter(name)

    def _leave(self, name: str) -> None:
        boundary()
        super()._leave(name)


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable], Callable]:
    """Refused: formulas belong to torchlike's own operators."""
    raise _errors.arguments.cannot(
        "utils.flop_counter.register_flop_formula", "only torchlike's own operators have formulas"
    )


def _no_counts() -> defaultdict[str, defaultdict[Any, int]]:
    return defaultdict(lambda: defaultdict(int))


# -- the table ---------------------------------------------------------------------------------------------------------


def _table(counts: dict[str, dict[Any, int]], depth: int) -> str:
    total = sum(counts.setdefault("Global", {}).values())
    unit = min(max(len(str(total)) - 2, 0) // 3, len(_SUFFIXES) - 1)
    modules = [name for name in sorted(counts) if name != "Global" and name.count(".") < depth]
    if not any(sum(counts[name].values()) >= total for name in modules):  # else that module's line says it
        modules.insert(0, "Global")
    return _aligned([line for name in modules for line in _lines(name, counts[name], total, unit)])


def _lines(name: str, counts: Mapping[Any, int], total: int, unit: int) -> list[tuple[str, ...]]:
    rows = [(name, sum(counts.values())), *[(f"- {op}", flops) for op, flops in counts.items()]]
    return [(text, _number(flops, unit), f"{flops / total:.2%}" if total else "0%") for text, flops in rows]


def _number(number: int, unit: int) -> str:
    return f"{number / 1000**unit:.3f}{_SUFFIXES[unit]}" if unit else str(number)


def _aligned(lines: list[tuple[str, ...]]) -> str:
    """The layout of the package `tabulate`: names to the left, numbers to the right, two blanks before a head."""
    heads = [len(head) + 2 for head in _HEADER]
    widths = [max(head, *[len(line[i]) for line in lines]) for i, head in enumerate(heads)]
    rows = [_HEADER, tuple(["-" * width for width in widths]), *lines]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows)
