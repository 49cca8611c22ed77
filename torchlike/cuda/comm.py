"""`torch.cuda.comm`, an older name of `torch.nn.parallel.comm`."""

import torchlike

__all__ = ["broadcast", "broadcast_coalesced", "reduce_add", "reduce_add_coalesced", "scatter", "gather"]

broadcast = torchlike.nn.parallel.comm.broadcast
broadcast_coalesced = torchlike.nn.parallel.comm.broadcast_coalesced
reduce_add = torchlike.nn.parallel.comm.reduce_add
reduce_add_coalesced = torchlike.nn.parallel.comm.reduce_add_coalesced
scatter = torchlike.nn.parallel.comm.scatter
gather = torchlike.nn.parallel.comm.gather
