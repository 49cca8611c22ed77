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
class Attempt:
    """One attempt to run the processes, as one machine sees it.

    Attributes:
      number: the number of restarts before this attempt.
      group_rank, group_world_size: the rank of this machine, and the number of machines.
      first_rank, world_size: the rank of the first process of this machine, and the number of processes.
      master_addr, master_port: the address of rank 0. Each attempt has another port.
    """

    number: int
    group_rank: int
    group_world_size: int
    first_rank: int
    world_size: int
    master_addr: str
    master_port: int


class Rendezvous(ABC):
    """The connection of this launcher to the launchers of the other machines of a run."""

    @abstractmethod
    def join(self) -> Attempt:
        """Wait for the other machines and return the next attempt."""

    def others_failed(self, joined: Attempt) -> bool:
        """Return whether a process of another machine has failed in this attempt."""
        return False

    def failed(self, joined: Attempt) -> None:
        """Tell the other machines that this attempt has failed."""
        return

    def all_succeeded(self, joined: Attempt) -> bool:
        """Wait until the processes of all machines have succeeded. Return False if one failed."""
        return True

    def close(self) -> None:
        """Leave the run."""
        return


class SingleMachine(Rendezvous):
    """The rendezvous of a run on one machine. It opens no connection.

    Args:
      address, port: the address of the first attempt. Port 0 stands for any free port. Later attempts use a free port.
      processes: the number of processes.
    """

    def __init__(self, address: str, port: int, processes: int) -> None:
        self._address, self._port, self._processes, self._number = address, port, processes, 0

    def join(self) -> Attempt:
        port = self._port or free_port()
        joined = Attempt(self._number, 0, 1, 0, self._processes, self._address, port)
        self._number, self._port = self._number + 1, 0
        return joined


class StaticRendezvous(Rendezvous):
    """The rendezvous of a launcher that knows the ranks of all machines. It opens no connection, so it cannot restart.

    Args:
      joined: the only attempt.
    """

    def __init__(self, joined: Attempt) -> None:
        self._joined = joined

    def join(self) -> Attempt:
        return self._joined


def free_port() -> int:
    """Return a port that no process uses."""
    with socket.create_server(("", 0)) as found:
        return found.getsockname()[1]


def make_rendezvous(config: LaunchConfig, watch: Watch) -> Rendezvous:
    """Return the rendezvous for a launch with these settings.

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
            return SingleMachine(config.local_addr or "localhost", 0, count)
        from ._store_rendezvous import StoreRendezvous

        return StoreRendezvous(config, watch)
    return _static(config)


def _static(config: LaunchConfig) -> Rendezvous:
    if not config.rdzv_endpoint.strip():
        raise ValueError("Endpoint is missing in endpoint. Try to add --master-addr and --master-port")
    address, port = parse_rendezvous_endpoint(config.rdzv_endpoint, default_port=-1)
    if port == -1:
        raise ValueError(f"port is missing in endpoint: {config.rdzv_endpoint}. Try to specify --master-port")
    nodes, count, rank = config.max_nodes, config.nproc_per_node, int(config.rdzv_configs.get("rank", 0))
    if nodes == 1:
        return SingleMachine(address, port, count)
    if config.max_restarts:
        raise NotImplementedError(
            f"max_restarts={config.max_restarts} with nnodes={nodes} requires rdzv_backend='c10d': with 'static', the "
            "launchers of the machines do not communicate"
        )
    if not 0 <= rank < nodes:
        raise ValueError(f"node_rank={rank} must be at least 0 and less than nnodes={nodes}")
    return StaticRendezvous(Attempt(0, rank, nodes, rank * count, nodes * count, address, port))
