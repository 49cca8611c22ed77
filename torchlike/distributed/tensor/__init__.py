"""Placements and device meshes. Distributed tensors (`DTensor`) are not supported."""

import sys

from torchlike.distributed import _absent
from torchlike.distributed.device_mesh import DeviceMesh as DeviceMesh
from torchlike.distributed.device_mesh import init_device_mesh as init_device_mesh
from torchlike.distributed.tensor.placement_types import Partial as Partial
from torchlike.distributed.tensor.placement_types import Placement as Placement
from torchlike.distributed.tensor.placement_types import Replicate as Replicate
from torchlike.distributed.tensor.placement_types import Shard as Shard

_absent.fill(
    sys.modules[__name__],
    """DTensor distribute_tensor distribute_module empty full ones rand randn
    zeros""",
)
