# Made by `python -m tools.make_stubs`; tests/house/test_stubs.py keeps it fresh.
import builtins as _builtins
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any

from torchlike import _C as _C
from torchlike import __config__ as __config__
from torchlike import _custom_ops as _custom_ops
from torchlike import _dynamo as _dynamo
from torchlike import _higher_order_ops as _higher_order_ops
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
from torchlike import nn as nn
from torchlike import onnx as onnx
from torchlike import ops as ops
from torchlike import optim as optim
from torchlike import overrides as overrides
from torchlike import profiler as profiler
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
from torchlike._dtypes.modes import get_float32_matmul_precision as get_float32_matmul_precision
from torchlike._dtypes.modes import inference_mode as inference_mode
from torchlike._dtypes.modes import is_grad_enabled as is_grad_enabled
from torchlike._dtypes.modes import is_inference_mode_enabled as is_inference_mode_enabled
from torchlike._dtypes.modes import no_grad as no_grad
from torchlike._dtypes.modes import set_default_device as set_default_device
from torchlike._dtypes.modes import set_default_dtype as set_default_dtype
from torchlike._dtypes.modes import set_float32_matmul_precision as set_float32_matmul_precision
from torchlike._dtypes.modes import set_grad_enabled as set_grad_enabled
from torchlike._engine import Size as Size
from torchlike._engine import clear_cache as clear_cache
from torchlike._engine import explain as explain
from torchlike._engine import set_executor as set_executor
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
    """Dirichlet numbers of the concentrations in the last dim; they move with these as their quantiles do."""
    ...

def _standard_gamma(self: _Tensor, generator: _Any = ...) -> _Tensor:
    """Gamma numbers of the shapes in `self`, of scale one; they move with the shapes as their quantiles do."""
    ...

