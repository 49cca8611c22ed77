"""The version of the library. There is no CUDA or HIP build: JAX provides GPU support."""

from __future__ import annotations

from torchlike.torch_version import __version__ as __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

debug = False
cuda: str | None = None
git_version: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
