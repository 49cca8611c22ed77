"""The default process group, the groups that are created from it, and queries about groups."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

from torchlike import cuda
from torchlike._internal import _errors, ahead, boundary, processes, warn
from torchlike.distributed import _errors as errors
from torchlike.distributed._c10d._transport import EchoTransport, Transport
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._stores import HashStore, PrefixStore, Store
from torchlike.distributed.constants import default_pg_timeout
from torchlike.distributed.rendezvous import rendezvous, variable

_NOT_BUILT_IN = ("mpi", "ucc", "xccl", "fake")


class Backend(str):
    """The name of a backend, in lowercase.

    Args:
      name (str): the name, in any case. It is not checked.

    Returns:
      A plain `str`.

    Raises:
      ValueError: `name` is not a string.

    >>> import torchlike as torch
    >>> torch.distributed.Backend("GLOO")
    'gloo'
    """

    UNDEFINED, GLOO, NCCL, MPI, UCC, XCCL = "undefined", "gloo", "nccl", "mpi", "ucc", "xccl"
    backend_list = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, "fake"]
    default_device_backend_map = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}
    backend_capability = {
        GLOO: ["cpu", "cuda"],
        NCCL: ["cuda"],
        XCCL: ["xpu"],
        UCC: ["cpu", "cuda"],
        MPI: ["cpu", "cuda"],
        "fake": ["cpu", "cuda", "hpu", "xpu"],
    }

    def __new__(cls, name: Any) -> str:  # returns a plain str, as PyTorch does
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return name.lower()


class BackendConfig:
    """The backend of each type of device.

    Args:
      backend (str): the name of a backend, or pairs "device:backend" that are separated by commas.

    Raises:
      ValueError: a pair is invalid, or a device occurs twice.

    >>> BackendConfig("cpu:gloo,cuda:nccl").get_device_backend_map()
    {'cpu': 'gloo', 'cuda': 'nccl'}
    """

    def __init__(self, backend: str) -> None:
        backend = str(backend)
        if backend == Backend.UNDEFINED:
            device = "cuda" if cuda.is_available() else "cpu"
            self.device_backend_map: dict[str, str] = {device: Backend.default_device_backend_map[device]}
        elif backend.lower() in Backend.backend_capability:
            self.device_backend_map = dict.fromkeys(Backend.backend_capability[backend.lower()], backend.lower())
        elif ":" in backend:
            self.device_backend_map = _pairs_of(backend)
        else:
            warn(
                f"Device capability of {backend} unknown, assuming `cpu` and `cuda`. You can specify it in "
                "`device:backend` format in `init_process_group` call."
            )
            self.device_backend_map = dict.fromkeys(("cpu", "cuda", "xpu"), Backend(backend))

    def __repr__(self) -> str:
        return ",".join(f"{device}:{backend}" for device, backend in self.device_backend_map.items())

    def get_device_backend_map(self) -> dict[str, str]:
        """Return the backends by types of devices."""
        return self.device_backend_map


def _pairs_of(backend: str) -> dict[str, str]:
    """Return the backends of a text such as "cpu:gloo,cuda:nccl"."""
    found: dict[str, str] = {}
    for word in backend.lower().split(","):
        pair = word.split(":")
        if len(pair) != 2:
            raise errors.not_a_pair(word, backend)
        if pair[0] in found:
            raise errors.two_backends(pair[0], pair[1], backend)
        found[pair[0]] = Backend(pair[1])
    return found


class _World:
    """The state of this process: the transport, and the groups by name. The first group is the default group."""

    transport: Transport | None = None
    groups: dict[str, ProcessGroup]
    made = 0  # the number of groups created so far; it names the next group, identically in all processes

    def __init__(self) -> None:
        self.groups = {}
        self.incarnations: dict[str, int] = {}  # how many groups of this name were made


world = _World()


class _HasWorld(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        return next(iter(world.groups.values()), None)


class group(metaclass=_HasWorld):
    """The holder of `group.WORLD`, the group of all processes (None before `init_process_group`)."""


class GroupMember(metaclass=_HasWorld):
    """The holder of `WORLD`, and of `NON_GROUP_MEMBER`, which stands for a group that excludes this process."""

    NON_GROUP_MEMBER = -100


def is_initialized() -> bool:
    """Return whether the default process group has been initialized."""
    return bool(world.groups)


def is_nccl_available() -> bool:
    """Return whether the backend name "nccl" is accepted, which requires a GPU.

    Collectives on GPU tensors use NCCL with every backend.
    """
    return cuda.is_available()


def is_backend_available(backend: str) -> bool:
    """Return whether groups can use this backend.

    Args:
      backend (str): the name. True for "gloo", and for "nccl" if there is a GPU.

    >>> import torchlike as torch
    >>> torch.distributed.is_backend_available("gloo")
    True
    """
    return backend.lower() == "gloo" or (backend.lower() == "nccl" and is_nccl_available())


# -- initialization and shutdown ---------------------------------------------------------------------------------------


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
    _ranks: list[int] | None = None,
) -> None:
    """Initialize the default process group. All processes call this function.

    Args:
      backend: "gloo", or "nccl" on GPUs. It is only a name: the device of a tensor determines the transport.
      init_method: the URL at which processes meet: "env://" (the default, which reads the variables MASTER_ADDR,
        MASTER_PORT, RANK and WORLD_SIZE, set by launchers), "tcp://host:port" or "file:///path".
      timeout: the time that a process waits for the others. Default: 30 minutes.
      world_size, rank: the number of processes, and the rank of this one.
      store: a store that all processes share, instead of `init_method`.
      group_name: a description of the group.
      pg_options: must be None. Options of backends are not supported.
      device_id: the device of this process. It does not affect the computation.

    Raises:
      ValueError: if the group is already initialized, or if a setting is missing.
      RuntimeError: if the backend is not available.
      DistNetworkError, DistStoreError: if the other processes do not connect in time.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> torch.distributed.get_rank(), torch.distributed.get_world_size()
    (0, 1)
    >>> torch.distributed.destroy_process_group()
    """
    if pg_options is not None or _ranks is not None:
        raise _errors.arguments.unsupported("init_process_group", "pg_options" if _ranks is None else "_ranks")
    if is_initialized():
        raise errors.twice()
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    if store is not None and world_size <= 0:
        raise errors.store_needs("world_size")
    if store is not None and rank < 0:
        raise errors.store_needs("rank")
    name = _backend(backend)
    if timeout is None and name == "nccl" and not is_nccl_available():
        warn(errors.NO_NCCL_TIMEOUT)
    allowed = timeout or default_pg_timeout
    if store is None and ahead.session is not None:
        store, rank, world_size = HashStore(), *_rank_and_size(rank, world_size)
    if store is None:
        if name in _NOT_BUILT_IN:
            raise errors.not_built_in(name)
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size, timeout=allowed))
        store.set_timeout(allowed)
    _check_built_in(name)
    seconds = allowed.total_seconds()
    shared = PrefixStore("default_pg", store)
    if world_size > 1 and ahead.session is None:
        _connect(shared, rank, world_size, seconds)
    world.transport = Transport(rank, seconds) if ahead.session is None else EchoTransport(rank, seconds)
    world.groups["0"] = ProcessGroup(
        world.transport, range(world_size), "0", name, seconds, shared, group_name or "default_pg", device_id
    )
    world.made = 1


def _connect(store: Store, rank: int, size: int, seconds: float) -> None:
    """Connect to JAX's coordination service, which the process of rank 0 starts."""
    if rank == 0:
        ports = processes.serve(size)
        store.set("coordinator", f"{store._address} {ports[0]} {ports[1]}")
    host, *found = store.get("coordinator").decode().split()
    processes.connect(host, (int(found[0]), int(found[1])), rank, size, seconds)


