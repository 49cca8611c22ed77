"""The modules in which PyTorch defines classes that other modules export. `repr` and tracebacks show these modules."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

_GRAD_MODES = dict.fromkeys(("no_grad", "enable_grad", "set_grad_enabled", "inference_mode"), "autograd.grad_mode")
_THREADS = dict.fromkeys(("enforce_grad_layout_policy", "set_multithreading_enabled"), "autograd.grad_mode")
_CONTAINERS = {
    "MultiheadAttention": "nn.modules.activation",
    "ParameterDict": "nn.modules.container",
    "ParameterList": "nn.modules.container",
}
_TRANSFORMS = (
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
)
_AMP = {"autocast": "amp.autocast_mode", "GradScaler": "amp.grad_scaler"}
_GROUPS = (
    *("Backend", "BackendConfig", "GroupMember", "P2POp", "PrefixStore", "ProcessGroup", "ReduceOp", "Store", "Work"),
    *("DebugLevel", "group", "AllreduceCoalescedOptions", "AllreduceOptions", "AllToAllOptions", "BarrierOptions"),
    *("BroadcastOptions", "GatherOptions", "ReduceOptions", "ReduceScatterOptions", "ScatterOptions"),
)

_SCRIPTS = dict.fromkeys(("RecursiveScriptModule", "ScriptModule", "_Frozen", "_Scripted"), "jit._script")

# For each exporting module, without the prefix "torch.", the names of classes and the modules that define them.
HOMES: dict[str, dict[str, str]] = {
    "": {**_GRAD_MODES, "Generator": "_C"},
    "jit": {
        **_SCRIPTS,
        **dict.fromkeys(("TopLevelTracedModule", "TracerWarning", "TracingCheckError"), "jit._trace"),
    },
    "autograd": {
        **_GRAD_MODES,
        **_THREADS,
        **dict.fromkeys(("detect_anomaly", "set_detect_anomaly"), "autograd.anomaly_mode"),
    },
    "autograd.grad_mode": {"enforce_grad_layout_policy": "autograd.grad_mode"},
    "autograd.function": dict.fromkeys(("FunctionCtx", "FunctionMeta"), "autograd.function"),
    "autograd.graph": dict.fromkeys(("GradientEdge", "Node", "save_on_cpu", "saved_tensors_hooks"), "autograd.graph"),
    "autograd.profiler": {
        "record_function": "autograd.profiler",
        "FunctionEvent": "autograd.profiler_util",
    },
    "cpu.amp": {name: f"cpu.{home}" for name, home in _AMP.items()},
    "cuda": {
        **dict.fromkeys(("CUDAPluggableAllocator", "MemPool"), "cuda.memory"),
        "AcceleratorError": "",
        "OutOfMemoryError": "",
        "StreamContext": "cuda",
    },
    "cuda.amp": {name: f"cuda.{home}" for name, home in _AMP.items()},
    "distributed": {
        **dict.fromkeys(_GROUPS, "distributed.distributed_c10d"),
        **dict.fromkeys(("BuiltinCommHookType", "FileStore", "GradBucket", "HashStore"), "_C._distributed_c10d"),
        "TCPStore": "_C._distributed_c10d",
        "DistBackendError": "distributed",
        "DistError": "distributed",
    },
    "distributed.checkpoint": dict.fromkeys(
        ("FileSystemReader", "FileSystemWriter"), "distributed.checkpoint.filesystem"
    ),
    "distributions": dict.fromkeys(_TRANSFORMS, "distributions.transforms"),
    "fx": {"Tracer": "fx._symbolic_trace"},
    "futures": {"Future": "jit"},
    "linalg": {"LinAlgError": "_C"},
    "nn": {**_CONTAINERS, **dict.fromkeys(("UninitializedBuffer", "UninitializedParameter"), "nn.parameter")},
    "nn.attention.flex_attention": {"BlockMask": "nn.attention.flex_attention"},
    "nn.modules": _CONTAINERS,
    "onnx": {"OnnxExporterError": "onnx"},
    "onnx.errors": {"OnnxExporterError": "onnx"},
    "profiler": {"record_function": "autograd.profiler"},
    "sparse": {"check_sparse_tensor_invariants": "sparse"},
    "utils.data": dict.fromkeys(
        ("functional_datapipe", "guaranteed_datapipes_determinism", "non_deterministic", "runtime_validation_disabled"),
        "utils.data.datapipes._decorator",
    ),
    "utils._pytree": dict.fromkeys(
        ("GetAttrKey", "LeafSpec", "MappingKey", "NodeDef", "SequenceKey", "TreeSpec"), "utils._pytree"
    ),
    "utils.dlpack": {"DLDeviceType": "utils.dlpack"},
    "nn.modules.module": {"_IncompatibleKeys": "nn.modules.module"},
    "utils.tensorboard": {"FileWriter": "utils.tensorboard.writer"},
}


def settle(place: str, offered: dict[str, Any], package: str = "torchlike") -> None:
    """Set `__module__` of classes and functions in `offered` to the public module `place`, which exports them.

    Otherwise `repr` of a class shows the private module that defines it. Only classes of `place` and of its private
    submodules are changed, and those that `HOMES` lists, which get the module in which PyTorch defines them. Functions
    are changed if they cannot be found in their own module, where `pickle` looks.
    `package` is the name under which the public module is imported.
    """
    public = package + place.removeprefix("torchlike")
    homes = HOMES.get(place.removeprefix("torchlike").removeprefix("."), {})
    for name, found in offered.items():
        if isinstance(found, FunctionType) and not name.startswith("_") and _is_lost(found):
            found.__module__, found.__qualname__ = public, name
        if isinstance(found, type) and name in homes:
            _move(found, f"{package}.{homes[name]}".removesuffix("."))
        elif isinstance(found, type) and (found.__module__ == place or found.__module__.startswith(place + "._")):
            _move(found, public)


def settle_methods(kind: type) -> None:
    """Name the functions that were added to a class as its methods, unless `pickle` finds them in their own module."""
    for name, found in vars(kind).items():
        if isinstance(found, FunctionType) and _is_lost(found):
            found.__module__, found.__qualname__ = kind.__module__, f"{kind.__qualname__}.{name}"


def show_public(members: dict[str, Any], package: str, other: str) -> None:
    """Replace the package in `__module__` of the classes of a private module that name a public one as their home."""
    for found in list(members.values()):
        home = found.__module__ if isinstance(found, type) else ""
        if home.partition(".")[0] == package and "._" not in home:
            _move(found, other + home.removeprefix(package))


def _is_lost(function: FunctionType) -> bool:
    """Return whether a function of torchlike, of no class, is not the attribute of the module that it names."""
    module, name = function.__module__ or "", function.__qualname__
    is_own = module.startswith("torchlike") and "." not in name
    return is_own and getattr(sys.modules.get(module), name, None) is not function


def _move(found: type, module: str) -> None:
    """Set `__module__` of a class.

    Since Python 3.13, assigning `__module__` deletes `__firstlineno__`, which `inspect.getsource` needs. Restore it.
    """
    line = vars(found).get("__firstlineno__")
    found.__module__ = module
    if line is not None:
        found.__firstlineno__ = line
