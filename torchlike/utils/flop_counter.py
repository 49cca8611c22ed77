"""`FlopCounterMode`, which counts the floating-point operations of matrix products, convolutions and attention."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import torchlike
from torchlike._internal import Products, _errors, boundary, observers, warn
from torchlike.ops import aten

from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

_SUFFIXES = ("", "K", "M", "B", "T")
_HEADER = ("Module", "FLOP", "% Total")


class FlopCounterMode:
    """A context manager that counts floating-point operations (FLOPs) by module and by operator.

    It counts the forward and backward passes of matrix products, convolutions, recurrent layers and attention. It uses
    PyTorch's formulas and operator names (`torch.ops.aten.mm`, ...). As in PyTorch, it does not count attention and
    LSTMs that PyTorch runs as one fused operator on the CPU. Compiled functions run uncompiled inside the block.
    Higher-order gradients and functions under `vmap` are not counted.

    Args:
      mods: ignored with a warning.
      depth: the number of module levels in the table, or None for all levels.
      display: whether to print the table at the end of the block.
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
        """Return the total number of FLOPs in the block."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Return the FLOPs by module and by operator. The key "Global" holds the counts of all modules."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Return the counts as a text table.

        `depth` is the number of module levels. The default is the `depth` of the counter, or 999999 if that is None.
        """
        depth = self.depth if depth is None else depth
        return _table(self.get_flop_counts(), 999999 if depth is None else depth)

    def __enter__(self) -> FlopCounterMode:
        boundary()
        self.flop_counts = _no_counts()
        self._stance = torchlike.compiler.set_stance("force_eager")
        self._count = self._see  # keep one bound method object, so that `remove` finds it
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
        if op is None or op.execution.flops is None or source.extra is None:
            return
        for name, flops in op.execution.flops(Products(source, wanted)).items():
            for parent in self.mod_tracker.parents:
                self.flop_counts[parent][getattr(aten, name)] += flops


class _Tracker(ModuleTracker):
    """A `ModuleTracker` that flushes when the set of running modules changes.

    All operators of one program therefore belong to the same modules.
    """

    def _enter(self, name: str) -> None:
        boundary()
        super()._enter(name)

    def _leave(self, name: str) -> None:
        boundary()
        super()._leave(name)


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable], Callable]:
    """Raise `NotImplementedError`, because only torchlike's own operators can have formulas."""
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
    if not any(
        sum(counts[name].values()) >= total for name in modules
    ):  # otherwise the line of that module already shows the total
        modules.insert(0, "Global")
    return _aligned([line for name in modules for line in _lines(name, counts[name], total, unit)])


def _lines(name: str, counts: Mapping[Any, int], total: int, unit: int) -> list[tuple[str, ...]]:
    rows = [(name, sum(counts.values())), *[(f"- {op}", flops) for op, flops in counts.items()]]
    return [(text, _number(flops, unit), f"{flops / total:.2%}" if total else "0%") for text, flops in rows]


def _number(number: int, unit: int) -> str:
    return f"{number / 1000**unit:.3f}{_SUFFIXES[unit]}" if unit else str(number)


def _aligned(lines: list[tuple[str, ...]]) -> str:
    """Return the lines in the default layout of the package `tabulate`.

    Names are left-aligned, numbers are right-aligned, and each column is at least two characters wider than its header.
    """
    heads = [len(head) + 2 for head in _HEADER]
    widths = [max(head, *[len(line[i]) for line in lines]) for i, head in enumerate(heads)]
    rows = [_HEADER, tuple(["-" * width for width in widths]), *lines]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows)
