"""The logger of collectives. Its default handler drops all records, and collectives write none."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from torchlike.distributed._world import get_backend, get_rank, get_world_size, is_initialized
from torchlike.distributed.logging_handlers import _log_handlers

_F = TypeVar("_F", bound=Callable[..., Any])
_FORMAT = "%(asctime)s %(filename)s:%(lineno)s %(levelname)s p:%(processName)s t:%(threadName)s: %(message)s"


def _get_logging_handler(destination: str = "default") -> tuple[logging.Handler, str]:
    """Return the handler of a destination and its name."""
    handler = _log_handlers[destination]
    return handler, f"{type(handler).__name__}-{destination}"


def _get_or_create_logger(destination: str = "default") -> logging.Logger:
    """Return the logger of a destination."""
    handler, name = _get_logging_handler(destination)
    logger = logging.getLogger(f"c10d-{name}")
    logger.setLevel(logging.DEBUG)
    handler.setFormatter(logging.Formatter(_FORMAT))
    logger.propagate = False
    logger.addHandler(handler)
    return logger


_c10d_logger = _get_or_create_logger()


def _get_msg_dict(func_name: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Return what a record tells about a call."""
    if not is_initialized():
        return {"func_name": func_name}
    group = kwargs.get("group") or kwargs.get("process_group")
    return {
        "func_name": func_name,
        "backend": f"{get_backend(group)}",
        "world_size": f"{get_world_size()}",
        "group_size": f"{get_world_size(group)}",
        "global_rank": f"{get_rank()}",
        "local_rank": f"{get_rank(group)}",
    }


def _exception_logger(func: _F) -> _F:
    """Return a function that logs the errors of `func`."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return func(*args, **kwargs)
        except Exception as error:
            _c10d_logger.debug({**_get_msg_dict(func.__name__, *args, **kwargs), "error": f"{error}"})
            raise

    return wrapper  # type: ignore[return-value]


def _time_logger(func: _F) -> _F:
    """Return a function that calls `func`. Its time is not recorded."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return wrapper  # type: ignore[return-value]
