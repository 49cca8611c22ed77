# Made by `python -m tools.make_stubs`; tests/house/test_stubs.py keeps it fresh.
import builtins as _builtins
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any

from torchlike import _C as _C
from torchlike import __config__ as __config__
from torchlike import __future__ as __future__
from torchlike import _custom_ops as _custom_ops
from torchlike import _dynamo as _dynamo
from torchlike import _higher_order_ops as _higher_order_ops
from torchlike import _inductor as _inductor
from torchlike import _loggers as _loggers
from torchlike import _subclasses as _subclasses
from torchlike import _tensor_str as _tensor_str
from torchlike import _utils as _utils
from torchlike import accelerator as accelerator
from torchlike import amp as amp
from torchlike import ao as ao
from torchlike import autograd as autograd
from torchlike import backends as backends
from torchlike import compiler as compiler
from torchlike import cpu as cpu
from torchlike import cuda as cuda
from torchlike import distributed as distributed
from torchlike import distributions as distributions
from torchlike import export as export
from torchlike import fft as fft
from torchlike import func as func
from torchlike import functional as functional
from torchlike import futures as futures
from torchlike import fx as fx
from torchlike import hub as hub
from torchlike import jax as jax
from torchlike import jit as jit
from torchlike import library as library
from torchlike import linalg as linalg
from torchlike import masked as masked
from torchlike import mps as mps
from torchlike import multiprocessing as multiprocessing
from torchlike import nested as nested
from torchlike import nn as nn
from torchlike import onnx as onnx
from torchlike import ops as ops
from torchlike import optim as optim
from torchlike import overrides as overrides
from torchlike import package as package
from torchlike import profiler as profiler
from torchlike import quantization as quantization
from torchlike import quasirandom as quasirandom
from torchlike import random as random
from torchlike import return_types as return_types
from torchlike import serialization as serialization
from torchlike import signal as signal
from torchlike import sparse as sparse
from torchlike import special as special
from torchlike import storage as storage
from torchlike import testing as testing
from torchlike import torch_version as torch_version
from torchlike import types as types
from torchlike import utils as utils
from torchlike import version as version
from torchlike import xpu as xpu
from torchlike._api.import_hook import install as install
from torchlike._api.import_hook import load_ipython_extension as load_ipython_extension
from torchlike._api.one_flag import distribute as distribute
from torchlike._autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from torchlike._autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from torchlike._autograd.anomaly import set_anomaly_enabled as set_anomaly_enabled
from torchlike._compile import compile as compile
from torchlike._composite.checks import _assert_async as _assert_async
from torchlike._composite.checks import _check as _check
from torchlike._composite.checks import _check_index as _check_index
from torchlike._composite.checks import _check_is_size as _check_is_size
from torchlike._composite.checks import _check_not_implemented as _check_not_implemented
from torchlike._composite.checks import _check_tensor_all as _check_tensor_all
from torchlike._composite.checks import _check_tensor_all_with as _check_tensor_all_with
from torchlike._composite.checks import _check_type as _check_type
from torchlike._composite.checks import _check_value as _check_value
from torchlike._composite.checks import _check_with as _check_with
from torchlike._composite.symbolic import SymBool as SymBool
from torchlike._composite.symbolic import SymFloat as SymFloat
from torchlike._composite.symbolic import SymInt as SymInt
from torchlike._composite.symbolic import sym_float as sym_float
from torchlike._composite.symbolic import sym_int as sym_int
from torchlike._composite.symbolic import sym_ite as sym_ite
from torchlike._composite.symbolic import sym_max as sym_max
from torchlike._composite.symbolic import sym_min as sym_min
from torchlike._composite.symbolic import sym_not as sym_not
from torchlike._composite.symbolic import sym_sqrt as sym_sqrt
from torchlike._composite.symbolic import sym_sum as sym_sum
from torchlike._dtypes import bfloat16 as bfloat16
from torchlike._dtypes import can_cast as can_cast
from torchlike._dtypes import complex128 as complex128
from torchlike._dtypes import complex64 as complex64
from torchlike._dtypes import dtype as dtype
from torchlike._dtypes import finfo as finfo
from torchlike._dtypes import float16 as float16
from torchlike._dtypes import float32 as float32
from torchlike._dtypes import float64 as float64
from torchlike._dtypes import float8_e4m3fn as float8_e4m3fn
from torchlike._dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from torchlike._dtypes import float8_e5m2 as float8_e5m2
from torchlike._dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from torchlike._dtypes import float8_e8m0fnu as float8_e8m0fnu
from torchlike._dtypes import iinfo as iinfo
from torchlike._dtypes import int16 as int16
from torchlike._dtypes import int32 as int32
from torchlike._dtypes import int64 as int64
from torchlike._dtypes import int8 as int8
from torchlike._dtypes import promote_types as promote_types
from torchlike._dtypes import uint16 as uint16
from torchlike._dtypes import uint32 as uint32
from torchlike._dtypes import uint64 as uint64
from torchlike._dtypes import uint8 as uint8
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
from torchlike._engine import clear_cache as clear_cache
from torchlike._engine import explain as explain
from torchlike._engine import set_executor as set_executor
from torchlike._errors.making import AcceleratorError as AcceleratorError
from torchlike._errors.making import OutOfMemoryError as OutOfMemoryError
from torchlike._higher_order_ops import cond as cond
from torchlike._higher_order_ops import while_loop as while_loop
from torchlike._random import Generator as Generator
from torchlike._random import default_generator as default_generator
from torchlike._tensor.printing import set_printoptions as set_printoptions
from torchlike._tensor.tensor import Tensor as Tensor
from torchlike._transforms.backward import grad as grad
from torchlike.amp import GradScaler as GradScaler
from torchlike.amp import autocast as autocast
from torchlike.cuda._any_streams import Event as Event
from torchlike.cuda._any_streams import Stream as Stream
from torchlike.func import vmap as vmap
from torchlike.futures import Future as Future
from torchlike.jit import ScriptFunction as ScriptFunction
from torchlike.jit import ScriptModule as ScriptModule
from torchlike.jit import fork as fork
from torchlike.jit import wait as wait
from torchlike.jit._types import AnyType as AnyType
from torchlike.jit._types import AwaitType as AwaitType
from torchlike.jit._types import BoolType as BoolType
from torchlike.jit._types import ClassType as ClassType
from torchlike.jit._types import ComplexType as ComplexType
from torchlike.jit._types import ConcreteModuleType as ConcreteModuleType
from torchlike.jit._types import DeviceObjType as DeviceObjType
from torchlike.jit._types import DictType as DictType
from torchlike.jit._types import EnumType as EnumType
from torchlike.jit._types import FloatType as FloatType
from torchlike.jit._types import FutureType as FutureType
from torchlike.jit._types import InferredType as InferredType
from torchlike.jit._types import IntType as IntType
from torchlike.jit._types import InterfaceType as InterfaceType
from torchlike.jit._types import ListType as ListType
from torchlike.jit._types import NoneType as NoneType
from torchlike.jit._types import NumberType as NumberType
from torchlike.jit._types import OptionalType as OptionalType
from torchlike.jit._types import PyObjectType as PyObjectType
from torchlike.jit._types import RRefType as RRefType
from torchlike.jit._types import StreamObjType as StreamObjType
from torchlike.jit._types import StringType as StringType
from torchlike.jit._types import SymBoolType as SymBoolType
from torchlike.jit._types import SymIntType as SymIntType
from torchlike.jit._types import TensorType as TensorType
from torchlike.jit._types import TupleType as TupleType
from torchlike.jit._types import UnionType as UnionType
from torchlike.serialization import PyTorchFileReader as PyTorchFileReader
from torchlike.serialization import load as load
from torchlike.serialization import save as save
from torchlike.storage import BFloat16Storage as BFloat16Storage
from torchlike.storage import BoolStorage as BoolStorage
from torchlike.storage import ByteStorage as ByteStorage
from torchlike.storage import CharStorage as CharStorage
from torchlike.storage import ComplexDoubleStorage as ComplexDoubleStorage
from torchlike.storage import ComplexFloatStorage as ComplexFloatStorage
from torchlike.storage import DoubleStorage as DoubleStorage
from torchlike.storage import FloatStorage as FloatStorage
from torchlike.storage import HalfStorage as HalfStorage
from torchlike.storage import IntStorage as IntStorage
from torchlike.storage import LongStorage as LongStorage
from torchlike.storage import ShortStorage as ShortStorage
from torchlike.storage import Storage as Storage
from torchlike.torch_version import __version__ as __version__
from torchlike._dtypes import dtype as _dtype
from torchlike._tensor.tensor import Tensor as _Tensor

_bool = _builtins.bool
_int = _builtins.int
_float = _builtins.float
_complex = _builtins.complex
_str = _builtins.str
_tuple = _builtins.tuple
_list = _builtins.list
_dict = _builtins.dict
_object = _builtins.object
_Number = _bool | _int | _float | _complex
BFloat16Tensor: _Any
BoolTensor: _Any
ByteTensor: _Any
CharTensor: _Any
DoubleTensor: _Any
FloatTensor: _Any
HalfTensor: _Any
IntTensor: _Any
LongTensor: _Any
ShortTensor: _Any
from torchlike.storage import TypedStorage as TypedStorage
from torchlike.storage import UntypedStorage as UntypedStorage

def _sample_dirichlet(self: _Tensor, generator: _Any = ...) -> _Tensor:
    """Return Dirichlet samples with the concentrations in the last dim."""
    ...

def _standard_gamma(self: _Tensor, generator: _Any = ...) -> _Tensor:
    """Return gamma random numbers with the shapes in `self` and scale one."""
    ...

