"""The PyTorch module that a pickle names for each of torchlike's classes and functions."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

# For each torchlike package: the PyTorch modules that may export the classes and functions defined in the package.
# These modules also exist in torchlike. A pickle names the first of them that exports the object in torchlike. The
# module "" is `torch` itself. The key "" applies to `torchlike` itself and to private packages without an entry.
_OFFERED: dict[str, tuple[str, ...]] = {
    "": (
        "functional",
        "random",
        "serialization",
        "autograd.grad_mode",
        "amp.grad_scaler",
        "amp.autocast_mode",
        "autograd.function",
        "utils.dlpack",
        "func",
        "",
        "linalg",
        "fft",
        "special",
        "sparse",
        "nn.functional",
        "autograd.graph",
        "autograd.anomaly_mode",
        "autograd.gradcheck",
        "autograd",
    ),
    "_autograd": (
        "autograd.function",
        "autograd.graph",
        "autograd.anomaly_mode",
        "autograd.grad_mode",
        "autograd.gradcheck",
        "autograd",
    ),
    "_transforms": (
        "autograd.function",
        "autograd.graph",
        "autograd.anomaly_mode",
        "autograd.grad_mode",
        "autograd.gradcheck",
        "autograd",
    ),
    "_composite.functional": ("nn.parameter", "nn.functional", "nn.utils.parametrizations"),
    "_compile": ("compiler",),
    "_random": ("random", ""),
    "amp": ("amp.grad_scaler", "amp.autocast_mode"),
    "autograd": (
        "autograd.grad_mode",
        "autograd.function",
        "autograd.graph",
        "autograd.gradcheck",
        "autograd.variable",
    ),
    "cuda": ("cuda.memory", "cuda.random", "cuda.graphs", "cuda.streams"),
    "distributed": ("distributed.distributed_c10d", "distributed.device_mesh", "distributed.nn.functional"),
    "distributions": ("distributions.transforms", "distributions.constraints", "distributions.utils"),
    "serialization": ("serialization",),
    "nn": ("nn.parameter", "nn.functional", "nn.utils.parametrizations"),
    "optim": ("optim.lr_scheduler",),
}

# torchlike's module -> PyTorch's module, where the names differ or both modules are private.
_MODULES = {
    "_autograd.hook_handles": "utils.hooks",
    "distributed._c10d._buckets": "_C._distributed_c10d",
    "distributed._mesh_layout": "distributed._mesh_layout",
    "masked._ops": "masked._ops",
    "nn.attention._block_mask": "nn.attention.flex_attention",
    "nn.attention._mods": "nn.attention.flex_attention",
    "nn.modules._hooks": "nn.modules.module",
    "nn.modules.attention": "nn.modules.activation",
    "nn.modules.parameter_container": "nn.modules.container",
    "nn.utils._orthogonal": "nn.utils.parametrizations",
    "profiler._events": "autograd.profiler_util",
    "profiler._profile": "profiler.profiler",
    "profiler._recording": "autograd.profiler",
    "signal.windows": "signal.windows.windows",
    "testing._close": "testing._comparison",
    "testing._make": "testing._creation",
    "utils.data.datapipes._decorator": "utils.data.datapipes._decorator",
    "utils.data._utils.collate": "utils.data._utils.collate",
    "utils.data._utils.worker": "utils.data._utils.worker",
    "fx._symbolic_trace": "fx._symbolic_trace",
}

# Single classes and functions -> PyTorch's module. These take precedence over the tables above.
_NAMES = {
    "pca_lowrank": "_lowrank",
    "svd_lowrank": "_lowrank",
    "Generator": "_C",
    "_random._generator.Generator": "_C",
    "cpu.amp.GradScaler": "cpu.amp.grad_scaler",
    "cpu.amp.autocast": "cpu.amp.autocast_mode",
    "cuda.amp.GradScaler": "cuda.amp.grad_scaler",
    "cuda.amp.autocast": "cuda.amp.autocast_mode",
    "cuda.amp.custom_bwd": "cuda.amp.autocast_mode",
    "cuda.amp.custom_fwd": "cuda.amp.autocast_mode",
    "cuda.memory.ipc_collect": "cuda",
    "cuda.streams.StreamContext": "cuda",
    "cuda.streams.current_stream": "cuda",
    "cuda.streams.default_stream": "cuda",
    "cuda.streams.set_stream": "cuda",
    "cuda.streams.stream": "cuda",
    "distributed.checkpoint._files.storage_info._StorageInfo": "distributed.checkpoint.filesystem",
    "distributed.tensor._api.DTensor": "distributed.tensor",
    "distributed.tensor.placement_types._NormPartial": "distributed.tensor._ops._math_ops",
    "distributed._stores.FileStore": "_C._distributed_c10d",
    "distributed._stores.HashStore": "_C._distributed_c10d",
    "distributed._stores.TCPStore": "_C._distributed_c10d",
    "nn.LinearCrossEntropyOptions": "nn.modules.linear_cross_entropy_options",
    "nn.modules._state._IncompatibleKeys": "nn.modules.module",
    "nn.modules._state._WrappedHook": "nn.modules.module",
    "profiler.ProfilerAction": "profiler.profiler",
    "profiler.ProfilerActivity": "_C._profiler",
    "profiler.profile": "profiler.profiler",
    "utils.benchmark.Measurement": "utils.benchmark.utils.common",
    "utils.benchmark.Timer": "utils.benchmark.utils.timer",
}


def torch_module(found: Any, module: str) -> str:
    """Return the PyTorch module that a pickle names for a class or function of the torchlike module `module`."""
    parts = module.split(".")
    own = ".".join(parts[1:])
    known = _NAMES.get(f"{own}.{found.__qualname__}".lstrip(".")) or _MODULES.get(own)
    if known is None and parts[1:] and not any(part.startswith("_") for part in parts):
        known = own
    if known is None:
        known = next((home for home in _candidates(parts) if _offers(home, found)), own)
    return f"torch.{known}" if known else "torch"


def _candidates(parts: list[str]) -> Iterator[str]:
    """Yield the modules that may export the objects of a module: those in `_OFFERED`, then its parent packages."""
    package = parts[1] if len(parts) > 1 else ""
    others = _OFFERED[""] if package.startswith("_") else ()
    yield from _OFFERED.get(".".join(parts[1:3])) or _OFFERED.get(package, others)
    yield from (".".join(parts[1:depth]) for depth in range(len(parts) - 1, 0, -1))


def _offers(home: str, found: Any) -> bool:
    try:
        module = importlib.import_module(f"torchlike.{home}" if home else "torchlike")
        return getattr(module, found.__qualname__, None) == found
    except (ImportError, NotImplementedError):
        return False
