"""`torch.profiler`: the run times of programs and user-defined regions.

XLA fuses operators, so the profiler times compiled programs and not single operators. A row of the table names the
user's source line and the operators of the program. While a profile records, it waits for each program to finish. A
region flushes pending work at its begin and its end, so that the work is attributed correctly.
"""

from torchlike._api.homes import settle as _settle
from torchlike.profiler import itt as itt
from torchlike.profiler._profile import ProfilerAction as ProfilerAction
from torchlike.profiler._profile import ProfilerActivity as ProfilerActivity
from torchlike.profiler._profile import profile as profile
from torchlike.profiler._profile import schedule as schedule
from torchlike.profiler._profile import supported_activities as supported_activities
from torchlike.profiler._profile import tensorboard_trace_handler as tensorboard_trace_handler
from torchlike.profiler._recording import record_function as record_function
from torchlike.profiler.profiler import ExecutionTraceObserver as ExecutionTraceObserver


def kineto_available() -> bool:
    """Return False: PyTorch's tracing library (Kineto) is not available. Traces come from JAX.

    >>> kineto_available()
    False
    """
    return False


_settle(__name__, globals())
