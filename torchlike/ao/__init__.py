"""`torch.ao`: of quantization there is what float models hold of it."""

from torchlike.ao import quantization as quantization
