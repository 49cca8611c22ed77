"""The mapping between the global names in PyTorch's files and torchlike's objects."""

from __future__ import annotations

import functools
import importlib
import types
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from typing import Any

import torchlike
from torchlike import _dtypes
from torchlike._dtypes import quantized, unsupported
from torchlike._sparse import _legacy_types as legacy_types
from torchlike.serialization import _errors as errors
from torchlike.serialization import _homes, _rebuild, _storages
from torchlike.serialization._classes import states, wrappers

_OF_PLAIN_PICKLES: dict[str, Any] = {  # names in the files of `pickle.dump` that files of `torch.save` lack
    "torch.storage._load_from_bytes": _rebuild.load_from_bytes,
    "torch._C._VariableFunctionsClass": torchlike,  # files call `getattr` on it for built-in functions
    "torch._C.TensorBase": torchlike.Tensor,
    "torch._utils.torch": torchlike,  # files name a memory format `torch._utils.torch.channels_last`
}


@functools.cache
def current_names() -> dict[str, Any]:
    """Return the globals that current versions of PyTorch write, by full name. All of them are safe to load."""
    found = {
        "torch.Tensor": torchlike.Tensor,
        "torch.Size": torchlike.Size,
        "torch.device": torchlike.device,
        "torch.nn.parameter.Parameter": torchlike.nn.Parameter,
        "torch.serialization._get_layout": _rebuild.get_layout,
        "torch._tensor._rebuild_from_type_v2": _rebuild.rebuild_from_type_v2,
        "torch._utils._rebuild_tensor": _rebuild.rebuild_tensor,
        "torch._utils._rebuild_tensor_v2": _rebuild.rebuild_tensor_v2,
        "torch._utils._rebuild_tensor_v3": _rebuild.rebuild_tensor_v3,
        "torch._utils._rebuild_sparse_tensor": _rebuild.rebuild_sparse_tensor,
        "torch._utils._rebuild_qtensor": _rebuild.rebuild_qtensor,
        "torch.nested._internal.nested_tensor._rebuild_njt": _rebuild.rebuild_njt,
        "torch._utils._rebuild_parameter": _rebuild.rebuild_parameter,
        "torch._utils._rebuild_parameter_with_state": _rebuild.rebuild_parameter_with_state,
        "torch._utils._rebuild_meta_tensor_no_storage": _rebuild.rebuild_meta_tensor_no_storage,
        "torch._utils._rebuild_device_tensor_from_cpu_tensor": _rebuild.rebuild_device_tensor_from_cpu_tensor,
        "torch._utils._rebuild_device_tensor_from_numpy": _rebuild.rebuild_device_tensor_from_numpy,
        "torch._utils._rebuild_wrapper_subclass": wrappers.rebuild_wrapper_subclass,
        "torch.storage.TypedStorage": torchlike.storage.TypedStorage,
    }
    kinds = (*_storages.TYPED, *_storages.QUANTIZED, _storages.UNTYPED)
    found.update({f"{kind.module}.{kind.name}": kind for kind in kinds})
    found.update({f"torch.{d.name}": d for d in (*_dtypes.ALL, *quantized.DTYPES.values())})
    found.update({f"torch.{s.name}": s for s in quantized.SCHEMES.values()})
    return found


@functools.cache
def readable_names() -> dict[str, Any]:
    """Return `current_names` and the globals of files from older PyTorch versions.

    These are aliases of entries of `current_names`, and types that occur only as items of lists and dictionaries.
    """
    found = {f"{kind.module}.{kind.name}": cpu for kind, cpu in zip(_storages.TYPED_ON_CUDA, _storages.TYPED)}
    found |= {f"torch.{name}": dtype for name, dtype in unsupported.NAMES.items()}
    for name in (f"{stem}Tensor" for stem in legacy_types.NAMES):
        found |= {f"torch.{name}": getattr(torchlike, name), f"torch.cuda.{name}": getattr(torchlike.cuda, name)}
    return current_names() | found


@functools.cache
def _inverse() -> dict[Any, tuple[str, str]]:
    return {found: (path.rpartition(".")[0], path.rpartition(".")[2]) for path, found in current_names().items()}


def torch_name(found: Any) -> tuple[str, str] | None:
    """Return the (module, name) of a torchlike class or function in PyTorch's files, or None for other objects."""
    if not isinstance(found, type | types.FunctionType | torchlike.dtype | quantized.qscheme | _storages.StorageType):
        return None
    known = _inverse().get(found)
    if known is not None:
        return known
    named: Any = found
    module = getattr(found, "__module__", None) or ""
    if module.partition(".")[0] not in ("torchlike", "torch") or "." in named.__qualname__:
        return None
    return _homes.torch_module(found, module), named.__qualname__


def python3_name(module: str, name: str) -> tuple[str, str]:
    """Convert a Python 2 name, which pickle protocol 2 writes, to the Python 3 name."""
    if (module, name) in NAME_MAPPING:
        return NAME_MAPPING[module, name]
    return IMPORT_MAPPING.get(module, module), name


def is_torch(module: str) -> bool:
    return module.partition(".")[0] == "torch"


# PyTorch's modules of built-in functions -> (torchlike's module, prefix of the names in PyTorch's module).
_BUILTIN = {
    "torch._C._nn": ("torchlike.nn.functional", ""),
    "torch._C._special": ("torchlike.special", "special_"),
    "torch._C._linalg": ("torchlike.linalg", "linalg_"),
    "torch._C._fft": ("torchlike.fft", "fft_"),
}
_BUILTIN_NAMES = {"log_sigmoid": "logsigmoid", "cross_entropy_loss": "cross_entropy", "nll_loss_nd": "nll_loss"}


def locate(module: str, name: str) -> Any:
    """Return torchlike's object for a PyTorch name, found in the module of the same name or in one of its parents."""
    found = _listed(module, name)
    if found is not None:
        return found
    parts = ["torchlike", *module.split(".")[1:]]
    for depth in range(len(parts), 0, -1):
        found = _attribute(".".join(parts[:depth]), name)
        if found is not None:
            return found
    if f"{module}.{name}" in _rebuild.UNSUPPORTED:
        raise errors.unsupported_name(f"{module}.{name}")
    raise AttributeError(f"Can't get attribute {name!r} on module {module!r}: torchlike does not have this name")


def _listed(module: str, name: str) -> Any:
    """Return the object for a PyTorch name that is listed in a table of this module, or None for other names."""
    if (module, name) == ("torch._C", "_to_dlpack"):
        return torchlike.to_dlpack
    path = f"{module}.{name}"
    if path in states.NAMES:
        return states.find(path)
    found = _OF_PLAIN_PICKLES.get(path) or readable_names().get(path)
    return _builtin(module, name) if found is None else found


def find_in_plain_pickle(module: str, name: str) -> Any:
    """Return the object for a name that a plain pickle of PyTorch reads from one of PyTorch's modules."""
    found = _listed(module, name)
    if found is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return found


def _builtin(module: str, name: str) -> Any:
    """Return the function for a name in one of PyTorch's modules of built-in functions, or None for other names."""
    if module not in _BUILTIN:
        return None
    home, prefix = _BUILTIN[module]
    short = name.removeprefix(prefix)
    return _attribute(home, _BUILTIN_NAMES.get(short, short))


def _attribute(module: str, name: str) -> Any:
    try:
        found: Any = importlib.import_module(module)
    except ImportError:
        return None
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
