"""Quantized tensors: integers with the scale and the zero point that give the real numbers.

The operators of quantized networks are in `_products`.
"""

from torchlike._dtypes.quantized import NAMES
from torchlike._quantized._make import _empty_affine_quantized as _empty_affine_quantized
from torchlike._quantized._make import _make_per_channel_quantized_tensor as _make_per_channel_quantized_tensor
from torchlike._quantized._make import _make_per_tensor_quantized_tensor as _make_per_tensor_quantized_tensor
from torchlike._quantized._make import dequantize as dequantize
from torchlike._quantized._make import quantize_per_channel as quantize_per_channel
from torchlike._quantized._make import quantize_per_tensor as quantize_per_tensor
from torchlike._quantized._make import quantize_per_tensor_dynamic as quantize_per_tensor_dynamic
from torchlike._quantized._methods import OF_ALL
from torchlike._quantized._methods import bind as bind
from torchlike._quantized._rules import elsewhere as elsewhere
from torchlike._quantized._tensor import QuantizedTensor as QuantizedTensor
from torchlike._tensor.dispatch import layouts

FUNCTIONS = NAMES | {
    f.__name__: f
    for f in (
        quantize_per_tensor,
        quantize_per_channel,
        quantize_per_tensor_dynamic,
        dequantize,
        _make_per_tensor_quantized_tensor,
        _make_per_channel_quantized_tensor,
        _empty_affine_quantized,
    )
}
FUNCTIONS |= {name: function for name, function in OF_ALL.items() if name not in FUNCTIONS}
METHODS = OF_ALL
layouts.call = elsewhere
