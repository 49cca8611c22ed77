"""The names of `torch._inductor` that programs use. XLA compiles programs, so its options have no effect."""

from torchlike._inductor import config as config
from torchlike.compiler import cudagraph_mark_step_begin as cudagraph_mark_step_begin
