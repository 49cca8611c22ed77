"""The names that plain pickles of PyTorch read from its modules.

`pickle.load` imports the module and gets the attribute, where `torch.load` asks `torchlike.serialization`.
"""

import functools
import importlib
from types import ModuleType
from typing import Any

# Modules of torchlike, and the beginnings of the names that they get.
_BEGINNINGS = {
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
    """Give a module the names that pickles read from PyTorch's module of that name. They are found on first use."""
    names = vars(module)
    if module.__name__ in _BEGINNINGS and not isinstance(names.get("__getattr__"), functools.partial):
        names["__getattr__"] = functools.partial(_found, module.__name__, names.get("__getattr__"))


def _found(module: str, otherwise: Any, name: str) -> Any:
    if name.startswith(_BEGINNINGS[module]) and not name.startswith("__"):
        # Imported here because programs without pickles do not need it.
        of_plain_pickle = importlib.import_module("torchlike.serialization._names").of_plain_pickle
        return of_plain_pickle(module.replace("torchlike", "torch", 1), name)
    if otherwise is not None:
        return otherwise(name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")
