"""Collective operations on tensors.

Each function records an operator, as `add` does. The operator runs in a program of all members. With `async_op` the
function returns a `Work`. Otherwise it returns None, and on the CPU it waits for the result.

All members of a group must call the same functions in the same order, with the same shapes and dtypes. `group` defaults
to the group of all processes. If a process outside the group calls a function, the function only warns.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import RankMesh, Value, boundary, collectives, warn
from torchlike.distributed import _errors as errors
from torchlike.distributed import _tensors as t
from torchlike.distributed._c10d._coalescing import current
from torchlike.distributed._group import ProcessGroup, Work
from torchlike.distributed._reducing import RedOpType, ReduceOp, checked
from torchlike.distributed._world import is_outside, member


def _ended(work: Work, is_async: bool) -> Work | None:
    if is_async:
        return work
    work.wait()
    return None


def member_rank(group: ProcessGroup, in_world: int | None, in_group: int | None, name: str = "") -> int:
    """Return the rank in the group of a member that is given by its global rank or its group rank."""
    if in_group is not None:
        if in_world is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
        if not 0 <= in_group < group.size():
            raise errors.rank_of_group(in_group, group)
        return in_group
    if in_world is None:
        raise ValueError("Must specify global_rank or group_rank")
    if in_world not in group._ranks:
        whole = group._ranks == list(range(group.size()))
        raise errors.invalid_root(name, in_world) if name and whole else errors.rank_of_global(in_world, group)
    return group._ranks.index(in_world)


def _everybody(group: ProcessGroup) -> range:
    return range(group.size())


def _recorded(written: list[Tensor], is_async: bool) -> Work | None:
    """Return a `Work`, or run the collective now. In a block of `_coalescing_manager`, it runs at the end of the block.

    On accelerators it stays recorded, as PyTorch's functions return before a collective has run there.
    """
    if current.manager is not None:
        current.manager.append(Work(lambda _: _run(written)))
        return None
    if is_async:
        return Work(lambda _: _run(written))
    _run(written)
    return None


def _run(written: list[Tensor]) -> list[Tensor]:
    if any(x.device.type == "cpu" for x in written):
        boundary()
    return written


# -- the same result for all members -----------------------------------------------------------------------------------


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Reduce the tensors of all members, and write the result into the `tensor` of each member.

    The result is bitwise identical in all members.

    Args:
      tensor (Tensor): the operand, which receives the result. It has the same shape and dtype in all members.
      op (ReduceOp, default `ReduceOp.SUM`): the reduction.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the result.

    Returns:
      A `Work` if `async_op` is True, otherwise None. Also None in a process outside the group, and for a tensor on the
      meta device, which is not reduced.

    Raises:
      ValueError: the operator does not support complex tensors.
      RuntimeError: the dtype does not support the operator.
      NotImplementedError: the tensor is sparse.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.distributed.all_reduce(x)
    >>> x  # the sum over one process
    tensor([1., 2.])
    >>> torch.distributed.destroy_process_group()
    """
    t.one("tensor", tensor)
    if is_outside(group, "all_reduce"):
        return None
    op, group = checked("all_reduce", op, tensor.dtype), member(group)
    if tensor.is_meta:
        return None
    if tensor.is_sparse:
        raise NotImplementedError("all_reduce: sparse tensors are not supported by torchlike yet")
    (result,) = _reduced(group, [tensor], op)
    return _recorded([t.write(tensor, result)], async_op)


def _reduced(group: ProcessGroup, tensors: list[Tensor], op: RedOpType) -> list[Value]:
    """Record a reduction of the members' tensors."""
    sum_of = RedOpType.SUM if op is RedOpType.AVG else op
    results = collectives.all_reduce(group.mesh(tensors[0].device), [*map(t.value, tensors)], sum_of.name)
    return [_averaged(group, result, op) for result in results]


def _averaged(group: ProcessGroup, total: Value, op: RedOpType) -> Value:
    if op is not RedOpType.AVG:
        return total
    with torchlike.no_grad():
        return (t.tensor(total) / group.size())._value


