"""`torch.cuda.comm`, an older name of `torch.nn.parallel.comm`."""

from torchlike.nn.parallel.comm import broadcast as broadcast
from torchlike.nn.parallel.comm import broadcast_coalesced as broadcast_coalesced
from torchlike.nn.parallel.comm import gather as gather
from torchlike.nn.parallel.comm import reduce_add as reduce_add
from torchlike.nn.parallel.comm import reduce_add_coalesced as reduce_add_coalesced
from torchlike.nn.parallel.comm import scatter as scatter

__all__ = ["broadcast", "broadcast_coalesced", "reduce_add", "reduce_add_coalesced", "scatter", "gather"]
