"""The functions of `torch.xpu` for random number generators."""

from torchlike.xpu import get_rng_state as get_rng_state
from torchlike.xpu import get_rng_state_all as get_rng_state_all
from torchlike.xpu import initial_seed as initial_seed
from torchlike.xpu import manual_seed as manual_seed
from torchlike.xpu import manual_seed_all as manual_seed_all
from torchlike.xpu import seed as seed
from torchlike.xpu import seed_all as seed_all
from torchlike.xpu import set_rng_state as set_rng_state
from torchlike.xpu import set_rng_state_all as set_rng_state_all

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "set_rng_state",
    "set_rng_state_all",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "initial_seed",
]
