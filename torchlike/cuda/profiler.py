"""`torch.cuda.profiler`: the start and stop of NVIDIA's profiler, which are not supported."""

from __future__ import annotations

from torchlike.cuda import _refused

__all__ = ["profile", "start", "stop"]
_INSTEAD = "use torch.profiler or jax.profiler"

start = _refused.function("profiler.start", _INSTEAD)
stop = _refused.function("profiler.stop", _INSTEAD)


class profile:
    """A context manager around `start` and `stop`. Entering it raises an error."""

    def __enter__(self) -> None:
        start()

    def __exit__(self, *_: object) -> None:
        return None
