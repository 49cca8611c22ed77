"""Checkpoints that several processes share. Written and read with `torch.save` and `torch.load` by one process: the
folders of `torch.distributed.checkpoint.save` are not supported."""

import sys

from torchlike.distributed import _absent

_absent.fill(
    sys.modules[__name__],
    """FileSystemReader FileSystemWriter load save async_save load_state_dict
    save_state_dict""",
)
