"""Counting the floating-point operations of products and convolutions, by module."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Self

import torchlike
from torchlike import _errors, ops
from torchlike._core import flops
from torchlike._core.plan import FLAT, Plan
from torchlike._tensor import Tensor
from torchlike.nn import Module
from torchlike.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torchlike.utils._pytree import tree_leaves

_SUFFIXES = ("", "K", "M", "B", "T")
_TOTAL = "Global"


class FlopCounterMode:
    """Count the floating-point operations of products and convolutions inside of a `with` block, backward included.

    Matrix products, convolutions and attention count, as in PyTorch: a multiplication with its addition is two
    operations. Compiled functions run uncompiled inside of the block.

    Args:
        mods: ignored with a warning, as in PyTorch; modules are found when they are called.
        depth: how many levels of modules `get_table` shows.
        display: whether to print the table where the block ends.
        custom_mapping: not supported.

    Differences: the counts are those of the products that run here. Attention and recurrent layers count on the CPU
    too, and so do a few operators that PyTorch computes without products (`bilinear`, `cdist`).
    """

    def __init__(
        self,
        mods: Module | list[Module] | None = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        if custom_mapping:
            raise _errors.arguments.unsupported("FlopCounterMode", "custom_mapping")
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self._watcher = flops.Watcher(self._see)
        self._modules = _Modules(self._watcher.look)
        self._stance: Any = None

    def __enter__(self) -> Self:
        self.flop_counts.clear()
        self._stance = torchlike.compiler.set_stance("force_eager")
        self._stance.__enter__()
        self._modules.start()
        self._watcher.start()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._watcher.stop()
        self._modules.stop()
        self._stance.__exit__(*raised)
        if self.display:
            print(self.get_table(self.depth))

    def _see(self, plan: Plan) -> None:
        for operator, count in _counted(plan):
            for name in self._modules.names():
                self.flop_counts[name][operator] += count

    def get_total_flops(self) -> int:
        """Return the operations of the whole block."""
        return sum(self.flop_counts[_TOTAL].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Return the operations by module and operator; "Global" is the whole block."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Return the counts as text, modules down to `depth` levels."""
        depth = self.depth if depth is None else depth
        whole = self.get_total_flops()
        rows = [("Module", "FLOP", "% Total")]
        for name in sorted(self.flop_counts, key=lambda name: (name != _TOTAL, name)):
            level = name.count(".") + 1
            if level > depth:
                continue
            counts = self.flop_counts[name]
            rows.append(_row(" " * (level - 1) + name, sum(counts.values()), whole))
            rows += [_row(" " * level + f"- {operator}", count, whole) for operator, count in counts.items()]
        return _aligned(rows)


class _Modules:
    """The modules whose forward or backward is running.

    Args:
        before: called whenever that is about to change.
    """

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before
        self._names: dict[int, str] = {}
        self._known: list[Module] = []  # held, since their ids are keys
        self._running: list[str] = []
        self._handles: list[Any] = []

    def names(self) -> set[str]:
        """Return the names of the modules that run, with that of the whole block."""
        return {_TOTAL, *self._running}

    def start(self) -> None:
        """Follow every module's calls."""
        self._handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]

    def stop(self) -> None:
        """Follow no more."""
        for handle in self._handles:
            handle.remove()
        self._running.clear()

    def _name(self, module: Module) -> str:
        if id(module) not in self._names:
            self._known.append(module)
            self._names[id(module)] = type(module).__name__
        name = self._names[id(module)]
        for child, inner in module.named_children():
            if id(inner) not in self._names:
                self._known.append(inner)
                self._names[id(inner)] = f"{name}.{child}"
        return name

    def _enter(self, module: Module, args: Any) -> None:
        name = self._name(module)
        self._push(name)
        self._when_differentiated(args, self._pop, name)

    def _leave(self, module: Module, args: Any, result: Any) -> None:
        name = self._name(module)
        self._pop(name)
        self._when_differentiated(result, self._push, name)

    def _push(self, name: str) -> None:
        self._before()
        self._running.append(name)

    def _pop(self, name: str) -> None:
        self._before()
        if name in self._running:
            self._running.remove(name)

    def _when_differentiated(self, tensors: Any, do: Callable[[str], None], name: str) -> None:
        watched = [x for x in tree_leaves(tensors) if isinstance(x, Tensor) and x.requires_grad]
        if watched and torchlike.is_grad_enabled():
            first = "any" if do == self._push else "all"
            torchlike.autograd.graph.register_multi_grad_hook(watched, lambda _: do(name), mode=first)


def _counted(plan: Plan) -> Iterable[tuple[Any, int]]:
    """Return PyTorch's operators for a plan, each with its operations."""
    node, is_gradient = getattr(plan, "node", ""), plan.executor == FLAT
    if node == "ConvolutionBackward0":
        return _convolution(plan, is_gradient)
    added = {} if is_gradient else _ADDED.get(node, {})
    return [(getattr(ops.aten, added.get(kind, kind)), count) for kind, count in flops.of_plan(plan)]


_ADDED = {"AddmmBackward0": {"mm": "addmm"}, "BaddbmmBackward0": {"bmm": "baddbmm"}}


def _convolution(plan: Plan, is_gradient: bool) -> list[tuple[Any, int]]:
    """Return the operations of a convolution, or those of the gradients of its input and weight."""
    input, weight = plan.inputs[:2]
    result = plan.inputs[-1] if is_gradient else plan.outputs[0]
    dims = len(weight.shape) - 2
    places = (input if plan.name.startswith("conv_transpose") else result).shape[-dims:]
    rows = math.prod(input.shape[: -dims - 1])
    count = 2 * rows * math.prod(places) * math.prod(weight.shape)
    operator = ops.backward_of("convolution") if is_gradient else ops.aten.convolution
    return [(operator, count) for made in plan.outputs if len(made.shape) > 1]


def _row(name: str, count: int, whole: int) -> tuple[str, str, str]:
    share = f"{count / whole:.2%}" if whole else "0%"
    return name, _short(count), share


def _short(count: int) -> str:
    index = min(len(_SUFFIXES) - 1, (len(str(count)) - 1) // 3)
    return f"{count / 1000**index:.3f}{_SUFFIXES[index]}"


def _aligned(rows: Iterable[tuple[str, str, str]]) -> str:
    rows = list(rows)
    first, second, third = (max(len(row[i]) for row in rows) for i in range(3))
    rows.insert(1, ("-" * first, "-" * second, "-" * third))
    return "\n".join(f"{a:<{first}}  {b:>{second}}  {c:>{third}}" for a, b, c in rows)


__all__ = ["FlopCounterMode"]
