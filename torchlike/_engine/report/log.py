"""Logging of compile events, and the warning about shapes that keep changing."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence

from torchlike import _errors
from torchlike._engine.report.program_statistics import Account, Making
from torchlike._errors.callers import users_place
from torchlike._errors.warned import warn

WARN_AFTER = 8  # warn when one sequence of operators has been compiled for this many different shapes
TOPICS = ("compile", "quiet")
SLOW = 2.0  # seconds; a line on stderr reports a longer wait for a compile
logger = logging.getLogger("torchlike")


class _ToStderr(logging.Handler):
    """A handler that writes to the current `sys.stderr`."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(self.format(record) + "\n")
        except Exception:
            self.handleError(record)


def configure(names: str) -> None:
    """Configure logging from the value of `TORCHLIKE_LOG`, a comma-separated list of topics.

    `compile` logs every compile event. `quiet` hides the lines about long waits for compiles.
    """
    asked = [name.strip() for name in names.split(",") if name.strip()]
    for name in asked:
        if name not in TOPICS:
            raise ValueError(f"TORCHLIKE_LOG has the unknown topic {name!r}; known topics: {', '.join(TOPICS)}")
    if "quiet" in asked:
        logger.setLevel(logging.ERROR)
    if "compile" in asked:
        handler = _ToStderr()
        handler.setFormatter(logging.Formatter("torchlike: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
        logger.propagate = False


configure(os.environ.get("TORCHLIKE_LOG", ""))


def report_wait(seconds: float, names: Sequence[str]) -> None:
    """Report a wait for a compile of the operators with these names, if it was long."""
    if seconds < SLOW or logger.isEnabledFor(logging.DEBUG):  # `log_compile` logs all compiles
        return
    names = tuple(name.lstrip("_") for name in names)
    count = f"{len(names)} operator{'s' * (len(names) != 1)}"
    tell_user(f"{users_place()} waited {seconds:.1f} s for a compile of {count} ({summary(names)})")


def report_wait_to_fork(seconds: float) -> None:
    """Report a wait for the compiles in the background before a fork, if it was long."""
    if seconds >= SLOW and not logger.isEnabledFor(logging.DEBUG):
        tell_user(f"{users_place()} waited {seconds:.1f} s for compiles in the background before it started a process")


def tell_user(text: str) -> None:
    """Write a line to stderr, or to the handlers that the program has given to the logger."""
    prefix = "" if logger.handlers else "torchlike: "  # the handler of `configure` adds the prefix itself
    logger.warning(prefix + text)


def log_compile(making: Making, executor: str) -> None:
    """Log a compile event: a new program, or the compilation of a program that was interpreted before."""
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug(line(making))
    group = making.account.group
    if not making.by_numpy:
        group.seconds += making.account.compile_seconds
    if not group.line.warned and (group.trains or not making.by_numpy):
        _count_shapes(making, executor)


def line(making: Making) -> str:
    """Return the log line of a compile event: source location, event, operators, executor, device, duration, reason."""
    account, group, number = making.account, making.account.group, len(making.account.group.operators)
    if making.by_numpy:
        verb = f"interpreted, {making.compiles} compiled separately:" if making.compiles else "interpreted"
    else:
        verb = "loaded from disk" if making.from_disk else "compiled"
        verb += "" if making.background is None else " in the background"
    what = f"{number} operator{'s' * (number != 1)} ({summary(group.operators)})"
    target = f"{account.executor} on {group.device}"
    return f"{group.place}: {verb} {what} for {target} in {making.seconds:.4f} s: {_why(making)}"


def _why(making: Making) -> str:
    if making.hot:
        return "it runs repeatedly"
    if making.account.is_first:
        return "new"
    return changes(making.account) or "the same shapes, but other static arguments or donated inputs"


def summary(operators: Sequence[str], most: int = 4) -> str:
    """Join the operator names. A long list is shortened to the first `most` names and the last one."""
    return " ".join(operators if len(operators) <= most + 1 else (*operators[:most], "...", operators[-1]))


def changes(account: Account) -> str:
    """Return a description of the first few inputs whose shapes differ from those of the group's first program."""
    group = account.group
    pairs = [f"{group.enters[i]} {group.base[i]} -> {shape}" for i, shape in account.shapes.items()]
    return ", ".join(pairs[:3]) + (f" and {len(pairs) - 3} more" if len(pairs) > 3 else "")


def _count_shapes(making: Making, executor: str) -> None:
    account, group = making.account, making.account.group
    if account.shapes not in group.made:
        group.made.append(account.shapes)
    if len(group.made) < WARN_AFTER:
        return
    group.line.warned = True
    index = next(i for shapes in group.made for i in shapes)
    seen = dict.fromkeys(group.shapes(shapes, index) for shapes in group.made)
    sentence = _errors.engine.shapes_keep_changing(
        len(group.made), group.place, group.enters[index], list(seen), group.seconds, making.by_numpy, executor
    )
    group.made = []
    warn(sentence)
