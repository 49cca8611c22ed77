"""The rendezvous of several machines through a store, which one of the launchers runs."""

from __future__ import annotations

import json
import os
import socket
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from torchlike.distributed import DistNetworkError, PrefixStore, Store, TCPStore
from torchlike.distributed.elastic.multiprocessing._signals import Watch
from torchlike.distributed.elastic.rendezvous.utils import parse_rendezvous_endpoint
from torchlike.distributed.elastic.utils.logging import get_logger

from ._rendezvous import Attempt, Rendezvous, free_port

if TYPE_CHECKING:
    from .api import LaunchConfig

logger = get_logger(__name__)
_PORT = 29400  # PyTorch's default for "c10d"
_PAUSE = 0.05
_TRY = timedelta(seconds=2)
_FAREWELL = 300


class StoreRendezvous(Rendezvous):
    """The rendezvous of a run on several machines. The first machine by name and process id gets rank 0.

    The store holds the number of the attempt. A failure of any machine increments it, and all machines join again. A
    machine that starts later joins the current attempt, so a lost machine can be replaced.

    Args:
      config: the settings.
      watch: raises the signals that this process receives.
    """

    def __init__(self, config: LaunchConfig, watch: Watch) -> None:
        self._nodes, self._count, self._watch, self._run = config.max_nodes, config.nproc_per_node, watch, config.run_id
        conf = config.rdzv_configs
        self._timeout = float(conf.get("join_timeout", conf.get("timeout", 600)))
        self._address = config.local_addr or socket.getfqdn()
        self._store = self._connected(*parse_rendezvous_endpoint(config.rdzv_endpoint, _PORT), conf.get("is_host"))
        self._lost = False

    def _connected(self, host: str, port: int, asked: str | bool | None) -> Store:
        """Return the store. This machine runs it if `asked` says so, or if it has the address and the port is free."""
        hosts = _is_local(host) if asked is None else str(asked).lower() in ("1", "true", "t", "yes", "y")
        made = None
        if hosts:
            try:
                made = TCPStore(host, port, is_master=True, wait_for_workers=False)
            except DistNetworkError:
                if asked is not None:
                    raise
        return PrefixStore(self._run, made or self._dialled(host, port))

    def _dialled(self, host: str, port: int) -> TCPStore:
        """Connect to the store of another machine. The tries are short, so that signals are noticed."""
        end = time.monotonic() + self._timeout
        while True:
            try:
                return TCPStore(host, port, is_master=False, timeout=_TRY, wait_for_workers=False)
            except DistNetworkError:
                if time.monotonic() > end:
                    raise
            self._watch.sleep(_PAUSE)

    def join(self) -> Attempt:
        if self._lost:
            raise RuntimeError(f"the machine that runs the store of the run {self._run!r} has left it")
        number = self._store.add("round", 0)
        place = self._store.add(f"{number}/joined", 1) - 1
        if place >= self._nodes:
            raise RuntimeError(f"the run {self._run!r} already has {self._nodes} machines")
        own = [self._address, os.getpid(), place, self._count, free_port()]
        self._store.set(f"{number}/node/{place}", json.dumps(own))
        keys = [f"{number}/node/{i}" for i in range(self._nodes)]
        self._wait_for(keys)
        nodes = sorted(json.loads(self._store.get(key)) for key in keys)
        rank, counts = nodes.index(own), [node[3] for node in nodes]
        address, port = nodes[0][0], nodes[0][4]
        return Attempt(number, rank, self._nodes, sum(counts[:rank]), sum(counts), address, port)

    def _wait_for(self, keys: list[str]) -> None:
        end = time.monotonic() + self._timeout
        while not self._store.check(keys):
            self._watch.sleep(_PAUSE)
            if time.monotonic() > end:
                came = sum(self._store.check([key]) for key in keys)
                raise TimeoutError(
                    f"only {came} of {self._nodes} machines joined the run {self._run!r} in {self._timeout:g} seconds"
                )

    def others_failed(self, joined: Attempt) -> bool:
        try:
            return self._store.add("round", 0) > joined.number
        except (RuntimeError, OSError) as error:
            logger.warning("the store of the run can no longer be reached: %s", error)
            self._lost = True
            return True

    def failed(self, joined: Attempt) -> None:
        try:
            if self._store.add(f"{joined.number}/failed", 1) == 1:
                self._store.add("round", 1)
        except (RuntimeError, OSError):
            self._lost = True

    def all_succeeded(self, joined: Attempt) -> bool:
        key, end = f"{joined.number}/succeeded", time.monotonic() + _FAREWELL
        try:
            self._store.add(key, 1)
            while self._store.add(key, 0) < self._nodes and time.monotonic() < end:
                if self._store.add("round", 0) > joined.number:
                    return False
                self._watch.sleep(_PAUSE)
            self._leave(joined)
        except (RuntimeError, OSError):
            self._lost = True  # the machine that runs the store has left: it has seen that all succeeded
        return True

    def _leave(self, joined: Attempt) -> None:
        """Wait until all machines have seen the end, because one of them runs the store."""
        key, end = f"{joined.number}/left", time.monotonic() + 5
        self._store.add(key, 1)
        while self._store.add(key, 0) < self._nodes and time.monotonic() < end:
            self._watch.sleep(_PAUSE)


def _is_local(host: str) -> bool:
    """Return whether this machine has the address, by binding a socket to it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.bind(address)
    except OSError:
        return False
    return True
