"""`torch.ao.quantization`: eager mode quantization.

`prepare` and `convert` quantize a model after training, `prepare_qat` and `convert` train it with rounded weights and
activations, and `quantize_dynamic` quantizes weights only. Graph mode quantization is refused by name.
"""

from __future__ import annotations

import sys
from typing import Any

from torchlike._errors import arguments
from torchlike.ao.quantization.fake_quantize import FakeQuantize as FakeQuantize
from torchlike.ao.quantization.fake_quantize import FakeQuantizeBase as FakeQuantizeBase
from torchlike.ao.quantization.fake_quantize import FixedQParamsFakeQuantize as FixedQParamsFakeQuantize
from torchlike.ao.quantization.fake_quantize import FusedMovingAvgObsFakeQuantize as FusedMovingAvgObsFakeQuantize
from torchlike.ao.quantization.fake_quantize import (
    default_affine_fixed_qparams_fake_quant as default_affine_fixed_qparams_fake_quant,
)
from torchlike.ao.quantization.fake_quantize import default_dynamic_fake_quant as default_dynamic_fake_quant
from torchlike.ao.quantization.fake_quantize import default_embedding_fake_quant as default_embedding_fake_quant
from torchlike.ao.quantization.fake_quantize import (
    default_embedding_fake_quant_4bit as default_embedding_fake_quant_4bit,
)
from torchlike.ao.quantization.fake_quantize import default_fake_quant as default_fake_quant
from torchlike.ao.quantization.fake_quantize import (
    default_fixed_qparams_range_0to1_fake_quant as default_fixed_qparams_range_0to1_fake_quant,
)
from torchlike.ao.quantization.fake_quantize import (
    default_fixed_qparams_range_neg1to1_fake_quant as default_fixed_qparams_range_neg1to1_fake_quant,
)
from torchlike.ao.quantization.fake_quantize import default_fused_act_fake_quant as default_fused_act_fake_quant
from torchlike.ao.quantization.fake_quantize import (
    default_fused_per_channel_wt_fake_quant as default_fused_per_channel_wt_fake_quant,
)
from torchlike.ao.quantization.fake_quantize import default_fused_wt_fake_quant as default_fused_wt_fake_quant
from torchlike.ao.quantization.fake_quantize import default_histogram_fake_quant as default_histogram_fake_quant
from torchlike.ao.quantization.fake_quantize import (
    default_per_channel_weight_fake_quant as default_per_channel_weight_fake_quant,
)
from torchlike.ao.quantization.fake_quantize import (
    default_symmetric_fixed_qparams_fake_quant as default_symmetric_fixed_qparams_fake_quant,
)
from torchlike.ao.quantization.fake_quantize import default_weight_fake_quant as default_weight_fake_quant
from torchlike.ao.quantization.fake_quantize import disable_fake_quant as disable_fake_quant
from torchlike.ao.quantization.fake_quantize import disable_observer as disable_observer
from torchlike.ao.quantization.fake_quantize import enable_fake_quant as enable_fake_quant
from torchlike.ao.quantization.fake_quantize import enable_observer as enable_observer
from torchlike.ao.quantization.fake_quantize import (
    fused_per_channel_wt_fake_quant_range_neg_127_to_127 as fused_per_channel_wt_fake_quant_range_neg_127_to_127,
)
from torchlike.ao.quantization.fake_quantize import (
    fused_wt_fake_quant_range_neg_127_to_127 as fused_wt_fake_quant_range_neg_127_to_127,
)
from torchlike.ao.quantization.fuse_modules import fuse_known_modules as fuse_known_modules
from torchlike.ao.quantization.fuse_modules import fuse_modules as fuse_modules
from torchlike.ao.quantization.fuse_modules import fuse_modules_qat as fuse_modules_qat
from torchlike.ao.quantization.fuser_method_mappings import fuse_conv_bn as fuse_conv_bn
from torchlike.ao.quantization.fuser_method_mappings import fuse_conv_bn_relu as fuse_conv_bn_relu
from torchlike.ao.quantization.fuser_method_mappings import fuse_convtranspose_bn as fuse_convtranspose_bn
from torchlike.ao.quantization.fuser_method_mappings import fuse_linear_bn as fuse_linear_bn
from torchlike.ao.quantization.fuser_method_mappings import get_fuser_method as get_fuser_method
from torchlike.ao.quantization.observer import AffineQuantizedObserverBase as AffineQuantizedObserverBase
from torchlike.ao.quantization.observer import FixedQParamsObserver as FixedQParamsObserver
from torchlike.ao.quantization.observer import Granularity as Granularity
from torchlike.ao.quantization.observer import HistogramObserver as HistogramObserver
from torchlike.ao.quantization.observer import MappingType as MappingType
from torchlike.ao.quantization.observer import MinMaxObserver as MinMaxObserver
from torchlike.ao.quantization.observer import MovingAverageMinMaxObserver as MovingAverageMinMaxObserver
from torchlike.ao.quantization.observer import (
    MovingAveragePerChannelMinMaxObserver as MovingAveragePerChannelMinMaxObserver,
)
from torchlike.ao.quantization.observer import NoopObserver as NoopObserver
from torchlike.ao.quantization.observer import ObserverBase as ObserverBase
from torchlike.ao.quantization.observer import PerAxis as PerAxis
from torchlike.ao.quantization.observer import PerBlock as PerBlock
from torchlike.ao.quantization.observer import PerChannelMinMaxObserver as PerChannelMinMaxObserver
from torchlike.ao.quantization.observer import PerGroup as PerGroup
from torchlike.ao.quantization.observer import PerRow as PerRow
from torchlike.ao.quantization.observer import PerTensor as PerTensor
from torchlike.ao.quantization.observer import PerToken as PerToken
from torchlike.ao.quantization.observer import PlaceholderObserver as PlaceholderObserver
from torchlike.ao.quantization.observer import RecordingObserver as RecordingObserver
from torchlike.ao.quantization.observer import ReuseInputObserver as ReuseInputObserver
from torchlike.ao.quantization.observer import TorchAODType as TorchAODType
from torchlike.ao.quantization.observer import UniformQuantizationObserverBase as UniformQuantizationObserverBase
from torchlike.ao.quantization.observer import ZeroPointDomain as ZeroPointDomain
from torchlike.ao.quantization.observer import (
    default_affine_fixed_qparams_observer as default_affine_fixed_qparams_observer,
)
from torchlike.ao.quantization.observer import default_debug_observer as default_debug_observer
from torchlike.ao.quantization.observer import default_dynamic_quant_observer as default_dynamic_quant_observer
from torchlike.ao.quantization.observer import (
    default_fixed_qparams_range_0to1_observer as default_fixed_qparams_range_0to1_observer,
)
from torchlike.ao.quantization.observer import (
    default_fixed_qparams_range_neg1to1_observer as default_fixed_qparams_range_neg1to1_observer,
)
from torchlike.ao.quantization.observer import default_float_qparams_observer as default_float_qparams_observer
from torchlike.ao.quantization.observer import (
    default_float_qparams_observer_4bit as default_float_qparams_observer_4bit,
)
from torchlike.ao.quantization.observer import default_histogram_observer as default_histogram_observer
from torchlike.ao.quantization.observer import default_observer as default_observer
from torchlike.ao.quantization.observer import (
    default_per_channel_weight_observer as default_per_channel_weight_observer,
)
from torchlike.ao.quantization.observer import default_placeholder_observer as default_placeholder_observer
from torchlike.ao.quantization.observer import default_reuse_input_observer as default_reuse_input_observer
from torchlike.ao.quantization.observer import (
    default_symmetric_fixed_qparams_observer as default_symmetric_fixed_qparams_observer,
)
from torchlike.ao.quantization.observer import default_weight_observer as default_weight_observer
from torchlike.ao.quantization.observer import get_block_size as get_block_size
from torchlike.ao.quantization.observer import get_observer_state_dict as get_observer_state_dict
from torchlike.ao.quantization.observer import load_observer_state_dict as load_observer_state_dict
from torchlike.ao.quantization.observer import (
    per_channel_weight_observer_range_neg_127_to_127 as per_channel_weight_observer_range_neg_127_to_127,
)
from torchlike.ao.quantization.observer import (
    weight_observer_range_neg_127_to_127 as weight_observer_range_neg_127_to_127,
)
from torchlike.ao.quantization.qconfig import QConfig as QConfig
from torchlike.ao.quantization.qconfig import QConfigAny as QConfigAny
from torchlike.ao.quantization.qconfig import QConfigDynamic as QConfigDynamic
from torchlike.ao.quantization.qconfig import default_activation_only_qconfig as default_activation_only_qconfig
from torchlike.ao.quantization.qconfig import default_debug_qconfig as default_debug_qconfig
from torchlike.ao.quantization.qconfig import default_dynamic_qat_qconfig as default_dynamic_qat_qconfig
from torchlike.ao.quantization.qconfig import default_dynamic_qconfig as default_dynamic_qconfig
from torchlike.ao.quantization.qconfig import default_embedding_qat_qconfig as default_embedding_qat_qconfig
from torchlike.ao.quantization.qconfig import default_embedding_qat_qconfig_4bit as default_embedding_qat_qconfig_4bit
from torchlike.ao.quantization.qconfig import default_per_channel_qconfig as default_per_channel_qconfig
from torchlike.ao.quantization.qconfig import (
    default_per_channel_symmetric_qnnpack_qat_qconfig as default_per_channel_symmetric_qnnpack_qat_qconfig,
)
from torchlike.ao.quantization.qconfig import (
    default_per_channel_symmetric_qnnpack_qconfig as default_per_channel_symmetric_qnnpack_qconfig,
)
from torchlike.ao.quantization.qconfig import default_qat_qconfig as default_qat_qconfig
from torchlike.ao.quantization.qconfig import default_qat_qconfig_v2 as default_qat_qconfig_v2
from torchlike.ao.quantization.qconfig import default_qconfig as default_qconfig
from torchlike.ao.quantization.qconfig import default_quint8_weight_qconfig as default_quint8_weight_qconfig
from torchlike.ao.quantization.qconfig import default_reuse_input_qconfig as default_reuse_input_qconfig
from torchlike.ao.quantization.qconfig import (
    default_symmetric_qnnpack_qat_qconfig as default_symmetric_qnnpack_qat_qconfig,
)
from torchlike.ao.quantization.qconfig import default_symmetric_qnnpack_qconfig as default_symmetric_qnnpack_qconfig
from torchlike.ao.quantization.qconfig import default_weight_only_qconfig as default_weight_only_qconfig
from torchlike.ao.quantization.qconfig import float16_dynamic_qconfig as float16_dynamic_qconfig
from torchlike.ao.quantization.qconfig import float16_static_qconfig as float16_static_qconfig
from torchlike.ao.quantization.qconfig import float_qparams_weight_only_qconfig as float_qparams_weight_only_qconfig
from torchlike.ao.quantization.qconfig import (
    float_qparams_weight_only_qconfig_4bit as float_qparams_weight_only_qconfig_4bit,
)
from torchlike.ao.quantization.qconfig import get_default_qat_qconfig as get_default_qat_qconfig
from torchlike.ao.quantization.qconfig import get_default_qat_qconfig_dict as get_default_qat_qconfig_dict
from torchlike.ao.quantization.qconfig import get_default_qconfig as get_default_qconfig
from torchlike.ao.quantization.qconfig import get_default_qconfig_dict as get_default_qconfig_dict
from torchlike.ao.quantization.qconfig import per_channel_dynamic_qconfig as per_channel_dynamic_qconfig
from torchlike.ao.quantization.qconfig import qconfig_equals as qconfig_equals
from torchlike.ao.quantization.qconfig_mapping import QConfigMapping as QConfigMapping
from torchlike.ao.quantization.qconfig_mapping import get_default_qat_qconfig_mapping as get_default_qat_qconfig_mapping
from torchlike.ao.quantization.qconfig_mapping import get_default_qconfig_mapping as get_default_qconfig_mapping
from torchlike.ao.quantization.quant_type import QuantType as QuantType
from torchlike.ao.quantization.quantization_mappings import (
    DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS as DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS,
)
from torchlike.ao.quantization.quantization_mappings import (
    DEFAULT_MODULE_TO_ACT_POST_PROCESS as DEFAULT_MODULE_TO_ACT_POST_PROCESS,
)
from torchlike.ao.quantization.quantization_mappings import DEFAULT_QAT_MODULE_MAPPINGS as DEFAULT_QAT_MODULE_MAPPINGS
from torchlike.ao.quantization.quantization_mappings import (
    DEFAULT_STATIC_QUANT_MODULE_MAPPINGS as DEFAULT_STATIC_QUANT_MODULE_MAPPINGS,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_default_compare_output_module_list as get_default_compare_output_module_list,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_default_dynamic_quant_module_mappings as get_default_dynamic_quant_module_mappings,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_default_dynamic_sparse_quant_module_mappings as get_default_dynamic_sparse_quant_module_mappings,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_default_float_to_quantized_operator_mappings as get_default_float_to_quantized_operator_mappings,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_default_qat_module_mappings as get_default_qat_module_mappings,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_default_qconfig_propagation_list as get_default_qconfig_propagation_list,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_default_static_quant_module_mappings as get_default_static_quant_module_mappings,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_default_static_sparse_quant_module_mappings as get_default_static_sparse_quant_module_mappings,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_dynamic_quant_module_class as get_dynamic_quant_module_class,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_embedding_qat_module_mappings as get_embedding_qat_module_mappings,
)
from torchlike.ao.quantization.quantization_mappings import (
    get_embedding_static_quant_module_mappings as get_embedding_static_quant_module_mappings,
)
from torchlike.ao.quantization.quantization_mappings import get_quantized_operator as get_quantized_operator
from torchlike.ao.quantization.quantization_mappings import (
    get_static_quant_module_class as get_static_quant_module_class,
)
from torchlike.ao.quantization.quantization_mappings import no_observer_set as no_observer_set
from torchlike.ao.quantization.quantize import add_quant_dequant as add_quant_dequant
from torchlike.ao.quantization.quantize import convert as convert
from torchlike.ao.quantization.quantize import default_eval_fn as default_eval_fn
from torchlike.ao.quantization.quantize import get_default_custom_config_dict as get_default_custom_config_dict
from torchlike.ao.quantization.quantize import is_activation_post_process as is_activation_post_process
from torchlike.ao.quantization.quantize import prepare as prepare
from torchlike.ao.quantization.quantize import prepare_qat as prepare_qat
from torchlike.ao.quantization.quantize import propagate_qconfig_ as propagate_qconfig_
from torchlike.ao.quantization.quantize import quantize as quantize
from torchlike.ao.quantization.quantize import quantize_dynamic as quantize_dynamic
from torchlike.ao.quantization.quantize import quantize_qat as quantize_qat
from torchlike.ao.quantization.quantize import swap_module as swap_module
from torchlike.ao.quantization.quantize_jit import convert_dynamic_jit as convert_dynamic_jit
from torchlike.ao.quantization.quantize_jit import convert_jit as convert_jit
from torchlike.ao.quantization.quantize_jit import fuse_conv_bn_jit as fuse_conv_bn_jit
from torchlike.ao.quantization.quantize_jit import prepare_dynamic_jit as prepare_dynamic_jit
from torchlike.ao.quantization.quantize_jit import prepare_jit as prepare_jit
from torchlike.ao.quantization.quantize_jit import quantize_dynamic_jit as quantize_dynamic_jit
from torchlike.ao.quantization.quantize_jit import script_qconfig as script_qconfig
from torchlike.ao.quantization.quantize_jit import script_qconfig_dict as script_qconfig_dict
from torchlike.ao.quantization.stubs import DeQuantStub as DeQuantStub
from torchlike.ao.quantization.stubs import QuantStub as QuantStub
from torchlike.ao.quantization.stubs import QuantWrapper as QuantWrapper

ObserverOrFakeQuantize = ObserverBase | FakeQuantizeBase

_GRAPH_MODE = (
    "backend_config",
    "convert_fx",
    "convert_pt2e",
    "fx",
    "prepare_fx",
    "prepare_pt2e",
    "prepare_qat_fx",
    "prepare_qat_pt2e",
    "pt2e",
    "quantizer",
)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _GRAPH_MODE:
        raise arguments.cannot(f"ao.quantization.{name}", "prepare and convert quantize a model in eager mode")
    raise arguments.unknown_name("torch.ao.quantization", name, list(vars(sys.modules[__name__])))
