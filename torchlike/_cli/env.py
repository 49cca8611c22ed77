"""`torchlike env`: versions, devices and settings, for bug reports."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("jax", "jaxlib", "numpy", "optax")
SETTINGS = ("TORCHLIKE_", "JAX_", "XLA_", "LIBTPU_", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS")


def environment() -> dict[str, Any]:
    """Return the facts by name. A fact that cannot be found is the text of the error."""
    found: dict[str, Callable[[], Any]] = {
        "torchlike": _torchlike,
        "PyTorch": _pytorch,
        "Python": lambda: f"{platform.python_version()} ({platform.python_implementation()})",
        "packages": lambda: {name: _version(name) for name in PACKAGES},
        "system": platform.platform,
        "processor": lambda: f"{_processor()}, {os.cpu_count()} threads",
        "devices": _devices,
        "executor": _executor,
        "cache": _cache,
        "native kernels": _native_kernels,
        "settings": lambda: {k: v for k, v in sorted(os.environ.items()) if k.startswith(SETTINGS)},
    }
    return {name: _or_error(fact) for name, fact in found.items()}


def _or_error(fact: Callable[[], Any]) -> Any:
    try:
        return fact()
    except Exception as error:  # a broken installation is what the report must show
        return f"{type(error).__name__}: {error}"


def _torchlike() -> str:
    from torchlike.torch_version import LIKE, OWN

    return f"{OWN}, as PyTorch {LIKE}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _pytorch() -> str:
    """Return the version of an installed PyTorch without importing it."""
    version = _version("torch")
    is_there = importlib.util.find_spec("torch") is not None
    return version if is_there or version == "not installed" else f"{version}, but the package is not on sys.path"


def _processor() -> str:
    """Return the name of the processor."""
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text().splitlines() if listed.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _devices() -> list[str]:
    """Return JAX's devices: those that it prefers, and the CPU. The error of a backend that does not start is last."""
    import jax

    found, errors = [], []
    for backend in (None, "cpu"):
        try:
            found += jax.local_devices(backend=backend)
        except Exception as error:
            errors.append(f"error: {type(error).__name__}: {str(error) or 'a backend of JAX_PLATFORMS does not start'}")
    return [f"{device} ({device.device_kind})" for device in dict.fromkeys(found)] + list(dict.fromkeys(errors))


def _executor() -> str:
    from torchlike._engine.trace import flush

    return flush._executor


def _cache() -> dict[str, Any]:
    """Return the cache folder, the number of compiled programs in it, and their size in bytes."""
    from torchlike._engine.xla import disk_cache

    if disk_cache.cache is None:
        return {"folder": "determined by JAX's own settings, or off"}
    return disk_cache.cache.contents()._asdict()


def _native_kernels() -> str:
    from torchlike import _native

    modules = {
        "rows": _native.rows,
        "convolutions": _native.convolutions,
        "same": _native.same,
        "switch": _native.switch,
    }
    absent = [name for name, module in modules.items() if module is None]
    return f"not compiled: {', '.join(absent)}; NumPy and Python do their work" if absent else "compiled"


def text(facts: dict[str, Any]) -> str:
    """Return the facts as lines."""
    lines: list[str] = []
    for name, fact in facts.items():
        if fact == {} or fact == []:
            lines.append(f"{name}: none")
        elif isinstance(fact, dict):
            lines += [f"{name}:", *(f"  {key}: {value}" for key, value in fact.items())]
        elif isinstance(fact, list):
            lines += [f"{name}:", *(f"  {each}" for each in fact)]
        else:
            lines.append(f"{name}: {fact}")
    return "\n".join(lines)


def main(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser("torchlike env", description="Show versions, devices and settings.")
    parser.add_argument("--json", action="store_true", help="print a JSON document")
    given = parser.parse_args(argv)
    facts = environment()
    print(json.dumps(facts, indent=1) if given.json else text(facts))
    return 0
