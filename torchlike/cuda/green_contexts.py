"""`torch.cuda.green_contexts`: parts of a GPU, which are not supported."""

from __future__ import annotations

from typing import Any, NoReturn

from torchlike.cuda import _refused

__all__ = ["GreenContext"]

SUPPORTED = False


class GreenContext:
    """A part of a GPU. Not supported: `create` raises an error."""

    @staticmethod
    def create(
        *,
        num_sms: int | None = None,
        workqueue_scope: str | None = None,
        workqueue_concurrency_limit: int | None = None,
        device_id: int | None = None,
    ) -> NoReturn:
        """Raise an error: XLA uses the whole GPU.

        Args:
          num_sms, workqueue_scope, workqueue_concurrency_limit, device_id: not used.
        """
        _refuse()

    @staticmethod
    def max_workqueue_concurrency(device_id: Any = None) -> NoReturn:
        """Raise an error: there are no green contexts.

        Args:
          device_id: not used.
        """
        _refuse()


def _refuse() -> NoReturn:
    absent = RuntimeError("PyTorch was not built with Green Context support!")
    _refused.refuse("GreenContext", "XLA uses the whole GPU", absent)
