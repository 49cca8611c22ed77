"""Passes over graphs: shapes, partitions, and the classes that passes are made of."""

from . import infra as infra
from . import operator_support as operator_support
from . import shape_prop as shape_prop
from . import split_module as split_module
from . import tools_common as tools_common
