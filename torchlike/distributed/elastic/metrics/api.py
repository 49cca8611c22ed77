"""Metrics that programs publish: named numbers, which a handler of their group receives."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, cast

from torchlike._internal import warn

MetricData = namedtuple("MetricData", ["timestamp", "group_name", "name", "value"])


class MetricsConfig:
    """The options of metrics.

    Args:
      params (dict, optional): the options.
    """

    __slots__ = ["params"]

    def __init__(self, params: dict[str, str] | None = None) -> None:
        self.params = {} if params is None else params


class MetricHandler(ABC):
    """The base class of handlers."""

    @abstractmethod
    def emit(self, metric_data: MetricData) -> None:
        """Receive a metric.

        Args:
          metric_data (MetricData): the metric.
        """


class ConsoleMetricHandler(MetricHandler):
    """A handler that prints metrics."""

    def emit(self, metric_data: MetricData) -> None:
        """Print a metric.

        Args:
          metric_data (MetricData): the metric.
        """
        timestamp, group, name, value = metric_data
        print(f"[{timestamp}][{group}]: {name}={value}")


class NullMetricHandler(MetricHandler):
    """A handler that drops metrics."""

    def emit(self, metric_data: MetricData) -> None:
        """Drop a metric.

        Args:
          metric_data: has no effect.
        """


class MetricStream:
    """A group of metrics and its handler.

    Args:
      group_name (str): the name of the group.
      handler (MetricHandler): receives the metrics.
    """

    def __init__(self, group_name: str, handler: MetricHandler) -> None:
        self.group_name, self.handler = group_name, handler

    def add_value(self, metric_name: str, metric_value: int) -> None:
        """Publish a metric.

        Args:
          metric_name (str): the name.
          metric_value (int): the number.
        """
        self.handler.emit(MetricData(time.time(), self.group_name, metric_name, metric_value))


_handlers: dict[str | None, MetricHandler] = {None: NullMetricHandler()}


def configure(handler: MetricHandler, group: str | None = None) -> None:
    """Set the handler of a group.

    Args:
      handler (MetricHandler): the handler.
      group (str, optional): the group. Default: all groups without a handler.
    """
    _handlers[group] = handler


def getStream(group: str) -> MetricStream:
    """Return the stream of a group.

    Args:
      group (str): the name of the group.
    """
    return MetricStream(group, _handlers.get(group, _handlers[None]))


def put_metric(metric_name: str, metric_value: int, metric_group: str = "torchelastic") -> None:
    """Publish a metric.

    Args:
      metric_name (str): the name.
      metric_value (int): the number.
      metric_group (str): the group.
    """
    getStream(metric_group).add_value(metric_name, metric_value)


def publish_metric(metric_group: str, metric_name: str, metric_value: int) -> None:
    """Publish a metric. Deprecated: `put_metric` replaces it.

    Args:
      metric_group (str): the group.
      metric_name (str): the name.
      metric_value (int): the number.
    """
    warn("Deprecated, use `put_metric(metric_group)(metric_name, metric_value)` instead", FutureWarning)
    getStream(metric_group).add_value(metric_name, metric_value)


def prof(fn: Callable | None = None, group: str = "torchelastic") -> Any:
    """Publish the duration of each call of a function, and whether it succeeded.

    Args:
      fn (function, optional): the function. Without it, `prof` returns a decorator.
      group (str): the group of the metrics.

    >>> @prof(group="examples")
    ... def add(a, b):
    ...     return a + b
    >>> add(1, 2)
    3
    """
    return (
        partial(prof, group=group)
        if fn is None
        else _measured(fn, _name_of(fn), partial(put_metric, metric_group=group))
    )


def profile(group: str | None = None) -> Callable[[Callable], Callable]:
    """Return a decorator that publishes the duration of calls by `publish_metric`. Deprecated: `prof` replaces it.

    Args:
      group (str, optional): the group of the metrics.
    """
    publish: Any = partial(cast("Any", publish_metric), group)
    return lambda func: _measured(func, func.__name__, publish)


def _measured(fn: Callable, name: str, publish: Callable[[str, int], None]) -> Callable:
    """Return a function that calls `fn` and publishes its metrics."""

    @wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        began = time.time()
        try:
            result = fn(*args, **kwargs)
            publish(f"{name}.success", 1)
        except Exception:
            publish(f"{name}.failure", 1)
            raise
        finally:
            publish(f"{name}.duration.ms", get_elapsed_time_ms(began))
        return result

    return wrapper


def _name_of(fn: Callable) -> str:
    """Return the name of a method with its class, or of a function with the last part of its module."""
    is_alone = "." not in fn.__qualname__ and fn.__module__
    return f"{fn.__module__.split('.')[-1]}.{fn.__qualname__}" if is_alone else fn.__qualname__


def get_elapsed_time_ms(start_time_in_seconds: float) -> int:
    """Return the time since a moment in milliseconds.

    Args:
      start_time_in_seconds (float): the moment, as `time.time` returns it.
    """
    return int((time.time() - start_time_in_seconds) * 1000)
