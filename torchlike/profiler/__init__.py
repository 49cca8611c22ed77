"""`torch.profiler`: how long programs and regions take.

What is timed are the programs that recorded operators are run as, not single operators, which XLA fuses: a row names
the user's line and the operators in it. While a profile records, each program is waited for, and pending work is run
where a region begins and ends, so that it belongs there.
"""

from torchlike.profiler._profile import ProfilerAction as ProfilerAction
from torchlike.profiler._profile import ProfilerActivity as ProfilerActivity
from torchlike.profiler._profile import profile as profile
from torchlike.profiler._profile import schedule as schedule
from torchlike.profiler._profile import supported_activities as supported_activities
from torchlike.profiler._profile import tensorboard_trace_handler as tensorboard_trace_handler
from torchlike.profiler._recording import record_function as record_function


def kineto_available() -> bool:
    """Whether PyTorch's tracing library is there: no, traces are JAX's."""
    return False
