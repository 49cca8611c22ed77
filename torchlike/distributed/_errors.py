"""Error messages of the distributed package."""

from __future__ import annotations

from typing import Any

from torchlike._internal import DistBackendError as DistBackendError
from torchlike._internal import DistError as DistError


class DistNetworkError(DistError):
    """A failure to reach another process."""


class DistStoreError(DistError):
    """A failure of a store, such as a key that was not set in time."""


class QueueEmptyError(DistStoreError):
    """An attempt to read from an empty queue."""


# -- groups ------------------------------------------------------------------------------------------------------------


def twice() -> ValueError:
    return ValueError("trying to initialize the default process group twice!")


def unknown_backend(name: str) -> AssertionError:
    return AssertionError(f"Unknown backend type {name}")


NO_NCCL_TIMEOUT = "Attempted to get default timeout for nccl backend, but NCCL support is not compiled"


def not_built_in(name: str) -> RuntimeError:
    more = (
        " MPI is only included if you build PyTorch from source on a host that has MPI installed."
        if name == "mpi"
        else ""
    )
    return RuntimeError(f"Distributed package doesn't have {name.upper()} built in{'.' if more else ''}{more}")


def rank_of_global(rank: int, group: Any) -> ValueError:
    return ValueError(f"Global rank {rank} is not part of group {group}")


def rank_of_group(rank: int, group: Any) -> ValueError:
    return ValueError(f"Group rank {rank} is not part of group {group}")


def rank_out_of_range(rank: int, size: int) -> ValueError:
    return ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")


# -- rendezvous --------------------------------------------------------------------------------------------------------


def no_parameter(kind: str, name: str) -> ValueError:
    return missing(kind, f"{name} parameter")


def missing(kind: str, part: str) -> ValueError:
    return ValueError(f"Error initializing torch.distributed using {kind}:// rendezvous: {part} missing")


def not_a_pair(word: str, backend: str) -> ValueError:
    return ValueError(
        f"Invalid device:backend pairing:                                      {word}. {_invalid(backend)}"
    )


def two_backends(device: str, last: str, backend: str) -> ValueError:
    return ValueError(
        f"Duplicate device type {device}                                      in backend string: {last}. "
        f"{_invalid(backend)}"
    )


def _invalid(backend: str) -> str:
    indent = "\n" + " " * 16
    return (
        f"The custom backend string argument is invalid: {backend}.{indent}Custom backend string is an experimental "
        f'feature where the backend string must be in the format:{indent}"<device_type1>:<backend1>,<device_type2>:'
        "<backend2>...\". e.g. 'cpu:gloo,cuda:nccl'"
    )


def store_needs(name: str) -> AssertionError:
    least = "positive" if name == "world_size" else "non-negative"
    return AssertionError(f"{name} must be {least} if using store")


def not_set_in_time() -> DistStoreError:
    return DistStoreError("Wait timeout")


def not_set_within(milliseconds: int, keys: list[str]) -> DistStoreError:
    return DistStoreError(f"wait timeout after {milliseconds}ms, keys: {', '.join('/' + key for key in keys)}")


def not_a_number(key: str) -> ValueError:
    return ValueError(f"stoll: the value of the key {key!r} is not a whole number")


def store_arguments(function: str, wanted: str, got: Any) -> TypeError:
    return TypeError(f"{function}(): incompatible function arguments: {wanted}, got {type(got).__name__}")


def no_server(milliseconds: int, host: str, port: int) -> DistNetworkError:
    return DistNetworkError(
        f"The client socket has timed out after {milliseconds}ms while trying to connect to ({host}, {port})."
    )


def no_port(port: int, error: OSError) -> DistNetworkError:
    return DistNetworkError(f"The server socket has failed to listen on port {port}: {error}")


def server_gone(host: str, port: int) -> DistNetworkError:
    return DistNetworkError(f"the store at {host}:{port} is unreachable: the process that serves it has ended")


# -- messages ----------------------------------------------------------------------------------------------------------


def no_service(error: Exception) -> DistBackendError:
    return DistBackendError(f"The coordination service of rank 0 cannot be reached: {error}")


def gone(rank: int) -> DistBackendError:
    return DistBackendError(f"Connection closed by peer: the process of rank {rank} has ended, or left the group")


def late(seconds: float, ranks: list[int]) -> DistBackendError:
    return DistBackendError(
        f"Timed out waiting {seconds * 1e3:.0f}ms for the processes of ranks {ranks}; check that "
        "all processes make the same calls in the same order"
    )


def other_size(rank: int, got: int, expected: int) -> RuntimeError:
    return RuntimeError(
        f"rank {rank} sent {got} bytes where this tensor has {expected}: shapes and dtypes must agree in all processes"
    )


# -- arguments ---------------------------------------------------------------------------------------------------------


def not_a_tensor(name: str, got: Any) -> TypeError:
    return TypeError(
        f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
        f"             but got {_theirs(type(got))} instead."
    )


def not_tensors(name: str, got: Any) -> TypeError:
    kinds = [_theirs(type(x)) for x in got] if isinstance(got, list) else []
    return TypeError(
        f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
        f"             but got {_theirs(type(got))} with elements of type {kinds}."
    )


def _theirs(kind: type) -> str:
    return repr(kind).replace("<class 'torchlike.", "<class 'torch.")


def scalar_type() -> RuntimeError:
    return RuntimeError("Invalid scalar type")


def invalid_root(name: str, rank: int) -> RuntimeError:
    return RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {rank}")


def list_length(name: str, expected: int, got: int) -> RuntimeError:
    return RuntimeError(
        f"ProcessGroupGloo::{name}: invalid output tensor list at index 0 (expected length {expected}, got {got})"
    )


