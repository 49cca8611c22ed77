"""Sharded state dicts of optimizers of the first FSDP. The name can be imported, and calling it raises an error."""

import sys

from torchlike.distributed import _absent

_absent.fill(sys.modules[__name__], "load_sharded_optimizer_state_dict")
