"""The protocol of objects with a state that can be saved and restored."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """An object with the methods `state_dict` and `load_state_dict`, such as a module or an optimizer.

    `save` saves its state dict. `load` reads into its current state dict and then calls `load_state_dict`.
    """

    def state_dict(self) -> dict[str, Any]:
        """Return the state."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the state."""
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)
