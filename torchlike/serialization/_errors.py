"""Exception classes and error messages for checkpoints. They use PyTorch's messages for errors that PyTorch has."""

from collections.abc import Callable, Iterable
from pickle import UnpicklingError
from types import BuiltinFunctionType, FunctionType
from typing import Any

from torchlike._errors.shown import shown_as

_DEFAULT_CHANGED = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
_DOCS = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


@shown_as(UnpicklingError)
class ForbiddenGlobal(UnpicklingError):
    """The error for a global that the user has not marked as safe."""


@shown_as(UnpicklingError)
class BlockedGlobal(UnpicklingError):
    """The error for a global that may never be loaded."""


@shown_as(UnpicklingError)
class NotACheckpoint(UnpicklingError):
    """The error for a file that is not a checkpoint."""


_AGAIN = "get a new copy of the file"


class OfFile(Exception):
    """The base class of errors about a file. `load` adds the name of the file to the message."""

    _kind = Exception

    def __init__(self, why: str, remedy: str = _AGAIN) -> None:
        super().__init__(f"load failed: {why}; {remedy}.")
        self._why, self._remedy = why, remedy

    def of_file(self, name: object, weights_only: bool) -> Exception:
        """Return the final exception, whose message contains the file name."""
        what = "Weights only load" if weights_only else "load"
        return self._kind(f"{what} failed for {name}: {self._why}; {self._remedy}.")


class Refused(OfFile, UnpicklingError):
    """The error for a pickle that is damaged or exceeds a limit."""

    _kind = UnpicklingError


class Damaged(OfFile, RuntimeError):
    """The error for a damaged or inconsistent file."""

    _kind = RuntimeError


class Unsupported(OfFile, NotImplementedError):
    """The error for a file that PyTorch can read and torchlike cannot."""

    _kind = NotImplementedError


def note_file(error: BaseException, name: object) -> None:
    """Attach the file name as a note to an exception whose message is PyTorch's."""
    if str(name) not in str(error):
        error.add_note(f"The file is {name}.")


# errors of the restricted unpickler
def broken_pickle(why: str) -> UnpicklingError:
    return Refused(f"its pickle is damaged: {why}")


def truncated_pickle() -> UnpicklingError:
    return Refused("it is truncated")


def over_limit(name: str, limit: int) -> UnpicklingError:
    return Refused(
        f"it needs more than {limit} {name}",
        f"if you trust it, raise this limit with torch.serialization.set_load_limits({name}=...)",
    )


def unhashable(kind: type) -> UnpicklingError:
    return Refused(f"it uses a {kind.__name__} as the key of a dictionary")


def bad_arguments(function: Callable) -> UnpicklingError:
    name = str(getattr(function, "__name__", "a function")).lstrip("_")
    return Refused(f"it calls {name} with arguments that the function does not take")


def bad_state(kind: type) -> UnpicklingError:
    return Refused(f"the state of a {kind.__name__} in it is not a dictionary of attributes")


def bad_record(kind: type, name: object) -> UnpicklingError:
    return Refused(
        f"the attribute {str(name)[:100]!r} of a {kind.__name__} in it is unknown or has a value of a wrong type"
    )


def forbidden_attribute(kind: type, name: str) -> UnpicklingError:
    return Refused(f"it sets the attribute {name[:100]!r}, which is reserved by {kind.__name__}")


def unknown_layout(name: str) -> Exception:
    if name in ("torch.sparse_bsr", "torch.sparse_bsc", "torch._mkldnn", "torch.jagged"):
        return Unsupported(
            f"it holds a tensor of layout {name}, which is not supported",
            "convert the tensor with to_dense() in PyTorch and save it again",
        )
    return Refused(f"it names a layout that does not exist ({name[:100]!r})")


def unsupported_name(path: str) -> NotImplementedError:
    if path == "torch.ScriptObject":
        return Unsupported(
            "it needs torch.ScriptObject, PyTorch's packed weights, which is not supported",
            "save the state dict of the float model, and quantize the model again",
        )
    return Unsupported(
        f"it needs {path}, which is not supported", "convert the tensor to a plain one in PyTorch and save it again"
    )


def old_views() -> NotImplementedError:
    return Unsupported(
        "it holds views of storages, as PyTorch wrote them before version 0.4, which is not supported",
        "save it again with a newer PyTorch",
    )


