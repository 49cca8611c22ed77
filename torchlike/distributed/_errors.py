"""Error sentences of processes that work together."""

from __future__ import annotations

from typing import Any


class DistError(RuntimeError):
    """Something went wrong between processes."""


class DistBackendError(DistError):
    """The exchange between processes failed."""


class DistNetworkError(DistError):
    """Another process could not be reached."""


class DistStoreError(DistError):
    """A key was not set in time."""


class QueueEmptyError(DistStoreError):
    """Nothing waits in a queue."""


# -- groups ------------------------------------------------------------------------------------------------------------


def no_group() -> ValueError:
    return ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def twice() -> ValueError:
    return ValueError("trying to initialize the default process group twice!")


def group_cannot_be_none() -> AssertionError:
    return AssertionError("Process group cannot be None")


def unknown_group(group: Any) -> ValueError:
    return ValueError(
        f"Process group {group} is not initialized in the world group map. Please initialize the group first."
    )


def unknown_backend(name: str) -> AssertionError:
    return AssertionError(f"Unknown backend type {name}")


def not_built_in(name: str) -> RuntimeError:
    more = (
        " MPI is only included if you build PyTorch from source on a host that has MPI installed."
        if name == "mpi"
        else ""
    )
    return RuntimeError(f"Distributed package doesn't have {name.upper()} built in{'.' if more else ''}{more}")


def not_a_name() -> ValueError:
    return ValueError("Backend constructor parameter must be string-ish")


def rank_of_global(rank: int, group: Any) -> ValueError:
    return ValueError(f"Global rank {rank} is not part of group {group}")


def rank_of_group(rank: int, group: Any) -> ValueError:
    return ValueError(f"Group rank {rank} is not part of group {group}")


def too_many_ranks() -> ValueError:
    return ValueError("the new group's world size should be less or equal to the world size set by init_process_group")


def ranks_repeat(ranks: list[int]) -> ValueError:
    return ValueError(f"ranks list must not contain duplicate entries, got {ranks}")


def ranks_empty() -> ValueError:
    return ValueError("ranks list must not be empty")


def rank_out_of_range(rank: int, size: int) -> ValueError:
    return ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")


def subgroup_size() -> ValueError:
    return ValueError(
        "Default group size only takes effect when CUDA is available."
        "If your subgroup using a backend that does not depend on CUDA,"
        "please pass in 'group_size' correctly."
    )


def no_local_rank() -> RuntimeError:
    return RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
        "`get_node_local_rank` to work, assuming you are not running in a multi-device context and "
        "want the code to run locally instead."
    )


# -- meeting -----------------------------------------------------------------------------------------------------------


def no_variable(name: str) -> ValueError:
    return ValueError(
        "Error initializing torch.distributed using env:// rendezvous: "
        f"environment variable {name} expected, but not set"
    )


def no_parameter(kind: str, name: str) -> ValueError:
    return ValueError(f"Error initializing torch.distributed using {kind}:// rendezvous: {name} parameter missing")


def no_handler(scheme: str) -> RuntimeError:
    return RuntimeError(f"No rendezvous handler for {scheme}://")


def store_and_method() -> AssertionError:
    return AssertionError("Cannot specify both init_method and store.")


def store_needs(name: str) -> AssertionError:
    least = "positive" if name == "world_size" else "non-negative"
    return AssertionError(f"{name} must be {least} if using store")


def not_set_in_time() -> DistStoreError:
    return DistStoreError("Wait timeout")


def not_set_within(milliseconds: int, keys: list[str]) -> DistStoreError:
    return DistStoreError(f"wait timeout after {milliseconds}ms, keys: {', '.join('/' + key for key in keys)}")


def no_server(milliseconds: int, host: str, port: int) -> DistNetworkError:
    return DistNetworkError(
        f"The client socket has timed out after {milliseconds}ms while trying to connect to ({host}, {port})."
    )


def no_port(port: int, error: OSError) -> DistNetworkError:
    return DistNetworkError(f"The server socket has failed to listen on port {port}: {error}")


def server_gone(host: str, port: int) -> DistNetworkError:
    return DistNetworkError(f"the store at {host}:{port} is gone: the process that keeps it has ended")


def not_text(value: Any) -> TypeError:
    return TypeError(f"set(): incompatible function arguments: a key and a text or bytes, got {type(value).__name__}")


# -- messages ----------------------------------------------------------------------------------------------------------


def gone(rank: int) -> DistBackendError:
    return DistBackendError(f"Connection closed by peer: the process of rank {rank} has ended, or left the group")


def late(seconds: float, ranks: list[int]) -> DistBackendError:
    return DistBackendError(
        f"Timed out waiting {seconds * 1e3:.0f}ms for the processes of ranks {ranks}; did all of "
        "them make the same calls in the same order?"
    )


