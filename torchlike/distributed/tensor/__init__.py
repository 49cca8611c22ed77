"""Distributed tensors: `DTensor`, placements and device meshes."""

from torchlike.distributed.device_mesh import DeviceMesh as DeviceMesh
from torchlike.distributed.device_mesh import init_device_mesh as init_device_mesh
from torchlike.distributed.tensor._api import DTensor as DTensor
from torchlike.distributed.tensor._api import distribute_tensor as distribute_tensor
from torchlike.distributed.tensor.placement_types import Partial as Partial
from torchlike.distributed.tensor.placement_types import Placement as Placement
from torchlike.distributed.tensor.placement_types import Replicate as Replicate
from torchlike.distributed.tensor.placement_types import Shard as Shard