def _backend(backend: str | None) -> str:
    name = Backend(Backend.UNDEFINED if backend is None else backend)
    for part in name.split(","):  # "cpu:gloo,cuda:nccl" names a backend for each device type
        if part.rpartition(":")[2] not in Backend.backend_list:
            raise errors.unknown_backend(name)
    return name


def _check_built_in(name: str) -> None:
    for part in name.split(","):
        if part in _NOT_BUILT_IN or (part == "nccl" and not is_nccl_available()):
            raise errors.not_built_in(part)


def _rank_and_size(rank: int, size: int) -> tuple[int, int]:
    """Return the rank and the number of processes of a script that is compiled ahead of time."""
    return rank if rank >= 0 else int(variable("RANK")), size if size >= 0 else int(variable("WORLD_SIZE"))


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Destroy a group. Destroying the default group destroys all groups.

    Args:
      group (ProcessGroup, optional): the group. Default: the group of all processes.

    Raises:
      AssertionError: the default group is not initialized.
      ValueError: the group is not initialized.
    """
    if group is not None and group is not default():
        del world.groups[member(group).group_name]
        return
    if not is_initialized():
        raise AssertionError("Process group cannot be None")
    boundary()
    processes.disconnect()
    world.transport, world.made = None, 0
    world.groups.clear()
    world.incarnations.clear()


# -- groups ------------------------------------------------------------------------------------------------------------


def default() -> ProcessGroup:
    """Return the group of all processes."""
    if not is_initialized():
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return next(iter(world.groups.values()))


def member(group: ProcessGroup | None) -> ProcessGroup:
    """Return `group`, or the default group if it is None. Raise ValueError if it is not initialized."""
    first = default()
    if group is None:
        return first
    if not isinstance(group, ProcessGroup) or world.groups.get(group.group_name) is not group:
        raise ValueError(
            f"Process group {group} is not initialized in the world group map. Please initialize the group first."
        )
    return group


def is_outside(group: Any, name: str) -> bool:
    """Return whether this process does not belong to the group, and warn if so."""
    if not _is_foreign(group):
        return False
    rank = default().rank()
    warn(f"Running {name} on global rank {rank} which does not belong to the given group.")
    return True


def new_group(
    ranks: list[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """Create a group of the given ranks. All processes call this function in the same order.

    Args:
      ranks (list of ints, optional): the global ranks of the members. Default: all ranks.
      timeout (timedelta, optional): the time that a member waits for the others. Default: that of the default group.
      backend (str, optional): the name of the backend. Default: that of the default group.
      pg_options: must be None. Options of backends are not supported.
      use_local_synchronization: only the members call this function, and their ranks name the group.
      group_desc (str, optional): a description of the group.
      device_id: the device of this process. It does not affect the computation.
      sort_ranks: sort `ranks`. With False, the position in `ranks` is the rank in the group.

    Returns:
      The group, or `GroupMember.NON_GROUP_MEMBER` in a process that does not belong to it.

    Raises:
      ValueError: the ranks repeat, are empty or out of range, or the default group is not initialized.
      AssertionError: the backend is unknown.
      RuntimeError: the backend is not available.

    >>> import torchlike as torch
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> group = torch.distributed.new_group([0])
    >>> torch.distributed.get_process_group_ranks(group)
    [0]
    >>> torch.distributed.destroy_process_group()
    """
    if pg_options is not None:
        raise _errors.arguments.unsupported("new_group", "pg_options")
    parent = default()
    members = list(range(parent.size())) if ranks is None else sorted(ranks) if sort_ranks else list(ranks)
    if len(set(members)) < len(members):
        raise ValueError(f"ranks list must not contain duplicate entries, got {members}")
    if len(members) > parent.size():
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for rank in members:
        if not 0 <= rank < parent.size():
            raise errors.rank_out_of_range(rank, parent.size())
    if not members:
        raise ValueError("ranks list must not be empty")
    name = Backend(backend) if backend is not None else Backend(parent.name())
    if name not in Backend.backend_list and ":" not in name:
        raise errors.unknown_backend(name)
    _check_built_in(name)
    label = f"{members}" if use_local_synchronization else f"{world.made}"
    world.made += not use_local_synchronization
    while label in world.groups:  # a group of the same members exists
        label += "'"
    if parent.rank() not in members:
        return GroupMember.NON_GROUP_MEMBER
    seconds = timeout.total_seconds() if timeout else parent._seconds
    store = PrefixStore(label, parent._store)
    world.incarnations[label] = count = world.incarnations.get(label, 0) + 1
    made = ProcessGroup(
        parent._transport, members, label, name, seconds, store, group_desc or "", device_id, f"{label}#{count}"
    )
    world.groups[label] = made
    return made


def split_group(
    parent_pg: ProcessGroup | None = None,
    split_ranks: list[list[int]] | None = None,
    timeout: timedelta | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
    backend: str | None = None,
) -> Any:
    """Split a group whose processes have a device each into several groups, and return that of this process.

    Args:
      parent_pg: the group; the default group by default. All its members must call this function.
      split_ranks: the ranks in the group of the members of each new group.
      timeout: the timeout of the new groups. The default is that of the group.
      pg_options: not supported.
      group_desc: a description of the new groups.
      backend: the backend of the new groups. The default is that of the group.

    Returns:
      The new group, or `GroupMember.NON_GROUP_MEMBER` in a process that is in none.

    Raises:
      RuntimeError: `init_process_group` was called without `device_id`.
    """
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    parent = parent_pg or default()
    if default().bound_device_id is None:
        raise RuntimeError("No device associated with the default pg, not safe to split any process groups")
    if pg_options is not None:
        raise _errors.arguments.unsupported("split_group", "pg_options")
    allowed = timeout or timedelta(seconds=parent._seconds)
    for ranks in split_ranks:
        if parent.rank() in ranks:
            members = [parent._ranks[rank] for rank in ranks]
            name = backend or parent.name()
            return new_group(members, allowed, name, use_local_synchronization=True, group_desc=group_desc)
    return GroupMember.NON_GROUP_MEMBER


def new_subgroups(
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list]:
    """Create groups of `group_size` consecutive ranks. All processes call this function.

    Args:
      group_size (int, optional): the number of members of each group. Default: the number of GPUs of this process.
      group (ProcessGroup, optional): the group whose ranks are divided. Default: the group of all processes.
      timeout (timedelta, optional): the time that a member waits for the others. Default: that of the default group.
      backend (str, optional): the name of the backend. Default: that of the default group.
      pg_options: must be None. Options of backends are not supported.
      group_desc (str, optional): a description of the groups.

    Returns:
      The group of this process, and a list of all groups. For groups without this process, the list has
      `GroupMember.NON_GROUP_MEMBER`.

    Raises:
      ValueError: `group_size` is not positive, or does not divide the number of processes; or it is None without a GPU.
    """
    if group_size is None:
        if not cuda.is_available():
            raise ValueError(
                "Default group size only takes effect when CUDA is available."
                "If your subgroup using a backend that does not depend on CUDA,"
                "please pass in 'group_size' correctly."
            )
        group_size = cuda.device_count()
    size = member(group).size()
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by 'group_size={group_size}'")
    ranks = get_process_group_ranks(group)
    return new_subgroups_by_enumeration(
        [ranks[i : i + group_size] for i in range(0, size, group_size)], timeout, backend, pg_options, group_desc
    )


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list]:
    """Create a group for each list of ranks. All processes call this function.

    Args:
      ranks_per_subgroup_list (list of lists of ints): the global ranks of the members of each group.
      timeout (timedelta, optional): the time that a member waits for the others. Default: that of the default group.
      backend (str, optional): the name of the backend. Default: that of the default group.
      pg_options: must be None. Options of backends are not supported.
      group_desc (str, optional): a description of the groups.

    Returns:
      The first group with this process (None if it belongs to no group), and a list of all groups. For groups
      without this process, the list has `GroupMember.NON_GROUP_MEMBER`.

    Raises:
      ValueError: the list is empty, or a group is invalid.

    Differences from PyTorch: a rank may occur in several lists.
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    made = [new_group(ranks, timeout, backend, pg_options, group_desc=group_desc) for ranks in ranks_per_subgroup_list]
    return next((one for one in made if isinstance(one, ProcessGroup)), None), made


