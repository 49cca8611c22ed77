"""`torch.multiprocessing.queue`: Python's queues, whose connections share tensors in shared memory."""

from __future__ import annotations

import io
import pickle
from multiprocessing.queues import Queue as Queue
from multiprocessing.queues import SimpleQueue as SimpleQueue
from multiprocessing.reduction import ForkingPickler
from typing import Any


class ConnectionWrapper:
    """A connection that sends objects by `ForkingPickler`.

    Args:
      conn: the connection.
    """

    def __init__(self, conn: Any) -> None:
        self.conn = conn

    def send(self, obj: Any) -> None:
        """Send an object.

        Args:
          obj: the object.
        """
        content = io.BytesIO()
        ForkingPickler(content, pickle.HIGHEST_PROTOCOL).dump(obj)
        self.send_bytes(content.getvalue())

    def recv(self) -> Any:
        """Return the next object that the other process sent."""
        return pickle.loads(self.recv_bytes())

    def __getattr__(self, name: str) -> Any:
        if "conn" in self.__dict__:
            return getattr(self.conn, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'conn'")
