"""The chips for which programs are compiled ahead of time."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import jax
from jax.experimental import topologies

from torchlike._engine.xla.jax_private import gpu_is_cuda
from torchlike._engine.xla.target import ROUNDED


class _Tpu(NamedTuple):
    one: str  # the shape of one chip
    gib: int  # the memory of one chip
    described: Mapping[str, str] = {}  # further properties of a topology


# The two cores of a v4 chip are one device.
_TPUS = {
    "v4": _Tpu("1x1x1", 32, {"chip_config_name": "megacore"}),
    "v5e": _Tpu("1x1", 16),
    "v5p": _Tpu("1x1x1", 95),
    "v6e": _Tpu("1x1", 32),
}
_GPUS = {"h100": 79}  # GiB of memory; the description is the file of the same name
_GIB = 2**30
# The autotuner would measure kernels on the device. Level 0 uses XLA's cost model.
_WITHOUT_DEVICE: dict[str, bool | str | int] = {**ROUNDED, "xla_gpu_autotune_level": 0}
# Without autotuning, XLA can fail to find a tiling for a product in Triton. cuBLAS then computes all products.
_WITHOUT_TRITON: dict[str, bool | str | int] = {**_WITHOUT_DEVICE, "xla_gpu_enable_triton_gemm": False}


class Target(NamedTuple):
    """A kind of chip, or several chips of one kind.

    Attributes:
      name: the name that the user gave.
      platform: JAX's name of the platform: "tpu", "gpu" or "cpu".
      type: the type of the devices in PyTorch programs: "tpu", "cuda" or "cpu".
      chips: the JAX devices of the target. They only describe hardware; nothing can run on them.
      memory: the bytes of memory of one chip, or None if unknown.
      options: sets of options of XLA. If compiling with one set fails, the next is tried.
    """

    name: str
    platform: str
    type: str
    chips: tuple[Any, ...]
    memory: int | None
    options: tuple[Mapping[str, bool | str | int] | None, ...] = (None,)


class Unavailable(RuntimeError):
    """Raised if this process cannot compile for a target."""


def names() -> str:
    """Return a description of all target names."""
    tpus = ", ".join(_TPUS)
    return f"{tpus} (one TPU chip), v5e:2x4 (a TPU slice), h100 (one GPU), h100:8 (several GPUs), cpu (this machine)"


def type_of(name: str) -> str:
    """Return the type of a target's devices in PyTorch programs: "tpu", "cuda" or "cpu". Check only the name's form."""
    kind, colon, shape = name.partition(":")
    if kind in _TPUS and (not colon or re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", shape)):
        return "tpu"
    if kind in _GPUS and (not colon or re.fullmatch(r"[1-9]\d*", shape)):
        return "cuda"
    if name == "cpu":
        return "cpu"
    raise ValueError(f"unknown target {name!r}; the targets are {names()}")


@functools.cache
def find(name: str) -> Target:
    """Return the target with this name.

    Raises:
      ValueError: the name is not that of a target.
      Unavailable: a package that compiles for the target is not installed, or it refuses the target.
    """
    type = type_of(name)
    return {"tpu": _tpu, "cuda": _cuda, "cpu": _cpu}[type](name)


def _tpu(name: str) -> Target:
    kind, _, shape = name.partition(":")
    if find_spec("libtpu") is None:
        raise Unavailable(f'{name} needs the TPU compiler, libtpu: pip install "jax[tpu]=={jax.__version__}"')
    tpu = _TPUS[kind]
    chips = _chips(name, platform="tpu", topology_name=f"{kind}:{shape or tpu.one}", **tpu.described)
    return Target(name, "tpu", "tpu", chips, tpu.gib * _GIB)


def _cuda(name: str) -> Target:
    kind, _, count = name.partition(":")
    if find_spec("jax_plugins") is None or not any(find_spec(f"jax_plugins.xla_cuda{n}") for n in (12, 13)):
        raise Unavailable(f'{name} needs the CUDA plugin of JAX: pip install "jax[cuda12]=={jax.__version__}"')
    description = Path(__file__).with_name(f"{kind}.txtpb").read_text("utf-8")
    gpu_is_cuda()
    chips = _chips(name, platform="cuda", target_config=description, topology=f"1x1x{count or 1}")
    return Target(name, "gpu", "cuda", chips, _GPUS[kind] * _GIB, (_WITHOUT_DEVICE, _WITHOUT_TRITON))


def _cpu(name: str) -> Target:
    return Target(name, "cpu", "cpu", (jax.local_devices(backend="cpu")[0],), None, (ROUNDED,))


def _chips(name: str, **described: Any) -> tuple[Any, ...]:
    jax.local_devices(backend="cpu")  # the plugins are registered with the first client
    try:
        return tuple(topologies.get_topology_desc(**described).devices)
    except Exception as error:
        hint = (
            ""
            if os.environ.get("JAX_PLATFORMS")
            else "; on a machine without accelerators, start with JAX_PLATFORMS=cpu"
        )
        raise Unavailable(f"JAX cannot compile for {name}: {error}{hint}") from error
