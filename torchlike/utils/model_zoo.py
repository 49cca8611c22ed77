"""The former location of `torch.hub.load_state_dict_from_url`."""

from torchlike.hub import load_state_dict_from_url as load_url
from torchlike.hub import tqdm as tqdm

__all__ = ["load_url"]