# -- queries -----------------------------------------------------------------------------------------------------------


def get_rank(group: Any = None) -> int:
    """Return the rank of this process in a group, or -1 if it does not belong to the group.

    Args:
      group (ProcessGroup, optional): the group. Default: the group of all processes.

    Raises:
      ValueError: the group is not initialized.
    """
    return -1 if _is_foreign(group) else member(group).rank()


def get_world_size(group: Any = None) -> int:
    """Return the number of processes in a group, or -1 if this process does not belong to the group.

    Args:
      group (ProcessGroup, optional): the group. Default: the group of all processes.

    Raises:
      ValueError: the group is not initialized.
    """
    return -1 if _is_foreign(group) else member(group).size()


def _is_foreign(group: Any) -> bool:
    return isinstance(group, int) and group == GroupMember.NON_GROUP_MEMBER


def get_backend(group: ProcessGroup | None = None) -> str:
    """Return the name of the group's backend.

    Args:
      group (ProcessGroup, optional): the group. Default: the group of all processes.

    Raises:
      ValueError: the group is not initialized.
    """
    return Backend(member(group).name())


def get_backend_config(group: ProcessGroup | None = None) -> str:
    """Return the backend of each device type, such as "cpu:gloo,cuda:gloo".

    Args:
      group (ProcessGroup, optional): the group. Default: the group of all processes.

    Raises:
      ValueError: the group is not initialized.
    """
    name = member(group).name()
    return "cpu:gloo" if name == Backend.UNDEFINED else name if ":" in name else f"cpu:{name},cuda:{name}"


