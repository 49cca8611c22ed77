"""Environment variables, sockets and macros of launchers."""

from __future__ import annotations

import os
from string import Template
from typing import Any

from .distributed import get_socket_with_port as get_socket_with_port


def get_env_variable_or_raise(env_name: str) -> str:
    """Return an environment variable.

    Args:
      env_name (str): its name.

    Raises:
      ValueError: it is not set.
    """
    value = os.environ.get(env_name)
    if value is None:
        raise ValueError(f"Environment variable {env_name} expected, but not set")
    return value


class macros:
    """The words in arguments that stand for a value of the process."""

    local_rank = "${local_rank}"

    @staticmethod
    def substitute(args: list[Any], local_rank: str) -> list[Any]:
        """Return arguments with values in the place of macros.

        Args:
          args (list): the arguments. Those that are not strings do not change.
          local_rank (str): the local rank of the process.

        >>> macros.substitute(["--rank=${local_rank}", 3], "1")
        ['--rank=1', 3]
        """
        return [Template(x).safe_substitute(local_rank=local_rank) if isinstance(x, str) else x for x in args]
