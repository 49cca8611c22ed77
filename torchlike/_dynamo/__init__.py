"""The functions of `torch._dynamo` that programs call."""

from torchlike._compile.api import allow_in_graph as allow_in_graph
from torchlike._compile.api import assume_constant_result as assume_constant_result
from torchlike._compile.api import disable as disable
from torchlike._compile.api import graph_break as graph_break
from torchlike._compile.api import is_compiling as is_compiling
from torchlike._compile.api import list_backends as list_backends
from torchlike._compile.api import mark_dynamic as mark_dynamic
from torchlike._compile.api import mark_static as mark_static
from torchlike._compile.api import mark_static_address as mark_static_address
from torchlike._compile.api import maybe_mark_dynamic as maybe_mark_dynamic
from torchlike._compile.api import reset as reset
from torchlike._compile.api import set_stance as set_stance
from torchlike._compile.module import OptimizedModule as OptimizedModule
from torchlike._dynamo import config as config
from torchlike._dynamo import eval_frame as eval_frame
from torchlike._dynamo import exc as exc
from torchlike._dynamo.eval_frame import is_dynamo_supported as is_dynamo_supported
