"""Parts of the launcher that programs use too."""

from .api import get_env_variable_or_raise as get_env_variable_or_raise
from .api import get_socket_with_port as get_socket_with_port
from .api import macros as macros
from .logging import get_logger as get_logger
