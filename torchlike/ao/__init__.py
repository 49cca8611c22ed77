"""`torch.ao`: the parts of quantization that unquantized models use."""

from torchlike.ao import quantization as quantization
