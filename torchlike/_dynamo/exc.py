"""The errors of compiled functions, by PyTorch's names."""

from torchlike._errors.compiling import InvalidBackend as InvalidBackend
from torchlike._errors.compiling import RecompileError as RecompileError
from torchlike._errors.compiling import TorchDynamoException as TorchDynamoException
from torchlike._errors.compiling import Unsupported as Unsupported
from torchlike._errors.control_flow import TorchRuntimeError as TorchRuntimeError
from torchlike._errors.control_flow import UncapturedHigherOrderOpError as UncapturedHigherOrderOpError
