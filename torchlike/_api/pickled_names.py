"""The names that plain pickles of PyTorch read from its modules.

`pickle.load` imports a module and reads an attribute. `torch.load` uses `torchlike.serialization` instead.
"""

import functools
import importlib
from types import ModuleType
from typing import Any

# For each module, the prefixes of the names that are added to it.
_PREFIXES = {
    "torchlike._C": ("TensorBase", "_VariableFunctionsClass"),
    "torchlike._C._fft": ("fft_",),
    "torchlike._C._linalg": ("linalg_",),
    "torchlike._C._nn": ("",),
    "torchlike._C._special": ("special_",),
    "torchlike._tensor": ("_rebuild_",),
    "torchlike._utils": ("_rebuild_", "torch"),
    "torchlike.serialization": ("_get_layout",),
    "torchlike.storage": ("_load_from_bytes",),
}


def add(module: ModuleType) -> None:
    """Add the names that pickles read from PyTorch's module of the same name. They are looked up on first use."""
    names = vars(module)
    if module.__name__ in _PREFIXES and not isinstance(names.get("__getattr__"), functools.partial):
        names["__getattr__"] = functools.partial(_found, module.__name__, names.get("__getattr__"))


def _found(module: str, otherwise: Any, name: str) -> Any:
    if name.startswith(_PREFIXES[module]) and not name.startswith("__"):
        # Imported here because programs without pickles do not need it.
        find_in_plain_pickle = importlib.import_module("torchlike.serialization._names").find_in_plain_pickle
        return find_in_plain_pickle(module.replace("torchlike", "torch", 1), name)
    if otherwise is not None:
        return otherwise(name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")
