"""The command `torchlike`: `check` and `env`, and everything that `python -m torchlike` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

USAGE = """\
usage: torchlike check PATH...   list the PyTorch names of programs that torchlike lacks
       torchlike env             show versions, devices and settings
Everything else is the same as python -m torchlike:
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
      argv: the arguments, by default those of the process.

    Returns:
      The exit status. It is 1 if the reader of the output has closed the pipe, as in `torchlike check . | head`.
    """
    try:
        status = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes the rest at exit
        return 1
    return status


def _run(argv: Sequence[str] | None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["check"]:
        from torchlike._cli import check

        return check.main(words[1:])
    if words[:1] == ["env"]:
        from torchlike._cli import env

        return env.main(words[1:])
    from torchlike import __main__ as runner

    if words[:1] in (["-h"], ["--help"]):
        print(USAGE)
    runner.main(words)
    return 0
