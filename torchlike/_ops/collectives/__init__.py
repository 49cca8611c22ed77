"""Collectives: kernels that run inside `jax.shard_map`, and the functions that record them."""

from torchlike._ops.collectives.plans import all_gather as all_gather
from torchlike._ops.collectives.plans import all_reduce as all_reduce
from torchlike._ops.collectives.plans import all_to_all as all_to_all
from torchlike._ops.collectives.plans import broadcast as broadcast
from torchlike._ops.collectives.plans import reduce_scatter as reduce_scatter