def all_reduce_coalesced(tensors: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Any:
    """Apply `all_reduce` to each of several tensors. One operator reduces all of them.

    Args:
      tensors (sequence of Tensors or Tensor): the operands, which receive the results. They have one dtype.
      op (ReduceOp, default `ReduceOp.SUM`): the reduction.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the results.

    Returns:
      A `Work` if `async_op` is True, otherwise None. Also None if there are no tensors.

    Raises:
      ValueError: the dtypes of the tensors differ, or the operator does not support complex tensors.
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    t.several("tensors", tensors)
    t.alike(*tensors)
    if is_outside(group, "all_reduce_coalesced") or not tensors:
        return None
    op, group = checked("all_reduce", op, tensors[0].dtype), member(group)
    results = _reduced(group, tensors, op)
    return _recorded([t.write(x, result) for x, result in zip(tensors, results)], async_op)


def _joined(works: list[Work]) -> Work:
    def finish(seconds: float | None) -> list:
        allowed = None if seconds is None else timedelta(seconds=seconds)
        return [found for work in works if work.wait(allowed) for found in work.result() or ()]

    return Work(finish, lambda: all(work.is_completed() for work in works))


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Gather the tensors of all members into `tensor_list` of each member, in the order of their ranks.

    Args:
      tensor_list (list of Tensors): receives the tensors. It has an element for each member, with the shape of
        `tensor`.
      tensor (Tensor): the tensor of this process. It has the same shape and dtype in all members.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the results.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: the dtypes differ.
      RuntimeError: the list has another length than the group, or the shapes differ.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> gathered = [torch.zeros(2)]
    >>> torch.distributed.all_gather(gathered, torch.ones(2))
    >>> gathered
    [tensor([1., 1.])]
    >>> torch.distributed.destroy_process_group()
    """
    t.several("tensor_list", tensor_list)
    t.one("tensor", tensor)
    t.alike(*tensor_list, tensor)
    if is_outside(group, "all_gather"):
        return None
    group = member(group)
    if len(tensor_list) != group.size():
        raise errors.list_length("allgather", group.size(), len(tensor_list))
    for i, found in enumerate(tensor_list):
        if found.shape != tensor.shape:
            raise errors.tensor_size("allgather", i, tensor.shape, found.shape)
    stacked = collectives.all_gather(group.mesh(tensor.device), t.value(tensor))
    return _recorded(t.write_all(tensor_list, t.rows(stacked)), async_op)


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Concatenate the members' `input_tensor` along the first dim into `output_tensor`.

    Args:
      output_tensor (Tensor): receives the result. Its first dim is that of `input_tensor` times the number of members.
        On accelerators, it may also have a new first dim, along which the tensors are stacked.
      input_tensor (Tensor): the tensor of this process. It has the same shape and dtype in all members.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the result.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: the dtypes differ.
      RuntimeError: the shapes do not fit.
    """
    t.one("output_tensor", output_tensor)
    t.one("input_tensor", input_tensor)
    t.alike(output_tensor, input_tensor)
    if is_outside(group, "all_gather_single"):
        return None
    group, shape, wanted = member(group), tuple(input_tensor.shape), tuple(output_tensor.shape)
    size = group.size()
    piece = (wanted[0] // size, *wanted[1:]) if wanted else ()
    fits = bool(wanted) and wanted[0] % size == 0 and piece == shape
    if not fits and (input_tensor.device.type == "cpu" or wanted != (size, *shape)):
        raise errors.tensor_size("allgather", 0, shape, piece)
    stacked = collectives.all_gather(group.mesh(input_tensor.device), t.value(input_tensor))
    return _recorded(t.write_all([output_tensor], [stacked]), async_op)


def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
) -> Work | None:
    """Apply `all_gather` to each of several tensors.

    Args:
      output_tensor_lists (list of lists of Tensors): receives the tensors. It has a list for each member, with an
        element for each tensor.
      input_tensor_list (list of Tensors): the tensors of this process.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the results.

    Returns:
      A `Work` if `async_op` is True, otherwise None.
    """
    t.several("input_tensor_list", input_tensor_list)
    works = [
        all_gather([outputs[i] for outputs in output_tensor_lists], tensor, group, True)
        for i, tensor in enumerate(input_tensor_list)
    ]
    return _ended(_joined([work for work in works if work is not None]), async_op)


# -- from one member, to one member ------------------------------------------------------------------------------------


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Copy the `tensor` of one process into the `tensor` of all members.

    Args:
      tensor (Tensor): the operand of the source, and the destination in the other members. It has the same shape and
        dtype in all members.
      src (int, optional): the global rank of the source.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the result.
      group_src (int, optional): the rank of the source in the group. Exactly one of `src` and `group_src` must be
        given.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: both ranks or none are given, or the rank does not belong to the group.
      RuntimeError: the group has all processes, and `src` is not one of their ranks.
    """
    t.one("tensor", tensor)
    if is_outside(group, "broadcast"):
        return None
    group = member(group)
    source = member_rank(group, src, group_src, "broadcast")
    (result,) = collectives.broadcast(group.mesh(tensor.device), [t.value(tensor)], source)
    return _recorded([t.write(tensor, result)], async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Reduce the tensors of all members into the `tensor` of one process. The other tensors do not change.

    Args:
      tensor (Tensor): the operand, which receives the result in the destination. It has the same shape and dtype in all
        members.
      dst (int, optional): the global rank of the destination.
      op (ReduceOp, default `ReduceOp.SUM`): the reduction.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the result.
      group_dst (int, optional): the rank of the destination in the group. Exactly one of `dst` and `group_dst` must be
        given.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: both ranks or none are given, the rank does not belong to the group, or the operator does not support
        complex tensors.
      RuntimeError: the dtype does not support the operator.
    """
    t.one("tensor", tensor)
    if is_outside(group, "reduce"):
        return None
    op, group = checked("reduce", op, tensor.dtype), member(group)
    target = member_rank(group, dst, group_dst, "reduce")
    (total,) = _reduced(group, [tensor], op)
    result = total if group.rank() == target else t.value(tensor)
    return _recorded([t.write(tensor, result)], async_op)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Gather the tensors of all members into the `gather_list` of one process.

    Args:
      tensor (Tensor): the tensor of this process. It has the same shape and dtype in all members.
      gather_list (list of Tensors, optional): receives the tensors in the destination, in the order of their ranks. It
        must be None or empty in the other members.
      dst (int, optional): the global rank of the destination. Default: the process with rank 0 in the group.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the results.
      group_dst (int, optional): the rank of the destination in the group, instead of `dst`.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: the list is missing in the destination or is given elsewhere, or the dtypes differ.
      RuntimeError: the list has another length than the group.
    """
    t.one("tensor", tensor)
    gather_list = gather_list or []
    t.several("gather_list", gather_list)
    t.alike(*gather_list, tensor)
    if is_outside(group, "gather"):
        return None
    group = member(group)
    target = _end("gather_list", "destination", gather_list, group, dst, group_dst)
    if group.rank() == target and len(gather_list) != group.size():
        raise errors.list_length("gather", group.size(), len(gather_list))
    stacked = collectives.all_gather(group.mesh(tensor.device), t.value(tensor))
    return _recorded(t.write_all(gather_list, t.rows(stacked)) if gather_list else [tensor], async_op)


def _end(name: str, where: str, tensors: list, group: ProcessGroup, in_world: int | None, in_group: int | None) -> int:
    """Return the rank in the group of the member that has the list of all tensors (0 by default).

    Raise ValueError if that member has no list, or if a different member has a list.
    """
    if in_world is None and in_group is None:
        in_group = 0
    target = in_group if in_group is not None else in_world
    is_here = (group.rank() if in_group is not None else group._ranks[group.rank()]) == target
    if is_here and not tensors:
        raise errors.list_wanted(name, where)
    if not is_here and tensors:
        raise errors.list_unwanted(name, f"non-{where}")
    return member_rank(group, in_world, in_group)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Send the tensors in the `scatter_list` of one process to the members' `tensor`.

    Args:
      tensor (Tensor): receives the element of the list with the rank of this process.
      scatter_list (list of Tensors, optional): the tensors in the source, in the order of the ranks. They have one
        shape and dtype. It must be None or empty in the other members.
      src (int, optional): the global rank of the source. Default: the process with rank 0 in the group.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the result.
      group_src (int, optional): the rank of the source in the group, instead of `src`.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: the list is missing in the source or is given elsewhere, or the dtypes differ.
      RuntimeError: the list has another length than the group.
    """
    t.one("tensor", tensor)
    scatter_list = scatter_list or []
    t.several("scatter_list", scatter_list)
    t.alike(*scatter_list, tensor)
    if is_outside(group, "scatter"):
        return None
    group = member(group)
    source = _end("scatter_list", "source", scatter_list, group, src, group_src)
    if scatter_list and len(scatter_list) != group.size():
        raise errors.list_length("scatter", group.size(), len(scatter_list))
    given = scatter_list or [tensor] * group.size()
    received = collectives.all_to_all(group.mesh(tensor.device), t.stacked(given))
    return _recorded([t.write(tensor, t.rows(received)[source])], async_op)


# -- a different part for each member ----------------------------------------------------------------------------------


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce the tensors at index `i` of all members' lists, and write the result into the `output` of member `i`.

    Args:
      output (Tensor): receives the result of this process.
      input_list (list of Tensors): the operands of this process, one for each member. They have the shape of `output`.
      op (ReduceOp, default `ReduceOp.SUM`): the reduction.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the result.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: the dtypes differ.
      RuntimeError: the list has another length than the group, or the dtype does not support the operator.
    """
    t.one("output", output)
    t.several("input_list", input_list)
    t.alike(output, *input_list)
    if is_outside(group, "reduce_scatter"):
        return None
    op, group = checked("reduce_scatter", op, output.dtype), member(group)
    if len(input_list) != group.size():
        raise errors.input_list_length()
    sum_of = RedOpType.SUM if op is RedOpType.AVG else op
    result = collectives.reduce_scatter(group.mesh(output.device), t.stacked(input_list), sum_of.name)
    return _recorded([t.write(output, _averaged(group, result, op))], async_op)


def reduce_scatter_single(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Split `input` into equal parts along the first dim, and apply `reduce_scatter` to the parts.

    Args:
      output (Tensor): receives the result of this process.
      input (Tensor): the operands of this process. It has as many elements as `output` times the number of members.
      op (ReduceOp, default `ReduceOp.SUM`): the reduction.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the result.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: the dtypes differ.
      RuntimeError: the number of elements does not fit.
    """
    t.one("output", output)
    t.one("input", input)
    t.alike(output, input)
    if is_outside(group, "reduce_scatter_single"):
        return None
    size = member(group).size()
    if input.numel() != output.numel() * size:
        raise errors.parts(input.shape, size)
    return reduce_scatter(output, list(input.reshape(size, *output.shape).unbind(0)), op, group, async_op)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
) -> Work | None:
    """Send tensor `i` of `input_tensor_list` to member `i`.

    Args:
      output_tensor_list (list of Tensors): receives the tensors. The tensor that member `i` sends is written into
        element `i`.
      input_tensor_list (list of Tensors): the tensors that this process sends, one for each member. Their shapes may
        differ.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the results.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: the dtypes differ.
      RuntimeError: a list has another length than the group, or a member sends a tensor of another size.
    """
    t.several("output_tensor_list", output_tensor_list)
    t.several("input_tensor_list", input_tensor_list)
    t.alike(*output_tensor_list, *input_tensor_list)
    if is_outside(group, "all_to_all"):
        return None
    group = member(group)
    for tensors in (output_tensor_list, input_tensor_list):
        if len(tensors) != group.size():
            raise errors.list_length("alltoall", group.size(), len(tensors))
    mesh = group.mesh(input_tensor_list[0].device)
    if len({x.shape for x in [*output_tensor_list, *input_tensor_list]}) == 1:
        received = t.rows(collectives.all_to_all(mesh, t.stacked(input_tensor_list)))
    else:
        received = _uneven(group, mesh, output_tensor_list, input_tensor_list)
    return _recorded(t.write_all(output_tensor_list, received), async_op)


def _uneven(group: ProcessGroup, mesh: RankMesh, outputs: list[Tensor], inputs: list[Tensor]) -> list[Value]:
    """Exchange tensors of different sizes: the members agree on the largest size and pad all tensors to it."""
    sizes = [x.numel() for x in inputs]
    heard = group.share(json.dumps(sizes).encode())
    told = {rank: json.loads(message) for rank, message in heard.items()}
    for rank, output in enumerate(outputs):
        if told[rank][group.rank()] != output.numel():
            raise errors.other_size(rank, told[rank][group.rank()], output.numel())
    longest = max(max(each) for each in told.values())
    padded = [torchlike.nn.functional.pad(x.detach().reshape(-1), (0, longest - x.numel())) for x in inputs]
    received = collectives.all_to_all(mesh, t.stacked(padded))
    with torchlike.no_grad():
        return [
            torchlike.Tensor.view(t.tensor(row)[: x.numel()], x.shape)._value
            for row, x in zip(t.rows(received), outputs)
        ]


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Split `input` and `output` along the first dim, and apply `all_to_all` to the parts.

    Args:
      output (Tensor): receives the parts that the members send, one after the other.
      input (Tensor): the parts that this process sends, one after the other.
      output_split_sizes (list of ints, optional): the length of the part from each member. Default: equal lengths.
      input_split_sizes (list of ints, optional): the length of the part for each member. Default: equal lengths.
      group (ProcessGroup, optional): the processes that take part. Default: all processes.
      async_op: return a `Work`, whose `wait` writes the results.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      ValueError: the dtypes differ.
      RuntimeError: the lengths do not fit the tensor.
    """
    t.one("output", output)
    t.one("input", input)
    t.alike(output, input)
    if is_outside(group, "all_to_all_single"):
        return None
    size = member(group).size()
    received = parts(output, output_split_sizes, size)
    sent = parts(input, input_split_sizes, size)
    return all_to_all(received, sent, group, async_op)


def parts(tensor: Tensor, sizes: list[int] | None, count: int) -> list[Tensor]:
    """Split a tensor along the first dim into `count` parts. The parts have equal lengths if `sizes` is empty."""
    total = tensor.shape[0]
    if not sizes:
        if total % count:
            raise errors.parts(tensor.shape, count)
        sizes = [total // count] * count
    if len(sizes) != count:
        raise errors.number_of_splits()
    if sum(sizes) != total:
        raise errors.split_sizes()
    return list(tensor.split(sizes))


# -- barriers ----------------------------------------------------------------------------------------------------------


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: timedelta | None = None
) -> Work | None:
    """Block until all members have called this function.

    Args:
      group (ProcessGroup, optional): the processes that wait. Default: all processes.
      async_op: return a `Work`, whose `wait` blocks.
      device_ids: has no effect: processes wait on the host.
      timeout (timedelta, optional): the time to wait. Default: the timeout of the group. It has no effect with
        `async_op`.

    Returns:
      A `Work` if `async_op` is True, otherwise None.

    Raises:
      DistBackendError: a member does not call this function in time, or its process has ended.
    """
    if is_outside(group, "barrier"):
        return None
    group = member(group)
    work = group.post(dict.fromkeys(_everybody(group), b""), _everybody(group), lambda _: None)
    if async_op:
        return work
    work.wait(timeout)
    return None


def monitored_barrier(group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """Block until all members have called this function.

    If a member does not call it in time, the process of rank 0 raises an error that names the first missing rank.

    Args:
      group (ProcessGroup, optional): the processes that wait. Default: all processes.
      timeout (timedelta, optional): the time that rank 0 waits for each member. Default: the timeout of the group. It
        has no effect in the other processes, which wait for the timeout of the group.
      wait_all_ranks: name all missing ranks in the error.

    Raises:
      RuntimeError: members are missing. Rank 0 raises this.
      DistBackendError: rank 0 does not call this function in time. The other processes raise this.
    """
    if is_outside(group, "monitored_barrier"):
        return
    group, missing = member(group), []
    if group.rank():
        group.swap({0: b""}, [0], None)
        return
    waited = group.post({}, (), lambda _: None)
    for rank in range(1, group.size()):
        tag = f"{group.group_name}#{group._count}"
        try:
            group._transport.receive([group._ranks[rank]], tag, timeout.total_seconds() if timeout else group._seconds)
        except errors.DistBackendError:
            missing.append(group._ranks[rank])
            if not wait_all_ranks:
                break
    waited.wait()
    if missing:
        raise RuntimeError(f"Ranks {', '.join(map(str, missing))} failed to pass monitoredBarrier in time")
    for rank in range(1, group.size()):
        group._transport.send(group._ranks[rank], f"{group.group_name}#{group._count}", b"")


def _renamed(name: str, now: Callable[..., Any]) -> Callable[..., Any]:
    def old(*args: Any, **kwargs: Any) -> Any:
        instead = f"Please use `torch.distributed.{now.__name__}` instead."
        warn(f"`torch.distributed.{name}` is deprecated. {instead}", FutureWarning)
        return now(*args, **kwargs)

    old.__name__ = old.__qualname__ = name
    old.__doc__ = (
        f"The deprecated name of `{now.__name__}`. It warns.\n\n"
        f"Args:\n  *args, **kwargs: the arguments of `{now.__name__}`."
    )
    return old


all_gather_into_tensor = _renamed("all_gather_into_tensor", all_gather_single)
reduce_scatter_tensor = _renamed("reduce_scatter_tensor", reduce_scatter_single)
