"""Environment information for bug reports: versions, devices and settings.

Run `python -m torchlike.utils.collect_env` to print it.
"""

from __future__ import annotations

import os
import platform

import torchlike
from torchlike._internal import accelerators

_SETTINGS = ("JAX_", "XLA_", "TORCHLIKE_", "CUDA_VISIBLE_DEVICES", "LIBTPU_", "OMP_NUM_THREADS")


def get_pretty_env_info() -> str:
    """Return the versions, the system, JAX's devices and the related environment variables as text."""
    devices = [
        f"  - {device} ({device.device_kind})"
        for type in ("cpu", "cuda", "tpu")
        for device in accelerators.devices(type)
    ]
    settings = [f"  - {name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(_SETTINGS)]
    return "\n".join(
        [
            torchlike.__config__.show(),
            f"Python {platform.python_version()} on {platform.platform()}, {platform.machine()}",
            f"processors: {os.cpu_count()}",
            f"CUDA available: {torchlike.cuda.is_available()}",
            "devices:",
            *devices,
            "environment:",
            *(settings or ["  - nothing set"]),
        ]
    )


def main() -> None:
    """Print the environment information."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
