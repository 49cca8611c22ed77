"""Device transfer as an identity operator. Its gradient moves in the opposite direction."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.nodes import Edge, Node
from torchlike._dtypes.devices import device as Device
from torchlike._engine import Aval, Value, concrete, to_numpy
from torchlike._engine.xla import transfers

MOST_SENT = 64  # the number of results that `send_ahead` keeps
_sent: WeakKeyDictionary[Value, tuple[Device, Any]] = WeakKeyDictionary()


def moved_to(device: Device, value: Value) -> Value:
    """Return a value with the same elements on another device. The transfer starts at once and is asynchronous.

    Only work that is pending on the device of `value` is flushed. A move between accelerators does not pass the host.
    """
    aval = value.aval.on(device)
    if device.type == "meta":
        return Value(aval)
    if device.type == "cpu":
        return Value(aval, to_numpy(value))
    array = concrete(value)
    there, sent = _sent.pop(value, (None, None))
    return Value(aval, sent if there is device else transfers.to_device(array, device))


def send_ahead(value: Value, device: Device) -> None:
    """Start the transfer of a concrete value to a device. The next `moved_to` for this device takes the result.

    If too many results were not taken, the oldest is dropped.
    """
    if value.array is not None and value not in _sent:
        _sent[value] = device, transfers.to_device(value.array, device)
        while len(_sent) > MOST_SENT:
            _sent.pop(next(iter(_sent)), None)


class TransferNode(Node):
    """The node of `to(device)`. It moves the gradient back to the device of the source."""

    __slots__ = ("source", "target")

    def __init__(self, edge: Edge, source: Aval, target: Aval) -> None:
        super().__init__(None, [], [edge], [])
        self.source, self.target = source, target

    def name(self) -> str:
        return "ToCopyBackward0"

    def outputs(self) -> int:
        return 1

    def result(self, number: int) -> Aval:
        return self.target

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad]:
        value, edge = held[0]
        moved = moved_to(self.source.device, value)
        back = (TransferNode(edge, self.target, self.source), 0) if walk.create_graph and edge is not None else None
        return [(moved, back)]


def transfer_node(edge: Edge, source: Aval, target: Aval) -> Edge:
    """Return the gradient edge of a tensor moved to another device."""
    return TransferNode(edge, source, target), 0
