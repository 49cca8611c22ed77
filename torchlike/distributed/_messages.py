"""Point-to-point messages, and collectives on pickled Python objects.

Unpickling can run arbitrary code of the sender. Use the functions for objects only between processes that trust each
other.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from torchlike import Tensor
from torchlike.distributed import _errors as errors
from torchlike.distributed import _tensors as t
from torchlike.distributed._collectives import member_rank
from torchlike.distributed._group import ProcessGroup, Work
from torchlike.distributed._world import is_outside, member

# -- tensors -----------------------------------------------------------------------------------------------------------


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Send a tensor to the process `dst`, which receives it with `recv` and the same tag.

    `dst` is a global rank. `group_dst` is a rank in the group.
    """
    t.one("tensor", tensor)
    if is_outside(group, "isend"):
        return None
    group = member(group)
    target = member_rank(group, dst, group_dst)
    if target == group.rank():
        raise errors.to_itself()
    group.send(target, tag, t.message(t.host(tensor)))
    return Work(lambda _: [tensor])


def send(tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Send a tensor to the process `dst`, as `isend` does, and return None."""
    isend(tensor, dst, group, tag, group_dst)


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Receive a tensor from the process `src`, or from any process if `src` is None.

    Return a `Work`, whose `wait` writes the received values into `tensor`.
    """
    t.one("tensor", tensor)
    if is_outside(group, "irecv"):
        return None
    group = member(group)
    if src is None and group_src is None:
        return _received(tensor, group, None, tag)
    source = member_rank(group, src, group_src)
    if source == group.rank():
        raise RuntimeError("Pair is not connected: a process cannot receive from itself")
    return _received(tensor, group, source, tag)


def _received(tensor: Tensor, group: ProcessGroup, source: int | None, tag: int) -> Work:
    def finish(seconds: float | None) -> list[Tensor]:
        rank, message = group.receive(source, tag, seconds)
        t.put_all([tensor], [t.unpacked(message, tensor, rank)])
        work._source = group._ranks[rank]
        return [tensor]

    work = Work(finish, lambda: source is not None and group.has_mail(source, tag))
    return work


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive a tensor as `irecv` does, wait for it, and return the sender's rank.

    The result is -1 if this process does not belong to the group.
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp:
    """A send or receive operation for `batch_isend_irecv`.

    `op` is `isend` or `irecv`. The other process is given by its global rank `peer` or its rank in the group
    `group_peer`.
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise errors.not_p2p()
        t.one("tensor", tensor)
        self.op, self.tensor, self.group, self.tag = op, tensor, member(group), tag
        self.group_peer = member_rank(self.group, peer, group_peer)
        self.peer = self.group._ranks[self.group_peer]

    def __repr__(self) -> str:
        ends = (self.group.rank(), self.group_peer) if self.op is isend else (self.group_peer, self.group.rank())
        return (
            f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={ends[0]}, group_dst={ends[1]},  "
            f"{self.tensor.shape}, {self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Start several send and receive operations, and return their `Work` handles."""
    for op in p2p_op_list:
        if not isinstance(op, P2POp):
            raise ValueError(
                "Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``."
            )
    p2p_op_list[0]  # PyTorch reads the first element, so an empty list raises an IndexError
    works = [op.op(op.tensor, group=op.group, tag=op.tag, **_peer(op)) for op in p2p_op_list]
    return [work for work in works if work is not None]


def _peer(op: P2POp) -> dict[str, int]:
    return {"group_dst" if op.op is isend else "group_src": op.group_peer}


# -- objects -----------------------------------------------------------------------------------------------------------


def all_gather_object(object_list: list, obj: Any, group: Any = None) -> None:
    """Gather the objects of all members into `object_list`, in the order of their ranks."""
    if is_outside(group, "all_gather_object"):
        return
    received = member(group).share(pickle.dumps(obj))
    for rank, message in received.items():
        object_list[rank] = pickle.loads(message)


def gather_object(
    obj: Any,
    object_gather_list: list | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst: int | None = None,
) -> None:
    """Gather the objects of all members into the list of the process `dst` (0 by default)."""
    if is_outside(group, "gather_object"):
        return
    group = member(group)
    target = _one_of(group, dst, group_dst)
    if group.rank() == target and not object_gather_list:
        raise errors.list_wanted("gather_list", "destination")
    if group.rank() != target and object_gather_list:
        raise errors.list_unwanted("gather_list", "non-destination")
    gathered: Any = object_gather_list
    sources = range(group.size()) if group.rank() == target else ()
    for rank, message in group.swap({target: pickle.dumps(obj)}, sources).items():
        gathered[rank] = pickle.loads(message)


def _one_of(group: ProcessGroup, in_world: int | None, in_group: int | None) -> int:
    return 0 if in_world is None and in_group is None else member_rank(group, in_world, in_group)


def broadcast_object_list(
    object_list: list, src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None
) -> None:
    """Copy the objects of the process `src` (0 by default) into the lists of all members.

    `device` has no effect, because objects are sent through the host's memory.
    """
    if is_outside(group, "broadcast_object_list"):
        return
    group = member(group)
    source = _one_of(group, src, group_src)
    if group.rank() == source:
        others = [rank for rank in range(group.size()) if rank != source]
        group.swap(dict.fromkeys(others, pickle.dumps(list(object_list))), ())
    else:
        object_list[:] = _as_many(pickle.loads(group.swap({}, [source])[source]), object_list)


def _as_many(objects: list, places: list) -> list:
    if len(objects) != len(places):
        raise ValueError(f"the list has {len(places)} places for {len(objects)} objects")
    return objects


def scatter_object_list(
    scatter_object_output_list: list,
    scatter_object_input_list: list | None = None,
    src: int | None = None,
    group: Any = None,
    group_src: int | None = None,
) -> None:
    """Send element `i` of the list of the process `src` (0 by default) to member `i`.

    Each member stores the object that it receives in the first element of its output list.
    """
    if is_outside(group, "scatter_object_list"):
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    group = member(group)
    source, sent = _one_of(group, src, group_src), {}
    if group.rank() == source:
        objects = scatter_object_input_list or []
        if len(objects) != group.size():
            raise errors.list_length("scatter", group.size(), len(objects))
        sent = {rank: pickle.dumps(obj) for rank, obj in enumerate(objects)}
    scatter_object_output_list[0] = pickle.loads(group.swap(sent, [source])[source])


def send_object_list(
    object_list: list,
    dst: int | None = None,
    group: Any = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send objects to another process, which receives them with `recv_object_list`.

    `device` and `use_batch` have no effect, because objects are sent in one message through the host's memory.
    """
    if is_outside(group, "send_object_list"):
        return
    group = member(group)
    target = member_rank(group, dst, group_dst)
    if target == group.rank():
        raise errors.to_itself()
    group.send(target, _OBJECTS, pickle.dumps(list(object_list)))


def recv_object_list(
    object_list: list,
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receive objects from the process `src`, or from any process if `src` is None. Return the rank of the sender.

    The objects are written into `object_list`, which must have as many elements as the list that was sent. The result
    is -1 if this process does not belong to the group. `device` and `use_batch` have no effect.
    """
    if is_outside(group, "recv_object_list"):
        return -1
    group = member(group)
    source = None if src is None and group_src is None else member_rank(group, src, group_src)
    rank, message = group.receive(source, _OBJECTS)
    object_list[:] = _as_many(pickle.loads(message), object_list)
    return group._ranks[rank]


_OBJECTS = -1  # the tag of object messages
