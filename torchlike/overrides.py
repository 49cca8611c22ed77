"""Functions called in place of PyTorch's: not there, since operators are not looked up in such modes."""

from __future__ import annotations

from typing import Any

from torchlike import _errors


class TorchFunctionMode:
    """A mode in which each call would come to `__torch_function__`. It can be subclassed, but not entered."""

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        raise _errors.arguments.cannot("overrides.TorchFunctionMode", "no function is called in place of another")

    def __exit__(self, *_: object) -> None:
        return None
