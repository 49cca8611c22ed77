"""Distributed tensors: `DTensor`, placements and device meshes."""

from torchlike.distributed.device_mesh import DeviceMesh as DeviceMesh
from torchlike.distributed.device_mesh import init_device_mesh as init_device_mesh
from torchlike.distributed.tensor._api import DTensor as DTensor
from torchlike.distributed.tensor._creation import empty as empty
from torchlike.distributed.tensor._creation import full as full
from torchlike.distributed.tensor._creation import ones as ones
from torchlike.distributed.tensor._creation import rand as rand
from torchlike.distributed.tensor._creation import randn as randn
from torchlike.distributed.tensor._creation import zeros as zeros
from torchlike.distributed.tensor._making import distribute_tensor as distribute_tensor
from torchlike.distributed.tensor._modules import distribute_module as distribute_module
from torchlike.distributed.tensor.placement_types import Partial as Partial
from torchlike.distributed.tensor.placement_types import Placement as Placement
from torchlike.distributed.tensor.placement_types import Replicate as Replicate
from torchlike.distributed.tensor.placement_types import Shard as Shard

for _each in (DTensor, distribute_tensor, distribute_module, empty, full, ones, rand, randn, zeros):
    _each.__module__ = __name__
