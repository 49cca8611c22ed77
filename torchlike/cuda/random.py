"""Seeds of GPUs. Random numbers are drawn on the host from the one default generator wherever the tensor lives, so
the GPU's generator is that generator; without a GPU a seed for one is kept by nobody, as in PyTorch."""

from __future__ import annotations

from typing import Any

from torchlike._composite.random.random import get_rng_state as _get
from torchlike._composite.random.random import set_rng_state as _set
from torchlike._engine import accelerators
from torchlike._random import default_generator


def manual_seed(seed: int) -> None:
    """Seed the generator, where there is a GPU."""
    seed = int(seed)
    if accelerators.devices("cuda"):
        default_generator.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all GPUs."""
    manual_seed(seed)


def seed() -> None:
    """Seed from the system's entropy, where there is a GPU."""
    if accelerators.devices("cuda"):
        default_generator.seed()


seed_all = seed


def initial_seed() -> int:
    """The seed given last."""
    accelerators.jax_device("cuda", None)
    return default_generator.initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """The generator's state as a uint8 tensor."""
    accelerators.jax_device("cuda", device)
    return _get()


def get_rng_state_all() -> list:
    """The state of each GPU's generator; none without GPUs."""
    return [_get() for _ in accelerators.devices("cuda")]


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Restore a state that `get_rng_state` gave."""
    accelerators.jax_device("cuda", device)
    _set(new_state)


def set_rng_state_all(new_states: list) -> None:
    """Restore the states that `get_rng_state_all` gave."""
    for i, state in enumerate(new_states):
        set_rng_state(state, i)
