"""The rendezvous handlers by the names of their backends."""

from __future__ import annotations

from functools import partial

from torchlike._internal import _errors

from .api import RendezvousHandler, RendezvousParameters
from .api import rendezvous_handler_registry as rendezvous_handler_registry


def get_rendezvous_handler(params: RendezvousParameters) -> RendezvousHandler:
    """Return the handler of a backend that was registered in `rendezvous_handler_registry`.

    Args:
      params (RendezvousParameters): the options.

    Raises:
      ValueError: the backend is not registered.
      NotImplementedError: the backend is one of PyTorch's own: "static", "c10d", "etcd" or "etcd-v2".
    """
    return rendezvous_handler_registry.create_handler(params)


def _refuse(backend: str, params: RendezvousParameters) -> RendezvousHandler:
    instead = f"start the run {params.run_id!r} with torchrun or elastic_launch, which connect the machines themselves"
    raise _errors.arguments.cannot(f"distributed.elastic.rendezvous ({backend})", instead)


for _name in ("etcd", "etcd-v2", "c10d", "static"):
    rendezvous_handler_registry.register(_name, partial(_refuse, _name))
