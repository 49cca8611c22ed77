"""Events that programs record. The launcher records none."""

from __future__ import annotations

import inspect
import logging
import os
import socket
import traceback

from .api import Event as Event
from .api import EventMetadataValue as EventMetadataValue
from .api import EventSource as EventSource
from .api import NodeState as NodeState
from .api import RdzvEvent as RdzvEvent
from .handlers import get_logging_handler as get_logging_handler


def _logger(destination: str) -> logging.Logger:
    found = logging.getLogger(f"torchelastic-events-{destination}")
    if not found.handlers:
        found.setLevel(os.environ.get("LOGLEVEL", "INFO"))
        found.propagate = False
        found.addHandler(get_logging_handler(destination))
    return found


def record(event: Event, destination: str = "null") -> None:
    """Record an event.

    Args:
      event (Event): the event.
      destination (str): the name of the handler that receives its JSON text.
    """
    _logger(destination).info(event.serialize())


def record_rdzv_event(event: RdzvEvent) -> None:
    """Record an event of a rendezvous.

    Args:
      event (RdzvEvent): the event.
    """
    _logger("dynamic_rendezvous").info(event.serialize())


def construct_and_record_rdzv_event(
    run_id: str,
    message: str,
    node_state: NodeState,
    name: str = "",
    hostname: str = "",
    pid: int | None = None,
    master_endpoint: str = "",
    local_id: int | None = None,
    rank: int | None = None,
) -> None:
    """Record an event of a rendezvous, unless its handler drops events.

    Args:
      run_id (str): the name of the run.
      message (str): the text.
      node_state (NodeState): the state of the machine. After a failure, the event contains the traceback.
      name (str): the name of the action. Default: the function that calls this one.
      hostname (str): the host. Default: this machine.
      pid (int, optional): the number of the process. Default: this process.
      master_endpoint (str): the address of the store.
      local_id (int, optional): the number of the launcher on the machine.
      rank (int, optional): the rank of the machine.
    """
    if isinstance(get_logging_handler("dynamic_rendezvous"), logging.NullHandler):
        return
    caller = inspect.stack()[1]
    record_rdzv_event(
        RdzvEvent(
            name=f"{os.path.basename(caller.filename)}:{name or caller.function}",
            run_id=run_id,
            message=message,
            hostname=hostname or socket.getfqdn(),
            pid=pid or os.getpid(),
            node_state=node_state,
            master_endpoint=master_endpoint,
            rank=rank,
            local_id=local_id,
            error_trace=traceback.format_exc() if node_state == NodeState.FAILED else "",
        )
    )
