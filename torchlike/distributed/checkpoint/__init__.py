"""Distributed checkpoints.

One process writes and reads them with `torch.save` and `torch.load`. The directory format of
`torch.distributed.checkpoint.save` is not supported.
"""

import sys

from torchlike.distributed import _absent

_absent.fill(
    sys.modules[__name__],
    """FileSystemReader FileSystemWriter load save async_save load_state_dict
    save_state_dict""",
)
