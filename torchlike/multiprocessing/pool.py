"""`torch.multiprocessing.pool`: Python's pool of processes, whose connections share tensors in shared memory."""

from __future__ import annotations

import gc
import multiprocessing.pool
from multiprocessing.pool import Pool as Pool
from typing import Any


def clean_worker(*args: Any, **kwargs: Any) -> None:
    """Run the worker of a pool, and collect garbage at the end.

    Args:
      args, kwargs: the arguments of `multiprocessing.pool.worker`.
    """
    multiprocessing.pool.worker(*args, **kwargs)  # type: ignore[attr-defined]
    gc.collect()
