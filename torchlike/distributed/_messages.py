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
    """Send a tensor to another process, which receives it with `recv` or `irecv` and the same tag.

    Args:
      tensor (Tensor): the tensor.
      dst (int, optional): the global rank of the destination.
      group (ProcessGroup, optional): the group of both processes. Default: the group of all processes.
      tag (int, default 0): the number that the receiver must name too.
      group_dst (int, optional): the rank of the destination in the group. Exactly one of `dst` and `group_dst` must be
        given.

    Returns:
      A `Work`, whose `wait` returns at once, because the message is already sent. None in a process outside the group.

    Raises:
      ValueError: the destination is this process, or does not belong to the group.
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
    """Send a tensor as `isend` does, and return None.

    Args:
      tensor (Tensor): the tensor.
      dst (int, optional): the global rank of the destination.
      group (ProcessGroup, optional): the group of both processes. Default: the group of all processes.
      tag (int, default 0): the number that the receiver must name too.
      group_dst (int, optional): the rank of the destination in the group. Exactly one of `dst` and `group_dst` must be
        given.

    Raises:
      ValueError: the destination is this process, or does not belong to the group.
    """
    isend(tensor, dst, group, tag, group_dst)


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Receive a tensor from another process.

    Args:
      tensor (Tensor): receives the values. It has the shape and dtype of the tensor that is sent.
      src (int, optional): the global rank of the sender.
      group (ProcessGroup, optional): the group of both processes. Default: the group of all processes.
      tag (int, default 0): the number that the sender gave.
      group_src (int, optional): the rank of the sender in the group, instead of `src`. Without both, the message may
        come from any other member.

    Returns:
      A `Work`, whose `wait` writes the values. None in a process outside the group.

    Raises:
      ValueError: both ranks are given, or the sender does not belong to the group.
      RuntimeError: the sender is this process. `wait` also raises it if the message has another size than `tensor`.
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

    work = Work(finish, lambda: source is not None and group.has_message(source, tag))
    return work


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive a tensor as `irecv` does, and wait for it.

    Args:
      tensor (Tensor): receives the values. It has the shape and dtype of the tensor that is sent.
      src (int, optional): the global rank of the sender.
      group (ProcessGroup, optional): the group of both processes. Default: the group of all processes.
      tag (int, default 0): the number that the sender gave.
      group_src (int, optional): the rank of the sender in the group, instead of `src`. Without both, the message may
        come from any other member.

    Returns:
      The global rank of the sender, or -1 in a process outside the group.

    Raises:
      ValueError: both ranks are given, or the sender does not belong to the group.
      RuntimeError: the sender is this process, or the message has another size than `tensor`.
      DistBackendError: no message comes in time, or the sender has ended.
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp:
    """A send or receive operation for `batch_isend_irecv`.

    Args:
      op: `torch.distributed.isend` or `torch.distributed.irecv`.
      tensor (Tensor): the tensor to send, or the tensor that receives the values.
      peer (int, optional): the global rank of the other process.
      group (ProcessGroup, optional): the group of both processes. Default: the group of all processes.
      tag (int, default 0): the number that both processes give.
      group_peer (int, optional): the rank of the other process in the group. Exactly one of `peer` and `group_peer`
        must be given.

    Raises:
      ValueError: `op` is another function, or the other process does not belong to the group.
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
    """Start several send and receive operations.

    Args:
      p2p_op_list (list of P2POps): the operations.

    Returns:
      The `Work` of each operation.

    Raises:
      ValueError: an element is not a `P2POp`.
      IndexError: the list is empty.
    """
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
    """Gather the objects of all members into `object_list`, in the order of their ranks.

    Args:
      object_list (list): receives the objects. It has an element for each member.
      obj: the object of this process. It must be picklable.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.

    Raises:
      IndexError: the list has fewer elements than the group has members.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> found = [None]
    >>> torch.distributed.all_gather_object(found, {"loss": 0.5})
    >>> found
    [{'loss': 0.5}]
    >>> torch.distributed.destroy_process_group()
    """
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
    """Gather the objects of all members into the list of one process.

    Args:
      obj: the object of this process. It must be picklable.
      object_gather_list (list, optional): receives the objects in the destination, in the order of their ranks. It must
        be None or empty in the other members.
      dst (int, optional): the global rank of the destination. Default: the process with rank 0 in the group.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      group_dst (int, optional): the rank of the destination in the group, instead of `dst`.

    Raises:
      ValueError: the list is missing in the destination or is given elsewhere, or the rank does not belong to the
        group.
    """
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
    """Copy the objects of one process into the lists of all members.

    Args:
      object_list (list): the objects of the source, which must be picklable. In the other members, a list of the same
        length, which receives them.
      src (int, optional): the global rank of the source. Default: the process with rank 0 in the group.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      device: has no effect: objects are sent through the host's memory.
      group_src (int, optional): the rank of the source in the group, instead of `src`.

    Raises:
      ValueError: the lists have different lengths, or the rank does not belong to the group.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> objects = ["a", 1]
    >>> torch.distributed.broadcast_object_list(objects, src=0)
    >>> objects
    ['a', 1]
    >>> torch.distributed.destroy_process_group()
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
    """Send element `i` of the list of one process to member `i`.

    Args:
      scatter_object_output_list (list): receives the object in its first element. Other elements do not change.
      scatter_object_input_list (list, optional): the objects in the source, one for each member. They must be
        picklable. The list has no effect in the other members.
      src (int, optional): the global rank of the source. Default: the process with rank 0 in the group.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      group_src (int, optional): the rank of the source in the group, instead of `src`.

    Raises:
      ValueError: the output list is empty or not a list, or the rank does not belong to the group.
      RuntimeError: the input list has another length than the group.
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

    Args:
      object_list (list): the objects. They must be picklable.
      dst (int, optional): the global rank of the destination.
      group (ProcessGroup, optional): the group of both processes. Default: the group of all processes.
      device: has no effect: objects are sent through the host's memory.
      group_dst (int, optional): the rank of the destination in the group. Exactly one of `dst` and `group_dst` must be
        given.
      use_batch: has no effect: all objects are sent in one message.

    Raises:
      ValueError: the destination is this process, or does not belong to the group.
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
    """Receive the objects that another process sends with `send_object_list`.

    Args:
      object_list (list): receives the objects. It must have as many elements as the list that is sent.
      src (int, optional): the global rank of the sender.
      group (ProcessGroup, optional): the group of both processes. Default: the group of all processes.
      device: has no effect: objects are received in the host's memory.
      group_src (int, optional): the rank of the sender in the group, instead of `src`. Without both, the message may
        come from any other member.
      use_batch: has no effect: all objects are received in one message.

    Returns:
      The global rank of the sender, or -1 in a process outside the group.

    Raises:
      ValueError: the lists have different lengths, or the sender does not belong to the group.
      DistBackendError: no message comes in time, or the sender has ended.
    """
    if is_outside(group, "recv_object_list"):
        return -1
    group = member(group)
    source = None if src is None and group_src is None else member_rank(group, src, group_src)
    rank, message = group.receive(source, _OBJECTS)
    object_list[:] = _as_many(pickle.loads(message), object_list)
    return group._ranks[rank]


_OBJECTS = -1  # the tag of object messages