def missed_barrier(ranks: list[int]) -> RuntimeError:
    return RuntimeError(f"Ranks {', '.join(map(str, ranks))} failed to pass monitoredBarrier in time")


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


def not_on_complex(name: str, op: Any) -> ValueError:
    return ValueError(f"{name} does not support {op!s} on complex tensors")


def not_integral(op: Any) -> RuntimeError:
    return RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")


def no_mean(dtype: str) -> RuntimeError:
    return RuntimeError(f"result type Float can't be cast to the desired output type {dtype}")


def scalar_type() -> RuntimeError:
    return RuntimeError("Invalid scalar type")


def no_rank() -> ValueError:
    return ValueError("Must specify global_rank or group_rank")


def two_ranks() -> ValueError:
    return ValueError("Can't specify both group_rank and global_rank")


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


def several_dtypes(found: Any, other: Any) -> ValueError:
    return ValueError(f"Invalid usage of tensors with different dtypesFound {found} and  {other}")


def list_wanted(name: str, where: str) -> ValueError:
    return ValueError(f"Argument ``{name}`` must be specified on {where} rank.")


def list_unwanted(name: str, where: str) -> ValueError:
    return ValueError(f"Argument ``{name}`` must NOT be specified on {where} ranks.")


def split_sizes() -> RuntimeError:
    return RuntimeError("Split sizes doesn't match total dim 0 size")


def parts(shape: Any, size: int) -> RuntimeError:
    return RuntimeError(f"the first dim of shape {list(shape)} cannot be shared out among {size} processes")


def to_itself() -> ValueError:
    return ValueError(
        "Invalid destination rank: destination rank should not be the same as the rank of the current process."
    )


def from_itself() -> RuntimeError:
    return RuntimeError("Pair is not connected: a process cannot receive from itself")


def not_p2p() -> ValueError:
    return ValueError(
        "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``."
    )


def not_p2p_list() -> ValueError:
    return ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")


# -- modules -----------------------------------------------------------------------------------------------------------


def nothing_to_distribute() -> RuntimeError:
    return RuntimeError(
        "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
    )


def single_device(ids: Any, output: Any, devices: Any) -> ValueError:
    return ValueError(
        "DistributedDataParallel device_ids and output_device arguments only work with "
        "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
        f"{ids}, output_device {output}, and module parameters {devices}."
    )


def unlike_modules(rank: int) -> RuntimeError:
    return RuntimeError(
        f"DistributedDataParallel: the parameters of this process have other shapes or dtypes than those of rank {rank}"
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


def mesh_too_large(world: int, size: int) -> RuntimeError:
    return RuntimeError(f"Mesh should not be bigger than default world size {world}, but found {size} ranks!")


def mesh_dim_needed(count: int, instead: str) -> RuntimeError:
    said = (
        f"Found the DeviceMesh have {count} dimensions",
        "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
    )
    return RuntimeError(*said, *([instead] if instead else []))


def no_mesh_dim(name: str, names: Any) -> KeyError:
    return KeyError(
        f"Mesh dimension '{name}' does not exist.", f"Available mesh dimensions are: mesh_dim_names={names}"
    )


def mesh_dims(names: tuple, why: str) -> KeyError:
    return KeyError(f"Invalid mesh_dim_names {names} specified. {why}")


def mesh_names_repeat(names: tuple) -> RuntimeError:
    return RuntimeError(f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {names}")


def mesh_names_length(names: int, shape: int) -> RuntimeError:
    return RuntimeError(
        "mesh_shape and mesh_dim_names should have same length! "
        f"Found len(mesh_dim_names): {names} and len(mesh_shape):{shape}."
    )


def mesh_device(kind: str) -> RuntimeError:
    return RuntimeError(
        f"Device type with index is not supported but got {kind}. ",
        "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
    )


# -- functions that return, hooks --------------------------------------------------------------------------------------


def group_type(given: object) -> ValueError:
    return ValueError(f"Unsupported group type: {type(given)}, {given}")


def unknown_way(name: str) -> RuntimeError:
    return RuntimeError(f"Unrecognized reduce_op: {name}")


def not_a_multiple(dim: int, length: int, size: int) -> AssertionError:
    return AssertionError(f"input dimension {dim} ({length} must be a multiple of group_size {size})")


def hook_not_callable() -> TypeError:
    return TypeError("Communication hook must be callable.")


def hook_annotation(which: str, expected: str) -> ValueError:
    return ValueError(f"Communication hook: {which} annotation should be {expected}.")


def hook_twice() -> RuntimeError:
    return RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")


def no_future(found: object) -> RuntimeError:
    return RuntimeError(
        f"DDP communication hook's callback must return a torch.futures.Future object, but got {type(found).__name__}"
    )


def no_tensor(found: object) -> RuntimeError:
    return RuntimeError(f"Unable to cast {found} to Tensor")
