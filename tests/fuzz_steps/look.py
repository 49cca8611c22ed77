"""Collects the observable state of a program: everything reachable from its names."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

_HIDDEN = ("torch", "nn", "F", "copy", "io", "math", "compile")
_PLAIN = (int, float, str, bool, type(None))
Facts = dict[str, Any]


class Look:
    """A traversal of everything reachable from the names of a program.

    If `is_deep`, it includes the state of optimizers.
    """

    def __init__(self, library: Any, is_deep: bool) -> None:
        self.library, self.is_deep = library, is_deep
        self.facts: Facts = {}
        self._objects: dict[int, str] = {}
        self._memory: dict[Any, str] = {}

    def names(self, names: dict[str, Any]) -> Facts:
        """Return the facts about everything reachable from these names."""
        for name, x in names.items():
            if name not in _HIDDEN and not name.startswith("__"):
                self._any(name, x)
        return self.facts

    def _any(self, path: str, x: Any) -> None:
        nn, optim = self.library.nn, self.library.optim
        if isinstance(x, self.library.Tensor):
            self._tensor(path, x)
        elif isinstance(x, _PLAIN):
            self.facts[path] = x
        elif isinstance(x, list | tuple | dict):
            for key, y in x.items() if isinstance(x, dict) else enumerate(x):
                self._any(f"{path}[{key!r}]", y)
        elif isinstance(x, nn.Module):
            self._module(path, getattr(x, "_orig_mod", x))
        elif isinstance(x, optim.Optimizer):
            self._optimizer(path, x)
        elif isinstance(x, optim.lr_scheduler.LRScheduler):
            self.facts[path] = x.last_epoch, [float(y) for y in x.get_last_lr()]
            self.facts[f"{path}.steps"] = getattr(x, "_step_count", None)

    def _module(self, path: str, module: Any) -> None:
        for name, each in module.named_modules():
            at = f"{path}.{name}" if name else path
            self.facts[f"{at}.training"] = each.training
            for kind in (each._parameters, each._buffers):
                for key, t in kind.items():
                    if t is not None:  # PyTorch stores some of the absent ones as plain attributes
                        self._any(f"{at}.{key}", t)
            for key, x in each.__dict__.items():
                if not key.startswith("_") and isinstance(x, self.library.Tensor | list | dict | int | float):
                    self._any(f"{at}.{key}", x)

    def _optimizer(self, path: str, optimizer: Any) -> None:
        for i, group in enumerate(optimizer.param_groups):
            for key, x in group.items():
                if key not in ("params", "fused", "foreach", "capturable", "differentiable"):
                    self._any(f"{path}.{i}.{key}", x)
        if self.is_deep:
            params = [p for group in optimizer.param_groups for p in group["params"]]
            for i, p in enumerate(params):
                for key, x in optimizer.state.get(p, {}).items():
                    self._any(f"{path}.state[{i}].{key}", x)

    def _tensor(self, path: str, t: Any) -> None:
        first = self._objects.setdefault(id(t), path)
        if first != path:
            self.facts[path] = f"is {first}"
            return
        self.facts[path] = (str(t.dtype).rpartition(".")[2], tuple(t.shape), t.requires_grad, t.is_leaf)
        self.facts[f"{path}.values"] = _values(t, self.library)
        if t.layout is self.library.strided and t.numel():
            self.facts[f"{path}.memory"] = self._memory.setdefault(_memory(t, self.library), path)
        if t.is_leaf or t.retains_grad:
            grad = t.grad
            if grad is None:
                self.facts[f"{path}.grad"] = None
            else:
                self._tensor(f"{path}.grad", grad)


def _memory(t: Any, library: Any) -> Any:
    return t.untyped_storage()._cdata if library is torch else id(t._storage.whole)


def _values(t: Any, library: Any) -> np.ndarray:
    """Return a copy of the elements."""
    if t.layout is not library.strided:
        t = t.detach().to_dense()
    if library is torch:
        return t.detach().clone().numpy()
    return np.array(t._host())
