"""All imports of JAX names outside its public API. No other module imports such names.

JAX may move or rename them in any release. `USES` states the purpose of each name, so that the import error for a
missing name is specific. `tests/engine/test_jax_private.py` shows what a release has changed.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import jax
import jax.extend.backend

# (module, name) -> what torchlike uses the name for.
USES: dict[tuple[str, str], str] = {
    ("jax.core", "ShapedArray"): "the shape and dtype of a primitive's result",
    ("jax.core", "Tracer"): "distinguishing tracers from concrete arrays",
    ("jax.core", "eval_jaxpr"): "evaluating a jaxpr",
    ("jax.extend.core", "Literal"): "the constants of a jaxpr",
    ("jax.extend.core", "Primitive"): "primitives with custom gradients inside kernels",
    ("jax.interpreters.ad", "Zero"): "symbolic zero gradients",
    ("jax.interpreters.ad", "defbilinear"): "the gradients of products and depthwise convolutions",
    ("jax.interpreters.ad", "deflinear2"): "the gradients of casts",
    ("jax.interpreters.ad", "is_undefined_primal"): "the backward pass of attention",
    ("jax.interpreters.ad", "primitive_jvps"): "second derivatives of attention",
    ("jax.interpreters.ad", "primitive_transposes"): "the backward pass of attention",
    ("jax.interpreters.batching", "defvectorized"): "`vmap` of casts",
    ("jax.interpreters.batching", "primitive_batchers"): "`vmap` of products and depthwise convolutions",
    ("jax.interpreters.mlir", "lower_fun"): "compiling casts, products and depthwise convolutions",
    ("jax.interpreters.mlir", "register_lowering"): "compiling casts, products and depthwise convolutions",
    ("jax.interpreters.partial_eval", "dce_jaxpr"): "finding the inputs that a gradient depends on",
}

JaxRuntimeError = jax.errors.JaxRuntimeError
DistributedClient = Any  # `jaxlib._jax.DistributedRuntimeClient`, which has no public name

# The modules of JAX that compile programs. Their frames and the frames that they call are not the user's program.
COMPILERS = frozenset(("jax._src.compiler", "jax._src.compilation_cache"))


def missing(uses: Iterable[tuple[str, str]] = USES) -> list[str]:
    """Return one sentence for each name that this version of JAX does not have."""
    found = []
    for module, name in uses:
        try:
            getattr(import_module(module), name)
        except (ImportError, AttributeError):
            found.append(
                f"JAX {jax.__version__} has no {module}.{name}, which torchlike uses for {USES[module, name]}."
            )
    return found


try:
    from jax.core import ShapedArray, Tracer, eval_jaxpr
    from jax.extend.core import Literal, Primitive
    from jax.interpreters.ad import (
        Zero,
        defbilinear,
        deflinear2,
        is_undefined_primal,
        primitive_jvps,
        primitive_transposes,
    )
    from jax.interpreters.batching import defvectorized, primitive_batchers
    from jax.interpreters.mlir import lower_fun, register_lowering
    from jax.interpreters.partial_eval import dce_jaxpr
except ImportError:
    raise ImportError(" ".join([*missing(), "Install another version of JAX, or a newer torchlike."])) from None


def quick_call(compiled: Any) -> tuple[Any, bool]:
    """Return the fastest callable for a compiled program, and whether it runs only C code.

    The program must have been called once: JAX creates its C++ entry point at the first call. If there is no such entry
    point, return the program itself, whose call runs some Python.
    """
    call = getattr(compiled, "_call", None)
    return (call, True) if callable(call) else (compiled, False)


def file_store() -> Any:
    """Return the JAX module that stores compiled programs on disk, or None if this version of JAX has no such module.

    JAX has no public way to replace its file store.
    """
    try:
        module = import_module("jax._src.compilation_cache")
    except ImportError:
        return None
    return module if hasattr(module, "get_file_cache") else None


def part_sizes(tree: Any) -> list[int] | None:
    """Return the number of arrays in each part of a flat tree, or None for any other object.

    JAX 0.12 describes the inputs of a `scan` (constants, carry, xs) and its outputs (carry, ys) in this form.
    """
    try:
        return [len(part) for part in tree.unpack()]
    except (AttributeError, TypeError):
        return None


def expanded(eqn: Any) -> Any:
    """Return the jaxpr that a `call_hi_primitive` of JAX 0.12 stands for, or None for any other equation."""
    inner = eqn.params.get("_prim")
    traced = getattr(getattr(inner, "traced", None), "jaxpr", None)
    if traced is not None or not hasattr(inner, "expand"):
        return traced
    expand = partial(eqn.primitive.to_lojax, **eqn.params)
    return jax.make_jaxpr(expand)(*[v.aval for v in eqn.invars])


def is_symbolic(dim: Any) -> bool:
    """Return whether a number is a symbolic dimension (`jax.export.symbolic_shape`)."""
    return hasattr(dim, "_evaluate")


def number_of(dim: Any, sizes: Mapping[str, int]) -> int:
    """Return the value of a symbolic dim for these sizes."""
    return int(dim._evaluate(sizes))


def scope_of(dim: Any) -> Any:
    """Return the scope of a symbolic dim, or None for a plain number. Only dims of the same scope can be compared."""
    return getattr(dim, "scope", None)


def varying_axes(x: Any) -> frozenset:
    """Return the mesh axes along which an array varies between devices."""
    kind = getattr(jax.typeof(x), "manual_axis_type", None)
    return frozenset() if kind is None else kind.varying


def gpu_is_cuda() -> None:
    """Make JAX accept the platform "gpu" without a GPU, as an alias of "cuda".

    JAX 0.10 resolves the alias by looking at the clients of the process. The devices of a GPU topology that was made
    from a description have no client.
    """
    bridge: Any = import_module("jax._src.xla_bridge")
    canonicalize = getattr(bridge, "canonicalize_platform", None)
    if canonicalize is None or getattr(canonicalize, "knows_cuda", False):
        return

    def canonicalize_platform(platform: str) -> str:
        try:
            return canonicalize(platform)
        except RuntimeError:
            if platform != "gpu":
                raise
            return "cuda"

    canonicalize_platform.knows_cuda = True  # type: ignore[attr-defined]
    bridge.canonicalize_platform = canonicalize_platform


def backend_is_started() -> bool:
    """Return whether JAX has initialized a backend. Afterwards, `jax.distributed` can no longer be initialized."""
    return bool(getattr(import_module("jax._src.xla_bridge"), "backends_are_initialized", lambda: True)())


def keep_threads() -> None:
    """Keep the objects of JAX that own threads until the process has ended, also while Python removes its modules.

    Call it in a forked process. The destructors join threads that exist only in the parent: they crash or wait forever.
    """
    in_modules = [vars(module) for name, module in list(sys.modules.items()) if name.partition(".")[0] == "jax"]
    pools = [value for names in in_modules for value in names.values() if type(value).__module__.startswith("jaxlib.")]
    for owner in [*jax.extend.backend.backends().values(), *pools]:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))


def clear_backend() -> None:
    """Drop JAX's backends, so that the next use initializes them again."""
    jax.extend.backend.clear_backends()


