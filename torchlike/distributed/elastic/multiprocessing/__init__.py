"""Starting the processes of one machine, with their logs and errors."""

from . import errors as errors
from .api import DefaultLogsSpecs as DefaultLogsSpecs
from .api import LogsDest as LogsDest
from .api import LogsSpecs as LogsSpecs
from .api import MultiprocessContext as MultiprocessContext
from .api import PContext as PContext
from .api import RunProcsResult as RunProcsResult
from .api import SignalException as SignalException
from .api import Std as Std
from .api import SubprocessContext as SubprocessContext
from .api import start_processes as start_processes
from .api import to_map as to_map
from .errors import ProcessFailure as ProcessFailure