def get_default_backend_for_device(device: Any) -> str:
    """Return the default backend of a device type: "nccl" for "cuda", and "gloo" for all others.

    Args:
      device (str or torch.device): the device.

    >>> import torchlike as torch
    >>> torch.distributed.get_default_backend_for_device("cpu")
    'gloo'
    """
    kind = device if isinstance(device, str) else device.type
    return Backend.NCCL if kind.partition(":")[0] == "cuda" else Backend.GLOO


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """Return the global ranks of the group's members, in the order of their ranks in the group.

    Args:
      group (ProcessGroup or None): the group. None is the group of all processes.

    Raises:
      ValueError: the group is not initialized.
    """
    return list(member(group)._ranks)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the global rank of a member of a group.

    Args:
      group (ProcessGroup): the group.
      group_rank (int): the rank of the member in the group.

    Raises:
      ValueError: the group is not initialized, or has no such member.
    """
    ranks = member(group)._ranks
    if not 0 <= group_rank < len(ranks):
        raise errors.rank_of_group(group_rank, group)
    return ranks[group_rank]


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return the rank of a process in a group.

    Args:
      group (ProcessGroup): the group.
      global_rank (int): the global rank of the process.

    Raises:
      ValueError: the group is not initialized, or the process does not belong to it.
    """
    ranks = member(group)._ranks
    if global_rank not in ranks:
        raise errors.rank_of_global(global_rank, group)
    return ranks.index(global_rank)


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the rank of this process on its machine, which the launcher sets in LOCAL_RANK.

    Args:
      fallback_rank (int, optional): the result without the variable LOCAL_RANK.

    Raises:
      RuntimeError: there is neither the variable nor a fallback.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError(
            "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
            "`get_node_local_rank` to work, assuming you are not running in a multi-device context and "
            "want the code to run locally instead."
        )
    return int(fallback_rank)


def get_pg_count() -> int:
    """Return the number of groups created so far, without those created with `use_local_synchronization`."""
    return world.made
