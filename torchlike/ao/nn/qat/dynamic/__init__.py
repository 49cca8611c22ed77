"""`torch.ao.nn.qat.dynamic`: layers of quantization-aware training for dynamic quantization."""

from torchlike.ao.nn.qat.dynamic.modules import Linear as Linear
