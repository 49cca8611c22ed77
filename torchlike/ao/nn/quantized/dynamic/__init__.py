"""`torch.ao.nn.quantized.dynamic`: layers whose inputs are quantized at run time."""

from torchlike.ao.nn.quantized.dynamic.modules import GRU as GRU
from torchlike.ao.nn.quantized.dynamic.modules import LSTM as LSTM
from torchlike.ao.nn.quantized.dynamic.modules import Conv1d as Conv1d
from torchlike.ao.nn.quantized.dynamic.modules import Conv2d as Conv2d
from torchlike.ao.nn.quantized.dynamic.modules import Conv3d as Conv3d
from torchlike.ao.nn.quantized.dynamic.modules import ConvTranspose1d as ConvTranspose1d
from torchlike.ao.nn.quantized.dynamic.modules import ConvTranspose2d as ConvTranspose2d
from torchlike.ao.nn.quantized.dynamic.modules import ConvTranspose3d as ConvTranspose3d
from torchlike.ao.nn.quantized.dynamic.modules import GRUCell as GRUCell
from torchlike.ao.nn.quantized.dynamic.modules import Linear as Linear
from torchlike.ao.nn.quantized.dynamic.modules import LSTMCell as LSTMCell
from torchlike.ao.nn.quantized.dynamic.modules import RNNCell as RNNCell
