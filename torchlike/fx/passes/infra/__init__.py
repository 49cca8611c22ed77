"""The classes that passes are made of."""

from . import pass_base as pass_base
from . import pass_manager as pass_manager
