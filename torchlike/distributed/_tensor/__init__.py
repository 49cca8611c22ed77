"""The former name of `torch.distributed.tensor`."""

from torchlike.distributed.tensor import DeviceMesh as DeviceMesh
from torchlike.distributed.tensor import DTensor as DTensor
from torchlike.distributed.tensor import Partial as Partial
from torchlike.distributed.tensor import Placement as Placement
from torchlike.distributed.tensor import Replicate as Replicate
from torchlike.distributed.tensor import Shard as Shard
from torchlike.distributed.tensor import distribute_module as distribute_module
from torchlike.distributed.tensor import distribute_tensor as distribute_tensor
from torchlike.distributed.tensor import empty as empty
from torchlike.distributed.tensor import full as full
from torchlike.distributed.tensor import init_device_mesh as init_device_mesh
from torchlike.distributed.tensor import ones as ones
from torchlike.distributed.tensor import rand as rand
from torchlike.distributed.tensor import randn as randn
from torchlike.distributed.tensor import zeros as zeros