def connect(address: str, rank: int, size: int, heartbeat: int, seconds: int) -> DistributedClient:
    """Do the same as `jax.distributed.initialize`, with a service that runs elsewhere, and return the client.

    `jax.distributed.initialize` runs the service in process 0. When this process ends, the runtime aborts all others.
    """
    state = import_module("jax._src.distributed").global_state
    state.process_id, state.num_processes, state.coordinator_address = rank, size, address
    state.client = import_module("jaxlib._jax").get_distributed_runtime_client(
        address,
        rank,
        init_timeout=seconds,
        heartbeat_timeout=heartbeat,
        shutdown_timeout=1,
        shutdown_on_destruction=False,
        use_compression=True,
    )
    state.client.connect()
    return state.client


def disconnect() -> None:
    """Undo `connect`. The backend keeps its devices."""
    state = import_module("jax._src.distributed").global_state
    with contextlib.suppress(JaxRuntimeError):  # the service may have ended
        state.client.shutdown()
    state.client, state.process_id, state.num_processes = None, 0, 1


def global_array(shape: tuple[int, ...], sharding: Any, shard: Any) -> Any:
    """Return the array that consists of the shards of all processes. `shard` is the shard of this process."""
    return jax.make_array_from_single_device_arrays(shape, sharding, [shard])


def module_costs(lowered: Any, compiled: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Return XLA's costs of a program before and after optimization, computed without a client of its platform.

    The dictionaries are empty if this version of JAX cannot compute them.
    """
    count = getattr(import_module("jaxlib._jax"), "hlo_module_cost_analysis", None)
    if count is None:
        return {}, {}
    client = jax.local_devices(backend="cpu")[0].client
    before = lowered.compiler_ir("hlo").as_hlo_module()
    (after,) = compiled.runtime_executable().hlo_modules()
    return count(client, before), count(client, after)


def gradient_read(exported: Any) -> Any:
    """Return a deserialized program whose gradients are deserialized now. JAX deserializes them again at each use."""
    if not exported.has_vjp():
        return exported
    gradient = gradient_read(exported.vjp())
    return replace(exported, _get_vjp=lambda _: gradient)


__all__ = [
    "COMPILERS",
    "USES",
    "DistributedClient",
    "JaxRuntimeError",
    "Literal",
    "Primitive",
    "ShapedArray",
    "Tracer",
    "Zero",
    "backend_is_started",
    "clear_backend",
    "connect",
    "dce_jaxpr",
    "defbilinear",
    "deflinear2",
    "defvectorized",
    "disconnect",
    "eval_jaxpr",
    "expanded",
    "file_store",
    "global_array",
    "gpu_is_cuda",
    "gradient_read",
    "is_symbolic",
    "keep_threads",
    "is_undefined_primal",
    "lower_fun",
    "missing",
    "module_costs",
    "number_of",
    "part_sizes",
    "primitive_batchers",
    "primitive_jvps",
    "primitive_transposes",
    "quick_call",
    "register_lowering",
    "scope_of",
    "varying_axes",
]
