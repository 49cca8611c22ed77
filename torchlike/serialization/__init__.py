"""`torch.save` and `torch.load`: PyTorch's checkpoint files, written and read without PyTorch."""

from torchlike.serialization._load import load as load
from torchlike.serialization._safe_globals import add_safe_globals as add_safe_globals
from torchlike.serialization._safe_globals import clear_safe_globals as clear_safe_globals
from torchlike.serialization._safe_globals import get_safe_globals as get_safe_globals
from torchlike.serialization._safe_globals import safe_globals as safe_globals
from torchlike.serialization._save import save as save
from torchlike.serialization._weights_only import get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint
