"""How the launchers of several machines agree on the ranks and the address of an attempt."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlike.distributed.elastic.multiprocessing._signals import Watch
from torchlike.distributed.elastic.rendezvous.utils import parse_rendezvous_endpoint

if TYPE_CHECKING:
    from .api import LaunchConfig

_KEYS = {"static": {"timeout", "rank"}, "c10d": {"timeout", "join_timeout", "is_host"}}


@dataclass(frozen=True)
class Round:
    """What a machine knows about one attempt.

    Attributes:
      number: the number of restarts before this attempt.
      group_rank, group_world_size: the rank of this machine, and the number of machines.
      first_rank, world_size: the rank of the first process of this machine, and the number of processes.
      master_addr, master_port: the address at which the processes meet. Each attempt has another port.
    """

    number: int
    group_rank: int
    group_world_size: int
    first_rank: int
    world_size: int
    master_addr: str
    master_port: int


class Meeting(ABC):
    """The launchers of a run."""

    @abstractmethod
    def join(self) -> Round:
        """Wait for the other machines and return the next attempt."""

    def others_failed(self, joined: Round) -> bool:
        """Return whether a process of another machine has failed in this attempt."""
        return False

    def failed(self, joined: Round) -> None:
        """Tell the other machines that this attempt has failed."""
        return

    def all_succeeded(self, joined: Round) -> bool:
        """Wait until the processes of all machines have succeeded. Return False if one failed."""
        return True

    def close(self) -> None:
        """Leave the run."""
        return


class Alone(Meeting):
    """The launcher of a run on one machine. It connects to nobody.

    Args:
      address, port: the address of the first attempt. Port 0 stands for any free port. Later attempts use a free port.
      processes: the number of processes.
    """

    def __init__(self, address: str, port: int, processes: int) -> None:
        self._address, self._port, self._processes, self._number = address, port, processes, 0

    def join(self) -> Round:
        port = self._port or free_port()
        joined = Round(self._number, 0, 1, 0, self._processes, self._address, port)
        self._number, self._port = self._number + 1, 0
        return joined


class Static(Meeting):
    """A launcher that knows the ranks of all machines. It connects to nobody, so it cannot restart.

    Args:
      joined: the only attempt.
    """

    def __init__(self, joined: Round) -> None:
        self._joined = joined

    def join(self) -> Round:
        return self._joined


def free_port() -> int:
    """Return a port that no process uses."""
    with socket.create_server(("", 0)) as found:
        return found.getsockname()[1]


def meeting_of(config: LaunchConfig, watch: Watch) -> Meeting:
    """Return the meeting of a launch with these settings.

    Raises:
      NotImplementedError: if the backend or one of its options is not supported.
      ValueError: if the endpoint is missing.
    """
    backend, count = config.rdzv_backend, config.nproc_per_node
    if backend not in _KEYS:
        raise NotImplementedError(f"rdzv_backend={backend!r} is not supported by torchlike; use 'c10d' or 'static'")
    unknown = sorted(set(config.rdzv_configs) - _KEYS[backend])
    if unknown:
        raise NotImplementedError(f"rdzv_conf: the option {unknown[0]!r} of {backend!r} is not supported by torchlike")
    if backend == "c10d":
        if config.max_nodes == 1:
            return Alone(config.local_addr or "localhost", 0, count)
        from ._stored import Stored

        return Stored(config, watch)
    return _static(config)


def _static(config: LaunchConfig) -> Meeting:
    if not config.rdzv_endpoint.strip():
        raise ValueError("Endpoint is missing in endpoint. Try to add --master-addr and --master-port")
    address, port = parse_rendezvous_endpoint(config.rdzv_endpoint, default_port=-1)
    if port == -1:
        raise ValueError(f"port is missing in endpoint: {config.rdzv_endpoint}. Try to specify --master-port")
    nodes, count, rank = config.max_nodes, config.nproc_per_node, int(config.rdzv_configs.get("rank", 0))
    if nodes == 1:
        return Alone(address, port, count)
    if config.max_restarts:
        raise NotImplementedError(
            f"max_restarts={config.max_restarts} with nnodes={nodes} requires rdzv_backend='c10d': with 'static', the "
            "launchers of the machines do not communicate"
        )
    if not 0 <= rank < nodes:
        raise ValueError(f"node_rank={rank} must be at least 0 and less than nnodes={nodes}")
    return Static(Round(0, rank, nodes, rank * count, nodes * count, address, port))