def bad_sparse(why: str) -> UnpicklingError:
    return Refused(f"a sparse tensor in it is invalid: {why.rstrip('.')}")


def bad_quantizer(axis: int, size: object) -> UnpicklingError:
    return Refused(f"a quantized tensor in it has scales that do not fit dim {axis} of the size {str(size)[:100]}")


def sparse_on_meta() -> NotImplementedError:
    return Unsupported(
        "it holds a sparse tensor, which map_location='meta' does not support", "load it to another device"
    )


def too_large_meta(size: object) -> UnpicklingError:
    return Refused(f"a meta tensor of size {str(size)[:100]} in it is too large for any memory")


def overlapping_elements(size: object, stride: object, held: int) -> UnpicklingError:
    given: tuple[Any, Any] = (size, stride)
    shown = (str(tuple(x))[:100] for x in given)
    return Refused(
        "a conjugated or negated tensor of size {} and stride {} in it repeats ".format(*shown)
        + f"the {held} elements of its storage"
    )


def bad_persistent_id() -> UnpicklingError:
    return Refused("it describes a storage in a form that is not PyTorch's")


def beyond_storage(offset: object, size: object, stride: object, nbytes: int) -> UnpicklingError:
    shown = (str(x)[:100] for x in (size, stride, offset))
    return Refused(
        "a tensor of size {}, stride {} and offset {} does not fit ".format(*shown)
        + f"into its storage of {nbytes} bytes"
    )


def two_dtypes_in_file() -> UnpicklingError:
    return Refused("two of its tensors use the same storage with different dtypes")


# files
def not_writable() -> AttributeError:
    return AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")


def not_seekable(f: object, name: str) -> AttributeError:
    return AttributeError(
        f"'{type(f).__name__}' object has no attribute '{name}'. You can only torch.load from a file that is seekable. "
        "Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
    )


def both_forced() -> RuntimeError:
    return RuntimeError(
        "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both "
        "were set."
    )


def forced_without_weights_only() -> str:
    return (
        "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
        "explicitly passed to `torch.load`, forcing weights_only=False."
    )


def mmap_needs_zip(path: object) -> RuntimeError:
    shown = f"{path}, " if isinstance(path, str) else ""
    return RuntimeError(
        f"mmap can only be used with files saved with `torch.save({shown}_use_new_zipfile_serialization=True), "
        "please torch.save your checkpoint with this option in order to use mmap."
    )


# the archive
def broken_archive(why: object) -> RuntimeError:
    return Damaged(str(why), "there is a high likelihood that your checkpoint file is corrupted, so " + _AGAIN)


def not_in_directory(prefix: str, name: str) -> RuntimeError:
    return RuntimeError(f"file in archive is not in a subdirectory{prefix and ' ' + prefix}: {name}")


def missing_record(name: str) -> RuntimeError:
    if name == "version":
        return RuntimeError('Expected hasRecord("version") to be true, but got false.')
    return broken_archive(f"the record {name[:100]!r} is missing")


def short_record(name: str, expected: int, found: int) -> RuntimeError:
    return broken_archive(f"the storage {name[:100]} has {found} bytes where {expected} were expected")


def bad_version(found: bytes, known: range) -> RuntimeError:
    shown = found[:20].decode("ascii", "backslashreplace")
    return Damaged(f"its version is {shown!r}, and versions {known[0]} to {known[-1]} can be read")


def torchscript(weights_only: bool) -> Exception:
    if weights_only:
        return RuntimeError(
            "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. " + _DEFAULT_CHANGED
        )
    return NotImplementedError("load: TorchScript archives are not supported")


def not_a_checkpoint(start: bytes) -> UnpicklingError:
    return NotACheckpoint(
        "this is not a file that torch.save wrote: it should start with b'PK\\x03\\x04' (a zip archive) or "
        f"b'\\x80' (a pickle), but it starts with {start!r}"
    )


def bad_protocol(version: object) -> RuntimeError:
    shown = str(version)[:20] if isinstance(version, int | str | None) else type(version).__name__
    return RuntimeError(f"Invalid protocol version: {shown}")


