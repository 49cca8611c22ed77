"""`torch.cuda.random`: the seeds and the states of the random number generators of GPUs."""

from __future__ import annotations

from typing import Any

from torchlike import _random
from torchlike._dtypes import devices
from torchlike._engine import accelerators


def _generator(device: Any = None) -> Any:
    """Return the default generator of a GPU. Raise PyTorch's error if there is no such GPU."""
    accelerators.jax_device("cuda", device)
    return _random.default_of(devices.device("cuda", accelerators.number("cuda", device)))


def default_generators_of(type: str) -> tuple:
    """Return the default generators of the accelerators of a type, in the order of the devices."""
    return tuple([_random.default_of(devices.device(type, i)) for i in range(len(accelerators.devices(type)))])


def manual_seed(seed: int) -> None:
    """Seed the generator of the current GPU. Without a GPU, do nothing.

    Args:
      seed: an int of 64 bits.
    """
    if accelerators.devices("cuda"):
        _generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all GPUs.

    Args:
      seed: an int of 64 bits.
    """
    _random.seed_all(int(seed), "cuda")


def seed() -> None:
    """Seed the generator of the current GPU from the system's entropy. Without a GPU, do nothing."""
    if accelerators.devices("cuda"):
        _generator().seed()


def seed_all() -> None:
    """Seed the generators of all GPUs with one seed from the system's entropy. Without a GPU, do nothing."""
    if accelerators.devices("cuda"):
        _random.seed_all(_generator().seed(), "cuda")


def initial_seed() -> int:
    """Return the last seed of the current GPU's generator. Raise an error if there is no GPU."""
    return _generator().initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """Return the state of a GPU's generator as a uint8 tensor of shape (16,) on the CPU: the seed and the offset.

    Args:
      device: a GPU: its index, its name or a device.
    """
    return _generator(device).get_state()


def get_rng_state_all() -> list:
    """Return the state of each GPU's generator. Without GPUs the list is empty."""
    return [get_rng_state(i) for i in range(len(accelerators.devices("cuda")))]


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Restore a state that `get_rng_state` of torchlike or of PyTorch returned.

    Args:
      new_state: the state, a uint8 tensor on the CPU.
      device: a GPU: its index, its name or a device.
    """
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states: list) -> None:
    """Restore the states that `get_rng_state_all` returned.

    Args:
      new_states: a state for each GPU.
    """
    for i, state in enumerate(new_states):
        set_rng_state(state, i)
