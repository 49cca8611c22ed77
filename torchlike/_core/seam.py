"""Exchanging a function of the hot path for one that looks at more, only while somebody asked for it.

Hooks on saved tensors, anomaly detection, forward mode and inference mode concern every operator, and almost no program
uses them. So the hot path does not ask about them: while one is on, the functions that it calls by name are others.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

_lock = threading.RLock()


class Seam:
    """A function (or class) that modules of the package hold by name, and what stands there while it is `held` open.

    It stands there for all threads: the substitute itself asks what its own thread wants.
    """

    def __init__(self, plain: Any, substitute: Any) -> None:
        self.plain, self.substitute = plain, substitute
        self._held = 0
        self._places: list[tuple[dict, str]] = []
        self._modules_seen = 0

    def __enter__(self) -> None:
        with _lock:
            self._held += 1
            if self._held == 1:
                self._put(self.substitute)

    def __exit__(self, *_: object) -> None:
        with _lock:
            self._held -= 1
            if not self._held:
                self._put(self.plain)

    @property
    def is_open(self) -> bool:
        """Whether the substitute stands there."""
        return self._held > 0

    def _put(self, what: Any) -> None:
        if self._modules_seen != len(sys.modules):
            self._find()
        for names, name in self._places:
            names[name] = what

    def _find(self) -> None:
        """Every place where the function is held, in modules loaded so far; one loaded meanwhile has the substitute."""
        package = __name__.partition(".")[0]
        modules = [m for name, m in list(sys.modules.items()) if name.partition(".")[0] == package and m is not None]
        self._modules_seen = len(sys.modules)
        self._places = [
            (vars(module), name)
            for module in modules
            for name, held in list(vars(module).items())
            if (held is self.plain or held is self.substitute) and not name.startswith("_plain")
        ]