# weights_only
def wrapped(error: UnpicklingError) -> UnpicklingError:
    """Return the exception that `load(weights_only=True)` raises in place of `error`."""
    if isinstance(error, ForbiddenGlobal):
        return UnpicklingError(
            "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those "
            f"steps only if you trust the source of the checkpoint\x1b[0m. \n\t(1) {_DEFAULT_CHANGED}\n\t(2) "
            "Alternatively, to load with `weights_only=True` please check the recommended steps in the following "
            f"error message.\n\tWeightsUnpickler error: {error}{_DOCS}"
        )
    report = (
        ""
        if isinstance(error, BlockedGlobal)
        else (
            "Please file an issue with the following so that we can make `weights_only=True` compatible with your use "
            "case: WeightsUnpickler error: "
        )
    )
    return UnpicklingError(f"Weights only load failed. {_DEFAULT_CHANGED}\n{report}\n\n{error}{_DOCS}")


def forbidden_global(path: str) -> UnpicklingError:
    path = path.removeprefix("builtins.")
    return ForbiddenGlobal(
        f"Unsupported global: GLOBAL {path} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{path}])` or the `torch.serialization.safe_globals([{path}])` context "
        "manager to allowlist this global if you trust this class/function."
    )


def blocked_global(path: str, module: str) -> UnpicklingError:
    return BlockedGlobal(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")


def opcode(code: int) -> UnpicklingError:
    return UnpicklingError(f"Unsupported operand {code}")


def forbidden_call(function: object) -> UnpicklingError:
    plain = (type, int, float, str, bytes, FunctionType, BuiltinFunctionType)
    shown = str(function)[:200] if isinstance(function, plain) or _is_empty(function) else type(function)
    owner = f" which belongs to {function.__self__}" if isinstance(function, BuiltinFunctionType) else ""
    return UnpicklingError(f"Trying to call reduce for unrecognized function {shown}{owner}")


def _is_empty(x: object) -> bool:
    return isinstance(x, dict | list | tuple | set) and not len(x)


def forbidden_new(cls: object) -> UnpicklingError:
    return UnpicklingError(
        "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got "
        f"{str(cls)[:200] if isinstance(cls, type | int | str) else type(cls)}"
    )


def forbidden_build(kind: type) -> UnpicklingError:
    return UnpicklingError(
        f"Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got {kind}"
    )


def forbidden_append(verb: str, kind: type) -> UnpicklingError:
    return UnpicklingError(f"Can only {verb} lists, but got {kind}")


def forbidden_setitem(code: str, kind: type) -> UnpicklingError:
    return UnpicklingError(f"Can only {code} for dict, collections.OrderedDict, collections.Counter, but got {kind}")


def persistent_kind(kind: type) -> UnpicklingError:
    return UnpicklingError(f"persistent_load id must be tuple or int, but got {kind}")


def persistent_not_storage(kind: type) -> UnpicklingError:
    return UnpicklingError(f"Only persistent_load of storage is allowed, but got {kind}")


def protocol_warning(protocol: int) -> str:
    return (
        f"Detected pickle protocol {protocol} in the checkpoint, which was not the default pickle protocol used by "
        "`torch.load` (2). The weights_only Unpickler might not support all instructions implemented by this "
        "protocol, please file an issue for adding support if you encounter this."
    )


def pickle_args_with_weights_only() -> str:
    return "pickle_load_args only works if `weights_only=False`."


def check_names(pickle_load_args: Iterable[str]) -> None:
    """Refuse an argument of `load` that only an unpickler of other pickles has."""
    for name in pickle_load_args:
        if name != "encoding":
            raise TypeError(f"Unpickler.__init__() got an unexpected keyword argument '{name}'")


def bad_location(location: str) -> UnpicklingError:
    return Refused(
        f"it places a storage on the device {location[:100]!r}, which does not exist",
        "pass map_location to choose another device",
    )


def no_cuda() -> RuntimeError:
    return RuntimeError(
        "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running "
        "on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to "
        "the CPU."
    )


def no_hpu() -> RuntimeError:
    return RuntimeError(
        "The HPU device module is not registered. If you are running on a CPU-only machine, please use torch.load with "
        "map_location=torch.device('cpu') to map your storages to the CPU."
    )


def no_such_cuda(index: int, count: int) -> RuntimeError:
    return RuntimeError(
        f"Attempting to deserialize object on CUDA device {index} but torch.cuda.device_count() is {count}. Please use "
        "torch.load with map_location to map your storages to an existing device."
    )
