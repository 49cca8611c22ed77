"""The connection of this process to the other ranks: JAX's coordination service, and JAX's backend on top of it.

The coordination service stores keys and bytes for all ranks. JAX's backend connects through it as well: Gloo on CPUs,
NCCL on GPUs.
"""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from torchlike._dtypes import devices
from torchlike._engine.trace.flush import boundary, forget_programs
from torchlike._engine.trace.value import Value
from torchlike._engine.xla import jax_private

_NUMBER = 4  # bytes of a rank's number
HEARTBEAT = 10  # seconds without a heartbeat after which the service considers a process lost


class Lost(Exception):
    """Raised if the coordination service cannot be reached."""


class Processes:
    """The coordination service as a store of keys. `client` is None before `connect`."""

    def __init__(self) -> None:
        self.client: jax_private.DistributedClient | None = None
        self.rank, self.size = 0, 1
        self._service: subprocess.Popen | None = None
        self._presence: socket.socket | None = None
        self._ended_numbers = bytearray()  # the numbers of the ranks that have ended

    def serve(self, size: int) -> tuple[int, int]:
        """Start the coordination service and return its two ports (see `coordinator.py`)."""
        self._service = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("coordinator.py")), str(size), str(HEARTBEAT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"},
            start_new_session=True,  # Ctrl-C reaches the ranks only
            text=True,
        )
        assert self._service.stdout is not None
        with self._service.stdout:
            ports = self._service.stdout.readline().split()
        if not ports:
            raise Lost("the coordination service did not start")
        return int(ports[0]), int(ports[1])

    def connect(self, host: str, ports: tuple[int, int], rank: int, size: int, seconds: float) -> None:
        """Connect to the service, and restart JAX's backend with the devices of all ranks.

        Arrays of the old backend are moved to the host, and compiled programs are dropped.
        """
        if jax_private.backend_is_started():
            _move_to_host()
            jax_private.clear_backend()
        devices.forget()
        self._presence = socket.create_connection((host, ports[1]), timeout=seconds)
        self._presence.sendall(rank.to_bytes(_NUMBER, "big"))
        self._presence.settimeout(0)
        self._ended_numbers.clear()
        self.client = jax_private.connect(f"{host}:{ports[0]}", rank, size, HEARTBEAT, max(1, int(seconds)))
        self.rank, self.size = rank, size
        # Backends exchange their devices when they start, which all ranks must do at the same time.
        devices.jax_devices("cpu")
        devices.accelerator()

    def disconnect(self) -> None:
        """Disconnect from the service. The backend, and this process's arrays and programs, remain usable."""
        if self.client is not None:
            jax_private.disconnect()
            self.client = None
        if self._presence is not None:
            self._presence.close()
            self._presence = None
        if self._service is not None and self._service.stdin is not None:
            self._service.stdin.close()
            self._service.returncode = 0  # it ends after the last rank, and is not waited for
            self._service = None

    # -- keys ----------------------------------------------------------------------------------------------------------

    def put(self, key: str, value: bytes) -> None:
        """Set a key that is not set yet."""
        self._request("key_value_set_bytes", key, value)

    def get(self, key: str, seconds: float) -> bytes | None:
        """Wait for a key and return its value, or return None after the timeout."""
        return self._request("blocking_key_value_get_bytes", key, max(1, int(seconds * 1e3)))

    def try_get(self, key: str) -> bytes | None:
        """Return the value of a key, or None if it is not set."""
        return self._request("key_value_try_get_bytes", key)

    def delete(self, key: str) -> None:
        """Delete a key and all keys below it."""
        self._request("key_value_delete", key)

    def alive(self) -> list[int]:
        """Return the ranks whose processes have sent a heartbeat recently. This may take seconds."""
        return sorted(self._request("get_live_nodes", list(range(self.size))) or ())

    def ended(self) -> set[int]:
        """Return the ranks whose processes have ended or have left the service."""
        if self._presence is not None:
            with contextlib.suppress(BlockingIOError):
                while True:
                    found = self._presence.recv(4096)
                    self._ended_numbers += found
                    if not found:
                        raise Lost("its process has ended")
        numbers = bytes(self._ended_numbers)
        return {int.from_bytes(numbers[i : i + _NUMBER], "big") for i in range(0, len(numbers), _NUMBER)}

    def _request(self, method: str, *arguments: object) -> Any:
        if self.client is None:
            raise Lost("the process group was destroyed")
        try:
            return getattr(self.client, method)(*arguments)
        except jax_private.JaxRuntimeError as error:
            if str(error).startswith(("NOT_FOUND", "DEADLINE_EXCEEDED")):
                return None
            raise Lost(str(error).partition("\n")[0]) from None


def _move_to_host() -> None:
    """Replace the arrays of JAX in all values by arrays of NumPy, and drop the programs."""
    boundary()
    forget_programs()
    for found in gc.get_objects():
        if found.__class__ is Value and found.array is not None and found.array.__class__ is not np.ndarray:
            found.array = np.array(found.array)


processes = Processes()