def abs(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the absolute value of each element, or the real modulus of a complex element."""
    ...

def abs_(input: _Tensor) -> _Tensor:
    """Compute the absolute value of each element, in place."""
    ...

def absolute(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the absolute value of each element, or the real modulus of a complex element."""
    ...

def acos(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the arccosine of each element, in radians. It is NaN outside [-1, 1]."""
    ...

def acos_(input: _Tensor) -> _Tensor:
    """Apply `acos` in place, and return this tensor."""
    ...

def acosh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse hyperbolic cosine of each element. It is NaN below 1."""
    ...

def acosh_(input: _Tensor) -> _Tensor:
    """Apply `acosh` in place, and return this tensor."""
    ...

def adaptive_avg_pool1d(input: _Tensor, output_size: _tuple[_int, ...] | _int) -> _Tensor:
    """Return the means of `output_size` windows of (N, C, L)."""
    ...

def adaptive_max_pool1d(input: _Tensor, output_size: _tuple[_int, ...] | _int) -> _tuple[_Tensor, _Tensor]:
    """Return the largest elements of `output_size` windows of (N, C, L), and their indices."""
    ...

def add(input: _Tensor | _Number, other: _Tensor | _Number, *, alpha: _Number = ..., out: _Any = ...) -> _Tensor:
    """Return input + alpha * other."""
    ...

def addbmm(
    input: _Tensor, batch1: _Tensor, batch2: _Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: _Any = ...
) -> _Tensor:
    """Return beta * input + alpha * (the sum over the batch of batch1 @ batch2)."""
    ...

def addcdiv(input: _Tensor, tensor1: _Tensor, tensor2: _Tensor, *, value: _Number = ..., out: _Any = ...) -> _Tensor:
    """Return input + value * tensor1 / tensor2."""
    ...

def addcmul(input: _Tensor, tensor1: _Tensor, tensor2: _Tensor, *, value: _Number = ..., out: _Any = ...) -> _Tensor:
    """Return input + value * tensor1 * tensor2."""
    ...

def addmm(
    input: _Tensor, mat1: _Tensor, mat2: _Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: _Any = ...
) -> _Tensor:
    """Return beta * input + alpha * (mat1 @ mat2)."""
    ...

def addmv(
    input: _Tensor, mat: _Tensor, vec: _Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: _Any = ...
) -> _Tensor:
    """Return beta * input + alpha * (mat @ vec)."""
    ...

def addmv_(input: _Tensor, mat: _Tensor, vec: _Tensor, *, beta: _Number = ..., alpha: _Number = ...) -> _Tensor:
    """Apply `addmv` in place, and return this tensor."""
    ...

def addr(
    input: _Tensor, vec1: _Tensor, vec2: _Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: _Any = ...
) -> _Tensor:
    """Return beta * input + alpha * outer(vec1, vec2)."""
    ...

def adjoint(input: _Tensor) -> _Tensor:
    """Return the conjugate transpose of the last two dims, as a view."""
    ...

def affine_grid_generator(theta: _Tensor, size: _tuple[_int, ...], align_corners: _bool) -> _Tensor:
    """Return the grid with which `grid_sampler` applies an affine map."""
    ...

def alias_copy(input: _Tensor) -> _Any:
    """Return the result of `alias` as a contiguous copy."""
    ...

def all(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return whether all elements over `dim` are nonzero (default: all dims; an empty tuple: no dim)."""
    ...

def allclose(input: _Tensor, other: _Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _bool:
    """Return whether all elements are close, as `isclose` defines it. The call flushes the pending trace."""
    ...

def alpha_dropout(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Apply dropout that keeps the mean and variance of the outputs of `selu`."""
    ...

def alpha_dropout_(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Apply `alpha_dropout` in place."""
    ...

def amax(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return the maximum over `dim` (default: all dims)."""
    ...

def amin(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return the minimum over `dim` (default: all dims)."""
    ...

def aminmax(input: _Tensor, *, dim: _int | None = ..., keepdim: _bool = ..., out: _Any = ...) -> _Any:
    """Return the minimum and the maximum along `dim` (default: of all elements)."""
    ...

def angle(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the angle of each element in radians."""
    ...

def any(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return whether any element over `dim` is nonzero (default: all dims; an empty tuple: no dim)."""
    ...

def arange(
    *args: _Any,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **named: _Any,
) -> _Tensor:
    """Return the numbers from `start` (0) to `end`, exclusive, in steps of `step` (1)."""
    ...

def arccos(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the arccosine of each element, in radians. It is NaN outside [-1, 1]."""
    ...

def arccos_(input: _Tensor) -> _Tensor:
    """Apply `acos` in place, and return this tensor."""
    ...

def arccosh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse hyperbolic cosine of each element. It is NaN below 1."""
    ...

def arccosh_(input: _Tensor) -> _Tensor:
    """Apply `acosh` in place, and return this tensor."""
    ...

def arcsin(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the arcsine of each element, in radians. It is NaN outside [-1, 1]."""
    ...

def arcsin_(input: _Tensor) -> _Tensor:
    """Apply `asin` in place, and return this tensor."""
    ...

def arcsinh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse hyperbolic sine of each element."""
    ...

def arcsinh_(input: _Tensor) -> _Tensor:
    """Apply `asinh` in place, and return this tensor."""
    ...

def arctan(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the arctangent of each element, in radians."""
    ...

def arctan2(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the angle of the point (x, y) = (other, input) in radians, in [-pi, pi]."""
    ...

def arctan_(input: _Tensor) -> _Tensor:
    """Apply `atan` in place, and return this tensor."""
    ...

def arctanh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse hyperbolic tangent of each element. It is NaN outside [-1, 1]."""
    ...

def arctanh_(input: _Tensor) -> _Tensor:
    """Apply `atanh` in place, and return this tensor."""
    ...

def are_deterministic_algorithms_enabled() -> _bool:
    """Return whether deterministic algorithms are enabled."""
    ...

def argmax(input: _Tensor, dim: _int | None = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return the index of the first maximum along `dim`, or in the flattened tensor if `dim` is None."""
    ...

def argmin(input: _Tensor, dim: _int | None = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return the index of the first minimum along `dim`, or in the flattened tensor if `dim` is None."""
    ...

def argsort(
    input: _Tensor, dim: _int = ..., descending: _bool = ..., *, stable: _bool = ..., out: _Any = ...
) -> _Tensor:
    """Return the indices that sort the elements along `dim`."""
    ...

def argwhere(input: _Tensor) -> _Tensor:
    """Return the indices of the nonzero elements, one row for each."""
    ...

def as_strided(
    input: _Tensor, size: _tuple[_int, ...], stride: _tuple[_int, ...], storage_offset: _int | None = ...
) -> _Tensor:
    """Return a view into the storage, which may show any part of it."""
    ...

def as_strided_(
    input: _Tensor, size: _tuple[_int, ...], stride: _tuple[_int, ...], storage_offset: _int | None = ...
) -> _Tensor:
    """Apply `as_strided` in place. Only the shape and strides change."""
    ...

def as_strided_copy(
    input: _Tensor, size: _tuple[_int, ...], stride: _tuple[_int, ...], storage_offset: _int | None = ...
) -> _Tensor:
    """Return the result of `as_strided` as a contiguous copy."""
    ...

def as_strided_scatter(
    input: _Tensor, src: _Tensor, size: _tuple[_int, ...], stride: _tuple[_int, ...], storage_offset: _int | None = ...
) -> _Tensor:
    """Return a copy of `input` with `src` at the elements that `as_strided` would return."""
    ...

def as_tensor(data: _Any, *, dtype: _dtype | None = ..., device: _Any = ...) -> _Tensor:
    """Return `data` as a tensor. A tensor or NumPy array with that dtype and device is not copied."""
    ...

def asarray(
    obj: _Any,
    *,
    dtype: _dtype | None = ...,
    device: _Any = ...,
    copy: _bool | None = ...,
    requires_grad: _bool | None = ...,
) -> _Tensor:
    """Return `obj` as a tensor that shares its memory if the dtype and device allow it."""
    ...

def asin(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the arcsine of each element, in radians. It is NaN outside [-1, 1]."""
    ...

def asin_(input: _Tensor) -> _Tensor:
    """Apply `asin` in place, and return this tensor."""
    ...

def asinh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse hyperbolic sine of each element."""
    ...

def asinh_(input: _Tensor) -> _Tensor:
    """Apply `asinh` in place, and return this tensor."""
    ...

def atan(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the arctangent of each element, in radians."""
    ...

def atan2(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the angle of the point (x, y) = (other, input) in radians, in [-pi, pi]."""
    ...

def atan_(input: _Tensor) -> _Tensor:
    """Apply `atan` in place, and return this tensor."""
    ...

def atanh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse hyperbolic tangent of each element. It is NaN outside [-1, 1]."""
    ...

def atanh_(input: _Tensor) -> _Tensor:
    """Apply `atanh` in place, and return this tensor."""
    ...

def atleast_1d(*tensors: _Any) -> _Any:
    """Add dims of size one until each tensor has at least 1."""
    ...

def atleast_2d(*tensors: _Any) -> _Any:
    """Add dims of size one until each tensor has at least 2."""
    ...

def atleast_3d(*tensors: _Any) -> _Any:
    """Add dims of size one until each tensor has at least 3."""
    ...

def autocast_decrement_nesting() -> _int:
    """Decrement the number of nested autocast regions and return it."""
    ...

def autocast_increment_nesting() -> _int:
    """Increment the number of nested autocast regions and return it."""
    ...

def avg_pool1d(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
    count_include_pad: _bool = ...,
) -> _Tensor:
    """Return the mean of each window of (N, C, L) or (C, L). By default, padding counts as zeros."""
    ...

def baddbmm(
    input: _Tensor, batch1: _Tensor, batch2: _Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: _Any = ...
) -> _Tensor:
    """Return beta * input + alpha * (batch1 @ batch2), for batches of matrices."""
    ...

def bartlett_window(
    window_length: _int,
    periodic: _bool = ...,
    *parameters: _float,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **named: _float,
) -> _Tensor:
    """Return the Bartlett window, a triangle. If `periodic` is True, the window is periodic, for spectral analysis; else symmetric."""
    ...

def batch_norm(
    input: _Tensor,
    weight: _Tensor | None,
    bias: _Tensor | None,
    running_mean: _Tensor | None,
    running_var: _Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool = ...,
) -> _Tensor:
    """Compute (x - mean) / sqrt(var + eps) for each channel (dim 1), times weight, plus bias."""
    ...

def bernoulli(input: _Tensor, p: _float = ..., *, generator: _Any = ..., out: _Any = ...) -> _Tensor:
    """Return random ones with the probabilities in `input` (or `p`), else zeros."""
    ...

def bilinear(input1: _Tensor, input2: _Tensor, weight: _Tensor, bias: _Tensor | None = ...) -> _Tensor:
    """Return x1 W_i x2 + bias_i for each of the n matrices W_i of `weight`."""
    ...

def binary_cross_entropy_with_logits(
    input: _Tensor,
    target: _Tensor,
    weight: _Tensor | None = ...,
    pos_weight: _Tensor | None = ...,
    reduction: _int = ...,
) -> _Tensor:
    """Compute the binary cross entropy of sigmoid(x) and targets t, from logits x."""
    ...

def bincount(input: _Tensor, weights: _Tensor | None = ..., minlength: _int = ...) -> _Tensor:
    """Count the occurrences of each number from 0 to the largest one, or sum the `weights` of each number."""
    ...

def binomial(count: _Tensor, prob: _Tensor, generator: _Any = ...) -> _Tensor:
    """Return the number of successes in `count` trials, each with success probability `prob`."""
    ...

bit: _Any
bits16: _Any
bits1x8: _Any
bits2x4: _Any
bits4x2: _Any
bits8: _Any

def bitwise_and(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the bitwise AND of `input` and `other`. For bools, it is the logical AND."""
    ...

def bitwise_left_shift(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return `input` shifted left by `other` bits."""
    ...

def bitwise_not(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the bitwise complement of each integer, or the logical negation of each bool."""
    ...

def bitwise_or(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the bitwise OR of `input` and `other`. For bools, it is the logical OR."""
    ...

def bitwise_right_shift(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return `input` shifted right arithmetically by `other` bits. Signed integers keep their sign."""
    ...

def bitwise_xor(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the bitwise XOR of `input` and `other`. For bools, it is the logical XOR."""
    ...

def blackman_window(
    window_length: _int,
    periodic: _bool = ...,
    *parameters: _float,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **named: _float,
) -> _Tensor:
    """Return the Blackman window: two cosines. If `periodic` is True, the window is periodic, for spectral analysis; else symmetric."""
    ...

def block_diag(*tensors: _Tensor) -> _Tensor:
    """Return the block-diagonal matrix of the given matrices. A vector is a matrix with one row."""
    ...

def bmm(input: _Tensor, mat2: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the products of two batches of matrices: (b, n, k), (b, k, m) -> (b, n, m)."""
    ...

bool: _dtype

def broadcast_shapes(*shapes: _Any) -> _Any:
    """Return the shape to which tensors of these shapes broadcast."""
    ...

def broadcast_tensors(*tensors: _Tensor) -> _tuple[_Tensor, ...]:
    """Expand tensors to their common shape."""
    ...

def broadcast_to(input: _Tensor, size: _Any) -> _Tensor:
    """Broadcast to a shape without copying."""
    ...

def bucketize(
    input: _Any, boundaries: _Tensor, *, out_int32: _bool = ..., right: _bool = ..., out: _Any = ...
) -> _Tensor:
    """Return the index of the bucket of each element; the buckets are bounded by the sorted `boundaries`."""
    ...

def cartesian_prod(*tensors: _Tensor) -> _Tensor:
    """Return the Cartesian product of vectors, one row for each combination."""
    ...

def cat(tensors: _Any, dim: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Concatenate tensors along a dim; (…, n, …), (…, m, …) -> (…, n + m, …)."""
    ...

def cdist(x1: _Tensor, x2: _Tensor, p: _float = ..., compute_mode: _str = ...) -> _Tensor:
    """Return the p-norm distance between each row of `x1` and each row of `x2`."""
    ...

cdouble: _dtype

def ceil(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the smallest integer not less than each element."""
    ...

def ceil_(input: _Tensor) -> _Tensor:
    """Apply `ceil` in place, and return this tensor."""
    ...

def celu(input: _Tensor, alpha: _float = ...) -> _Tensor:
    """Return x where x > 0, else alpha * (exp(x / alpha) - 1)."""
    ...

def celu_(input: _Tensor, alpha: _float = ...) -> _Tensor:
    """Apply `celu` in place."""
    ...

cfloat: _dtype

def chain_matmul(*matrices: _Tensor) -> _Tensor:
    """Return the product of several matrices."""
    ...

chalf: _Any

def channel_shuffle(input: _Tensor, groups: _int) -> _Tensor:
    """Interleave the groups of channels of (N, C, ...)."""
    ...

def cholesky(input: _Tensor, upper: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return L with L L* = input, or L* if `upper` is True."""
    ...

def cholesky_inverse(L: _Tensor, upper: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of A, given the Cholesky factor L of A."""
    ...

def cholesky_solve(B: _Tensor, L: _Tensor, upper: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return X with A X = B, given the Cholesky factor L of A."""
    ...

def chunk(input: _Tensor, chunks: _int, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Split a dim into at most `chunks` views of equal size; the last one may be smaller."""
    ...

def clamp(
    input: _Tensor, min: _Tensor | _Number | None = ..., max: _Tensor | _Number | None = ..., *, out: _Any = ...
) -> _Tensor:
    """Return min(max(input, min), max) for each element."""
    ...

def clamp_(input: _Tensor, min: _Tensor | _Number | None = ..., max: _Tensor | _Number | None = ...) -> _Tensor:
    """Apply `clamp` in place, and return this tensor."""
    ...

def clamp_max(input: _Tensor, max: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return min(input, max) for each element. See `clamp`."""
    ...

def clamp_max_(input: _Tensor, max: _Tensor | _Number) -> _Tensor:
    """Apply `clamp_max` in place, and return this tensor."""
    ...

def clamp_min(input: _Tensor, min: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return max(input, min) for each element. See `clamp`."""
    ...

def clamp_min_(input: _Tensor, min: _Tensor | _Number) -> _Tensor:
    """Apply `clamp_min` in place, and return this tensor."""
    ...

def clear_autocast_cache() -> None:
    """Clear the cache of cast weights."""
    ...

def clip(
    input: _Tensor, min: _Tensor | _Number | None = ..., max: _Tensor | _Number | None = ..., *, out: _Any = ...
) -> _Tensor:
    """Return min(max(input, min), max) for each element."""
    ...

def clip_(input: _Tensor, min: _Tensor | _Number | None = ..., max: _Tensor | _Number | None = ...) -> _Tensor:
    """Apply `clamp` in place, and return this tensor."""
    ...

def clone(input: _Tensor, *, memory_format: _Any = ...) -> _Tensor:
    """Return a differentiable copy of the tensor."""
    ...

def column_stack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Concatenate tensors along dim 1; a vector is a column."""
    ...

def combinations(input: _Tensor, r: _int = ..., with_replacement: _bool = ...) -> _Tensor:
    """Return all combinations of `r` elements of a vector, in order, one row for each."""
    ...

def compiled_with_cxx11_abi() -> _bool:
    """Return whether the library uses the C++11 ABI: always True, as in current PyTorch builds."""
    ...

def complex(real: _Tensor, imag: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the complex tensor real + i * imag."""
    ...

complex32: _Any

def concat(tensors: _Any, dim: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Alias of `cat`."""
    ...

def concatenate(tensors: _Any, dim: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Alias of `cat`."""
    ...

def conj(input: _Tensor) -> _Tensor:
    """Return the complex conjugate, as a view of the same memory. A real tensor is returned itself."""
    ...

def conj_physical(input: _Tensor, *, out: _Tensor | None = ...) -> _Tensor:
    """Return the complex conjugate, as a copy. A real tensor is returned itself."""
    ...

def conj_physical_(input: _Tensor) -> _Tensor:
    """Apply `conj_physical` in place, and return this tensor."""
    ...

def constant_pad_nd(input: _Tensor, pad: _tuple[_int, ...], value: _Number = ...) -> _Tensor:
    """Pad the last dims with `value`."""
    ...

def conv1d(
    input: _Tensor,
    weight: _Tensor,
    bias: _Tensor | None = ...,
    stride: _tuple | _int = ...,
    padding: _tuple | _int | _str = ...,
    dilation: _tuple | _int = ...,
    groups: _int = ...,
) -> _Tensor:
    """Convolve the last 1 dims of (N, C, ...) or (C, ...) with a kernel."""
    ...

def conv2d(
    input: _Tensor,
    weight: _Tensor,
    bias: _Tensor | None = ...,
    stride: _tuple | _int = ...,
    padding: _tuple | _int | _str = ...,
    dilation: _tuple | _int = ...,
    groups: _int = ...,
) -> _Tensor:
    """Convolve the last 2 dims of (N, C, ...) or (C, ...) with a kernel."""
    ...

def conv3d(
    input: _Tensor,
    weight: _Tensor,
    bias: _Tensor | None = ...,
    stride: _tuple | _int = ...,
    padding: _tuple | _int | _str = ...,
    dilation: _tuple | _int = ...,
    groups: _int = ...,
) -> _Tensor:
    """Convolve the last 3 dims of (N, C, ...) or (C, ...) with a kernel."""
    ...

def conv_tbc(input: _Tensor, weight: _Tensor, bias: _Tensor, pad: _int = ...) -> _Tensor:
    """Convolve the first dim of (T, B, C) with a weight (K, C, O); the result is (T + 2 * pad - K + 1, B, O)."""
    ...

def conv_transpose1d(
    input: _Tensor,
    weight: _Tensor,
    bias: _Tensor | None = ...,
    stride: _tuple | _int = ...,
    padding: _tuple | _int = ...,
    output_padding: _tuple | _int = ...,
    groups: _int = ...,
    dilation: _tuple | _int = ...,
) -> _Tensor:
    """Compute the transpose of `conv1d`: each input element adds a scaled kernel to the output."""
    ...

def conv_transpose2d(
    input: _Tensor,
    weight: _Tensor,
    bias: _Tensor | None = ...,
    stride: _tuple | _int = ...,
    padding: _tuple | _int = ...,
    output_padding: _tuple | _int = ...,
    groups: _int = ...,
    dilation: _tuple | _int = ...,
) -> _Tensor:
    """Compute the transpose of `conv2d`: each input element adds a scaled kernel to the output."""
    ...

def conv_transpose3d(
    input: _Tensor,
    weight: _Tensor,
    bias: _Tensor | None = ...,
    stride: _tuple | _int = ...,
    padding: _tuple | _int = ...,
    output_padding: _tuple | _int = ...,
    groups: _int = ...,
    dilation: _tuple | _int = ...,
) -> _Tensor:
    """Compute the transpose of `conv3d`: each input element adds a scaled kernel to the output."""
    ...

def convolution(
    input: _Tensor,
    weight: _Tensor,
    bias: _Tensor | None,
    stride: _tuple[_int, ...],
    padding: _tuple[_int, ...],
    dilation: _tuple[_int, ...],
    transposed: _bool,
    output_padding: _tuple[_int, ...],
    groups: _int,
) -> _Tensor:
    """Compute a convolution of (N, C, ...), or its transpose. A weight with n + 2 dims is convolved over n dims."""
    ...

def copysign(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the magnitude of `input` with the sign of `other`."""
    ...

def corrcoef(input: _Tensor) -> _Tensor:
    """Return the matrix of correlation coefficients. Each row of `input` is a variable, each column an observation."""
    ...

def cos(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the cosine of each element, in radians."""
    ...

def cos_(input: _Tensor) -> _Tensor:
    """Apply `cos` in place, and return this tensor."""
    ...

def cosh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the hyperbolic cosine of each element."""
    ...

def cosh_(input: _Tensor) -> _Tensor:
    """Apply `cosh` in place, and return this tensor."""
    ...

def cosine_embedding_loss(
    input1: _Tensor, input2: _Tensor, target: _Tensor, margin: _float = ..., reduction: _int = ...
) -> _Tensor:
    """Compute a loss from the cosine similarity of two vectors."""
    ...

def cosine_similarity(x1: _Tensor, x2: _Tensor, dim: _int = ..., eps: _float = ...) -> _Tensor:
    """Return the cosine similarity x1 . x2 / (|x1| |x2|) along a dim."""
    ...

def count_nonzero(input: _Tensor, dim: _Any = ...) -> _Tensor:
    """Return the number of nonzero elements over `dim` (default: all dims)."""
    ...

def cov(
    input: _Tensor, *, correction: _int = ..., fweights: _Tensor | None = ..., aweights: _Tensor | None = ...
) -> _Tensor:
    """Estimate the covariance matrix of variables. Each row of `input` is a variable, each column an observation."""
    ...

def cross(input: _Tensor, other: _Tensor, dim: _int | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the cross product of vectors of three elements along `dim` (by default the first dim of size three)."""
    ...

def ctc_loss(
    log_probs: _Tensor,
    targets: _Tensor,
    input_lengths: _Any,
    target_lengths: _Any,
    blank: _int = ...,
    reduction: _int = ...,
    zero_infinity: _bool = ...,
) -> _Tensor:
    """Compute `torch.nn.functional.ctc_loss`; reduction: 0 for none, 1 for the mean, 2 for the sum."""
    ...

def cudnn_is_acceptable(input: _Tensor) -> _bool:
    """Return whether cuDNN can compute with a tensor: whether it is on a GPU, of a floating dtype and not empty."""
    ...

def cummax(input: _Tensor, dim: _int, *, out: _Any = ...) -> _Any:
    """Return the cumulative maximum along `dim`, and the index of its last occurrence so far."""
    ...

def cummin(input: _Tensor, dim: _int, *, out: _Any = ...) -> _Any:
    """Return the cumulative minimum along `dim`, and the index of its last occurrence so far."""
    ...

def cumprod(input: _Tensor, dim: _int, *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """Return the cumulative product along `dim`. Integers and bools are multiplied in int64 by default."""
    ...

def cumsum(input: _Tensor, dim: _int, *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """Return the cumulative sum along `dim`. Integers and bools are summed in int64 by default."""
    ...

def cumulative_trapezoid(y: _Tensor, x: _Tensor = ..., *, dx: _Number = ..., dim: _int = ...) -> _Tensor:
    """Return the cumulative integral of `y` along `dim` by the trapezoidal rule."""
    ...

def deg2rad(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Convert each element from degrees to radians."""
    ...

def deg2rad_(input: _Tensor) -> _Tensor:
    """Apply `deg2rad` in place, and return this tensor."""
    ...

def dequantize(tensor: _Any) -> _Any:
    """Return the real numbers of a quantized tensor as float32. A plain tensor is cast to float32."""
    ...

def det(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the determinant of a square matrix."""
    ...

def detach(input: _Tensor) -> _Tensor:
    """Return this tensor without its autograd history. The result shares the storage."""
    ...

def detach_(input: _Any) -> _Tensor:
    """Detach this tensor from the gradient graph in place."""
    ...

def detach_copy(input: _Tensor) -> _Tensor:
    """Return the result of `detach` as a contiguous copy."""
    ...

def diag(input: _Tensor, diagonal: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Return the diagonal of a matrix, or a matrix with the given vector on its diagonal."""
    ...

def diag_embed(input: _Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Tensor:
    """Return matrices in the dims `dim1` and `dim2` with the last dim of `input` on their diagonals."""
    ...

def diagflat(input: _Tensor, offset: _int = ...) -> _Tensor:
    """Return a matrix with all elements of `input` on its diagonal."""
    ...

def diagonal(input: _Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Tensor:
    """Return the diagonals of the matrices in dims `dim1` and `dim2`, as the last dim."""
    ...

def diagonal_copy(input: _Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Any:
    """Return the result of `diagonal` as a contiguous copy."""
    ...

def diagonal_scatter(input: _Tensor, src: _Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Tensor:
    """Return a copy of `input` with `src` on its diagonal."""
    ...

def diff(
    input: _Tensor,
    n: _int = ...,
    dim: _int = ...,
    prepend: _Tensor | None = ...,
    append: _Tensor | None = ...,
    *,
    out: _Any = ...,
) -> _Tensor:
    """Return the n-th differences of adjacent elements along `dim`."""
    ...

def digamma(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the digamma function, the derivative of the logarithm of the gamma function."""
    ...

def dist(input: _Tensor, other: _Tensor, p: _float = ...) -> _Tensor:
    """Return the p-norm of input - other."""
    ...

def div(
    input: _Tensor | _Number, other: _Tensor | _Number, *, rounding_mode: _str | None = ..., out: _Any = ...
) -> _Tensor:
    """Return input / other."""
    ...

def divide(
    input: _Tensor | _Number, other: _Tensor | _Number, *, rounding_mode: _str | None = ..., out: _Any = ...
) -> _Tensor:
    """Return input / other."""
    ...

def dot(input: _Tensor, tensor: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the dot product, the sum of the products of the elements of two vectors of equal length."""
    ...

double: _dtype

def dropout(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Zero each element with probability p and scale the others by 1 / (1 - p), if `train` is True."""
    ...

def dropout_(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Apply `dropout` in place."""
    ...

def dsmm(input: _Tensor, mat2: _Tensor, *, out: _Tensor | None = ...) -> _Any:
    """Return the product of two matrices: (n, k), (k, m) -> (n, m)."""
    ...

def dsplit(
    input: _Tensor, indices_or_sections: _Any = ..., *, sections: _Any = ..., indices: _Any = ...
) -> _tuple[_Tensor, ...]:
    """Split along dim 2 into views: into equal sections, or at the given indices."""
    ...

def dstack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Concatenate tensors along dim 2; a matrix gets a third dim of size one."""
    ...

e: _float

def eig(self: _Tensor, eigenvectors: _bool = ..., *, e: _Any = ..., v: _Any = ...) -> _Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.eig`."""
    ...

def einsum(*args: _Any) -> _Tensor:
    """Return the sum of products that an equation describes: `einsum("ij,jk->ik", a, b)`."""
    ...

def embedding(
    weight: _Tensor, indices: _Tensor, padding_idx: _int = ..., scale_grad_by_freq: _bool = ..., sparse: _bool = ...
) -> _Tensor:
    """Return weight[indices]. Row `padding_idx` gets no gradient. See `torch.nn.functional.embedding`."""
    ...

def embedding_bag(
    weight: _Tensor,
    indices: _Tensor,
    offsets: _Tensor,
    scale_grad_by_freq: _bool = ...,
    mode: _int = ...,
    sparse: _bool = ...,
    per_sample_weights: _Tensor | None = ...,
    include_last_offset: _bool = ...,
    padding_idx: _int | None = ...,
) -> _tuple[_Tensor, _Tensor, _Tensor, _Tensor]:
    """Compute `torch.nn.functional.embedding_bag` of concatenated bags, and the values that PyTorch saves for backward."""
    ...

def embedding_renorm_(input: _Tensor, indices: _Tensor, max_norm: _float, norm_type: _float) -> _Tensor:
    """Scale the rows at `indices` whose norm exceeds `max_norm` down to the norm `max_norm`, in place."""
    ...

def empty(
    *size: _Any,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **more: _Any,
) -> _Tensor:
    """Return an uninitialized tensor (zeros here)."""
    ...

def empty_like(
    input: _Tensor,
    *,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    memory_format: _Any = ...,
) -> _Tensor:
    """Return `empty` with the shape, dtype, device and memory format of `input`."""
    ...

def empty_permuted(size: _Any, physical_layout: _Any, **options: _Any) -> _Tensor:
    """Return an uninitialized tensor (zeros here) with the given order of dims in memory."""
    ...

def empty_strided(
    size: _Any,
    stride: _Any,
    *,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
) -> _Tensor:
    """Return an uninitialized tensor (zeros here) with the given shape and strides."""
    ...

def eq(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input == other for each element."""
    ...

def equal(input: _Tensor, other: _Tensor) -> _bool:
    """Return whether two tensors have the same shape and elements. The call flushes the pending trace."""
    ...

def erf(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    ...

def erf_(input: _Tensor) -> _Tensor:
    """Apply `erf` in place, and return this tensor."""
    ...

def erfc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the complementary error function, 1 - erf(x)."""
    ...

def erfc_(input: _Tensor) -> _Tensor:
    """Apply `erfc` in place, and return this tensor."""
    ...

def erfinv(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse error function: inf at 1, -inf at -1, NaN outside [-1, 1]."""
    ...

def exp(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return e raised to the power of each element."""
    ...

def exp2(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return 2 raised to the power of each element."""
    ...

def exp2_(input: _Tensor) -> _Tensor:
    """Apply `exp2` in place, and return this tensor."""
    ...

def exp_(input: _Tensor) -> _Tensor:
    """Apply `exp` in place, and return this tensor."""
    ...

def expand(input: _Tensor, size: _tuple) -> _Tensor:
    """Return the tensor with dims of size 1 expanded to `size` without copying."""
    ...

def expand_copy(input: _Tensor, size: _Sequence[_int]) -> _Any:
    """Return the result of `expand` as a contiguous copy."""
    ...

def expm1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return exp(x) - 1 for each element x, accurate near 0."""
    ...

def expm1_(input: _Tensor) -> _Tensor:
    """Apply `expm1` in place, and return this tensor."""
    ...

def eye(
    n: _int,
    m: _int | None = ...,
    *,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
) -> _Tensor:
    """Return a matrix (n, m) with ones on its diagonal and zeros elsewhere. The default of `m` is n."""
    ...

def fake_quantize_per_channel_affine(
    input: _Tensor, scale: _Tensor, zero_point: _Tensor, axis: _int, quant_min: _int, quant_max: _int
) -> _Tensor:
    """Round to the values of a quantized tensor that has a scale and a zero point for each channel."""
    ...

def fake_quantize_per_tensor_affine(
    input: _Tensor, scale: _float | _Tensor, zero_point: _int | _Tensor, quant_min: _int, quant_max: _int
) -> _Tensor:
    """Round to the values of a quantized tensor. The gradient is 0 for elements outside of the quantized range."""
    ...

def feature_alpha_dropout(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Apply `alpha_dropout` to whole channels."""
    ...

def feature_alpha_dropout_(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Apply `feature_alpha_dropout` in place."""
    ...

def feature_dropout(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Zero each channel (index of the first two dims) with probability p, if `train` is True."""
    ...

def feature_dropout_(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Apply `feature_dropout` in place."""
    ...

def fill(input: _Tensor, value: _Any) -> _Tensor:
    """Return a tensor like `input` with every element set to a number."""
    ...

def fill_(input: _Tensor, value: _Any) -> _Tensor:
    """Set every element to a number."""
    ...

def fix(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return each element rounded toward zero."""
    ...

def fix_(input: _Tensor) -> _Tensor:
    """Apply `trunc` in place, and return this tensor."""
    ...

def flatten(input: _Tensor, start_dim: _int = ..., end_dim: _int = ...) -> _Tensor:
    """Flatten the dims from `start_dim` to `end_dim`, inclusive, to one."""
    ...

def flip(input: _Tensor, dims: _tuple[_int, ...]) -> _Tensor:
    """Reverse the order of the indices along `dims`. The result is a copy."""
    ...

def fliplr(input: _Tensor) -> _Tensor:
    """Reverse the order of the columns."""
    ...

def flipud(input: _Tensor) -> _Tensor:
    """Reverse the order of the rows."""
    ...

float: _dtype
float4_e2m1fn_x2: _Any

def float_power(input: _Tensor | _Number, exponent: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input ** exponent, computed in double precision."""
    ...

def floor(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the largest integer not greater than each element."""
    ...

def floor_(input: _Tensor) -> _Tensor:
    """Apply `floor` in place, and return this tensor."""
    ...

def floor_divide(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input / other rounded down."""
    ...

def fmax(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the larger of `input` and `other` for each pair of elements, ignoring NaN."""
    ...

def fmin(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the smaller of `input` and `other` for each pair of elements, ignoring NaN."""
    ...

def fmod(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the remainder of input / other with the sign of `input`, as C's fmod."""
    ...

def frac(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the fractional part of each element, with the sign of the element."""
    ...

def frac_(input: _Tensor) -> _Tensor:
    """Apply `frac` in place, and return this tensor."""
    ...

def frexp(input: _Tensor, *, out: _Any = ...) -> _Any:
    """Return the mantissa, with a magnitude in [0.5, 1), and the binary exponent of each element."""
    ...

def frobenius_norm(input: _Tensor, dim: _tuple[_int, ...] | _int, keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return the square root of the sum of squares over one or two dims. If `dim` is empty, sum over all dims."""
    ...

def from_dlpack(ext_tensor: _Any, *, device: _Any = ..., copy: _bool | None = ...) -> _Tensor:
    """Return a tensor over the memory of an array that supports DLPack, or of a DLPack capsule on the CPU."""
    ...

def from_file(
    filename: _Any,
    shared: _bool | None = ...,
    size: _int = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    pin_memory: _bool = ...,
    requires_grad: _bool = ...,
) -> _Tensor:
    """Return the first `size` elements of a file as a one-dim tensor on the CPU."""
    ...

def from_numpy(ndarray: _Any) -> _Tensor:
    """Return a tensor that shares the memory of a NumPy array. Writes to either are visible in the other."""
    ...

def frombuffer(
    buffer: _Any, *, dtype: _dtype | None = ..., count: _int = ..., offset: _int = ..., requires_grad: _bool = ...
) -> _Tensor:
    """Return a one-dim tensor that shares the memory of an object with the buffer protocol."""
    ...

def full(
    size: _Any,
    fill_value: _Any = ...,
    *,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
) -> _Tensor:
    """Return a tensor filled with one number. The dtype follows the type of the number."""
    ...

def full_like(
    input: _Tensor,
    fill_value: _Any,
    *,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    memory_format: _Any = ...,
) -> _Tensor:
    """Return a tensor filled with one number, with the shape, dtype, device and memory order of `input`."""
    ...

def fused_moving_avg_obs_fake_quant(
    input: _Tensor,
    observer_on: _Tensor,
    fake_quant_on: _Tensor,
    running_min: _Tensor,
    running_max: _Tensor,
    scale: _Tensor,
    zero_point: _Tensor,
    averaging_const: _float,
    quant_min: _int,
    quant_max: _int,
    ch_axis: _int,
    per_row_fake_quant: _bool = ...,
    symmetric_quant: _bool = ...,
) -> _Tensor:
    """Move the averages of the range of `input`, choose a scale and a zero point for them, and round `input`."""
    ...

def gather(input: _Tensor, dim: _int, index: _Tensor, *, sparse_grad: _bool = ..., out: _Any = ...) -> _Tensor:
    """Gather elements along `dim`: out[i][j] = input[index[i][j]][j] for dim 0, and so on for other dims."""
    ...

def gcd(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the greatest common divisor of the elements of `input` and `other`."""
    ...

def gcd_(input: _Tensor, other: _Tensor) -> _Tensor:
    """Apply `gcd` in place, and return this tensor."""
    ...

def ge(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input >= other for each element."""
    ...

def geqrf(input: _Tensor, *, out: _Any = ...) -> _Any:
    """Return the QR decomposition in LAPACK's compact form."""
    ...

def ger(input: _Tensor, vec2: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the outer product of two vectors: (n,), (m,) -> (n, m)."""
    ...

def get_autocast_cpu_dtype() -> _Any:
    """The deprecated form of `get_autocast_dtype` for cpu."""
    ...

def get_autocast_dtype(device_type: _str) -> _Any:
    """Return the lower-precision dtype that autocast uses on a device type, for example for matrix products."""
    ...

def get_autocast_gpu_dtype() -> _Any:
    """The deprecated form of `get_autocast_dtype` for cuda."""
    ...

def get_autocast_ipu_dtype() -> _Any:
    """The deprecated form of `get_autocast_dtype` for ipu."""
    ...

def get_autocast_xla_dtype() -> _Any:
    """The deprecated form of `get_autocast_dtype` for xla."""
    ...

def get_deterministic_debug_mode() -> _int:
    """Return 0 if deterministic algorithms are not enabled, 1 if violations warn, 2 if they raise."""
    ...

def get_device(input: _Any) -> _int:
    """Return the index of the tensor's accelerator, or -1 on the CPU."""
    ...

def get_device_module(device: _Any = ...) -> _Any:
    """Return the module of a device type, such as `torchlike.cuda`."""
    ...

def get_num_interop_threads() -> _int:
    """Return the number of threads that run operators in parallel: the size of XLA's only pool."""
    ...

def get_num_threads() -> _int:
    """Return the number of threads in XLA's pool on the CPU, and 1 in a process that computes with NumPy."""
    ...

def get_rng_state() -> _Tensor:
    """Return the state of the CPU's default generator as a uint8 tensor. Its bytes are in PyTorch's format."""
    ...

def gradient(
    input: _Tensor, *, spacing: _Any = ..., dim: _tuple[_int, ...] | _int | None = ..., edge_order: _int = ...
) -> _tuple[_Tensor, ...]:
    """Estimate the gradient along each dim by central differences, with one-sided differences at the ends."""
    ...

def greater(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input > other for each element."""
    ...

def greater_equal(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input >= other for each element."""
    ...

def grid_sampler(
    input: _Tensor, grid: _Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> _Tensor:
    """Compute `torch.nn.functional.grid_sample`, with numbers for the modes."""
    ...

def grid_sampler_2d(
    input: _Tensor, grid: _Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> _Tensor:
    """Compute `grid_sample` with modes given as numbers."""
    ...

def grid_sampler_3d(
    input: _Tensor, grid: _Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> _Tensor:
    """Compute `grid_sample` with modes given as numbers."""
    ...

def group_norm(
    input: _Tensor,
    num_groups: _int,
    weight: _Tensor | None = ...,
    bias: _Tensor | None = ...,
    eps: _float = ...,
    cudnn_enabled: _bool = ...,
) -> _Tensor:
    """Compute (x - mean) / sqrt(var + eps) over each group of channels of each sample, times weight, plus bias."""
    ...

def gru(*args: _Any) -> _tuple[_Tensor, _Tensor]:
    """Run `gru` layers and return (outputs, h_n)."""
    ...

def gru_cell(
    input: _Tensor, hx: _Tensor, w_ih: _Tensor, w_hh: _Tensor, b_ih: _Tensor | None = ..., b_hh: _Tensor | None = ...
) -> _Tensor:
    """Compute one step of a GRU and return the new h."""
    ...

def gt(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input > other for each element."""
    ...

half: _dtype

def hamming_window(
    window_length: _int,
    periodic: _bool = ...,
    *parameters: _float,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **named: _float,
) -> _Tensor:
    """Return the Hamming window, alpha - beta cos. If `periodic` is True, the window is periodic, for spectral analysis; else symmetric."""
    ...

def hann_window(
    window_length: _int,
    periodic: _bool = ...,
    *parameters: _float,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **named: _float,
) -> _Tensor:
    """Return the Hann window, a raised cosine. If `periodic` is True, the window is periodic, for spectral analysis; else symmetric."""
    ...

def hardshrink(input: _Tensor, lambd: _Number = ..., *, out: _Any = ...) -> _Tensor:
    """Return x where |x| > lambd, and 0 elsewhere, for each element x."""
    ...

has_lapack: _bool
has_mkl: _bool
has_openmp: _bool
has_spectral: _bool

def hash_tensor(input: _Tensor, dim: _Any = ..., *, keepdim: _bool = ..., mode: _int = ..., out: _Any = ...) -> _Tensor:
    """Return the exclusive or of the bits of all elements over `dim`, in uint64."""
    ...

def heaviside(input: _Tensor, values: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the Heaviside step function: 0 below zero, 1 above zero, `values` at zero, and 0 for NaN."""
    ...

def hinge_embedding_loss(input: _Tensor, target: _Tensor, margin: _float = ..., reduction: _int = ...) -> _Tensor:
    """Compute x where the target is 1, and max(0, margin - x) where it is -1, and reduce it by `reduction`."""
    ...

def histc(input: _Tensor, bins: _int = ..., min: _float = ..., max: _float = ..., *, out: _Any = ...) -> _Tensor:
    """Return the number of elements in each of `bins` equal intervals from `min` to `max`."""
    ...

def histogram(
    input: _Tensor,
    bins: _Any = ...,
    *,
    range: _Any = ...,
    weight: _Tensor | None = ...,
    density: _bool = ...,
    out: _Any = ...,
) -> _Any:
    """Count the elements in each interval. Return the counts and the edges of the intervals."""
    ...

def histogramdd(
    input: _Tensor, bins: _Any, *, range: _Any = ..., weight: _Tensor | None = ..., density: _bool = ...
) -> _Any:
    """Count the points of (..., D) in each cell of a grid."""
    ...

def hsplit(
    input: _Tensor, indices_or_sections: _Any = ..., *, sections: _Any = ..., indices: _Any = ...
) -> _tuple[_Tensor, ...]:
    """Split along dim 1 into views: into equal sections, or at the given indices."""
    ...

def hstack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Concatenate tensors along dim 1 (dim 0 for vectors)."""
    ...

def hypot(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return sqrt(input**2 + other**2) without overflow."""
    ...

def i0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the modified Bessel function of the first kind of order 0, element by element."""
    ...

def i0_(input: _Tensor) -> _Tensor:
    """Apply `i0` in place, and return this tensor."""
    ...

def igamma(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the regularized lower incomplete gamma function P(input, other) for shape parameter `input`."""
    ...

def igammac(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other)."""
    ...

def imag(input: _Tensor) -> _Tensor:
    """Return the imaginary part, as a view; for a lazily conjugated view, it is lazily negated."""
    ...

def index_add(
    input: _Tensor, dim: _int, index: _Tensor, source: _Tensor, *, alpha: _Any = ..., out: _Any = ...
) -> _Tensor:
    """Add `alpha * source` to the slices at the indices `index` along `dim`."""
    ...

def index_copy(input: _Tensor, dim: _int, index: _Tensor, source: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Replace the slices at the indices `index` along `dim` by the slices of `source`."""
    ...

def index_fill(input: _Tensor, dim: _int, index: _Tensor, value: _Any) -> _Tensor:
    """Set the slices at the indices `index` along `dim` to a number."""
    ...

def index_put(input: _Tensor, indices: _Any, values: _Tensor, accumulate: _bool = ...) -> _Tensor:
    """Return a copy with `values` written at the index tensors `indices`; with `accumulate`, add them."""
    ...

def index_put_(input: _Tensor, indices: _Any, values: _Tensor, accumulate: _bool = ...) -> _Tensor:
    """Write `values` at the index tensors `indices` in place; with `accumulate`, add them."""
    ...

def index_reduce(
    input: _Tensor,
    dim: _int,
    index: _Tensor,
    source: _Tensor,
    reduce: _str,
    *,
    include_self: _bool = ...,
    out: _Any = ...,
) -> _Tensor:
    """Reduce the slices of `source` into the slices of `input` at the indices `index` along `dim`."""
    ...

def index_select(input: _Tensor, dim: _int, index: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the slices of `input` at the indices `index` along `dim`."""
    ...

inf: _float

def initial_seed() -> _int:
    """Return the last seed of the CPU's default generator."""
    ...

def inner(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the sums of products over the last dim of both tensors: (..., k), (*, k) -> (..., *)."""
    ...

def instance_norm(
    input: _Tensor,
    weight: _Tensor | None,
    bias: _Tensor | None,
    running_mean: _Tensor | None,
    running_var: _Tensor | None,
    use_input_stats: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool = ...,
) -> _Tensor:
    """Compute (x - mean) / sqrt(var + eps) for each channel of each sample, times weight, plus bias."""
    ...

int: _dtype
int1: _Any
int2: _Any
int3: _Any
int4: _Any
int5: _Any
int6: _Any
int7: _Any

def int_repr(self: _Any) -> _Tensor:
    """Return the integers of a quantized tensor."""
    ...

def inverse(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse of a square matrix."""
    ...

def is_autocast_cache_enabled() -> _bool:
    """Return whether autocast caches the casts of weights until the outermost `autocast` block ends."""
    ...

def is_autocast_cpu_enabled() -> _bool:
    """The deprecated form of `is_autocast_enabled` for cpu."""
    ...

def is_autocast_enabled(device_type: _str = ...) -> _bool:
    """Return whether autocast is enabled for a device type."""
    ...

def is_autocast_ipu_enabled() -> _bool:
    """The deprecated form of `is_autocast_enabled` for ipu."""
    ...

def is_autocast_xla_enabled() -> _bool:
    """The deprecated form of `is_autocast_enabled` for xla."""
    ...

def is_complex(input: _Tensor) -> _bool:
    """Return whether the dtype of `input` is complex."""
    ...

def is_conj(input: _Tensor) -> _bool:
    """Return whether this is a lazily conjugated view."""
    ...

def is_deterministic_algorithms_warn_only_enabled() -> _bool:
    """Return whether a nondeterministic algorithm causes a warning instead of an error."""
    ...

def is_distributed(input: _Tensor) -> _bool:
    """Return False: PyTorch's old distributed tensors do not exist."""
    ...

def is_floating_point(input: _Tensor) -> _bool:
    """Return whether the dtype of `input` is a real floating-point dtype."""
    ...

def is_inference(input: _Tensor) -> _bool:
    """Return whether `input` was created in inference mode."""
    ...

def is_neg(input: _Tensor) -> _bool:
    """Return whether this is a lazily negated view."""
    ...

def is_nonzero(input: _Tensor) -> _bool:
    """Return whether the only element is not zero."""
    ...

def is_same_size(input: _Tensor, other: _Tensor) -> _bool:
    """Return whether two tensors have the same shape."""
    ...

def is_signed(input: _Any) -> _bool:
    """Return whether the dtype has negative numbers."""
    ...

def is_storage(obj: _Any) -> _bool:
    """Return whether `obj` is a storage."""
    ...

def is_tensor(obj: _Any) -> _bool:
    """Return whether `obj` is a tensor."""
    ...

def is_vulkan_available(*args: _object, **kwargs: _object) -> _bool:
    """Return False: Vulkan is not supported."""
    ...

def is_warn_always_enabled() -> _bool:
    """Return the last setting of `set_warn_always`. The default is False."""
    ...

def isclose(input: _Tensor, other: _Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _Tensor:
    """Return whether |input - other| <= atol + rtol * |other| for each element."""
    ...

def isfinite(input: _Tensor) -> _Tensor:
    """Return whether each element is neither infinite nor NaN."""
    ...

def isin(
    elements: _Tensor | _Number,
    test_elements: _Tensor | _Number,
    *,
    assume_unique: _bool = ...,
    invert: _bool = ...,
    out: _Any = ...,
) -> _Tensor:
    """Return whether each element is among the test elements or, if `invert`, whether it is not."""
    ...

def isinf(input: _Tensor) -> _Tensor:
    """Return whether each element is infinite. A complex element is infinite if either part is."""
    ...

def isnan(input: _Tensor) -> _Tensor:
    """Return whether each element is NaN."""
    ...

def isneginf(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return whether each element is -inf."""
    ...

def isposinf(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return whether each element is +inf."""
    ...

def isreal(input: _Tensor) -> _Tensor:
    """Return whether each element has a zero imaginary part."""
    ...

def istft(
    input: _Tensor,
    n_fft: _int,
    hop_length: _int | None = ...,
    win_length: _int | None = ...,
    window: _Tensor | None = ...,
    center: _bool = ...,
    normalized: _bool = ...,
    onesided: _bool | None = ...,
    length: _int | None = ...,
    return_complex: _bool = ...,
) -> _Tensor:
    """Return the signal whose `stft` is `input`."""
    ...

def kaiser_window(
    window_length: _int,
    periodic: _bool = ...,
    *parameters: _float,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **named: _float,
) -> _Tensor:
    """Return the Kaiser window with shape parameter `beta`. If `periodic` is True, the window is periodic, for spectral analysis; else symmetric."""
    ...

def kl_div(input: _Tensor, target: _Tensor, reduction: _int = ..., *, log_target: _bool = ...) -> _Tensor:
    """Compute the Kullback-Leibler divergence, target (log target - input), where `input` holds log-probabilities."""
    ...

def kron(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the Kronecker product: each element of `input` times the whole of `other`."""
    ...

def kthvalue(input: _Tensor, k: _int, dim: _int = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Any:
    """Return the k-th smallest element along `dim` (k counts from 1), and its index."""
    ...

def layer_norm(
    input: _Tensor,
    normalized_shape: _tuple[_int, ...],
    weight: _Tensor | None = ...,
    bias: _Tensor | None = ...,
    eps: _float = ...,
    cudnn_enable: _bool = ...,
) -> _Tensor:
    """Compute (x - mean) / sqrt(var + eps) over the last dims, times weight, plus bias."""
    ...

def lcm(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the least common multiple of the elements of `input` and `other`."""
    ...

def lcm_(input: _Tensor, other: _Tensor) -> _Tensor:
    """Apply `lcm` in place, and return this tensor."""
    ...

def ldexp(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return input * 2**other."""
    ...

def ldexp_(input: _Tensor, other: _Tensor) -> _Tensor:
    """Apply `ldexp` in place, and return this tensor."""
    ...

def le(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input <= other for each element."""
    ...

def lerp(input: _Tensor, end: _Tensor, weight: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input + weight * (end - input), exact at weights 0 and 1."""
    ...

def less(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input < other for each element."""
    ...

def less_equal(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input <= other for each element."""
    ...

def lgamma(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the natural logarithm of the absolute value of the gamma function."""
    ...

def linspace(
    start: _Any,
    end: _Any,
    steps: _Any = ...,
    *,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
) -> _Tensor:
    """Return `steps` evenly spaced numbers from `start` to `end`, inclusive."""
    ...

def lobpcg(
    A: _Tensor,
    k: _int | None = ...,
    B: _Tensor | None = ...,
    X: _Tensor | None = ...,
    n: _int | None = ...,
    iK: _Tensor | None = ...,
    niter: _int | None = ...,
    tol: _float | None = ...,
    largest: _bool | None = ...,
    method: _str | None = ...,
    tracker: _Any = ...,
    ortho_iparams: _dict[_str, _int] | None = ...,
    ortho_fparams: _dict[_str, _float] | None = ...,
    ortho_bparams: _dict[_str, _bool] | None = ...,
) -> _tuple[_Tensor, _Tensor]:
    """Return k eigenvalues E and eigenvectors X with A X = B X diag(E), A symmetric and B symmetric positive definite."""
    ...

def log(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the natural logarithm of each element: -inf at 0, NaN below 0."""
    ...

def log10(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the base-10 logarithm of each element."""
    ...

def log10_(input: _Tensor) -> _Tensor:
    """Apply `log10` in place, and return this tensor."""
    ...

def log1p(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return log(1 + x) for each element x, accurate near 0."""
    ...

def log1p_(input: _Tensor) -> _Tensor:
    """Apply `log1p` in place, and return this tensor."""
    ...

def log2(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the base-2 logarithm of each element."""
    ...

def log2_(input: _Tensor) -> _Tensor:
    """Apply `log2` in place, and return this tensor."""
    ...

def log_(input: _Tensor) -> _Tensor:
    """Apply `log` in place, and return this tensor."""
    ...

def log_softmax(input: _Tensor, dim: _int, dtype: _dtype | None = ..., *, out: _Any = ...) -> _Tensor:
    """Compute the logarithm of softmax over a dim. If `dtype` is given, `input` is cast to it first."""
    ...

def logaddexp(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return log(exp(input) + exp(other)) without overflow."""
    ...

def logaddexp2(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return log2(2**input + 2**other) without overflow."""
    ...

def logcumsumexp(input: _Tensor, dim: _int, *, out: _Any = ...) -> _Tensor:
    """Return the cumulative log(sum(exp(input))) along `dim`, without overflow."""
    ...

def logdet(input: _Tensor) -> _Tensor:
    """Return the logarithm of the determinant, or NaN where a real determinant is negative."""
    ...

def logical_and(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return whether both `input` and `other` are nonzero, for each pair of elements."""
    ...

def logical_not(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return whether each element is zero."""
    ...

def logical_or(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return whether `input` or `other` is nonzero, for each pair of elements."""
    ...

def logical_xor(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return whether exactly one of `input` and `other` is nonzero, for each pair of elements."""
    ...

def logit(input: _Tensor, eps: _float | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the logit, log(x / (1 - x))."""
    ...

def logit_(input: _Tensor, eps: _float | None = ...) -> _Tensor:
    """Apply `logit` in place, and return this tensor."""
    ...

def logspace(
    start: _Any,
    end: _Any,
    steps: _Any = ...,
    base: _float = ...,
    *,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
) -> _Tensor:
    """Return `base` to the power of `steps` evenly spaced exponents from `start` to `end`, inclusive."""
    ...

def logsumexp(input: _Tensor, dim: _tuple | _int, keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return log(sum(exp(input))) over `dim`, without overflow."""
    ...

long: _dtype

def lstm(*args: _Any) -> _tuple[_Tensor, _Tensor, _Tensor]:
    """Run LSTM layers and return (outputs, h_n, c_n)."""
    ...

def lstm_cell(
    input: _Tensor,
    hx: _Sequence[_Tensor],
    w_ih: _Tensor,
    w_hh: _Tensor,
    b_ih: _Tensor | None = ...,
    b_hh: _Tensor | None = ...,
) -> _tuple[_Tensor, _Tensor]:
    """Compute one step of an LSTM and return the new (h, c)."""
    ...

def lstsq(input: _Tensor, A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.lstsq`."""
    ...

def lt(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input < other for each element."""
    ...

def lu(A: _Tensor, pivot: _bool = ..., get_infos: _Any = ..., *, out: _Any = ...) -> _Any:
    """Return L and U in one matrix, and the pivots."""
    ...

def lu_solve(input: _Tensor, LU_data: _Tensor, LU_pivots: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return X with A X = input, given the results of `lu` for A."""
    ...

def lu_unpack(
    LU_data: _Tensor, LU_pivots: _Tensor, unpack_data: _bool = ..., unpack_pivots: _bool = ..., *, out: _Any = ...
) -> _Any:
    """Return P, L and U, given the results of `lu_factor`."""
    ...

def manual_seed(seed: _int) -> _Any:
    """Seed the default generators of all devices, and return that of the CPU."""
    ...

def margin_ranking_loss(
    input1: _Tensor, input2: _Tensor, target: _Tensor, margin: _float = ..., reduction: _int = ...
) -> _Tensor:
    """Compute max(0, margin - t (x1 - x2)), where t = 1 ranks x1 above x2 and t = -1 ranks it below."""
    ...

def masked_fill(input: _Tensor, mask: _Tensor, value: _Any) -> _Tensor:
    """Return a copy of `input` with `value` at the elements where `mask` is true."""
    ...

def masked_scatter(input: _Tensor, mask: _Tensor, source: _Tensor) -> _Tensor:
    """Return a copy of `input`. Elements of `source`, in order, replace the elements where `mask` is true."""
    ...

def masked_select(input: _Tensor, mask: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the elements at which `mask` is true as a one-dimensional tensor. The call flushes the pending trace."""
    ...

def matmul(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the matrix product: (..., n, k) @ (..., k, m) -> (..., n, m)."""
    ...

def matrix_exp(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the exponential of a square matrix, the sum over n of A**n / n!."""
    ...

def matrix_power(input: _Tensor, n: _int, *, out: _Any = ...) -> _Tensor:
    """Return the n-th power of a square matrix. If n is negative, return the power -n of its inverse."""
    ...

def matrix_rank(input: _Tensor, tol: _Any = ..., symmetric: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.matrix_rank`."""
    ...

def max(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """Return the largest element."""
    ...

def max_pool1d(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    dilation: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
) -> _Any:
    """Return the largest element of each window of the last 1 dims."""
    ...

def max_pool1d_with_indices(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    dilation: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
) -> _Any:
    """Return the largest element and its index of each window of the last 1 dims."""
    ...

def max_pool2d(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    dilation: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
) -> _Any:
    """Return the largest element of each window of the last 2 dims."""
    ...

def max_pool3d(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    dilation: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
) -> _Any:
    """Return the largest element of each window of the last 3 dims."""
    ...

def maximum(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the larger of `input` and `other` for each pair of elements, or NaN if either is NaN."""
    ...

def mean(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """Return the mean of the elements over `dim` (default: all dims)."""
    ...

def median(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """Return the median along `dim` and its index."""
    ...

def meshgrid(*tensors: _Any, indexing: _str | None = ...) -> _tuple[_Tensor, ...]:
    """Return coordinate grids of vectors."""
    ...

def min(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """Return the smallest element."""
    ...

def minimum(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the smaller of `input` and `other` for each pair of elements, or NaN if either is NaN."""
    ...

def mm(input: _Tensor, mat2: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the product of two matrices: (n, k), (k, m) -> (n, m)."""
    ...

def mode(input: _Tensor, dim: _int = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Any:
    """Return the most frequent element along `dim` and the index of its last occurrence."""
    ...

def moveaxis(input: _Tensor, source: _tuple[_int, ...] | _int, destination: _tuple[_int, ...] | _int) -> _Tensor:
    """Move dims to new positions; the other dims keep their order."""
    ...

def movedim(input: _Tensor, source: _tuple[_int, ...] | _int, destination: _tuple[_int, ...] | _int) -> _Tensor:
    """Move dims to new positions; the other dims keep their order."""
    ...

def msort(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the elements sorted along the first dim."""
    ...

def mul(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input * other."""
    ...

def multinomial(
    input: _Tensor, num_samples: _int, replacement: _bool = ..., *, generator: _Any = ..., out: _Any = ...
) -> _Tensor:
    """Sample indices with the weights in each row of `input`; (rows, classes) -> (rows, num_samples)."""
    ...

def multiply(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input * other."""
    ...

def mv(input: _Tensor, vec: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the product of a matrix and a vector: (n, k), (k,) -> (n,)."""
    ...

def mvlgamma(input: _Tensor, p: _int, *, out: _Any = ...) -> _Tensor:
    """Return the logarithm of the multivariate gamma function of dimension p."""
    ...

nan: _float

def nan_to_num(
    input: _Tensor,
    nan: _float | None = ...,
    posinf: _float | None = ...,
    neginf: _float | None = ...,
    *,
    out: _Any = ...,
) -> _Tensor:
    """Return the tensor with NaN, inf and -inf replaced by `nan`, `posinf` and `neginf`."""
    ...

def nan_to_num_(
    input: _Tensor, nan: _float | None = ..., posinf: _float | None = ..., neginf: _float | None = ...
) -> _Tensor:
    """Apply `nan_to_num` in place, and return this tensor."""
    ...

def nanmean(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """Return the mean of the elements that are not NaN over `dim` (default: all dims)."""
    ...

def nanmedian(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """Return the median of the elements along `dim` that are not NaN, and its index."""
    ...

def nanquantile(
    input: _Tensor,
    q: _Tensor | _Number,
    dim: _int | None = ...,
    keepdim: _bool = ...,
    *,
    interpolation: _str = ...,
    out: _Any = ...,
) -> _Tensor:
    """Return the quantiles `q` of the elements that are not NaN along `dim` (default: of all elements)."""
    ...

def nansum(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """Return the sum of the elements that are not NaN over `dim` (default: all dims)."""
    ...

def narrow(input: _Tensor, dim: _int, start: _Any, length: _int) -> _Tensor:
    """Return `length` indices of a dim from `start` on, as a view."""
    ...

def narrow_copy(input: _Tensor, dim: _int, start: _int, length: _int, *, out: _Any = ...) -> _Tensor:
    """Return `length` indices of a dim from `start` on, as a copy."""
    ...

def native_batch_norm(
    input: _Tensor,
    weight: _Tensor | None,
    bias: _Tensor | None,
    running_mean: _Tensor | None,
    running_var: _Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    *,
    out: _Any = ...,
) -> _Any:
    """Compute `batch_norm`. Return the result, and the means and reciprocal standard deviations of the batch."""
    ...

def native_dropout(input: _Tensor, p: _float, train: _bool | None) -> _tuple[_Tensor, _Tensor]:
    """Apply dropout. Return the result and the bool mask of the elements that were kept."""
    ...

def native_group_norm(
    input: _Tensor, weight: _Tensor | None, bias: _Tensor | None, N: _int, C: _int, HxW: _int, group: _int, eps: _float
) -> _Any:
    """Compute `group_norm`. Return the result, and the means and reciprocal standard deviations of the groups."""
    ...

def native_layer_norm(
    input: _Tensor, normalized_shape: _tuple[_int, ...], weight: _Tensor | None, bias: _Tensor | None, eps: _float
) -> _Any:
    """Compute `layer_norm`. Return the result, the means and the reciprocal standard deviations."""
    ...

def ne(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input != other for each element."""
    ...

def neg(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the negative of each element."""
    ...

def neg_(input: _Tensor) -> _Tensor:
    """Apply `neg` in place, and return this tensor."""
    ...

def negative(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the negative of each element."""
    ...

def negative_(input: _Tensor) -> _Tensor:
    """Apply `neg` in place, and return this tensor."""
    ...

newaxis: None

def nextafter(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the next floating-point number after `input` in the direction of `other`."""
    ...

def nonzero(input: _Tensor, *, as_tuple: _bool = ...) -> _Any:
    """Return the indices of the nonzero elements, one row for each; with `as_tuple`, one tensor for each dim."""
    ...

def nonzero_static(input: _Tensor, *, size: _int, fill_value: _int = ...) -> _Tensor:
    """Return the indices of the first `size` nonzero elements, padded with `fill_value`."""
    ...

def norm(
    input: _Tensor, p: _Any = ..., dim: _Any = ..., keepdim: _bool = ..., out: _Any = ..., dtype: _Any = ...
) -> _Tensor:
    """Return the vector norm (sum of |x|**p)**(1/p) over `dim` (every dim by default); "fro" means p = 2."""
    ...

def norm_except_dim(v: _Tensor, pow: _int = ..., dim: _int = ...) -> _Tensor:
    """Return the `pow`-norm over all dims except `dim`; for `dim` -1, over all dims."""
    ...

def normal(
    mean: _Any,
    std: _Any = ...,
    size: _Any = ...,
    *,
    generator: _Any = ...,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    **options: _Any,
) -> _Tensor:
    """Return normal random numbers with the given means and standard deviations (numbers or tensors)."""
    ...

def not_equal(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input != other for each element."""
    ...

def nuclear_norm(
    input: _Tensor, dim: _tuple[_int, ...] | _int | _bool = ..., keepdim: _bool = ..., *, out: _Any = ...
) -> _Tensor:
    """Return the sum of the singular values of matrices, by default over the last two dims."""
    ...

def numel(input: _Tensor) -> _int:
    """Return the number of elements of `input`."""
    ...

def ones(
    *size: _Any,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **more: _Any,
) -> _Tensor:
    """Return a tensor filled with ones. The size is `ones(2, 3)` or `ones((2, 3))`."""
    ...

def ones_like(
    input: _Tensor,
    *,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    memory_format: _Any = ...,
) -> _Tensor:
    """Return `ones` with the shape, dtype, device and memory format of `input`."""
    ...

def ormqr(
    input: _Tensor, tau: _Tensor, other: _Tensor, left: _bool = ..., transpose: _bool = ..., *, out: _Any = ...
) -> _Tensor:
    """Return Q `other`, where Q is a product of Householder reflectors."""
    ...

def outer(input: _Tensor, vec2: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the outer product of two vectors: (n,), (m,) -> (n, m)."""
    ...

def pairwise_distance(x1: _Tensor, x2: _Tensor, p: _float = ..., eps: _float = ..., keepdim: _bool = ...) -> _Tensor:
    """Return the p-norm of x1 - x2 + eps over the last dim."""
    ...

def pca_lowrank(A: _Tensor, q: _int | None = ..., center: _bool = ..., niter: _int = ...) -> _tuple[_Tensor, ...]:
    """Return an approximate principal component analysis: `svd_lowrank` of A, with the mean of its rows subtracted."""
    ...

def pdist(input: _Tensor, p: _float = ...) -> _Tensor:
    """Return the p-norm distances of all pairs of rows: (0, 1), (0, 2), ... (n - 2, n - 1)."""
    ...

per_channel_affine: _Any
per_channel_affine_float_qparams: _Any
per_channel_symmetric: _Any
per_tensor_affine: _Any
per_tensor_symmetric: _Any

def permute(input: _Tensor, dims: _Sequence[_int]) -> _Tensor:
    """Return a view with the dims in the order `dims`."""
    ...

def permute_copy(input: _Tensor, *dims: _Any, **named: _Any) -> _Tensor:
    """Return the result of `permute` as a contiguous copy."""
    ...

pi: _float

def pinverse(input: _Tensor, rcond: _float = ...) -> _Tensor:
    """Return the Moore-Penrose pseudoinverse."""
    ...

def pixel_shuffle(input: _Tensor, upscale_factor: _int) -> _Tensor:
    """Rearrange channels into blocks of pixels: (..., C r r, H, W) -> (..., C, H r, W r)."""
    ...

def pixel_unshuffle(input: _Tensor, downscale_factor: _int) -> _Tensor:
    """Rearrange blocks of pixels into channels: (..., C, H r, W r) -> (..., C r r, H, W)."""
    ...

def poisson(input: _Tensor, generator: _Any = ...) -> _Tensor:
    """Return Poisson random numbers with the rates in `input`."""
    ...

def poisson_nll_loss(
    input: _Tensor, target: _Tensor, log_input: _bool, full: _bool, eps: _float, reduction: _int
) -> _Tensor:
    """Compute the negative log-likelihood of targets t under a Poisson distribution."""
    ...

def polar(abs: _Tensor, angle: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the complex tensor abs * (cos(angle) + i * sin(angle)), with `angle` in radians."""
    ...

def polygamma(n: _int, input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the n-th derivative of the digamma function, for n >= 0."""
    ...

def positive(input: _Tensor) -> _Tensor:
    """Return the tensor itself. Raise RuntimeError for a bool tensor."""
    ...

def pow(input: _Tensor | _Number, exponent: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input ** exponent."""
    ...

def prelu(input: _Tensor, weight: _Tensor) -> _Tensor:
    """Return x where x > 0, and weight * x elsewhere, for each element x."""
    ...

def prod(input: _Tensor, dim: _int = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """Return the product of the elements over `dim` (default: all dims)."""
    ...

def put(input: _Tensor, index: _Tensor, source: _Tensor, accumulate: _bool = ...) -> _Tensor:
    """Write `source` at the indices `index` of the flattened tensor; with `accumulate`, add it."""
    ...

def q_per_channel_axis(self: _Any) -> _int:
    """Return the dim of the channels of a quantized tensor with one scale for each channel."""
    ...

def q_per_channel_scales(self: _Any) -> _Tensor:
    """Return the scales of a quantized tensor with one scale for each channel."""
    ...

def q_per_channel_zero_points(self: _Any) -> _Tensor:
    """Return the zero points of a quantized tensor with one scale for each channel."""
    ...

def q_scale(self: _Any) -> _float:
    """Return the scale of a quantized tensor with one scale."""
    ...

def q_zero_point(self: _Any) -> _int:
    """Return the integer that stands for 0 in a quantized tensor with one scale."""
    ...

qint32: _Any
qint8: _Any

def qr(input: _Tensor, some: _bool = ..., *, out: _Any = ...) -> _Any:
    """Return Q and R with Q R = input."""
    ...

from torchlike import qscheme as qscheme

def quantile(
    input: _Tensor,
    q: _Tensor | _Number,
    dim: _int | None = ...,
    keepdim: _bool = ...,
    *,
    interpolation: _str = ...,
    out: _Any = ...,
) -> _Tensor:
    """Return the quantiles `q` of the elements along `dim` (default: of all elements)."""
    ...

def quantize_per_channel(input: _Tensor, scales: _Tensor, zero_points: _Tensor, axis: _int, dtype: _Any) -> _Any:
    """Quantize a float32 tensor with a scale and a zero point for each index of the dim `axis`."""
    ...

def quantize_per_tensor(input: _Tensor, scale: _float | _Tensor, zero_point: _int | _Tensor, dtype: _Any) -> _Any:
    """Quantize a float32 tensor: each element becomes clip(round(x / scale + zero_point))."""
    ...

def quantize_per_tensor_dynamic(input: _Tensor, dtype: _Any, reduce_range: _bool) -> _Any:
    """Quantize a float32 tensor with the scale and the zero point that its own range determines."""
    ...

quint2x4: _Any
quint4x2: _Any
quint8: _Any

def rad2deg(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Convert each element from radians to degrees."""
    ...

def rad2deg_(input: _Tensor) -> _Tensor:
    """Apply `rad2deg` in place, and return this tensor."""
    ...

def rand(
    *size: _Any, generator: _Any = ..., out: _Tensor | None = ..., dtype: _dtype | None = ..., **options: _Any
) -> _Tensor:
    """Return uniform random numbers in [0, 1)."""
    ...

def rand_like(
    input: _Tensor,
    *args: _Any,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    memory_format: _Any = ...,
    generator: _Any = ...,
    **more: _Any,
) -> _Tensor:
    """Return `rand` numbers with the shape, dtype, device and memory format of `input`."""
    ...

def randint(
    *args: _Any, generator: _Any = ..., out: _Tensor | None = ..., dtype: _dtype | None = ..., **options: _Any
) -> _Tensor:
    """Return random integers in [low, high): `randint(high, size)` or `randint(low, high, size)`."""
    ...

def randint_like(
    input: _Tensor,
    *args: _Any,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    memory_format: _Any = ...,
    generator: _Any = ...,
    **more: _Any,
) -> _Tensor:
    """Return `randint` numbers with the shape, dtype, device and memory format of `input`."""
    ...

def randn(
    *size: _Any, generator: _Any = ..., out: _Tensor | None = ..., dtype: _dtype | None = ..., **options: _Any
) -> _Tensor:
    """Return standard normal random numbers."""
    ...

def randn_like(
    input: _Tensor,
    *args: _Any,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    memory_format: _Any = ...,
    generator: _Any = ...,
    **more: _Any,
) -> _Tensor:
    """Return `randn` numbers with the shape, dtype, device and memory format of `input`."""
    ...

def randperm(
    n: _int, *, generator: _Any = ..., out: _Tensor | None = ..., dtype: _dtype | None = ..., **options: _Any
) -> _Tensor:
    """Return a random permutation of 0 .. n-1."""
    ...

def range(
    *args: _Any,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    **named: _Any,
) -> _Tensor:
    """Return the numbers from `start` (0) to `end`, inclusive, in steps of `step` (1) (deprecated; use `arange`)."""
    ...

def ravel(input: _Tensor) -> _Tensor:
    """Flatten all dims to one."""
    ...

def real(input: _Tensor) -> _Tensor:
    """Return the real part, as a view. A real tensor is returned itself."""
    ...

def reciprocal(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return 1 / x for each element x."""
    ...

def reciprocal_(input: _Tensor) -> _Tensor:
    """Apply `reciprocal` in place, and return this tensor."""
    ...

def relu(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return max(x, 0) for each element x."""
    ...

def relu_(input: _Tensor) -> _Tensor:
    """Apply `relu` in place, and return this tensor."""
    ...

def remainder(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the remainder of input / other with the sign of `other`, as Python's %."""
    ...

def renorm(input: _Tensor, p: _float, dim: _int, maxnorm: _float, *, out: _Any = ...) -> _Tensor:
    """Scale each slice along `dim` whose p-norm exceeds `maxnorm` down to the norm `maxnorm`."""
    ...

def repeat_interleave(
    input: _Tensor, repeats: _Any = ..., dim: _int | None = ..., *, output_size: _int | None = ...
) -> _Tensor:
    """Repeat each element, or each index of a dim, several times in a row."""
    ...

def reshape(input: _Tensor, shape: _Sequence[_int]) -> _Tensor:
    """Return the elements in another shape, as a view if the strides permit it, else as a copy."""
    ...

def resize_as_(input: _Tensor, the_template: _Tensor, *, memory_format: _Any = ...) -> _Tensor:
    """Change the shape in place to that of `the_template`."""
    ...

def resolve_conj(input: _Tensor) -> _Tensor:
    """Return a conjugated copy of a lazily conjugated view. Any other tensor is returned itself."""
    ...

def resolve_neg(input: _Tensor) -> _Tensor:
    """Return a negated copy of a lazily negated view. Any other tensor is returned itself."""
    ...

def result_type(tensor1: _Any, tensor2: _Any) -> _Any:
    """Return the dtype of the result of an arithmetic operation on two tensors or numbers."""
    ...

def rms_norm(
    input: _Tensor, normalized_shape: _tuple[_int, ...], weight: _Tensor | None = ..., eps: _float | None = ...
) -> _Tensor:
    """Compute x / sqrt(mean(x**2) + eps) over the last dims, times weight. By default eps is the dtype's epsilon."""
    ...

def rnn_relu(*args: _Any) -> _tuple[_Tensor, _Tensor]:
    """Run `rnn_relu` layers and return (outputs, h_n)."""
    ...

def rnn_relu_cell(
    input: _Tensor, hx: _Tensor, w_ih: _Tensor, w_hh: _Tensor, b_ih: _Tensor | None = ..., b_hh: _Tensor | None = ...
) -> _Tensor:
    """Compute relu(W_ih x + b_ih + W_hh h + b_hh)."""
    ...

def rnn_tanh(*args: _Any) -> _tuple[_Tensor, _Tensor]:
    """Run `rnn_tanh` layers and return (outputs, h_n)."""
    ...

def rnn_tanh_cell(
    input: _Tensor, hx: _Tensor, w_ih: _Tensor, w_hh: _Tensor, b_ih: _Tensor | None = ..., b_hh: _Tensor | None = ...
) -> _Tensor:
    """Compute tanh(W_ih x + b_ih + W_hh h + b_hh)."""
    ...

def roll(input: _Tensor, shifts: _Any, dims: _Any = ...) -> _Tensor:
    """Shift the elements along `dims` cyclically; without `dims`, shift those of the flattened tensor."""
    ...

def rot90(input: _Tensor, k: _int = ..., dims: _tuple[_int, ...] = ...) -> _Tensor:
    """Rotate by `k` times 90 degrees in the plane of two dims, from the first toward the second."""
    ...

def round(input: _Tensor, *, decimals: _int = ..., out: _Any = ...) -> _Tensor:
    """Return each element rounded to the nearest number with `decimals` decimal places."""
    ...

def round_(input: _Tensor, *, decimals: _int = ...) -> _Tensor:
    """Apply `round` in place, and return this tensor."""
    ...

def row_stack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Concatenate tensors along dim 0; a vector is a row."""
    ...

def rrelu(
    input: _Tensor, lower: _float = ..., upper: _float = ..., training: _bool = ..., generator: _Any = ...
) -> _Tensor:
    """Return x where x > 0, else a * x; a is random in [lower, upper) in training and their mean otherwise."""
    ...

def rrelu_(
    input: _Tensor, lower: _float = ..., upper: _float = ..., training: _bool = ..., generator: _Any = ...
) -> _Tensor:
    """Apply `rrelu` in place."""
    ...

def rsqrt(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return 1 / sqrt(x) for each element x: inf at 0, NaN below 0."""
    ...

def rsqrt_(input: _Tensor) -> _Tensor:
    """Apply `rsqrt` in place, and return this tensor."""
    ...

def rsub(input: _Tensor, other: _Tensor | _Number, *, alpha: _Number = ...) -> _Tensor:
    """Return other - alpha * input."""
    ...

def scalar_tensor(
    s: _Any,
    *,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
) -> _Tensor:
    """Return a zero-dim tensor with the value `s`. Its dtype is by default the default real or complex dtype."""
    ...

def scatter(
    input: _Tensor,
    dim: _int,
    index: _Tensor,
    src: _Any = ...,
    *,
    value: _Any = ...,
    reduce: _str | None = ...,
    out: _Any = ...,
) -> _Tensor:
    """Write `src` (a tensor or a number) at the indices `index` along `dim`."""
    ...

def scatter_add(input: _Tensor, dim: _int, index: _Tensor, src: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Add `src` at the indices `index` along `dim`."""
    ...

def scatter_reduce(
    input: _Tensor, dim: _int, index: _Tensor, src: _Tensor, reduce: _str, *, include_self: _bool = ..., out: _Any = ...
) -> _Tensor:
    """Reduce the elements of `src` that have the same index along `dim` into `input`."""
    ...

def searchsorted(
    sorted_sequence: _Tensor,
    input: _Any,
    *,
    out_int32: _bool = ...,
    right: _bool = ...,
    side: _str | None = ...,
    sorter: _Tensor | None = ...,
    out: _Any = ...,
) -> _Tensor:
    """Return the index at which each element of `input` would be inserted into the last dim of a sorted tensor."""
    ...

def seed() -> _int:
    """Seed the default generators of all devices from the system's entropy, and return the seed."""
    ...

def segment_reduce(
    data: _Tensor,
    reduce: _str,
    *,
    lengths: _Tensor | None = ...,
    indices: _Tensor | None = ...,
    offsets: _Tensor | None = ...,
    axis: _int = ...,
    unsafe: _bool = ...,
    initial: _Any = ...,
) -> _Tensor:
    """Reduce consecutive segments of a dim by "sum", "prod", "mean", "max" or "min"."""
    ...

def select(input: _Tensor, dim: _int, index: _int) -> _Tensor:
    """Select one index of a dim, as a view."""
    ...

def select_copy(input: _Tensor, dim: _int, index: _int) -> _Tensor:
    """Return the result of `select` as a contiguous copy."""
    ...

def select_scatter(input: _Tensor, src: _Tensor, dim: _int, index: _int) -> _Tensor:
    """Return a copy of `input` with `src` at one index of a dim."""
    ...

def selu(input: _Tensor) -> _Tensor:
    """Compute the scaled exponential linear unit, which keeps activations normalized."""
    ...

def selu_(input: _Tensor) -> _Tensor:
    """Apply `selu` in place."""
    ...

def set_autocast_cache_enabled(enabled: _bool) -> None:
    """Set whether autocast caches the casts of weights until the outermost `autocast` block ends."""
    ...

def set_autocast_cpu_dtype(dtype: _Any) -> None:
    """The deprecated form of `set_autocast_dtype` for cpu."""
    ...

def set_autocast_cpu_enabled(enabled: _bool) -> None:
    """The deprecated form of `set_autocast_enabled` for cpu."""
    ...

def set_autocast_dtype(device_type: _str, dtype: _Any) -> None:
    """Set the lower-precision dtype that autocast uses on a device type."""
    ...

def set_autocast_enabled(*args: _Any, **kwargs: _Any) -> None:
    """Enable or disable autocast for a device type."""
    ...

def set_autocast_gpu_dtype(dtype: _Any) -> None:
    """The deprecated form of `set_autocast_dtype` for cuda."""
    ...

def set_autocast_ipu_dtype(dtype: _Any) -> None:
    """The deprecated form of `set_autocast_dtype` for ipu."""
    ...

def set_autocast_ipu_enabled(enabled: _bool) -> None:
    """The deprecated form of `set_autocast_enabled` for ipu."""
    ...

def set_autocast_xla_dtype(dtype: _Any) -> None:
    """The deprecated form of `set_autocast_dtype` for xla."""
    ...

def set_autocast_xla_enabled(enabled: _bool) -> None:
    """The deprecated form of `set_autocast_enabled` for xla."""
    ...

def set_default_tensor_type(t: _Any) -> None:
    """Set the default dtype and device by a legacy type or its name (deprecated in PyTorch)."""
    ...

def set_deterministic_debug_mode(debug_mode: _int | _str) -> None:
    """Set the mode of deterministic algorithms by number or name: 0 "default", 1 "warn", 2 "error"."""
    ...

def set_flush_denormal(mode: _bool) -> _bool:
    """Return whether the treatment of denormal numbers was changed: always False, since XLA determines it."""
    ...

def set_num_interop_threads(num: _int) -> None:
    """Warn if `num` differs from the current number of threads, as `set_num_threads` does."""
    ...

def set_num_threads(num: _int) -> None:
    """Warn if `num` differs from the current number of threads. The size of XLA's pool is fixed at process start."""
    ...

def set_rng_state(new_state: _Tensor) -> None:
    """Restore a state of the CPU's default generator that `get_rng_state` of torchlike or of PyTorch returned."""
    ...

def set_warn_always(b: _bool) -> None:
    """Set whether warnings that are normally given once per process are given every time."""
    ...

def sgn(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return x / |x| for each complex element x, or 0 for x = 0. For real elements, return the sign."""
    ...

short: _dtype

def sigmoid(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return 1 / (1 + exp(-x)) for each element x."""
    ...

def sigmoid_(input: _Tensor) -> _Tensor:
    """Apply `sigmoid` in place, and return this tensor."""
    ...

def sign(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return -1, 0 or 1 for each element below, at or above zero. The sign of NaN is 0."""
    ...

def signbit(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return whether the sign bit of each element is set, as for negative numbers and -0.0."""
    ...

def sin(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the sine of each element, in radians."""
    ...

def sin_(input: _Tensor) -> _Tensor:
    """Apply `sin` in place, and return this tensor."""
    ...

def sinc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return sin(pi * x) / (pi * x) for each element x, and 1 at x = 0."""
    ...

def sinc_(input: _Tensor) -> _Tensor:
    """Apply `sinc` in place, and return this tensor."""
    ...

def sinh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the hyperbolic sine of each element."""
    ...

def sinh_(input: _Tensor) -> _Tensor:
    """Apply `sinh` in place, and return this tensor."""
    ...

def slice_copy(
    input: _Tensor, dim: _int = ..., start: _int | None = ..., end: _int | None = ..., step: _int = ...
) -> _Tensor:
    """Return the result of `slice` as a contiguous copy."""
    ...

def slice_scatter(
    input: _Tensor,
    src: _Tensor,
    dim: _int = ...,
    start: _int | None = ...,
    end: _int | None = ...,
    step: _int = ...,
    *,
    out: _Any = ...,
) -> _Tensor:
    """Return a copy of `input` with `src` at the indices of a dim from `start` to `end` in steps of `step`."""
    ...

def slogdet(input: _Tensor, *, out: _Any = ...) -> _Any:
    """Return the sign of the determinant and the logarithm of its absolute value."""
    ...

def softmax(input: _Tensor, dim: _int, dtype: _dtype | None = ..., *, out: _Any = ...) -> _Tensor:
    """Compute exp(x) divided by its sum over a dim. If `dtype` is given, `input` is cast to it first."""
    ...

def solve(input: _Tensor, A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.solve`."""
    ...

def sort(
    input: _Tensor, dim: _int = ..., descending: _bool = ..., *, stable: _bool | None = ..., out: _Any = ...
) -> _Any:
    """Return the elements sorted along `dim`, and their indices."""
    ...

def sparse_compressed_tensor(
    compressed_indices: _Any,
    plain_indices: _Any,
    values: _Any,
    size: _Any = ...,
    *,
    layout: _Any = ...,
    **options: _Any,
) -> _Any:
    """Return a matrix of layout CSR or CSC."""
    ...

def sparse_coo_tensor(
    *args: _Any,
    size: _Any = ...,
    dtype: _Any = ...,
    device: _Any = ...,
    pin_memory: _bool = ...,
    requires_grad: _bool = ...,
    check_invariants: _bool | None = ...,
    is_coalesced: _Any = ...,
    indices: _Any = ...,
    values: _Any = ...,
) -> _Any:
    """Return a COO tensor that stores only the elements `values` at `indices`."""
    ...

def sparse_csc_tensor(
    ccol_indices: _Any,
    row_indices: _Any,
    values: _Any,
    size: _Any = ...,
    *,
    dtype: _Any = ...,
    device: _Any = ...,
    pin_memory: _bool = ...,
    requires_grad: _bool = ...,
    check_invariants: _bool | None = ...,
) -> _Any:
    """Return a matrix in the compressed sparse column (CSC) layout. See `sparse_csr_tensor`."""
    ...

def sparse_csr_tensor(
    crow_indices: _Any,
    col_indices: _Any,
    values: _Any,
    size: _Any = ...,
    *,
    dtype: _Any = ...,
    device: _Any = ...,
    pin_memory: _bool = ...,
    requires_grad: _bool = ...,
    check_invariants: _bool | None = ...,
) -> _Any:
    """Return a matrix in the compressed sparse row (CSR) layout."""
    ...

def split(tensor: _Tensor, split_size_or_sections: _Any, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Split a dim into views of one size, or of several given sizes."""
    ...

def split_copy(input: _Tensor, split_size: _int, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Return the result of `split` as a contiguous copy."""
    ...

def split_with_sizes(input: _Tensor, split_sizes: _tuple[_int, ...], dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Split a dim into views of the given sizes."""
    ...

def split_with_sizes_copy(input: _Tensor, split_sizes: _tuple[_int, ...], dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Return the result of `split_with_sizes` as a contiguous copy."""
    ...

def spmm(input: _Tensor, mat2: _Tensor, *, out: _Tensor | None = ...) -> _Any:
    """Return the product of two matrices: (n, k), (k, m) -> (n, m)."""
    ...

def sqrt(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the square root of each element. It is NaN below 0, and its gradient at 0 is inf."""
    ...

def sqrt_(input: _Tensor) -> _Tensor:
    """Apply `sqrt` in place, and return this tensor."""
    ...

def square(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the square of each element."""
    ...

def square_(input: _Tensor) -> _Tensor:
    """Apply `square` in place, and return this tensor."""
    ...

def squeeze(input: _Tensor, dim: _Any = ...) -> _Tensor:
    """Return the tensor without its dims of size 1."""
    ...

def squeeze_copy(input: _Tensor, dim: _int | _Sequence[_int] | None = ...) -> _Any:
    """Return the result of `squeeze` as a contiguous copy."""
    ...

def stack(tensors: _Any, dim: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Stack tensors of one shape along a new dim."""
    ...

def std(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """Return the standard deviation, the square root of `var`."""
    ...

def std_mean(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """Return the standard deviation and the mean over `dim`."""
    ...

def stft(
    input: _Tensor,
    n_fft: _int,
    hop_length: _int | None = ...,
    win_length: _int | None = ...,
    window: _Tensor | None = ...,
    center: _Any = ...,
    pad_mode: _str = ...,
    normalized: _bool = ...,
    onesided: _bool | None = ...,
    return_complex: _bool | None = ...,
    align_to_window: _bool | None = ...,
) -> _Tensor:
    """Return the Fourier transform of each frame of a signal; (..., time) -> (..., frequency, frame)."""
    ...

def sub(input: _Tensor | _Number, other: _Tensor | _Number, *, alpha: _Number = ..., out: _Any = ...) -> _Tensor:
    """Return input - alpha * other."""
    ...

def subtract(input: _Tensor | _Number, other: _Tensor | _Number, *, alpha: _Number = ..., out: _Any = ...) -> _Tensor:
    """Return input - alpha * other."""
    ...

def sum(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """Return the sum of the elements over `dim` (default: all dims)."""
    ...

def svd(input: _Tensor, some: _bool = ..., compute_uv: _bool = ..., *, out: _Any = ...) -> _Any:
    """Return U, S and V with U diag(S) V* = input."""
    ...

def svd_lowrank(
    A: _Tensor, q: _int | None = ..., niter: _int | None = ..., M: _Tensor | None = ...
) -> _tuple[_Tensor, ...]:
    """Return U, S and V of an approximate decomposition A - M = U diag(S) V* with the q largest singular values."""
    ...

def swapaxes(input: _Tensor, axis0: _int, axis1: _int) -> _Tensor:
    """Swap two dims."""
    ...

def swapdims(input: _Tensor, dim0: _int, dim1: _int) -> _Tensor:
    """Swap two dims."""
    ...

def symeig(input: _Tensor, eigenvectors: _bool = ..., upper: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Raise RuntimeError: PyTorch removed this function in favor of `linalg.eigh`."""
    ...

def t(input: _Tensor) -> _Tensor:
    """Return the transpose of a matrix, as a view. For a tensor with fewer dims, return a view of it."""
    ...

def t_copy(input: _Tensor) -> _Tensor:
    """Return the result of `t` as a contiguous copy."""
    ...

def take(input: _Tensor, index: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the elements at `index` of the flattened tensor."""
    ...

def take_along_dim(input: _Tensor, indices: _Tensor, dim: _int | None = ..., *, out: _Any = ...) -> _Tensor:
    """Gather elements along `dim`, with the other dims broadcast and the indices taken modulo the size."""
    ...

def tan(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the tangent of each element, in radians."""
    ...

def tan_(input: _Tensor) -> _Tensor:
    """Apply `tan` in place, and return this tensor."""
    ...

def tanh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the hyperbolic tangent of each element."""
    ...

def tanh_(input: _Tensor) -> _Tensor:
    """Apply `tanh` in place, and return this tensor."""
    ...

def tensor(
    data: _Any = ...,
    *,
    dtype: _dtype | None = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
) -> _Tensor:
    """Return a new tensor with a copy of `data`: a number, nested sequences of numbers, an array or a tensor."""
    ...

def tensor_split(
    input: _Tensor, indices_or_sections: _Any = ..., dim: _int = ..., *, sections: _Any = ..., indices: _Any = ...
) -> _tuple[_Tensor, ...]:
    """Split a dim into views of nearly equal sizes, or at the given indices."""
    ...

def tensordot(a: _Tensor, b: _Tensor, dims: _Any = ..., out: _Any = ...) -> _Tensor:
    """Contract the last `dims` dims of `a` with the first `dims` dims of `b`."""
    ...

def threshold(input: _Tensor, threshold: _float, value: _float) -> _Tensor:
    """Return x where x > threshold, else `value`."""
    ...

def threshold_(input: _Tensor, threshold: _float, value: _float) -> _Tensor:
    """Apply `threshold` in place."""
    ...

def tile(input: _Tensor, dims: _Any) -> _Tensor:
    """Repeat the tensor as `repeat` does. Missing leading counts are one."""
    ...

def to_dlpack(tensor: _Tensor) -> _Any:
    """Return a DLPack capsule over the memory of the tensor."""
    ...

def topk(
    input: _Tensor, k: _int, dim: _int = ..., largest: _bool = ..., sorted: _bool = ..., *, out: _Any = ...
) -> _Any:
    """Return the `k` largest elements along `dim`, in order, and their indices."""
    ...

def trace(input: _Tensor) -> _Tensor:
    """Return the sum of the diagonal of a matrix."""
    ...

def transpose(input: _Tensor, dim0: _int, dim1: _int) -> _Tensor:
    """Return the tensor with two dims swapped."""
    ...

def transpose_copy(input: _Tensor, dim0: _int, dim1: _int) -> _Any:
    """Return the result of `transpose` as a contiguous copy."""
    ...

def trapezoid(y: _Tensor, x: _Tensor = ..., *, dx: _Number = ..., dim: _int = ...) -> _Tensor:
    """Return the integral of `y` along `dim` by the trapezoidal rule."""
    ...

def trapz(y: _Tensor, x: _Tensor = ..., *, dx: _float = ..., dim: _int = ...) -> _Tensor:
    """Integrate `y` by the trapezoidal rule, as `trapezoid` does."""
    ...

def triangular_solve(
    b: _Tensor, A: _Tensor, upper: _bool = ..., transpose: _bool = ..., unitriangular: _bool = ..., *, out: _Any = ...
) -> _Any:
    """Return X with A X = b, or A^T X = b if `transpose` is True, for a triangular A. Also return a copy of A."""
    ...

def tril(input: _Tensor, diagonal: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Return the lower triangle of each matrix, with zeros above the given diagonal."""
    ...

def tril_indices(
    row: _int, col: _int, offset: _int = ..., *, dtype: _Any = ..., device: _Any = ..., layout: _Any = ...
) -> _Tensor:
    """Return the row and column indices of the lower triangle, in row-major order; (2, count)."""
    ...

def triplet_margin_loss(
    anchor: _Tensor,
    positive: _Tensor,
    negative: _Tensor,
    margin: _float = ...,
    p: _float = ...,
    eps: _float = ...,
    swap: _bool = ...,
    reduction: _int = ...,
) -> _Tensor:
    """Compute max(0, margin + |anchor - positive| - |anchor - negative|), in the p-norm over the last dim."""
    ...

def triu(input: _Tensor, diagonal: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Return the upper triangle of each matrix, with zeros below the given diagonal."""
    ...

def triu_indices(
    row: _int, col: _int, offset: _int = ..., *, dtype: _Any = ..., device: _Any = ..., layout: _Any = ...
) -> _Tensor:
    """Return the row and column indices of the upper triangle, in row-major order; (2, count)."""
    ...

def true_divide(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input / other in floating point."""
    ...

def trunc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return each element rounded toward zero."""
    ...

def trunc_(input: _Tensor) -> _Tensor:
    """Apply `trunc` in place, and return this tensor."""
    ...

def typename(obj: _Any) -> _str:
    """Return the type name of an object. The type name of a tensor includes its dtype."""
    ...

uint1: _Any
uint2: _Any
uint3: _Any
uint4: _Any
uint5: _Any
uint6: _Any
uint7: _Any

def unbind(input: _Tensor, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Return a view for each index of a dim."""
    ...

def unbind_copy(input: _Tensor, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Return the result of `unbind` as a contiguous copy."""
    ...

def unflatten(input: _Tensor, dim: _int, sizes: _Any) -> _Tensor:
    """Split one dim into several dims of the given sizes."""
    ...

def unfold(input: _Tensor, dimension: _int, size: _int, step: _int) -> _Tensor:
    """Return a view of all windows of `size` elements along `dimension`, `step` elements apart."""
    ...

def unfold_copy(input: _Tensor, dimension: _int, size: _int, step: _int) -> _Any:
    """Return the result of `unfold` as a contiguous copy."""
    ...

def unique(
    input: _Tensor, sorted: _bool = ..., return_inverse: _bool = ..., return_counts: _bool = ..., dim: _int | None = ...
) -> _Any:
    """Return the distinct elements, or distinct slices of a dim, in ascending order. Every NaN is distinct."""
    ...

def unique_consecutive(
    input: _Tensor, return_inverse: _bool = ..., return_counts: _bool = ..., dim: _int | None = ...
) -> _Any:
    """Remove elements, or slices of a dim, that are equal to their predecessor."""
    ...

def unravel_index(indices: _Tensor, shape: _Any) -> _tuple[_Tensor, ...]:
    """Convert indices into a flattened tensor to indices into a tensor of `shape`, one index tensor for each dim."""
    ...

def unsafe_chunk(input: _Tensor, chunks: _int, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Return the results of `chunk`, which autograd does not treat as views."""
    ...

def unsafe_split(input: _Tensor, split_size: _int, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Return the results of `split`, which autograd does not treat as views."""
    ...

def unsafe_split_with_sizes(input: _Tensor, split_sizes: _tuple[_int, ...], dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Return the results of `split_with_sizes`, which autograd does not treat as views."""
    ...

def unsqueeze(input: _Tensor, dim: _int) -> _Tensor:
    """Return the tensor with a dim of size 1 inserted at `dim`."""
    ...

def unsqueeze_copy(input: _Tensor, dim: _int) -> _Any:
    """Return the result of `unsqueeze` as a contiguous copy."""
    ...

def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = ...) -> None:
    """Request deterministic algorithms."""
    ...

def vander(x: _Tensor, N: _int | None = ..., increasing: _bool = ...) -> _Tensor:
    """Return the Vandermonde matrix of a vector: the powers of its elements, from high to low unless `increasing`."""
    ...

def var(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """Return the variance over `dim` (default: all dims)."""
    ...

def var_mean(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """Return the variance and the mean over `dim`."""
    ...

def vdot(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the dot product of two vectors, with the first one conjugated."""
    ...

def view(input: _Tensor, size: _tuple) -> _Tensor:
    """Return the same elements in another shape."""
    ...

def view_as_complex(input: _Tensor) -> _Tensor:
    """Return a real tensor with a last dim of size 2 as a complex tensor."""
    ...

def view_as_complex_copy(input: _Tensor) -> _Any:
    """Return the result of `view_as_complex` as a contiguous copy."""
    ...

def view_as_real(input: _Tensor) -> _Tensor:
    """View a complex tensor as a real one whose last dim of size two has the real and the imaginary part."""
    ...

def view_as_real_copy(input: _Tensor) -> _Any:
    """Return the result of `view_as_real` as a contiguous copy."""
    ...

def view_copy(input: _Tensor, size: _Any) -> _Tensor:
    """Return the result of `view` as a contiguous copy."""
    ...

def vsplit(
    input: _Tensor, indices_or_sections: _Any = ..., *, sections: _Any = ..., indices: _Any = ...
) -> _tuple[_Tensor, ...]:
    """Split along dim 0 into views: into equal sections, or at the given indices."""
    ...

def vstack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Concatenate tensors along dim 0; a vector is a row."""
    ...

def where(condition: _Tensor, *choices: _Any, **named: _Any) -> _Any:
    """Select from `input` where the condition is true, else from `other`."""
    ...

def xlogy(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input * log(other), or 0 where `input` is 0 and `other` is not NaN."""
    ...

def xlogy_(input: _Tensor | _Number, other: _Tensor | _Number) -> _Tensor:
    """Apply `xlogy` in place, and return this tensor."""
    ...

def zero_(input: _Tensor) -> _Tensor:
    """Set every element to zero."""
    ...

def zeros(
    *size: _Any,
    out: _Tensor | None = ...,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    **more: _Any,
) -> _Tensor:
    """Return a tensor filled with zeros. The size is `zeros(2, 3)` or `zeros((2, 3))`."""
    ...

def zeros_like(
    input: _Tensor,
    *,
    dtype: _dtype | None = ...,
    layout: _Any = ...,
    device: _Any = ...,
    requires_grad: _bool = ...,
    pin_memory: _bool = ...,
    memory_format: _Any = ...,
) -> _Tensor:
    """Return `zeros` with the shape, dtype, device and memory format of `input`."""
    ...