def abs(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The absolute value of each element; of a complex one its (real) modulus. The gradient at 0 is 0."""
    ...

def abs_(input: _Tensor) -> _Tensor:
    """The absolute value of each element, in place."""
    ...

def absolute(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The absolute value of each element; of a complex one its (real) modulus. The gradient at 0 is 0."""
    ...

def acos(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The arccosine in radians; NaN outside [-1, 1]."""
    ...

def acos_(input: _Tensor) -> _Tensor:
    """The arccosine in radians; NaN outside [-1, 1]."""
    ...

def acosh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse hyperbolic cosine; NaN below 1."""
    ...

def acosh_(input: _Tensor) -> _Tensor:
    """The inverse hyperbolic cosine; NaN below 1."""
    ...

def adaptive_avg_pool1d(input: _Tensor, output_size: _tuple[_int, ...] | _int) -> _Tensor:
    """The means of `output_size` windows of (N, C, L)."""
    ...

def adaptive_max_pool1d(input: _Tensor, output_size: _tuple[_int, ...] | _int) -> _tuple[_Tensor, _Tensor]:
    """The largest elements of `output_size` windows of (N, C, L), and where they stand."""
    ...

def add(input: _Tensor | _Number, other: _Tensor | _Number, *, alpha: _Number = ..., out: _Any = ...) -> _Tensor:
    """input + alpha * other."""
    ...

def addbmm(
    input: _Tensor, batch1: _Tensor, batch2: _Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: _Any = ...
) -> _Tensor:
    """Return beta * input + alpha * (the sum over the batch of batch1 @ batch2)."""
    ...

def addcdiv(input: _Tensor, tensor1: _Tensor, tensor2: _Tensor, *, value: _Number = ..., out: _Any = ...) -> _Tensor:
    """input + value * tensor1 / tensor2."""
    ...

def addcmul(input: _Tensor, tensor1: _Tensor, tensor2: _Tensor, *, value: _Number = ..., out: _Any = ...) -> _Tensor:
    """input + value * tensor1 * tensor2; among integers `value` is cut to a whole number."""
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
    """Return beta * input + alpha * (mat @ vec)."""
    ...

def addr(
    input: _Tensor, vec1: _Tensor, vec2: _Tensor, *, beta: _Number = ..., alpha: _Number = ..., out: _Any = ...
) -> _Tensor:
    """Return beta * input + alpha * outer(vec1, vec2)."""
    ...

def adjoint(input: _Tensor) -> _Tensor:
    """The last two dims exchanged, complex numbers conjugated, as a view."""
    ...

def affine_grid_generator(theta: _Tensor, size: _tuple[_int, ...], align_corners: _bool) -> _Tensor:
    """The grid for `grid_sampler` that applies theta (N, 2, 3) or (N, 3, 4) to pixels of `size`, 4-D or 5-D."""
    ...

def alias_copy(input: _Tensor) -> _Any:
    """What `alias` shows, as a copy in row-major order."""
    ...

def all(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Whether every element is nonzero."""
    ...

def allclose(input: _Tensor, other: _Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _bool:
    """Whether every element `isclose` (an observation: pending work runs)."""
    ...

def alpha_dropout(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Dropout that keeps mean and variance of what comes out of `selu`."""
    ...

def alpha_dropout_(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """In place: Dropout that keeps mean and variance of what comes out of `selu`."""
    ...

def amax(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """The largest element over `dim` (every dim by default); equal ones share the gradient evenly."""
    ...

def amin(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """The smallest element over `dim` (every dim by default); equal ones share the gradient evenly."""
    ...

def aminmax(input: _Tensor, *, dim: _int | None = ..., keepdim: _bool = ..., out: _Any = ...) -> _Any:
    """The smallest and the largest element."""
    ...

def angle(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The angle of a complex number in radians; of a real one 0, or pi below zero, NaN for NaN."""
    ...

def any(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Whether any element is nonzero."""
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
    """Numbers from `start` (0) up to but without `end`, `step` (1) apart: `arange(end)`, `arange(start, end, step)`."""
    ...

def arccos(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The arccosine in radians; NaN outside [-1, 1]."""
    ...

def arccos_(input: _Tensor) -> _Tensor:
    """The arccosine in radians; NaN outside [-1, 1]."""
    ...

def arccosh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse hyperbolic cosine; NaN below 1."""
    ...

def arccosh_(input: _Tensor) -> _Tensor:
    """The inverse hyperbolic cosine; NaN below 1."""
    ...

def arcsin(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The arcsine in radians; NaN outside [-1, 1]."""
    ...

def arcsin_(input: _Tensor) -> _Tensor:
    """The arcsine in radians; NaN outside [-1, 1]."""
    ...

def arcsinh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse hyperbolic sine."""
    ...

def arcsinh_(input: _Tensor) -> _Tensor:
    """The inverse hyperbolic sine."""
    ...

def arctan(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The arctangent in radians."""
    ...

def arctan2(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The angle of the point (other, input) in radians; the gradient at the origin is 0."""
    ...

def arctan_(input: _Tensor) -> _Tensor:
    """The arctangent in radians."""
    ...

def arctanh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse hyperbolic tangent; NaN outside [-1, 1]."""
    ...

def arctanh_(input: _Tensor) -> _Tensor:
    """The inverse hyperbolic tangent; NaN outside [-1, 1]."""
    ...

def are_deterministic_algorithms_enabled() -> _bool:
    """Whether deterministic algorithms were asked for."""
    ...

def argmax(input: _Tensor, dim: _int | None = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """The index of the first largest element along `dim`, or among all elements flattened."""
    ...

def argmin(input: _Tensor, dim: _int | None = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """The index of the first smallest element along `dim`, or among all elements flattened."""
    ...

def argsort(
    input: _Tensor, dim: _int = ..., descending: _bool = ..., stable: _bool | None = ..., *, out: _Any = ...
) -> _Tensor:
    """The indices that sort `dim`."""
    ...

def argwhere(input: _Tensor) -> _Tensor:
    """The indices of the elements that are not zero, one row each."""
    ...

def as_strided(input: _Tensor, size: _Any, stride: _Any, storage_offset: _int | None = ...) -> _Tensor:
    """A view of the whole storage: the element at `index` lies `storage_offset + sum(index * stride)` into it."""
    ...

def as_strided_(input: _Tensor, size: _Any, stride: _Any, storage_offset: _int | None = ...) -> _Tensor:
    """`as_strided` in place: this tensor is seen in another shape; no element moves."""
    ...

def as_strided_copy(input: _Tensor, size: _Any, stride: _Any, storage_offset: _int | None = ...) -> _Tensor:
    """What `as_strided` shows, as a copy in row-major order."""
    ...

def as_strided_scatter(
    input: _Tensor, src: _Tensor, size: _Any, stride: _Any, storage_offset: _int | None = ...
) -> _Tensor:
    """A copy of `input` with `src` where `as_strided` would show its memory."""
    ...

def as_tensor(data: _Any, dtype: _dtype | None = ..., device: _Any = ...) -> _Tensor:
    """Return `data` as a tensor. A tensor or NumPy array with that dtype and device is not copied."""
    ...

def asarray(
    obj: _Any, *, dtype: _dtype | None = ..., device: _Any = ..., copy: _bool | None = ..., requires_grad: _bool = ...
) -> _Tensor:
    """Return `obj` as a tensor that shares its memory if the dtype and device allow it."""
    ...

def asin(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The arcsine in radians; NaN outside [-1, 1]."""
    ...

def asin_(input: _Tensor) -> _Tensor:
    """The arcsine in radians; NaN outside [-1, 1]."""
    ...

def asinh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse hyperbolic sine."""
    ...

def asinh_(input: _Tensor) -> _Tensor:
    """The inverse hyperbolic sine."""
    ...

def atan(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The arctangent in radians."""
    ...

def atan2(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The angle of the point (other, input) in radians; the gradient at the origin is 0."""
    ...

def atan_(input: _Tensor) -> _Tensor:
    """The arctangent in radians."""
    ...

def atanh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse hyperbolic tangent; NaN outside [-1, 1]."""
    ...

def atanh_(input: _Tensor) -> _Tensor:
    """The inverse hyperbolic tangent; NaN outside [-1, 1]."""
    ...

def atleast_1d(*tensors: _Any) -> _Any:
    """Tensors with dims of size one added until they have 1."""
    ...

def atleast_2d(*tensors: _Any) -> _Any:
    """Tensors with dims of size one added until they have 2."""
    ...

def atleast_3d(*tensors: _Any) -> _Any:
    """Tensors with dims of size one added until they have 3."""
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
    """The mean of each window of (N, C, L) or (C, L); padding counts as zeros unless told otherwise."""
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
    """The Bartlett window: a triangle. With `periodic`, one period of a longer one, as spectral analysis wants it."""
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
    """(x - mean) / sqrt(var + eps) for each channel (dim 1); times weight, plus bias."""
    ...

def bernoulli(input: _Tensor, p: _float | None = ..., *, generator: _Any = ..., out: _Any = ...) -> _Tensor:
    """Ones with the probabilities in `input` (or `p`), else zeros."""
    ...

def bilinear(input1: _Tensor, input2: _Tensor, weight: _Tensor, bias: _Tensor | None = ...) -> _Tensor:
    """Return x1 W x2 + bias, where W is each of the n matrices of `weight`."""
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
    """How often each number from 0 up to the largest occurs, or the sum of the weights at it."""
    ...

def binomial(count: _Tensor, prob: _Tensor, generator: _Any = ...) -> _Tensor:
    """How many of `count` trials succeed, each with probability `prob`."""
    ...

bit: _Any
bits16: _Any
bits1x8: _Any
bits2x4: _Any
bits4x2: _Any
bits8: _Any

def bitwise_and(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The bits set in both."""
    ...

def bitwise_left_shift(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The bits moved up by `other` places; 0 when that is as many as there are."""
    ...

def bitwise_not(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Every bit turned over; of a bool its opposite."""
    ...

def bitwise_or(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The bits set in either."""
    ...

def bitwise_right_shift(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The bits moved down by `other` places, the sign kept."""
    ...

def bitwise_xor(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The bits set in exactly one."""
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
    """The Blackman window: two cosines. With `periodic`, one period of a longer one, as spectral analysis wants it."""
    ...

def block_diag(*tensors: _Tensor) -> _Tensor:
    """A matrix with the given ones (vectors as rows) along its diagonal."""
    ...

def bmm(input: _Tensor, mat2: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the products of two batches of matrices: (b, n, k), (b, k, m) -> (b, n, m)."""
    ...

bool: _dtype

def broadcast_shapes(*shapes: _Any) -> _Any:
    """The shape to which tensors of these shapes broadcast."""
    ...

def broadcast_tensors(*tensors: _Tensor) -> _tuple[_Tensor, ...]:
    """Tensors expanded to their common shape."""
    ...

def broadcast_to(input: _Tensor, size: _Any) -> _Tensor:
    """Broadcast to a shape without copying."""
    ...

def bucketize(
    input: _Any, boundaries: _Tensor, *, out_int32: _bool = ..., right: _bool = ..., out: _Any = ...
) -> _Tensor:
    """The index of the bucket, between two of the sorted boundaries, that holds each element."""
    ...

def cartesian_prod(*tensors: _Tensor) -> _Tensor:
    """Every combination of an element of each vector, one row each."""
    ...

def cat(tensors: _Any, dim: _int = ..., *, out: _Any = ...) -> _Tensor:
    """The tensors one after another along a dim; (…, n, …), (…, m, …) -> (…, n + m, …)."""
    ...

def cdist(x1: _Tensor, x2: _Tensor, p: _float = ..., compute_mode: _str = ...) -> _Tensor:
    """The p-norm of every difference of a row of x1 and a row of x2; (..., n, k), (..., m, k) -> (..., n, m)."""
    ...

cdouble: _dtype

def ceil(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The smallest whole number not below each element."""
    ...

def ceil_(input: _Tensor) -> _Tensor:
    """The smallest whole number not below each element."""
    ...

def celu(input: _Tensor, alpha: _float = ...) -> _Tensor:
    """x where x > 0, alpha (exp(x / alpha) - 1) elsewhere."""
    ...

def celu_(input: _Tensor, alpha: _float = ...) -> _Tensor:
    """In place: x where x > 0, alpha (exp(x / alpha) - 1) elsewhere."""
    ...

cfloat: _dtype

def chain_matmul(*matrices: _Tensor) -> _Tensor:
    """The product of several matrices."""
    ...

chalf: _Any

def channel_shuffle(input: _Tensor, groups: _int) -> _Tensor:
    """Interleave the groups of channels of (N, C, ...)."""
    ...

def cholesky(input: _Tensor, upper: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return L with L L* = input."""
    ...

def cholesky_inverse(L: _Tensor, upper: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of A, given the Cholesky factor L of A."""
    ...

def cholesky_solve(B: _Tensor, L: _Tensor, upper: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return X with A X = B, given the Cholesky factor L of A."""
    ...

def chunk(input: _Tensor, chunks: _int, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """At most `chunks` views of equal size (the last may be smaller)."""
    ...

def clamp(
    input: _Tensor, min: _Tensor | _Number | None = ..., max: _Tensor | _Number | None = ..., *, out: _Any = ...
) -> _Tensor:
    """min(max(input, min), max); an element at a bound has the gradient, one outside gives it to a tensor bound."""
    ...

def clamp_(input: _Tensor, min: _Tensor | _Number | None = ..., max: _Tensor | _Number | None = ...) -> _Tensor:
    """min(max(input, min), max); an element at a bound has the gradient, one outside gives it to a tensor bound."""
    ...

def clamp_max(input: _Tensor, max: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """min(input, max); see `clamp`."""
    ...

def clamp_max_(input: _Tensor, max: _Tensor | _Number) -> _Tensor:
    """min(input, max); see `clamp`."""
    ...

def clamp_min(input: _Tensor, min: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """max(input, min); see `clamp`."""
    ...

def clamp_min_(input: _Tensor, min: _Tensor | _Number) -> _Tensor:
    """max(input, min); see `clamp`."""
    ...

def clear_autocast_cache() -> None:
    """Forget the weights that were cast."""
    ...

def clip(
    input: _Tensor, min: _Tensor | _Number | None = ..., max: _Tensor | _Number | None = ..., *, out: _Any = ...
) -> _Tensor:
    """min(max(input, min), max); an element at a bound has the gradient, one outside gives it to a tensor bound."""
    ...

def clip_(input: _Tensor, min: _Tensor | _Number | None = ..., max: _Tensor | _Number | None = ...) -> _Tensor:
    """min(max(input, min), max); an element at a bound has the gradient, one outside gives it to a tensor bound."""
    ...

def clone(input: _Tensor, *, memory_format: _Any = ...) -> _Tensor:
    """A copy with the same history."""
    ...

def column_stack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Tensors joined along dim 1, vectors as columns."""
    ...

def combinations(input: _Tensor, r: _int = ..., with_replacement: _bool = ...) -> _Tensor:
    """Every choice of `r` elements of a vector, in order, one row each."""
    ...

def compiled_with_cxx11_abi() -> _bool:
    """Whether strings are those of C++11, as in every PyTorch of today."""
    ...

def complex(real: _Tensor, imag: _Tensor, *, out: _Any = ...) -> _Tensor:
    """real + i imag."""
    ...

complex32: _Any

def concat(tensors: _Any, dim: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Another name of `cat`."""
    ...

def concatenate(tensors: _Any, dim: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Another name of `cat`."""
    ...

def conj(input: _Tensor) -> _Tensor:
    """The complex conjugate, as a view of the same memory; a real tensor is returned itself."""
    ...

def conj_physical(input: _Tensor, *, out: _Tensor | None = ...) -> _Tensor:
    """The complex conjugate, with memory of its own; a real tensor is returned itself."""
    ...

def conj_physical_(input: _Tensor) -> _Tensor:
    """The complex conjugate."""
    ...

def constant_pad_nd(input: _Tensor, pad: _Any, value: _Number = ...) -> _Tensor:
    """The last dims with `value` around them, as many on each side as `pad` says, the last dim first."""
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
    """Slide a kernel over the last 1 dims of (N, C, ...) or (C, ...)."""
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
    """Slide a kernel over the last 2 dims of (N, C, ...) or (C, ...)."""
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
    """Slide a kernel over the last 3 dims of (N, C, ...) or (C, ...)."""
    ...

def conv_tbc(input: _Tensor, weight: _Tensor, bias: _Tensor, pad: _int = ...) -> _Tensor:
    """A convolution over the first dim of (T, B, C) with a weight (K, C, O): (T + 2 pad - K + 1, B, O)."""
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
    """The transpose of `conv1d`: each input element adds a scaled kernel to the output."""
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
    """The transpose of `conv2d`: each input element adds a scaled kernel to the output."""
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
    """The transpose of `conv3d`: each input element adds a scaled kernel to the output."""
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
    """A convolution of (N, C, ...) over as many dims as the weight has besides two, or its transpose."""
    ...

def copysign(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The size of `input` with the sign of `other`; no gradient flows to `other`, and none where `input` is 0."""
    ...

def corrcoef(input: _Tensor) -> _Tensor:
    """The correlation coefficients of variables, one a row."""
    ...

def cos(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The cosine of an angle in radians."""
    ...

def cos_(input: _Tensor) -> _Tensor:
    """The cosine of an angle in radians."""
    ...

def cosh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The hyperbolic cosine."""
    ...

def cosh_(input: _Tensor) -> _Tensor:
    """The hyperbolic cosine."""
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
    """How many elements are not zero."""
    ...

def cov(
    input: _Tensor, *, correction: _int = ..., fweights: _Tensor | None = ..., aweights: _Tensor | None = ...
) -> _Tensor:
    """The covariances of variables, one a row, from observations, one a column."""
    ...

def cross(input: _Tensor, other: _Tensor, dim: _int | None = ..., *, out: _Any = ...) -> _Tensor:
    """The cross product of vectors of three elements along `dim` (by default the first dim of size three)."""
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
    """`torch.nn.functional.ctc_loss`; reduction: 0 for none, 1 for the mean, 2 for the sum."""
    ...

def cummax(input: _Tensor, dim: _int, *, out: _Any = ...) -> _Any:
    """The running maximum along `dim`, and the index of its last occurrence so far."""
    ...

def cummin(input: _Tensor, dim: _int, *, out: _Any = ...) -> _Any:
    """The running minimum along `dim`, and the index of its last occurrence so far."""
    ...

def cumprod(input: _Tensor, dim: _int, *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """The running product along `dim`; integers are multiplied in int64."""
    ...

def cumsum(input: _Tensor, dim: _int, *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """The running sum along `dim`; integers are summed in int64."""
    ...

def cumulative_trapezoid(y: _Tensor, x: _Tensor | None = ..., *, dx: _Number | None = ..., dim: _int = ...) -> _Tensor:
    """The running area under y by the trapezoidal rule."""
    ...

def deg2rad(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Degrees as radians."""
    ...

def deg2rad_(input: _Tensor) -> _Tensor:
    """Degrees as radians."""
    ...

def dequantize(input: _Tensor) -> _Tensor:
    """A tensor in float32: what is left to do for one that is not quantized."""
    ...

def det(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the determinant of a square matrix."""
    ...

def detach(input: _Tensor) -> _Tensor:
    """This tensor without its history; shares storage."""
    ...

def detach_(input: _Any) -> _Tensor:
    """Remove the gradient history of this tensor in place."""
    ...

def detach_copy(input: _Any) -> _Any:
    """What `detach` shows, as a copy in row-major order."""
    ...

def diag(input: _Tensor, diagonal: _int = ..., *, out: _Any = ...) -> _Tensor:
    """A matrix's diagonal as a vector, or a matrix with a vector on its diagonal."""
    ...

def diag_embed(input: _Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Tensor:
    """Matrices, in the dims `dim1` and `dim2`, with the last dim on their diagonals; (..., n) -> (..., n, n)."""
    ...

def diagflat(input: _Tensor, offset: _int = ...) -> _Tensor:
    """A matrix with all elements on its diagonal."""
    ...

def diagonal(input: _Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Tensor:
    """The diagonal of each matrix of two dims, as the last dim."""
    ...

def diagonal_copy(input: _Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Any:
    """What `diagonal` shows, as a copy in row-major order."""
    ...

def diagonal_scatter(input: _Tensor, src: _Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Tensor:
    """A copy of `input` with `src` on its diagonal."""
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
    """The n-th differences of neighbours along `dim`, of bools their exclusive or."""
    ...

def digamma(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the digamma function, the derivative of the logarithm of the gamma function."""
    ...

def dist(input: _Tensor, other: _Tensor, p: _float = ...) -> _Tensor:
    """The p-norm of input - other."""
    ...

def div(
    input: _Tensor | _Number, other: _Tensor | _Number, *, rounding_mode: _str | None = ..., out: _Any = ...
) -> _Tensor:
    """input / other; with `rounding_mode` "trunc" or "floor" rounded to a whole number, in the common dtype."""
    ...

def divide(
    input: _Tensor | _Number, other: _Tensor | _Number, *, rounding_mode: _str | None = ..., out: _Any = ...
) -> _Tensor:
    """input / other; with `rounding_mode` "trunc" or "floor" rounded to a whole number, in the common dtype."""
    ...

def dot(input: _Tensor, tensor: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the dot product, the sum of the products of the elements of two vectors of equal length."""
    ...

double: _dtype

def dropout(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Zero each element with probability p and scale the others by 1 / (1 - p)."""
    ...

def dropout_(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """In place: Zero each element with probability p and scale the others by 1 / (1 - p)."""
    ...

def dsplit(
    input: _Tensor, indices_or_sections: _Any = ..., *, sections: _Any = ..., indices: _Any = ...
) -> _tuple[_Tensor, ...]:
    """Views of pieces along dim 2: of equal sizes, or cut at the indices given."""
    ...

def dstack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Tensors joined along dim 2, matrices as if they had one."""
    ...

e: _float

def eig(self: _Tensor, eigenvectors: _bool = ..., *, e: _Any = ..., v: _Any = ...) -> _Tensor:
    """Removed from PyTorch in favor of `linalg.eig`; raises."""
    ...

def einsum(*args: _Any) -> _Tensor:
    """The sum of products that an equation describes: `einsum("ij,jk->ik", a, b)`."""
    ...

def embedding(
    weight: _Tensor, indices: _Tensor, padding_idx: _int = ..., scale_grad_by_freq: _bool = ..., sparse: _bool = ...
) -> _Tensor:
    """weight[indices]; row `padding_idx` gets no gradient. See `torch.nn.functional.embedding`."""
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
    """`torch.nn.functional.embedding_bag` of joined bags, with what PyTorch's gradient keeps."""
    ...

def embedding_renorm_(input: _Tensor, indices: _Tensor, max_norm: _float, norm_type: _float) -> _Tensor:
    """Scale the rows that `indices` pick, where their norm exceeds `max_norm`, down to it, in place."""
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
    """A tensor whose contents are unspecified (zeros here)."""
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
    """As `empty`, with the shape, dtype, device and memory order of `input`."""
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
    """input == other, element by element."""
    ...

def equal(input: _Tensor, other: _Tensor) -> _bool:
    """Whether two tensors have the same shape and elements (an observation: pending work runs)."""
    ...

def erf(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    ...

def erf_(input: _Tensor) -> _Tensor:
    """Return the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    ...

def erfc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the complementary error function, 1 - erf(x)."""
    ...

def erfc_(input: _Tensor) -> _Tensor:
    """Return the complementary error function, 1 - erf(x)."""
    ...

def erfinv(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse error function: inf at 1, -inf at -1, NaN outside [-1, 1]."""
    ...

def exp(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """e to the power of each element."""
    ...

def exp2(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """2 to the power of each element."""
    ...

def exp2_(input: _Tensor) -> _Tensor:
    """2 to the power of each element."""
    ...

def exp_(input: _Tensor) -> _Tensor:
    """e to the power of each element."""
    ...

def expand(input: _Tensor, size: _tuple) -> _Tensor:
    """Dims of size one repeated without copying; -1 keeps a dim."""
    ...

def expand_copy(input: _Tensor, size: _Sequence[_int]) -> _Any:
    """What `expand` shows, as a copy in row-major order."""
    ...

def expm1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """exp(x) - 1, exact near 0."""
    ...

def expm1_(input: _Tensor) -> _Tensor:
    """exp(x) - 1, exact near 0."""
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
    """A matrix with ones on its diagonal; (n, n), or (n, m)."""
    ...

def fake_quantize_per_channel_affine(
    input: _Tensor, scale: _Tensor, zero_point: _Tensor, axis: _int, quant_min: _int, quant_max: _int
) -> _Tensor:
    """Round to the values of a quantized tensor whose channels have a scale and zero point each."""
    ...

def fake_quantize_per_tensor_affine(
    input: _Tensor, scale: _float | _Tensor, zero_point: _int | _Tensor, quant_min: _int, quant_max: _int
) -> _Tensor:
    """Round to the values of a quantized tensor; the gradient is 0 where elements lie outside of its range."""
    ...

def feature_alpha_dropout(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """`alpha_dropout` of whole channels."""
    ...

def feature_alpha_dropout_(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """In place: `alpha_dropout` of whole channels."""
    ...

def feature_dropout(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """Zero each channel (index of the first two dims) with probability p and scale the others by 1 / (1 - p)."""
    ...

def feature_dropout_(input: _Tensor, p: _float, train: _bool) -> _Tensor:
    """In place: Zero each channel (index of the first two dims) with probability p and scale the others by 1 / (1 - p)."""
    ...

def fill(input: _Tensor, value: _Any) -> _Tensor:
    """A tensor like this one, every element set to a number."""
    ...

def fill_(self: _Tensor, value: _Any) -> _Tensor:
    """Set every element to a number."""
    ...

def fix(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Each element without its fractional part."""
    ...

def fix_(input: _Tensor) -> _Tensor:
    """Each element without its fractional part."""
    ...

def flatten(input: _Tensor, start_dim: _int = ..., end_dim: _int = ...) -> _Tensor:
    """The dims from `start_dim` to `end_dim` as one."""
    ...

def flip(input: _Tensor, *several: _Any, dims: _Any = ...) -> _Tensor:
    """The order of the indices of `dims` reversed (a copy)."""
    ...

def fliplr(input: _Tensor) -> _Tensor:
    """The columns in reverse order."""
    ...

def flipud(input: _Tensor) -> _Tensor:
    """The rows in reverse order."""
    ...

float: _dtype
float4_e2m1fn_x2: _Any

def float_power(input: _Tensor | _Number, exponent: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input ** exponent in double precision."""
    ...

def floor(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The largest whole number not above each element."""
    ...

def floor_(input: _Tensor) -> _Tensor:
    """The largest whole number not above each element."""
    ...

def floor_divide(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input / other rounded down."""
    ...

def fmax(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The larger of two; a number wins over NaN. Of equal ones the first has the gradient."""
    ...

def fmin(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The smaller of two; a number wins over NaN. Of equal ones the first has the gradient."""
    ...

def fmod(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The remainder with the sign of `input`, as C's fmod."""
    ...

def frac(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The fractional part, with the sign of the element."""
    ...

def frac_(input: _Tensor) -> _Tensor:
    """The fractional part, with the sign of the element."""
    ...

def frexp(input: _Tensor, *, out: _Any = ...) -> _Any:
    """The mantissa in [0.5, 1) and the exponent of 2 of each element."""
    ...

def frobenius_norm(input: _Tensor, dim: _tuple[_int, ...] | _int, keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """The square root of the sum of squares over at most two dims; over all where none is given."""
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
    """Return a one-dim tensor that shares the memory of an object with a buffer."""
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
    """Return `full` with the shape, dtype, device and memory order of `input`."""
    ...

def gather(input: _Tensor, dim: _int, index: _Tensor, *, sparse_grad: _bool = ..., out: _Any = ...) -> _Tensor:
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on for other dims."""
    ...

def gcd(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The greatest common divisor."""
    ...

def gcd_(input: _Tensor, other: _Tensor) -> _Tensor:
    """The greatest common divisor."""
    ...

def ge(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input >= other, element by element."""
    ...

def geqrf(input: _Tensor, *, out: _Any = ...) -> _Any:
    """Return the QR decomposition in LAPACK's compact form."""
    ...

def ger(input: _Tensor, vec2: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the outer product of two vectors: (n,), (m,) -> (n, m)."""
    ...

def get_autocast_cpu_dtype() -> _Any:
    """`get_autocast_dtype` of cpu."""
    ...

def get_autocast_dtype(device_type: _str) -> _Any:
    """The dtype of operators that are quick in it, such as products, on a type of device."""
    ...

def get_autocast_gpu_dtype() -> _Any:
    """`get_autocast_dtype` of cuda."""
    ...

def get_autocast_ipu_dtype() -> _Any:
    """`get_autocast_dtype` of ipu."""
    ...

def get_autocast_xla_dtype() -> _Any:
    """`get_autocast_dtype` of xla."""
    ...

def get_deterministic_debug_mode() -> _int:
    """0: not asked for, 1: warn, 2: raise."""
    ...

def get_device(input: _Any) -> _int:
    """Return the index of the tensor's accelerator, or -1 on the CPU."""
    ...

def get_device_module(device: _Any = ...) -> _Any:
    """Return the module of a device type, such as `torchlike.cuda`."""
    ...

def get_num_interop_threads() -> _int:
    """The number of threads that run operators side by side: XLA's one pool."""
    ...

def get_num_threads() -> _int:
    """The number of threads of XLA's pool on the CPU."""
    ...

def get_rng_state() -> _Tensor:
    """The default generator's state, byte for byte PyTorch's, as a uint8 tensor."""
    ...

def gradient(input: _Tensor, *, spacing: _Any = ..., dim: _Any = ..., edge_order: _int = ...) -> _tuple[_Tensor, ...]:
    """The slope along each dim by central differences, one-sided ones at the ends."""
    ...

def greater(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input > other, element by element."""
    ...

def greater_equal(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input >= other, element by element."""
    ...

def grid_sampler(
    input: _Tensor, grid: _Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> _Tensor:
    """`torch.nn.functional.grid_sample` by numbers: 0 bilinear, 1 nearest, 2 bicubic; outside 0 zeros, 1 the border,
    2 a reflection. Any other number raises ValueError (PyTorch returns whatever memory holds)."""
    ...

def grid_sampler_2d(
    input: _Tensor, grid: _Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> _Tensor:
    """`grid_sample` whose modes are numbers: their places among those that it has."""
    ...

def grid_sampler_3d(
    input: _Tensor, grid: _Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> _Tensor:
    """`grid_sample` whose modes are numbers: their places among those that it has."""
    ...

def group_norm(
    input: _Tensor,
    num_groups: _int,
    weight: _Tensor | None = ...,
    bias: _Tensor | None = ...,
    eps: _float = ...,
    cudnn_enabled: _bool = ...,
) -> _Tensor:
    """(x - mean) / sqrt(var + eps) over each group of channels of each sample; times weight, plus bias."""
    ...

def gru(*args: _Any) -> _tuple[_Tensor, _Tensor]:
    """`gru(input, h, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first)`; or, packed, `gru(data, batch_sizes, h, params, ..., bidirectional)`. Returns (outputs, h_n)."""
    ...

def gru_cell(
    input: _Tensor, hx: _Tensor, w_ih: _Tensor, w_hh: _Tensor, b_ih: _Tensor | None = ..., b_hh: _Tensor | None = ...
) -> _Tensor:
    """One step of a GRU: the new h."""
    ...

def gt(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input > other, element by element."""
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
    """The Hamming window: alpha - beta cos. With `periodic`, one period of a longer one, as spectral analysis wants it."""
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
    """The Hann window: a raised cosine. With `periodic`, one period of a longer one, as spectral analysis wants it."""
    ...

def hardshrink(input: _Tensor, lambd: _Number = ..., *, out: _Any = ...) -> _Tensor:
    """x where |x| > lambd, else 0."""
    ...

has_lapack: _bool
has_mkl: _bool
has_openmp: _bool
has_spectral: _bool

def hash_tensor(input: _Tensor, dim: _Any = ..., *, keepdim: _bool = ..., mode: _int = ..., out: _Any = ...) -> _Tensor:
    """The elements' bits (as 64-bit numbers, whole ones or floating-point) joined by exclusive or, in uint64."""
    ...

def heaviside(input: _Tensor, values: _Tensor, *, out: _Any = ...) -> _Tensor:
    """0 below zero, 1 above it, `values` at it."""
    ...

def hinge_embedding_loss(input: _Tensor, target: _Tensor, margin: _float = ..., reduction: _int = ...) -> _Tensor:
    """Compute x where the target is 1, and max(0, margin - x) where it is -1, and reduce it by `reduction`."""
    ...

def histc(input: _Tensor, bins: _int = ..., min: _float = ..., max: _float = ..., *, out: _Any = ...) -> _Tensor:
    """How many elements lie in each of `bins` equal intervals from `min` to `max` (if equal: of the data)."""
    ...

def histogram(
    input: _Tensor,
    bins: _Any,
    *,
    range: _Any = ...,
    weight: _Tensor | None = ...,
    density: _bool = ...,
    out: _Any = ...,
) -> _Any:
    """How many elements lie in each interval; the intervals' edges."""
    ...

def histogramdd(
    input: _Tensor, bins: _Any, *, range: _Any = ..., weight: _Tensor | None = ..., density: _bool = ...
) -> _Any:
    """How many points of (..., D) lie in each cell of a grid; the grid's edges along each dim."""
    ...

def hsplit(
    input: _Tensor, indices_or_sections: _Any = ..., *, sections: _Any = ..., indices: _Any = ...
) -> _tuple[_Tensor, ...]:
    """Views of pieces along dim 1: of equal sizes, or cut at the indices given."""
    ...

def hstack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Tensors joined along dim 1 (dim 0 for vectors)."""
    ...

def hypot(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """sqrt(input**2 + other**2) without overflow."""
    ...

def i0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the modified Bessel function of the first kind of order 0, element by element."""
    ...

def i0_(input: _Tensor) -> _Tensor:
    """Return the modified Bessel function of the first kind of order 0, element by element."""
    ...

def igamma(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the regularized lower incomplete gamma function P(input, other), where `input` is the shape."""
    ...

def igammac(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other)."""
    ...

def imag(input: _Tensor) -> _Tensor:
    """The imaginary part, as a view; that of a conjugate is a view that negates."""
    ...

def index_add(
    input: _Tensor, dim: _int, index: _Tensor, source: _Tensor, *, alpha: _Any = ..., out: _Any = ...
) -> _Tensor:
    """`alpha * source` added at the indices of one dim."""
    ...

def index_copy(input: _Tensor, dim: _int, index: _Tensor, source: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The indices of one dim replaced by those of `source`."""
    ...

def index_fill(input: _Tensor, dim: _int, index: _Tensor, value: _Any) -> _Tensor:
    """The indices of one dim set to a number."""
    ...

def index_put(input: _Tensor, indices: _Any, values: _Tensor, accumulate: _bool = ...) -> _Tensor:
    """A copy with `values` written (or added) at the tensors `indices`."""
    ...

def index_put_(self: _Tensor, indices: _Any, values: _Tensor, accumulate: _bool = ...) -> _Tensor:
    """Write (or add) `values` at the tensors `indices`."""
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
    """The indices of one dim of `source` reduced into those of `input` by "prod", "mean", "amax" or "amin"."""
    ...

def index_select(input: _Tensor, dim: _int, index: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The indices `index` of one dim."""
    ...

inf: _float

def initial_seed() -> _int:
    """The seed that the default generator was given last."""
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
    """Batch norm of each sample by itself: (x - mean) / sqrt(var + eps) for each channel of each sample."""
    ...

int: _dtype
int1: _Any
int2: _Any
int3: _Any
int4: _Any
int5: _Any
int6: _Any
int7: _Any

def inverse(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse of a square matrix."""
    ...

def is_autocast_cache_enabled() -> _bool:
    """Whether weights are cast once in an outermost `autocast`."""
    ...

def is_autocast_cpu_enabled() -> _bool:
    """`is_autocast_enabled` of cpu."""
    ...

def is_autocast_enabled(device_type: _str = ...) -> _bool:
    """Whether operators on a type of device choose their own precision."""
    ...

def is_autocast_ipu_enabled() -> _bool:
    """`is_autocast_enabled` of ipu."""
    ...

def is_autocast_xla_enabled() -> _bool:
    """`is_autocast_enabled` of xla."""
    ...

def is_complex(input: _Tensor) -> _bool:
    """Return whether the dtype of `input` is complex."""
    ...

def is_conj(input: _Tensor) -> _bool:
    """Whether this is a view that conjugates what its memory holds."""
    ...

def is_deterministic_algorithms_warn_only_enabled() -> _bool:
    """Whether only a warning was asked for where an algorithm is not deterministic."""
    ...

def is_floating_point(input: _Tensor) -> _bool:
    """Return whether the dtype of `input` is a real floating-point dtype."""
    ...

def is_inference(input: _Tensor) -> _bool:
    """Return whether `input` was created in inference mode."""
    ...

def is_neg(input: _Tensor) -> _bool:
    """Whether this is a view that negates what its memory holds."""
    ...

def is_nonzero(input: _Tensor) -> _bool:
    """Whether the one element is not zero."""
    ...

def is_same_size(input: _Tensor, other: _Tensor) -> _bool:
    """Whether two tensors have one shape."""
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

def is_warn_always_enabled() -> _bool:
    """What `set_warn_always` was given last; False at first."""
    ...

def isclose(input: _Tensor, other: _Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _Tensor:
    """|input - other| <= atol + rtol * |other|; infinities are close to themselves, NaN too if `equal_nan`."""
    ...

def isfinite(input: _Tensor) -> _Tensor:
    """Whether each element is neither infinite nor NaN."""
    ...

def isin(
    elements: _Tensor | _Number,
    test_elements: _Tensor | _Number,
    *,
    assume_unique: _bool = ...,
    invert: _bool = ...,
    out: _Any = ...,
) -> _Tensor:
    """Whether each element is among the test elements."""
    ...

def isinf(input: _Tensor) -> _Tensor:
    """Whether each element is infinite (for a complex one: whether either part is)."""
    ...

def isnan(input: _Tensor) -> _Tensor:
    """Whether each element is NaN."""
    ...

def isneginf(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Whether each element is -inf."""
    ...

def isposinf(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Whether each element is +inf."""
    ...

def isreal(input: _Tensor) -> _Tensor:
    """Whether each element has no imaginary part."""
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
    """The signal of which `input` is the `stft`: frames are weighted by the window once more, added where they overlap,
    and divided by the sum of the squared windows there."""
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
    """The Kaiser window of parameter `beta`. With `periodic`, one period of a longer one, as spectral analysis wants it."""
    ...

def kl_div(input: _Tensor, target: _Tensor, reduction: _int = ..., *, log_target: _bool = ...) -> _Tensor:
    """Compute the Kullback-Leibler divergence, target (log target - input), where `input` holds log-probabilities."""
    ...

def kron(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the Kronecker product: each element of `input` times the whole of `other`."""
    ...

def kthvalue(input: _Tensor, k: _int, dim: _int = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Any:
    """The k-th smallest element of `dim` (k counts from 1), and its index."""
    ...

def layer_norm(
    input: _Tensor,
    normalized_shape: _Any,
    weight: _Tensor | None = ...,
    bias: _Tensor | None = ...,
    eps: _float = ...,
    cudnn_enable: _bool = ...,
) -> _Tensor:
    """(x - mean) / sqrt(var + eps) over the last dims, whose sizes are `normalized_shape`; times weight, plus bias."""
    ...

def lcm(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The least common multiple."""
    ...

def lcm_(input: _Tensor, other: _Tensor) -> _Tensor:
    """The least common multiple."""
    ...

def ldexp(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """input * 2**other."""
    ...

def ldexp_(input: _Tensor, other: _Tensor) -> _Tensor:
    """input * 2**other."""
    ...

def le(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input <= other, element by element."""
    ...

def lerp(input: _Tensor, end: _Tensor, weight: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input + weight * (end - input), exact at both ends."""
    ...

def less(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input < other, element by element."""
    ...

def less_equal(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input <= other, element by element."""
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
    """`steps` numbers from `start` to `end`, both included, evenly spaced."""
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
    """The natural logarithm of each element; -inf at 0, NaN below."""
    ...

def log10(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The logarithm to base 10."""
    ...

def log10_(input: _Tensor) -> _Tensor:
    """The logarithm to base 10."""
    ...

def log1p(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """log(1 + x), exact near 0."""
    ...

def log1p_(input: _Tensor) -> _Tensor:
    """log(1 + x), exact near 0."""
    ...

def log2(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The logarithm to base 2."""
    ...

def log2_(input: _Tensor) -> _Tensor:
    """The logarithm to base 2."""
    ...

def log_(input: _Tensor) -> _Tensor:
    """The natural logarithm of each element; -inf at 0, NaN below."""
    ...

def log_softmax(input: _Tensor, dim: _int, dtype: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """The logarithm of softmax over a dim; computed in `dtype` where given."""
    ...

def logaddexp(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """log(exp(input) + exp(other)) without overflow."""
    ...

def logaddexp2(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """log2(2**input + 2**other) without overflow."""
    ...

def logcumsumexp(input: _Tensor, dim: _int, *, out: _Any = ...) -> _Tensor:
    """The running log(sum(exp(input))) along `dim`, without overflow."""
    ...

def logdet(input: _Tensor) -> _Tensor:
    """Return the logarithm of the determinant, or NaN where the determinant is negative."""
    ...

def logical_and(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Whether both are nonzero."""
    ...

def logical_not(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Whether each element is zero."""
    ...

def logical_or(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Whether either is nonzero."""
    ...

def logical_xor(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Whether exactly one is nonzero."""
    ...

def logit(input: _Tensor, eps: _float | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the logit, log(x / (1 - x))."""
    ...

def logit_(input: _Tensor, eps: _float | None = ...) -> _Tensor:
    """Return the logit, log(x / (1 - x))."""
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
    """`base` to the power of `steps` evenly spaced exponents."""
    ...

def logsumexp(input: _Tensor, dim: _tuple | _int, keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """log(sum(exp(input))) over `dim`, without overflow."""
    ...

long: _dtype

def lstm(*args: _Any) -> _tuple[_Tensor, _Tensor, _Tensor]:
    """`lstm(input, (h, c), params, has_biases, num_layers, dropout, train, bidirectional, batch_first)`: LSTM layers;
    or, packed, `lstm(data, batch_sizes, (h, c), params, ..., bidirectional)`."""
    ...

def lstm_cell(
    input: _Tensor, hx: _Any, w_ih: _Tensor, w_hh: _Tensor, b_ih: _Tensor | None = ..., b_hh: _Tensor | None = ...
) -> _tuple[_Tensor, _Tensor]:
    """One step of an LSTM: the new (h, c)."""
    ...

def lstsq(input: _Tensor, A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Removed from PyTorch in favor of `linalg.lstsq`; raises."""
    ...

def lt(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input < other, element by element."""
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
    """Seed the default generator; the same seed gives the same numbers as in PyTorch on the CPU."""
    ...

def margin_ranking_loss(
    input1: _Tensor, input2: _Tensor, target: _Tensor, margin: _float = ..., reduction: _int = ...
) -> _Tensor:
    """Compute max(0, margin - t (x1 - x2)), where t = 1 ranks x1 above x2 and t = -1 ranks it below."""
    ...

def masked_fill(input: _Tensor, mask: _Tensor, value: _Any) -> _Tensor:
    """`value` where `mask` is true."""
    ...

def masked_scatter(input: _Tensor, mask: _Tensor, source: _Tensor) -> _Tensor:
    """The places where `mask` is true taken by the elements of `source`, one after another."""
    ...

def masked_select(input: _Tensor, mask: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The elements where `mask` is true, as one dim (an observation: pending work runs)."""
    ...

def matmul(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the matrix product: (..., n, k) @ (..., k, m) -> (..., n, m)."""
    ...

def matrix_exp(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the exponential of a square matrix, the sum over n of A**n / n!."""
    ...

def matrix_power(A: _Tensor, n: _int, *, out: _Any = ...) -> _Tensor:
    """Return the n-th power of a square matrix; for a negative n, the power -n of its inverse."""
    ...

def matrix_rank(input: _Tensor, tol: _Any = ..., symmetric: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Removed from PyTorch in favor of `linalg.matrix_rank`; raises."""
    ...

def max(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """The largest element; with `dim` the largest along it and its index (the first of equal ones); with a second tensor the `maximum` of each pair."""
    ...

def max_pool1d(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    dilation: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
) -> _Any:
    """The largest element of each window over the last 1 dims"""
    ...

def max_pool1d_with_indices(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    dilation: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
) -> _Any:
    """The largest element of each window over the last 1 dims, and where it stands"""
    ...

def max_pool2d(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    dilation: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
) -> _Any:
    """The largest element of each window over the last 2 dims"""
    ...

def max_pool3d(
    input: _Tensor,
    kernel_size: _tuple[_int, ...] | _int,
    stride: _tuple[_int, ...] | _int | None = ...,
    padding: _tuple[_int, ...] | _int = ...,
    dilation: _tuple[_int, ...] | _int = ...,
    ceil_mode: _bool = ...,
) -> _Any:
    """The largest element of each window over the last 3 dims"""
    ...

def maximum(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The larger of two; NaN wins. Equal elements share the gradient."""
    ...

def mean(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """The mean over `dim` (every dim by default); of floating-point or complex tensors."""
    ...

def median(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """The middle element of `dim` (the lower one of two) and its index; NaN where there is one. Without `dim` the median of all elements."""
    ...

def meshgrid(*tensors: _Any, indexing: _str | None = ...) -> _tuple[_Tensor, ...]:
    """Coordinate grids of vectors; `indexing` is "ij" (rows first) or "xy"."""
    ...

def min(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """The smallest element; with `dim` the smallest along it and its index (the first of equal ones); with a second tensor the `minimum` of each pair."""
    ...

def minimum(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The smaller of two; NaN wins. Equal elements share the gradient."""
    ...

def mm(input: _Tensor, mat2: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the product of two matrices: (n, k), (k, m) -> (n, m)."""
    ...

def mode(input: _Tensor, dim: _int = ..., keepdim: _bool = ..., *, out: _Any = ...) -> _Any:
    """The most frequent element of `dim` (the smallest of several) and the index of its last occurrence."""
    ...

def moveaxis(input: _Tensor, source: _Any, destination: _Any) -> _Tensor:
    """Dims moved to new places, the others in their order."""
    ...

def movedim(input: _Tensor, source: _Any, destination: _Any) -> _Tensor:
    """Dims moved to new places, the others in their order."""
    ...

def msort(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The elements sorted along the first dim."""
    ...

def mul(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input * other."""
    ...

def multinomial(
    input: _Tensor, num_samples: _int, replacement: _bool = ..., *, generator: _Any = ..., out: _Any = ...
) -> _Tensor:
    """Indices drawn with the weights in each row of `input`; (rows, classes) -> (rows, num_samples)."""
    ...

def multiply(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input * other."""
    ...

def mv(input: _Tensor, vec: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the product of a matrix and a vector: (n, k), (k,) -> (n,)."""
    ...

def mvlgamma(input: _Tensor, p: _int, *, out: _Any = ...) -> _Tensor:
    """Return the logarithm of the multivariate gamma function of dimension p."""
    ...

nan: _float

def nan_to_num(
    input: _Tensor, nan: _float = ..., posinf: _float | None = ..., neginf: _float | None = ..., *, out: _Any = ...
) -> _Tensor:
    """NaN, inf and -inf replaced by numbers: `nan`, and where not given the largest and the lowest of the dtype."""
    ...

def nan_to_num_(input: _Tensor, nan: _float = ..., posinf: _float | None = ..., neginf: _float | None = ...) -> _Tensor:
    """NaN, inf and -inf replaced by numbers: `nan`, and where not given the largest and the lowest of the dtype."""
    ...

def nanmean(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """The mean of the elements that are not NaN."""
    ...

def nanmedian(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """The middle of the elements of `dim` that are not NaN, and its index. Without `dim` the median of all elements."""
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
    """The q-th quantile of the elements that are not NaN."""
    ...

def nansum(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """The sum of the elements that are not NaN."""
    ...

def narrow(input: _Tensor, dim: _int, start: _Any, length: _int) -> _Tensor:
    """`length` indices of a dim from `start`, as a view."""
    ...

def narrow_copy(input: _Tensor, dim: _int, start: _int, length: _int, *, out: _Any = ...) -> _Tensor:
    """`length` indices of a dim from `start`, as a copy."""
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
    """`batch_norm`, with the batch's means and reciprocal deviations (empty where the running ones are used)."""
    ...

def native_dropout(input: _Tensor, p: _float, train: _bool | None) -> _tuple[_Tensor, _Tensor]:
    """Dropout that also returns the bool mask of what was kept."""
    ...

def native_group_norm(
    input: _Tensor, weight: _Tensor | None, bias: _Tensor | None, N: _int, C: _int, HxW: _int, group: _int, eps: _float
) -> _Any:
    """`group_norm`, with the means and the reciprocal deviations of each sample's groups: these have gradients too."""
    ...

def native_layer_norm(
    input: _Tensor, normalized_shape: _Any, weight: _Tensor | None, bias: _Tensor | None, eps: _float
) -> _Any:
    """`layer_norm`, with the means and the reciprocal deviations."""
    ...

def ne(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input != other, element by element."""
    ...

def neg(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The negative of each element."""
    ...

def neg_(input: _Tensor) -> _Tensor:
    """The negative of each element."""
    ...

def negative(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The negative of each element."""
    ...

def negative_(input: _Tensor) -> _Tensor:
    """The negative of each element."""
    ...

newaxis: None

def nextafter(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The next floating-point number after `input` toward `other`."""
    ...

def nonzero(input: _Tensor, *, as_tuple: _bool = ...) -> _Any:
    """The indices of the elements that are not zero, one row each (with `as_tuple`, one tensor for each dim)."""
    ...

def nonzero_static(input: _Tensor, *, size: _int, fill_value: _int = ...) -> _Tensor:
    """The first `size` indices of elements that are not zero, filled up with `fill_value`."""
    ...

def norm(
    input: _Tensor, p: _Any = ..., dim: _Any = ..., keepdim: _bool = ..., out: _Any = ..., dtype: _Any = ...
) -> _Tensor:
    """The vector norm (sum of |x|**p)**(1/p) over `dim` (every dim by default); "fro" is p = 2."""
    ...

def norm_except_dim(v: _Tensor, pow: _int = ..., dim: _int = ...) -> _Tensor:
    """The `pow`-norm over every dim but one, which are kept as size 1; over all of them for dim -1."""
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
    """Normal numbers of given means and standard deviations (numbers or tensors); no gradient reaches them."""
    ...

def not_equal(input: _Tensor, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input != other, element by element."""
    ...

def nuclear_norm(
    input: _Tensor, dim: _tuple[_int, ...] | _int | _bool | None = ..., keepdim: _bool = ..., *, out: _Any = ...
) -> _Tensor:
    """The sum of the singular values of matrices, of the last two dims unless told otherwise."""
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
    """A tensor of ones; `ones(2, 3)` or `ones((2, 3))`, of the default dtype."""
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
    """As `ones`, with the shape, dtype, device and memory order of `input`."""
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
    """The distances of all pairs of rows, (0, 1), (0, 2), ... (n - 2, n - 1), in the p-norm."""
    ...

def permute(*args: _Any, **named: _Any) -> _Tensor:
    """The dims in another order."""
    ...

def permute_copy(input: _Tensor, *dims: _Any, **named: _Any) -> _Tensor:
    """What `permute` shows, as a copy in row-major order."""
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
    """Poisson numbers of the rates in `input`."""
    ...

def poisson_nll_loss(
    input: _Tensor, target: _Tensor, log_input: _bool, full: _bool, eps: _float, reduction: _int
) -> _Tensor:
    """Compute the negative log-likelihood of targets t under a Poisson distribution."""
    ...

def polar(abs: _Tensor, angle: _Tensor, *, out: _Any = ...) -> _Tensor:
    """abs * (cos(angle) + i sin(angle))."""
    ...

def polygamma(n: _int, input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the n-th derivative of the digamma function, for n >= 0."""
    ...

def positive(input: _Tensor) -> _Tensor:
    """The tensor itself; a bool tensor is refused."""
    ...

def pow(input: _Tensor | _Number, exponent: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input ** exponent; the usual small exponents select their own formulas."""
    ...

def prelu(input: _Tensor, weight: _Tensor) -> _Tensor:
    """x where x > 0, weight * x elsewhere; one weight, or one for each channel (dim 1)."""
    ...

def prod(
    input: _Tensor, dim: _int | None = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...
) -> _Tensor:
    """The product over `dim` (every dim by default); integers are multiplied in int64."""
    ...

def put(input: _Tensor, index: _Tensor, source: _Tensor, accumulate: _bool = ...) -> _Tensor:
    """`source` written (or added) at `index` of the flattened tensor."""
    ...

def qr(input: _Tensor, some: _bool = ..., *, out: _Any = ...) -> _Any:
    """Return Q and R with Q R = input."""
    ...

def quantile(
    input: _Tensor,
    q: _Tensor | _Number,
    dim: _int | None = ...,
    keepdim: _bool = ...,
    *,
    interpolation: _str = ...,
    out: _Any = ...,
) -> _Tensor:
    """The q-th quantile along `dim` (of all elements by default), for each q of a tensor; NaN where there is one."""
    ...

def rad2deg(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Radians as degrees."""
    ...

def rad2deg_(input: _Tensor) -> _Tensor:
    """Radians as degrees."""
    ...

def rand(
    *size: _Any, generator: _Any = ..., out: _Tensor | None = ..., dtype: _dtype | None = ..., **options: _Any
) -> _Tensor:
    """Uniform numbers in [0, 1)."""
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
    """As `rand`, with the shape, dtype, device and memory order of `input`."""
    ...

def randint(
    *args: _Any, generator: _Any = ..., out: _Tensor | None = ..., dtype: _dtype | None = ..., **options: _Any
) -> _Tensor:
    """Integers in [low, high): `randint(high, size)` or `randint(low, high, size)`."""
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
    """As `randint`, with the shape, dtype, device and memory order of `input`."""
    ...

def randn(
    *size: _Any, generator: _Any = ..., out: _Tensor | None = ..., dtype: _dtype | None = ..., **options: _Any
) -> _Tensor:
    """Standard normal numbers."""
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
    """As `randn`, with the shape, dtype, device and memory order of `input`."""
    ...

def randperm(
    n: _int, *, generator: _Any = ..., out: _Tensor | None = ..., dtype: _dtype | None = ..., **options: _Any
) -> _Tensor:
    """A random order of 0 .. n-1."""
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
    """Numbers from `start` (0) up to and with `end`, `step` (1) apart (deprecated in PyTorch; use `arange`)."""
    ...

def ravel(input: _Tensor) -> _Tensor:
    """All elements as one dim."""
    ...

def real(input: _Tensor) -> _Tensor:
    """The real part, as a view; of a real tensor the tensor itself."""
    ...

def reciprocal(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """1 / x."""
    ...

def reciprocal_(input: _Tensor) -> _Tensor:
    """1 / x."""
    ...

def relu(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """max(x, 0); NaN stays NaN, the gradient at 0 is 0."""
    ...

def relu_(input: _Tensor) -> _Tensor:
    """max(x, 0); NaN stays NaN, the gradient at 0 is 0."""
    ...

def remainder(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input - other * floor(input / other): the remainder with the sign of `other`, as Python's %."""
    ...

def renorm(input: _Tensor, p: _float, dim: _int, maxnorm: _float, *, out: _Any = ...) -> _Tensor:
    """Each part along `dim` scaled down to the p-norm `maxnorm`, where its norm is larger."""
    ...

def repeat_interleave(
    input: _Tensor, repeats: _Any = ..., dim: _int | None = ..., *, output_size: _int | None = ...
) -> _Tensor:
    """Each element (or index of a dim) several times in a row; `repeats` is a count or a tensor of counts."""
    ...

def reshape(*args: _Any, **named: _Any) -> _Tensor:
    """The elements in another shape: a view where strides allow, else a copy."""
    ...

def resize_as_(self: _Tensor, the_template: _Tensor, *, memory_format: _Any = ...) -> _Tensor:
    """Another tensor's shape, in place, in a memory format or (`preserve_format`) in the other's."""
    ...

def resolve_conj(input: _Tensor) -> _Tensor:
    """A copy of a view that conjugates; any other tensor is returned itself."""
    ...

def resolve_neg(input: _Tensor) -> _Tensor:
    """A copy of a view that negates; any other tensor is returned itself."""
    ...

def result_type(tensor1: _Any, tensor2: _Any) -> _Any:
    """Return the dtype of the result of an arithmetic operation on two tensors or numbers."""
    ...

def rms_norm(input: _Tensor, normalized_shape: _Any, weight: _Tensor | None = ..., eps: _float | None = ...) -> _Tensor:
    """x / sqrt(mean(x**2) + eps) over the last dims, times weight; eps is the dtype's epsilon by default."""
    ...

def rnn_relu(*args: _Any) -> _tuple[_Tensor, _Tensor]:
    """`rnn_relu(input, h, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first)`; or, packed, `rnn_relu(data, batch_sizes, h, params, ..., bidirectional)`. Returns (outputs, h_n)."""
    ...

def rnn_relu_cell(
    input: _Tensor, hx: _Tensor, w_ih: _Tensor, w_hh: _Tensor, b_ih: _Tensor | None = ..., b_hh: _Tensor | None = ...
) -> _Tensor:
    """relu(W_ih x + b_ih + W_hh h + b_hh)."""
    ...

def rnn_tanh(*args: _Any) -> _tuple[_Tensor, _Tensor]:
    """`rnn_tanh(input, h, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first)`; or, packed, `rnn_tanh(data, batch_sizes, h, params, ..., bidirectional)`. Returns (outputs, h_n)."""
    ...

def rnn_tanh_cell(
    input: _Tensor, hx: _Tensor, w_ih: _Tensor, w_hh: _Tensor, b_ih: _Tensor | None = ..., b_hh: _Tensor | None = ...
) -> _Tensor:
    """tanh(W_ih x + b_ih + W_hh h + b_hh)."""
    ...

def roll(input: _Tensor, shifts: _Any, dims: _Any = ...) -> _Tensor:
    """The elements moved along `dims` (without them, of the flattened tensor), those pushed out coming in at the other
    end."""
    ...

def rot90(input: _Tensor, k: _int = ..., dims: _Any = ...) -> _Tensor:
    """Turned by `k` quarters in the plane of two dims, from the first towards the second."""
    ...

def round(input: _Tensor, *, decimals: _int = ..., out: _Any = ...) -> _Tensor:
    """The nearest whole number (halves go to the even one), or the nearest with so many `decimals`."""
    ...

def round_(input: _Tensor, *, decimals: _int = ...) -> _Tensor:
    """The nearest whole number (halves go to the even one), or the nearest with so many `decimals`."""
    ...

def row_stack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Tensors joined along dim 0, vectors as rows."""
    ...

def rrelu(
    input: _Tensor, lower: _float = ..., upper: _float = ..., training: _bool = ..., generator: _Any = ...
) -> _Tensor:
    """x where x > 0, a x elsewhere: a is drawn from [lower, upper) in training, their mean otherwise."""
    ...

def rrelu_(
    input: _Tensor, lower: _float = ..., upper: _float = ..., training: _bool = ..., generator: _Any = ...
) -> _Tensor:
    """In place: x where x > 0, a x elsewhere: a is drawn from [lower, upper) in training, their mean otherwise."""
    ...

def rsqrt(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """1 / sqrt(x); inf at 0, NaN below."""
    ...

def rsqrt_(input: _Tensor) -> _Tensor:
    """1 / sqrt(x); inf at 0, NaN below."""
    ...

def rsub(input: _Tensor, other: _Tensor | _Number, *, alpha: _Number = ...) -> _Tensor:
    """other - alpha * input."""
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
    """Return a zero-dim tensor of the default dtype."""
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
    """`src` (a tensor or a number) written, or with `reduce` added or multiplied, at `index` along `dim`."""
    ...

def scatter_add(input: _Tensor, dim: _int, index: _Tensor, src: _Tensor, *, out: _Any = ...) -> _Tensor:
    """`src` added at `index` along `dim`."""
    ...

def scatter_reduce(
    input: _Tensor, dim: _int, index: _Tensor, src: _Tensor, reduce: _str, *, include_self: _bool = ..., out: _Any = ...
) -> _Tensor:
    """What `src` holds for each place of `index` along `dim`, reduced by "sum", "prod", "mean", "amax" or "amin"; with
    `include_self` what was there takes part. The gradient of a largest or smallest is shared evenly by equal ones."""
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
    """The index in a sorted last dim at which each element would be put in, after equal ones if `right`."""
    ...

def seed() -> _int:
    """Seed the default generator from the system's entropy; returns the seed."""
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
    """Segments of a dim, which lie one after another, each reduced by "sum", "prod", "mean", "max" or "min"."""
    ...

def select(input: _Tensor, dim: _int, index: _int) -> _Tensor:
    """One index of a dim, as a view."""
    ...

def select_copy(input: _Tensor, dim: _int, index: _int) -> _Tensor:
    """What `select` shows, as a copy in row-major order."""
    ...

def select_scatter(input: _Tensor, src: _Tensor, dim: _int, index: _int) -> _Tensor:
    """A copy of `input` with `src` at one index of a dim."""
    ...

def selu(input: _Tensor) -> _Tensor:
    """The scaled exponential unit, which keeps activations normalised."""
    ...

def selu_(input: _Tensor) -> _Tensor:
    """In place: The scaled exponential unit, which keeps activations normalised."""
    ...

def set_autocast_cache_enabled(enabled: _bool) -> None:
    """Set whether weights are cast once in an outermost `autocast`."""
    ...

def set_autocast_cpu_dtype(dtype: _Any) -> None:
    """`set_autocast_dtype` of cpu."""
    ...

def set_autocast_cpu_enabled(enabled: _bool) -> None:
    """`set_autocast_enabled` of cpu."""
    ...

def set_autocast_dtype(device_type: _str, dtype: _Any) -> None:
    """Set the dtype of operators that are quick in it."""
    ...

def set_autocast_enabled(*args: _Any, **kwargs: _Any) -> None:
    """`set_autocast_enabled(device_type, enabled)`: turn mixed precision on or off; without a type, on CUDA."""
    ...

def set_autocast_gpu_dtype(dtype: _Any) -> None:
    """`set_autocast_dtype` of cuda."""
    ...

def set_autocast_ipu_dtype(dtype: _Any) -> None:
    """`set_autocast_dtype` of ipu."""
    ...

def set_autocast_ipu_enabled(enabled: _bool) -> None:
    """`set_autocast_enabled` of ipu."""
    ...

def set_autocast_xla_dtype(dtype: _Any) -> None:
    """`set_autocast_dtype` of xla."""
    ...

def set_autocast_xla_enabled(enabled: _bool) -> None:
    """`set_autocast_enabled` of xla."""
    ...

def set_default_tensor_type(t: _Any) -> None:
    """Set the default dtype and device by an old type or its name (deprecated in PyTorch)."""
    ...

def set_deterministic_debug_mode(debug_mode: _int | _str) -> None:
    """Ask for deterministic algorithms by number or name: 0 "default", 1 "warn", 2 "error"."""
    ...

def set_flush_denormal(mode: _bool) -> _bool:
    """Whether the processor was told what to do with tiny numbers: it was not, XLA decides."""
    ...

def set_num_interop_threads(num: _int) -> None:
    """As `set_num_threads`."""
    ...

def set_num_threads(num: _int) -> None:
    """Warn, unless the number is what it is: XLA's pool takes its size when the process starts."""
    ...

def set_rng_state(new_state: _Tensor) -> None:
    """Restore a state that `get_rng_state` (of either library) gave."""
    ...

def set_warn_always(b: _bool) -> None:
    """Whether warnings that are given once in each process are given each time."""
    ...

def sgn(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """x / |x|, and 0 for 0; the sign of a real number."""
    ...

short: _dtype

def sigmoid(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """1 / (1 + exp(-x))."""
    ...

def sigmoid_(input: _Tensor) -> _Tensor:
    """1 / (1 + exp(-x))."""
    ...

def sign(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """-1, 0 or 1, as each element is below, at or above zero; 0 for NaN."""
    ...

def signbit(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Whether the sign bit is set: true for negative numbers and -0.0."""
    ...

def sin(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The sine of an angle in radians."""
    ...

def sin_(input: _Tensor) -> _Tensor:
    """The sine of an angle in radians."""
    ...

def sinc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    ...

def sinc_(input: _Tensor) -> _Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    ...

def sinh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The hyperbolic sine."""
    ...

def sinh_(input: _Tensor) -> _Tensor:
    """The hyperbolic sine."""
    ...

def slice_copy(
    input: _Tensor, dim: _int = ..., start: _int | None = ..., end: _int | None = ..., step: _int = ...
) -> _Tensor:
    """What `slice` shows, as a copy in row-major order."""
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
    """A copy of `input` with `src` at the indices of a dim from `start` to `end` in steps of `step`."""
    ...

def slogdet(input: _Tensor, *, out: _Any = ...) -> _Any:
    """Return the sign of the determinant and the logarithm of its absolute value."""
    ...

def softmax(input: _Tensor, dim: _int, dtype: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """exp(x) divided by its sum over a dim; computed in `dtype` where given."""
    ...

def solve(input: _Tensor, A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Removed from PyTorch in favor of `linalg.solve`; raises."""
    ...

def sort(
    input: _Tensor, dim: _int = ..., descending: _bool = ..., stable: _bool | None = ..., *, out: _Any = ...
) -> _Any:
    """The sorted elements of `dim`, and their indices; the order of equal elements is kept either way."""
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
    """Return a COO tensor that stores only the elements `values` at `indices`. Duplicate indices mean a sum."""
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
    """Views of consecutive pieces: of one size (the last may be smaller) or of the sizes given."""
    ...

def split_copy(tensor: _Tensor, split_size_or_sections: _Any, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """What `split` shows, as a copy in row-major order."""
    ...

def split_with_sizes(input: _Tensor, split_sizes: _Any, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """Views of consecutive pieces of the sizes given."""
    ...

def split_with_sizes_copy(input: _Tensor, split_sizes: _Any, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """What `split_with_sizes` shows, as a copy in row-major order."""
    ...

def spmm(input: _Tensor, mat2: _Tensor) -> _Any:
    """Return the product of two matrices: (n, k), (k, m) -> (n, m)."""
    ...

def sqrt(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The square root of each element; NaN below 0. Its gradient at 0 is inf."""
    ...

def sqrt_(input: _Tensor) -> _Tensor:
    """The square root of each element; NaN below 0. Its gradient at 0 is inf."""
    ...

def square(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The square of each element."""
    ...

def square_(input: _Tensor) -> _Tensor:
    """The square of each element."""
    ...

def squeeze(input: _Tensor, dim: _Any = ...) -> _Tensor:
    """Without the dims of size one (or those of them named)."""
    ...

def squeeze_copy(input: _Tensor, dim: _Any = ...) -> _Any:
    """What `squeeze` shows, as a copy in row-major order."""
    ...

def stack(tensors: _Any, dim: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Tensors of one shape along a new dim."""
    ...

def std(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """The square root of `var`; its gradient at 0 is 0."""
    ...

def std_mean(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """`std` and `mean`."""
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
    """The Fourier transform of each frame of a signal; (..., time) -> (..., frequency, frame)."""
    ...

def sub(input: _Tensor | _Number, other: _Tensor | _Number, *, alpha: _Number = ..., out: _Any = ...) -> _Tensor:
    """input - alpha * other."""
    ...

def subtract(input: _Tensor | _Number, other: _Tensor | _Number, *, alpha: _Number = ..., out: _Any = ...) -> _Tensor:
    """input - alpha * other."""
    ...

def sum(input: _Tensor, dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...) -> _Tensor:
    """The sum over `dim` (every dim by default); integers are summed in int64."""
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
    """Two dims exchanged."""
    ...

def swapdims(input: _Tensor, dim0: _int, dim1: _int) -> _Tensor:
    """Two dims exchanged."""
    ...

def symeig(input: _Tensor, eigenvectors: _bool = ..., upper: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Removed from PyTorch in favor of `linalg.eigh`; raises."""
    ...

def t(input: _Tensor) -> _Tensor:
    """A matrix transposed; tensors of fewer dims as they are."""
    ...

def t_copy(input: _Tensor) -> _Tensor:
    """What `t` shows, as a copy in row-major order."""
    ...

def take(input: _Tensor, index: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The elements at `index` of the flattened tensor."""
    ...

def take_along_dim(input: _Tensor, indices: _Tensor, dim: _int | None = ..., *, out: _Any = ...) -> _Tensor:
    """As `gather`, with the other dims broadcast and indices modulo the size; without a dim, of the flattened tensor."""
    ...

def tan(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The tangent of an angle in radians."""
    ...

def tan_(input: _Tensor) -> _Tensor:
    """The tangent of an angle in radians."""
    ...

def tanh(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The hyperbolic tangent."""
    ...

def tanh_(input: _Tensor) -> _Tensor:
    """The hyperbolic tangent."""
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
    """Views of pieces: of nearly equal sizes, or cut at the indices given."""
    ...

def tensordot(a: _Tensor, b: _Tensor, dims: _Any = ..., out: _Any = ...) -> _Tensor:
    """The sum of products over the last `dims` dims of `a` and the first of `b`, or over two lists of dims."""
    ...

def threshold(input: _Tensor, threshold: _float, value: _float) -> _Tensor:
    """x where x > threshold, `value` elsewhere."""
    ...

def threshold_(input: _Tensor, threshold: _float, value: _float) -> _Tensor:
    """In place: x where x > threshold, `value` elsewhere."""
    ...

def tile(input: _Tensor, dims: _Any) -> _Tensor:
    """As `repeat`, missing counts being one."""
    ...

def to_dlpack(tensor: _Tensor) -> _Any:
    """Return a DLPack capsule over the memory of the tensor."""
    ...

def topk(
    input: _Tensor, k: _int, dim: _int = ..., largest: _bool = ..., sorted: _bool = ..., *, out: _Any = ...
) -> _Any:
    """The `k` largest (or smallest) elements of `dim` in order, and their indices."""
    ...

def trace(input: _Tensor) -> _Tensor:
    """Return the sum of the diagonal of a matrix."""
    ...

def transpose(input: _Tensor, dim0: _int, dim1: _int) -> _Tensor:
    """Two dims exchanged."""
    ...

def transpose_copy(input: _Tensor, dim0: _int, dim1: _int) -> _Any:
    """What `transpose` shows, as a copy in row-major order."""
    ...

def trapezoid(y: _Tensor, x: _Tensor | None = ..., *, dx: _Number | None = ..., dim: _int = ...) -> _Tensor:
    """The area under y by the trapezoidal rule, at points x or `dx` apart."""
    ...

def trapz(y: _Tensor, x: _Tensor | None = ..., *, dx: _float | None = ..., dim: _int = ...) -> _Tensor:
    """`trapezoid`."""
    ...

def triangular_solve(
    b: _Tensor, A: _Tensor, upper: _bool = ..., transpose: _bool = ..., unitriangular: _bool = ..., *, out: _Any = ...
) -> _Any:
    """Return X with A X = b for a triangular A, and a copy of A."""
    ...

def tril(input: _Tensor, diagonal: _int = ..., *, out: _Any = ...) -> _Tensor:
    """The lower triangle of each matrix, zeros above it."""
    ...

def tril_indices(
    row: _int, col: _int, offset: _int = ..., *, dtype: _Any = ..., device: _Any = ..., layout: _Any = ...
) -> _Tensor:
    """Row and column numbers of the lower triangle, row by row; (2, count)."""
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
    """The upper triangle of each matrix, zeros below it."""
    ...

def triu_indices(
    row: _int, col: _int, offset: _int = ..., *, dtype: _Any = ..., device: _Any = ..., layout: _Any = ...
) -> _Tensor:
    """Row and column numbers of the upper triangle, row by row; (2, count)."""
    ...

def true_divide(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input / other, in floating point."""
    ...

def trunc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Each element without its fractional part."""
    ...

def trunc_(input: _Tensor) -> _Tensor:
    """Each element without its fractional part."""
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
    """Every index of a dim, as views."""
    ...

def unbind_copy(input: _Tensor, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """What `unbind` shows, as a copy in row-major order."""
    ...

def unflatten(input: _Tensor, dim: _int, sizes: _Any) -> _Tensor:
    """One dim as several."""
    ...

def unfold(input: _Tensor, dimension: _int, size: _int, step: _int) -> _Tensor:
    """Windows of `size` indices of a dim, `step` apart, the index within a window as the last dim."""
    ...

def unfold_copy(input: _Tensor, dimension: _int, size: _int, step: _int) -> _Any:
    """What `unfold` shows, as a copy in row-major order."""
    ...

def unique(
    input: _Tensor, sorted: _bool = ..., return_inverse: _bool = ..., return_counts: _bool = ..., dim: _int | None = ...
) -> _Any:
    """The distinct elements (or indices of a dim) in ascending order; every NaN is distinct."""
    ...

def unique_consecutive(
    input: _Tensor, return_inverse: _bool = ..., return_counts: _bool = ..., dim: _int | None = ...
) -> _Any:
    """The elements (or indices of a dim) without those equal to the one before."""
    ...

def unravel_index(indices: _Tensor, shape: _Any) -> _tuple[_Tensor, ...]:
    """The index in each dim of places in the flattened tensor of a shape."""
    ...

def unsafe_chunk(input: _Tensor, chunks: _int, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """`chunk` with results that are no views, though they share its memory."""
    ...

def unsafe_split(tensor: _Tensor, split_size_or_sections: _Any, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """`split` with results that are no views, though they share its memory."""
    ...

def unsafe_split_with_sizes(input: _Tensor, split_sizes: _Any, dim: _int = ...) -> _tuple[_Tensor, ...]:
    """`split_with_sizes` with results that are no views, though they share its memory."""
    ...

def unsqueeze(input: _Tensor, dim: _int) -> _Tensor:
    """A dim of size one put in at `dim`."""
    ...

def unsqueeze_copy(input: _Tensor, dim: _int) -> _Any:
    """What `unsqueeze` shows, as a copy in row-major order."""
    ...

def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = ...) -> None:
    """Ask for deterministic algorithms. On the CPU all are; with a GPU a warning says how to ask XLA for them."""
    ...

def vander(x: _Tensor, N: _int | None = ..., increasing: _bool = ...) -> _Tensor:
    """A matrix of the powers of a vector's elements, from high to low (or low to high); (..., n) -> (..., n, N)."""
    ...

def var(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """The sum of squared distances from the mean over (number of elements - correction)."""
    ...

def var_mean(input: _Tensor, *args: _Any, out: _Any = ..., **kwargs: _Any) -> _Any:
    """`var` and `mean`."""
    ...

def vdot(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the dot product of two vectors, with the first one conjugated."""
    ...

def view(input: _Tensor, size: _tuple) -> _Tensor:
    """The same elements in another shape."""
    ...

def view_as_complex(input: _Tensor) -> _Tensor:
    """A real tensor with a last dim of two as a complex one."""
    ...

def view_as_complex_copy(input: _Tensor) -> _Any:
    """What `view_as_complex` shows, as a copy in row-major order."""
    ...

def view_as_real(input: _Tensor) -> _Tensor:
    """A complex tensor as a real one with a last dim of two: the real and the imaginary part."""
    ...

def view_as_real_copy(input: _Tensor) -> _Any:
    """What `view_as_real` shows, as a copy in row-major order."""
    ...

def view_copy(input: _Tensor, size: _Any) -> _Tensor:
    """What `view` shows, as a copy in row-major order."""
    ...

def vsplit(
    input: _Tensor, indices_or_sections: _Any = ..., *, sections: _Any = ..., indices: _Any = ...
) -> _tuple[_Tensor, ...]:
    """Views of pieces along dim 0: of equal sizes, or cut at the indices given."""
    ...

def vstack(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Tensors joined along dim 0, vectors as rows."""
    ...

def where(condition: _Tensor, *choices: _Any, **named: _Any) -> _Any:
    """`input` where the condition holds, `other` elsewhere; without these, the places where it holds, dim by dim."""
    ...

def xlogy(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input * log(other), or 0 where `input` is 0 and `other` is not NaN."""
    ...

def xlogy_(input: _Tensor | _Number, other: _Tensor | _Number) -> _Tensor:
    """Return input * log(other), or 0 where `input` is 0 and `other` is not NaN."""
    ...

def zero_(self: _Tensor) -> _Tensor:
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
    """A tensor of zeros; `zeros(2, 3)` or `zeros((2, 3))`, of the default dtype."""
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
    """As `zeros`, with the shape, dtype, device and memory order of `input`."""
    ...
