"""The exceptions of compiled functions, under their names in `torch._dynamo.exc`."""

from torchlike._errors.compilation.compiling import InvalidBackend as InvalidBackend
from torchlike._errors.compilation.compiling import RecompileError as RecompileError
from torchlike._errors.compilation.compiling import TorchDynamoException as TorchDynamoException
from torchlike._errors.compilation.compiling import Unsupported as Unsupported
from torchlike._errors.compilation.compiling import UserError as UserError
from torchlike._errors.compilation.control_flow import TorchRuntimeError as TorchRuntimeError
from torchlike._errors.compilation.control_flow import UncapturedHigherOrderOpError as UncapturedHigherOrderOpError
