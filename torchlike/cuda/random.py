"""`torch.cuda.random`: the seed and the state of the random number generator of GPUs.

Random numbers are sampled on the host from the default generator, for tensors on any device. The GPU's generator is
therefore the default generator. As in PyTorch, seeding without a GPU has no effect.
"""

from __future__ import annotations

from typing import Any

from torchlike._composite.random.random import get_rng_state as _get
from torchlike._composite.random.random import set_rng_state as _set
from torchlike._engine import accelerators
from torchlike._random import default_generator


def manual_seed(seed: int) -> None:
    """Seed the default generator if there is a GPU."""
    seed = int(seed)
    if accelerators.devices("cuda"):
        default_generator.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seed the default generator if there is a GPU, like `manual_seed`."""
    manual_seed(seed)


def seed() -> None:
    """Seed the default generator from the system's entropy if there is a GPU."""
    if accelerators.devices("cuda"):
        default_generator.seed()


seed_all = seed


def initial_seed() -> int:
    """Return the last seed of the default generator. Raise an error if there is no GPU."""
    accelerators.jax_device("cuda", None)
    return default_generator.initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """Return the generator's state as a uint8 tensor."""
    accelerators.jax_device("cuda", device)
    return _get()


def get_rng_state_all() -> list:
    """Return a list with the default generator's state for each GPU. Without GPUs the list is empty."""
    return [_get() for _ in accelerators.devices("cuda")]


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Restore a state that `get_rng_state` returned."""
    accelerators.jax_device("cuda", device)
    _set(new_state)


def set_rng_state_all(new_states: list) -> None:
    """Restore the states that `get_rng_state_all` returned."""
    for i, state in enumerate(new_states):
        set_rng_state(state, i)
