"""Calls of all public names of `torch.cuda`, `xpu`, `mps` and `accelerator`, with arguments from their signatures."""

import inspect
import types
import warnings

import torch

MODULES = ("cuda", "cuda.memory", "cuda.random", "cuda.graphs", "xpu", "mps", "accelerator")
DEVICES = (None, 0, -1, 3, "cuda", "cuda:1", "cpu")
# Names that torchlike does not have, with the reason.
ABSENT = {
    "mps": dict.fromkeys(("load_metallib", "profiler"), "there are no Apple GPUs"),
}
# Calls whose result in PyTorch comes from a detail of its implementation, with ours.
OTHERWISE = {
    "xpu.Stream": "RuntimeError: Tried to instantiate dummy base class Stream",
    "cuda.set_rng_state": "AssertionError: Torch not compiled with CUDA enabled",
    "cuda.random.set_rng_state": "AssertionError: Torch not compiled with CUDA enabled",
    "cuda.ExternalStream": "AssertionError: Torch not compiled with CUDA enabled",
    "cuda.CUDAPluggableAllocator": "NotImplementedError: torch.cuda.CUDAPluggableAllocator is not supported",
    "cuda.memory.CUDAPluggableAllocator": "NotImplementedError: torch.cuda.CUDAPluggableAllocator is not supported",
}


def find(library, path: str):
    for name in path.split("."):
        library = getattr(library, name)
    return library


def names(module: str) -> list[str]:
    """Return PyTorch's public names of a module, but not its storage classes and what torchlike does not have."""
    return [n for n in find(torch, module).__all__ if not n.endswith("Storage") and n not in ABSENT.get(module, ())]


def _value(library, name: str, parameter: str):
    if "seeds" in name or parameter in ("new_states", "callables", "sample_args"):
        return []
    if parameter in ("new_state", "obj"):
        return library.ones(1)
    return {"fraction": 0.5, "stream": None, "value": True, "debug_mode": 0}.get(parameter, 3)


def arguments(library, name: str, function) -> list[tuple]:
    """Return argument lists: values for what is required, and each device where a device can be given."""
    try:
        known = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [()]
    known = [p for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in known if p.default is p.empty]
    given = [_value(library, name, p.name) for p in required]
    found = [tuple(given)]
    at = [i for i, p in enumerate(known) if p.name in ("device", "device_index")]
    if at and at[0] <= len(required):
        found += [(*given[: at[0]], d, *given[at[0] + 1 :]) for d in DEVICES]
    return found


def said(call) -> tuple:
    """Return the result, or the type and text of the error, and the warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = shown(call())
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result, [(w.category, str(w.message)) for w in found]


def shown(result):
    if isinstance(result, bool | int | float | str | None | list | tuple | dict):
        return type(result).__name__, result
    return type(result).__name__.removeprefix("_GeneratorContextManager").removeprefix("_Scope")


def ours_and_theirs(module: str, name: str, ours) -> list[tuple]:
    """Return what both libraries say to each call of one name."""
    theirs = find(torch, f"{module}.{name}")
    if isinstance(theirs, types.ModuleType):
        return [(isinstance(find(ours, f"{module}.{name}"), types.ModuleType), True)]
    if not callable(theirs):
        return [(find(ours, f"{module}.{name}"), theirs)]
    mine, found = find(ours, f"{module}.{name}"), []
    for i, args in enumerate(arguments(torch, name, theirs)):
        other = arguments(ours, name, theirs)[i]
        found.append((said(lambda args=other: mine(*args)), said(lambda args=args: theirs(*args)), args))
    return found
