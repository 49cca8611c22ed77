"""Passes over graphs: shapes, partitions, and the classes that passes are made of."""

from . import fake_tensor_prop as fake_tensor_prop
from . import graph_drawer as graph_drawer
from . import graph_manipulation as graph_manipulation
from . import infra as infra
from . import operator_support as operator_support
from . import pass_manager as pass_manager
from . import reinplace as reinplace
from . import shape_prop as shape_prop
from . import split_module as split_module
from . import tools_common as tools_common
from . import utils as utils
