"""torchlike runs PyTorch programs on JAX: `import torchlike as torch`."""

from torchlike import _loggers as _loggers
from torchlike import autograd as autograd
from torchlike._api import names as _names
from torchlike._api.import_hook import install as install
from torchlike._api.import_hook import load_ipython_extension as load_ipython_extension
from torchlike._api.names import MODULES as _modules
from torchlike._api.one_flag import distribute as distribute
from torchlike._autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from torchlike._autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from torchlike._autograd.anomaly import set_anomaly_enabled as set_anomaly_enabled
from torchlike._dtypes import bfloat16 as bfloat16
from torchlike._dtypes import bool_ as bool  # noqa: F401 - PyTorch's name, which hides the built-in one here
from torchlike._dtypes import can_cast as can_cast
from torchlike._dtypes import complex64 as complex64
from torchlike._dtypes import complex128 as complex128
from torchlike._dtypes import dtype as dtype
from torchlike._dtypes import finfo as finfo
from torchlike._dtypes import float8_e4m3fn as float8_e4m3fn
from torchlike._dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from torchlike._dtypes import float8_e5m2 as float8_e5m2
from torchlike._dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from torchlike._dtypes import float8_e8m0fnu as float8_e8m0fnu
from torchlike._dtypes import float16 as float16
from torchlike._dtypes import float32 as float32
from torchlike._dtypes import float64 as float64
from torchlike._dtypes import iinfo as iinfo
from torchlike._dtypes import int8 as int8
from torchlike._dtypes import int16 as int16
from torchlike._dtypes import int32 as int32
from torchlike._dtypes import int64 as int64
from torchlike._dtypes import promote_types as promote_types
from torchlike._dtypes import uint8 as uint8
from torchlike._dtypes import uint16 as uint16
from torchlike._dtypes import uint32 as uint32
from torchlike._dtypes import uint64 as uint64
from torchlike._dtypes.devices import device as device
from torchlike._dtypes.memory_format import channels_last as channels_last
from torchlike._dtypes.memory_format import channels_last_3d as channels_last_3d
from torchlike._dtypes.memory_format import contiguous_format as contiguous_format
from torchlike._dtypes.memory_format import jagged as jagged
from torchlike._dtypes.memory_format import layout as layout
from torchlike._dtypes.memory_format import legacy_contiguous_format as legacy_contiguous_format
from torchlike._dtypes.memory_format import memory_format as memory_format
from torchlike._dtypes.memory_format import preserve_format as preserve_format
from torchlike._dtypes.memory_format import sparse_coo as sparse_coo
from torchlike._dtypes.memory_format import sparse_csc as sparse_csc
from torchlike._dtypes.memory_format import sparse_csr as sparse_csr
from torchlike._dtypes.memory_format import strided as strided
from torchlike._dtypes.modes import enable_grad as enable_grad
from torchlike._dtypes.modes import get_default_device as get_default_device
from torchlike._dtypes.modes import get_default_dtype as get_default_dtype
from torchlike._dtypes.modes import inference_mode as inference_mode
from torchlike._dtypes.modes import is_grad_enabled as is_grad_enabled
from torchlike._dtypes.modes import is_inference_mode_enabled as is_inference_mode_enabled
from torchlike._dtypes.modes import no_grad as no_grad
from torchlike._dtypes.modes import set_default_device as set_default_device
from torchlike._dtypes.modes import set_default_dtype as set_default_dtype
from torchlike._dtypes.modes import set_grad_enabled as set_grad_enabled
from torchlike._dtypes.precision import get_float32_matmul_precision as get_float32_matmul_precision
from torchlike._dtypes.precision import set_float32_matmul_precision as set_float32_matmul_precision
from torchlike._engine import Size as Size
from torchlike._engine import age_imported_objects as _age_imported_objects
from torchlike._engine import clear_cache as clear_cache
from torchlike._engine import explain as explain
from torchlike._engine import set_executor as set_executor
from torchlike._random import Generator as Generator
from torchlike._random import default_generator as default_generator
from torchlike._tensor.printing import set_printoptions as set_printoptions
from torchlike._tensor.tensor import Tensor as Tensor
from torchlike._transforms.backward import grad as grad
from torchlike.torch_version import __version__ as __version__

globals().update(_names.public())  # the operators of the registry, and the composite functions that dispatch to them
_names.settle(__name__, vars())
_names.settle_methods(Tensor)
_age_imported_objects()


def __getattr__(name: str):
    return _names.lazy(name, _modules)


def __dir__() -> list[str]:
    return _names.listed(globals(), _modules)
