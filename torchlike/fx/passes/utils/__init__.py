"""Functions that find and compare subgraphs."""

from . import common as common
from . import matcher_utils as matcher_utils
from .common import HolderModule as HolderModule
from .common import compare_graphs as compare_graphs
from .common import lift_subgraph_as_module as lift_subgraph_as_module
