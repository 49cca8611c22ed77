"""Control-flow operators on tensors. `cond` and `while_loop` are public as `torch.cond` and `torch.while_loop`."""

from torchlike._higher_order_ops.associative_scan import associative_scan as associative_scan
from torchlike._higher_order_ops.cond import cond as cond
from torchlike._higher_order_ops.map import map as map
from torchlike._higher_order_ops.scan import scan as scan
from torchlike._higher_order_ops.while_loop import while_loop as while_loop
