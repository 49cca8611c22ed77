"""The interface of rendezvous handlers, with which launchers of several machines meet."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from torchlike.distributed import Store
from torchlike.distributed.elastic.utils.distributed import get_free_port


class RendezvousError(Exception):
    """The base class of the errors of a rendezvous."""


class RendezvousClosedError(RendezvousError):
    """The rendezvous is closed."""


class RendezvousTimeoutError(RendezvousError):
    """The rendezvous did not complete in time."""


class RendezvousConnectionError(RendezvousError):
    """The connection to the backend of the rendezvous failed."""


class RendezvousStateError(RendezvousError):
    """The state of the rendezvous is corrupt."""


class RendezvousGracefulExitError(RendezvousError):
    """A node left the rendezvous without a failure."""


@dataclass
class RendezvousStoreInfo:
    """The address of the store of the processes.

    Args:
      master_addr (str): the host.
      master_port (int): the port.
    """

    MASTER_ADDR_KEY: ClassVar[str] = "MASTER_ADDR"
    MASTER_PORT_KEY: ClassVar[str] = "MASTER_PORT"
    master_addr: str
    master_port: int

    @staticmethod
    def build(rank: int, store: Store, local_addr: str | None, server_port: int | None = None) -> RendezvousStoreInfo:
        """Return the address that node 0 chooses. Node 0 writes it into the store, and the others read it.

        Args:
          rank (int): the rank of this node.
          store (Store): the store that the nodes share.
          local_addr (str or None): the address of this node. Default: its host name.
          server_port (int, optional): the port. Default: a free port.
        """
        info = RendezvousStoreInfo
        if rank == 0:
            store.set(info.MASTER_ADDR_KEY, local_addr or socket.getfqdn())
            store.set(info.MASTER_PORT_KEY, str(server_port or get_free_port()))
        host, port = (store.get(key).decode() for key in (info.MASTER_ADDR_KEY, info.MASTER_PORT_KEY))
        return info(master_addr=host, master_port=int(port))


class RendezvousInfo:
    """The result of a rendezvous.

    Args:
      store (Store): the store of the nodes.
      rank (int): the rank of this node.
      world_size (int): the number of nodes.
      bootstrap_store_info (RendezvousStoreInfo): the address of the store of the processes.
    """

    def __init__(
        self, store: Store, rank: int, world_size: int, bootstrap_store_info: RendezvousStoreInfo | None
    ) -> None:
        self._store, self._rank, self._world_size = store, rank, world_size
        self._bootstrap_store_info = bootstrap_store_info

    @property
    def store(self) -> Store:
        """The store of the nodes."""
        return self._store

    @property
    def rank(self) -> int:
        """The rank of this node."""
        return self._rank

    @property
    def world_size(self) -> int:
        """The number of nodes."""
        return self._world_size

    @property
    def bootstrap_store_info(self) -> RendezvousStoreInfo | None:
        """The address of the store of the processes."""
        return self._bootstrap_store_info


class RendezvousHandler(ABC):
    """The base class of the handlers of a rendezvous. Launchers of torchlike use their own."""

    @abstractmethod
    def get_backend(self) -> str:
        """Return the name of the backend."""

    @property
    def use_agent_store(self) -> bool:
        """Whether the processes use the store of the launcher."""
        return False

    @abstractmethod
    def next_rendezvous(self) -> RendezvousInfo:
        """Wait until the rendezvous is complete, and return its result."""

    @abstractmethod
    def is_closed(self) -> bool:
        """Return whether the rendezvous is closed."""

    @abstractmethod
    def set_closed(self) -> None:
        """Close the rendezvous."""

    @abstractmethod
    def num_nodes_waiting(self) -> int:
        """Return the number of nodes that came too late for the current rendezvous."""

    @abstractmethod
    def get_run_id(self) -> str:
        """Return the name of the run."""

    @abstractmethod
    def shutdown(self) -> bool:
        """Release the resources of the handler, and return whether this succeeded."""


class RendezvousParameters:
    """The options of a rendezvous.

    Args:
      backend (str): the name of the backend.
      endpoint (str): the address, "host[:port]".
      run_id (str): the name of the run.
      min_nodes (int): the least number of nodes.
      max_nodes (int): the largest number of nodes.
      local_addr (str, optional): the address of this node.
      **kwargs: options of the backend.

    Raises:
      ValueError: the backend has no name, or a number of nodes is invalid.

    >>> RendezvousParameters("c10d", "localhost:0", "run", 1, 2, is_host="yes").get_as_bool("is_host")
    True
    """

    def __init__(
        self,
        backend: str,
        endpoint: str,
        run_id: str,
        min_nodes: int,
        max_nodes: int,
        local_addr: str | None = None,
        **kwargs: Any,
    ) -> None:
        if not backend:
            raise ValueError("The rendezvous backend name must be a non-empty string.")
        if min_nodes < 1:
            raise ValueError(f"The minimum number of rendezvous nodes ({min_nodes}) must be greater than zero.")
        if max_nodes < min_nodes:
            raise ValueError(
                f"The maximum number of rendezvous nodes ({max_nodes}) must be greater than or "
                f"equal to the minimum number of rendezvous nodes ({min_nodes})."
            )
        self.backend, self.endpoint, self.run_id, self.config = backend, endpoint, run_id, kwargs
        self.min_nodes, self.max_nodes, self.local_addr = min_nodes, max_nodes, local_addr

    def get(self, key: str, default: Any = None) -> Any:
        """Return an option of the backend.

        Args:
          key (str): the name of the option.
          default: the value of an option that is not given.
        """
        return self.config.get(key, default)

    def get_as_bool(self, key: str, default: bool | None = None) -> bool | None:
        """Return an option of the backend as a bool.

        Args:
          key (str): the name of the option.
          default (bool, optional): the value of an option that is not given.

        Raises:
          ValueError: the option is not a bool.
        """
        value = self.get(key, default)
        if value is None or isinstance(value, bool):
            return value
        word = str(value).lower() if isinstance(value, int | str) else None
        if word in ("1", *(("true", "t", "yes", "y") if isinstance(value, str) else ())):
            return True
        if word in ("0", *(("false", "f", "no", "n") if isinstance(value, str) else ())):
            return False
        raise ValueError(f"The rendezvous configuration option '{key}' does not represent a valid boolean value.")

    def get_as_int(self, key: str, default: int | None = None) -> int | None:
        """Return an option of the backend as an int.

        Args:
          key (str): the name of the option.
          default (int, optional): the value of an option that is not given.

        Raises:
          ValueError: the option is not an int.
        """
        value = self.get(key, default)
        try:
            return None if value is None else int(value)
        except ValueError as error:
            raise ValueError(
                f"The rendezvous configuration option '{key}' does not represent a valid integer value."
            ) from error


RendezvousHandlerCreator = Callable[[RendezvousParameters], RendezvousHandler]


class RendezvousHandlerRegistry:
    """A table of functions that make handlers, by the names of backends."""

    def __init__(self) -> None:
        self._registry: dict[str, RendezvousHandlerCreator] = {}

    def register(self, backend: str, creator: RendezvousHandlerCreator) -> None:
        """Register a function.

        Args:
          backend (str): the name of the backend.
          creator (function): makes a handler from a `RendezvousParameters`.

        Raises:
          ValueError: the name is empty, or has another function.
        """
        if not backend:
            raise ValueError("The rendezvous backend name must be a non-empty string.")
        current = self._registry.setdefault(backend, creator)
        if current != creator:
            raise ValueError(
                f"The rendezvous backend '{backend}' cannot be registered with '{creator}' as it "
                f"is already registered with '{current}'."
            )

    def create_handler(self, params: RendezvousParameters) -> RendezvousHandler:
        """Return the handler of a backend.

        Args:
          params (RendezvousParameters): the options.

        Raises:
          ValueError: the backend is not registered.
          RuntimeError: the handler names another backend.
        """
        if params.backend not in self._registry:
            raise ValueError(
                f"The rendezvous backend '{params.backend}' is not registered. Did you forget to call `register`?"
            )
        handler = self._registry[params.backend](params)
        if handler.get_backend() != params.backend:
            raise RuntimeError(
                f"The rendezvous backend '{handler.get_backend()}' does not match the requested "
                f"backend '{params.backend}'."
            )
        return handler


rendezvous_handler_registry = RendezvousHandlerRegistry()