def tensor_size(name: str, index: int, expected: Any, got: Any) -> RuntimeError:
    return RuntimeError(
        f"ProcessGroupGloo::{name}: invalid tensor size at index {index} (expected {_size(expected)}, got {_size(got)})"
    )


def _size(shape: Any) -> str:
    return f"({', '.join(map(str, shape))})"


def list_wanted(name: str, where: str) -> ValueError:
    return ValueError(f"Argument ``{name}`` must be specified on {where} rank.")


def list_unwanted(name: str, where: str) -> ValueError:
    return ValueError(f"Argument ``{name}`` must NOT be specified on {where} ranks.")


def number_of_splits() -> RuntimeError:
    return RuntimeError("Number of tensor splits not equal to group size")


def input_list_length() -> RuntimeError:
    return RuntimeError("invalid input tensor list size, must be world size")


def split_sizes() -> RuntimeError:
    return RuntimeError("Split sizes doesn't match total dim 0 size")


def parts(shape: Any, size: int) -> RuntimeError:
    return RuntimeError(f"the first dim of shape {list(shape)} cannot be divided evenly among {size} processes")


def to_itself() -> ValueError:
    return ValueError(
        "Invalid destination rank: destination rank should not be the same as the rank of the current process."
    )


def not_p2p() -> ValueError:
    return ValueError(
        "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``."
    )


# -- modules -----------------------------------------------------------------------------------------------------------


def nothing_to_distribute() -> RuntimeError:
    return RuntimeError(
        "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
    )


def copied_with_group() -> RuntimeError:
    return RuntimeError(
        "DDP Pickling/Unpickling are only supported when using DDP with the default process group. That is, when you "
        "have called init_process_group and have not passed process_group argument to DDP constructor"
    )


def unlike_count(own: int, count: int, rank: int, other: int) -> RuntimeError:
    return RuntimeError(
        f"DDP expects same model across all ranks, but Rank {own} has {count} params, while rank {rank} has "
        f"inconsistent {other} params."
    )


def unlike_size(own: int, place: int, shape: list[int], rank: int) -> RuntimeError:
    return RuntimeError(
        f"[{own}]: params[{place}] in this process with sizes {shape} appears not to match sizes of the same param in "
        f"process {rank}."
    )


def unlike_dtype(place: int, dtype: str, rank: int, other: str) -> RuntimeError:
    return RuntimeError(
        f"DistributedDataParallel: params[{place}] has the dtype {dtype} in this process, and {other} in process {rank}"
    )


def not_reduced(rank: int, indices: list[int]) -> RuntimeError:
    return RuntimeError(
        "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates "
        "that your module has parameters that were not used in producing loss. You can enable unused parameter "
        "detection by passing the keyword argument `find_unused_parameters=True` to "
        "`torch.nn.parallel.DistributedDataParallel`, and by \n"
        "making sure all `forward` function outputs participate in calculating loss. \n"
        "If you already have done the above, then the distributed data parallel module wasn't able to locate the "
        "output tensors in the return value of your module's `forward` function. Please include the loss function and "
        "the structure of the return value of `forward` of your module when reporting this issue (e.g. list, dict, "
        f"iterable).\nParameter indices which did not receive grad for rank {rank}: {' '.join(map(str, indices))}\n"
        " In addition, you can set the environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to print "
        "out information about which particular parameters did not receive gradient on this rank as part of this error"
    )


# -- meshes ------------------------------------------------------------------------------------------------------------


def mesh_dim_needed(count: int, instead: str) -> RuntimeError:
    said = (
        f"Found the DeviceMesh have {count} dimensions",
        "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
    )
    return RuntimeError(*said, *([instead] if instead else []))


def mesh_dims(names: tuple, why: str) -> KeyError:
    return KeyError(f"Invalid mesh_dim_names {names} specified. {why}")


def mesh_name_taken(name: str, mesh: Any) -> ValueError:
    return ValueError(
        f"{name} already exists for submesh of the {mesh}. ",
        f"The mesh_dim_names of submesh and flattened mesh are {mesh.mesh_dim_names}. "
        "Please specify another valid mesh_dim_name.",
    )


def mesh_flattened(name: str) -> ValueError:
    return ValueError(
        f"Flatten mesh with mesh_dim_name {name} has been created before, Please specify another valid mesh_dim_name."
    )


def foreign_parts(mesh: object, rank: int) -> RuntimeError:
    return RuntimeError(
        f"the tensors of the loaded {mesh} are the parts of rank {rank}, which saved them, and cannot be combined with "
        "the parts of other processes here. Each process must load the file that it saved. To load a checkpoint with "
        "another number of processes, save and load it with torch.distributed.checkpoint, which distributes the "
        "tensors again."
    )


def no_group_of_loaded(mesh: object, dim: int, ranks: list[int]) -> RuntimeError:
    return RuntimeError(
        f"dim {dim} of the loaded {mesh} needs a process group of the ranks {ranks}, and this process has none. Create "
        "the mesh with init_device_mesh before its tensors are used. To load a checkpoint with another number of "
        "processes, save and load it with torch.distributed.checkpoint, which distributes the tensors again."
    )


def mesh_names_repeat(names: tuple) -> RuntimeError:
    return RuntimeError(f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {names}")


# -- communication hooks -----------------------------------------------------------------------------------------------


def hook_annotation(which: str, expected: str) -> ValueError:
    return ValueError(f"Communication hook: {which} annotation should be {expected}.")


def no_future(found: object) -> RuntimeError:
    return RuntimeError(
        f"DDP communication hook's callback must return a torch.futures.Future object, but got {type(found).__name__}"
    )


def no_tensor(found: object) -> RuntimeError:
    return RuntimeError(f"Unable to cast {found} to Tensor")
