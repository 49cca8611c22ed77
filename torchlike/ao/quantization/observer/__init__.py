"""Observers: modules that watch values and choose the scale and the zero point of their quantization."""

from torchlike._api.homes import settle as _settle
from torchlike._dtypes import quantized as _q
from torchlike.ao.quantization.observer._base import ObserverBase as ObserverBase
from torchlike.ao.quantization.observer._base import UniformQuantizationObserverBase as UniformQuantizationObserverBase
from torchlike.ao.quantization.observer._base import _is_activation_post_process as _is_activation_post_process
from torchlike.ao.quantization.observer._base import _PartialWrapper as _PartialWrapper
from torchlike.ao.quantization.observer._base import _with_args as _with_args
from torchlike.ao.quantization.observer._base import get_observer_state_dict as get_observer_state_dict
from torchlike.ao.quantization.observer._base import load_observer_state_dict as load_observer_state_dict
from torchlike.ao.quantization.observer._granularity import AffineQuantizedObserverBase as AffineQuantizedObserverBase
from torchlike.ao.quantization.observer._granularity import Granularity as Granularity
from torchlike.ao.quantization.observer._granularity import MappingType as MappingType
from torchlike.ao.quantization.observer._granularity import PerAxis as PerAxis
from torchlike.ao.quantization.observer._granularity import PerBlock as PerBlock
from torchlike.ao.quantization.observer._granularity import PerGroup as PerGroup
from torchlike.ao.quantization.observer._granularity import PerRow as PerRow
from torchlike.ao.quantization.observer._granularity import PerTensor as PerTensor
from torchlike.ao.quantization.observer._granularity import PerToken as PerToken
from torchlike.ao.quantization.observer._granularity import TorchAODType as TorchAODType
from torchlike.ao.quantization.observer._granularity import ZeroPointDomain as ZeroPointDomain
from torchlike.ao.quantization.observer._granularity import get_block_size as get_block_size
from torchlike.ao.quantization.observer._histogram import HistogramObserver as HistogramObserver
from torchlike.ao.quantization.observer._min_max import MinMaxObserver as MinMaxObserver
from torchlike.ao.quantization.observer._min_max import MovingAverageMinMaxObserver as MovingAverageMinMaxObserver
from torchlike.ao.quantization.observer._per_channel import (
    MovingAveragePerChannelMinMaxObserver as MovingAveragePerChannelMinMaxObserver,
)
from torchlike.ao.quantization.observer._per_channel import PerChannelMinMaxObserver as PerChannelMinMaxObserver
from torchlike.ao.quantization.observer._plain import FixedQParamsObserver as FixedQParamsObserver
from torchlike.ao.quantization.observer._plain import NoopObserver as NoopObserver
from torchlike.ao.quantization.observer._plain import PlaceholderObserver as PlaceholderObserver
from torchlike.ao.quantization.observer._plain import RecordingObserver as RecordingObserver
from torchlike.ao.quantization.observer._plain import ReuseInputObserver as ReuseInputObserver

_ObserverBase = UniformQuantizationObserverBase
_EPS = 2**-12

default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_weight_observer = MinMaxObserver.with_args(dtype=_q.qint8, qscheme=_q.per_tensor_symmetric)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(
    dtype=_q.qint8, qscheme=_q.per_tensor_symmetric, quant_min=-127, quant_max=127, eps=_EPS
)
default_histogram_observer = HistogramObserver.with_args(quant_min=0, quant_max=127)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(
    dtype=_q.qint8, qscheme=_q.per_channel_symmetric
)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    dtype=_q.qint8, qscheme=_q.per_channel_symmetric, quant_min=-127, quant_max=127, eps=_EPS
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype=_q.quint8, quant_min=0, quant_max=255, is_dynamic=True
)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=_q.quint8, qscheme=_q.per_channel_affine_float_qparams, ch_axis=0
)
default_float_qparams_observer_4bit = PerChannelMinMaxObserver.with_args(
    dtype=_q.quint4x2, qscheme=_q.per_channel_affine_float_qparams, ch_axis=0
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2.0 / 256.0, zero_point=128, dtype=_q.quint8, quant_min=0, quant_max=255
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1.0 / 256.0, zero_point=0, dtype=_q.quint8, quant_min=0, quant_max=255
)
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer
default_reuse_input_observer = ReuseInputObserver

_settle(__name__, globals())
