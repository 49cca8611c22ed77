"""The events of a run."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import Enum

EventMetadataValue = str | int | float | bool | None


class EventSource(str, Enum):  # noqa: UP042 - formatted as PyTorch formats it
    """The source of an event: the launcher (`AGENT`) or a process (`WORKER`)."""

    AGENT = "AGENT"
    WORKER = "WORKER"


class NodeState(str, Enum):  # noqa: UP042 - formatted as PyTorch formats it
    """The state of a machine in a rendezvous."""

    INIT = "INIT"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


@dataclass
class Event:
    """An event.

    Args:
      name (str): the name.
      source (EventSource): the source.
      timestamp (int): the time in milliseconds.
      metadata (dict): more data.
    """

    name: str
    source: EventSource
    timestamp: int = 0
    metadata: dict[str, EventMetadataValue] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.serialize()

    @staticmethod
    def deserialize(data: str | Event) -> Event:
        """Return the event of a JSON text.

        Args:
          data (str or Event): the text. An event is returned as it is.
        """
        if isinstance(data, Event):
            return data
        found = json.loads(data)
        return Event(**{**found, "source": EventSource[found["source"]]})

    def serialize(self) -> str:
        """Return the event as a JSON text."""
        return json.dumps(asdict(self))


@dataclass
class RdzvEvent:
    """An event of a rendezvous.

    Args:
      name (str): the name of the action.
      run_id (str): the name of the run.
      message (str): the text.
      hostname (str): the host.
      pid (int): the number of the process.
      node_state (NodeState): the state of the machine.
      master_endpoint (str): the address of the store.
      rank (int, optional): the rank of the machine.
      local_id (int, optional): the number of the launcher on the machine.
      error_trace (str): the traceback of an error.
    """

    name: str
    run_id: str
    message: str
    hostname: str
    pid: int
    node_state: NodeState
    master_endpoint: str = ""
    rank: int | None = None
    local_id: int | None = None
    error_trace: str = ""

    def __str__(self) -> str:
        return self.serialize()

    @staticmethod
    def deserialize(data: str | RdzvEvent) -> RdzvEvent:
        """Return the event of a JSON text.

        Args:
          data (str or RdzvEvent): the text. An event is returned as it is.
        """
        if isinstance(data, RdzvEvent):
            return data
        found = json.loads(data)
        return RdzvEvent(**{**found, "node_state": NodeState[found["node_state"]]})

    def serialize(self) -> str:
        """Return the event as a JSON text."""
        return json.dumps(asdict(self))
