"""The modules of `torch.ao.nn.quantized.dynamic`."""

from torchlike.ao.nn.quantized.dynamic.modules.conv import Conv1d as Conv1d
from torchlike.ao.nn.quantized.dynamic.modules.conv import Conv2d as Conv2d
from torchlike.ao.nn.quantized.dynamic.modules.conv import Conv3d as Conv3d
from torchlike.ao.nn.quantized.dynamic.modules.conv import ConvTranspose1d as ConvTranspose1d
from torchlike.ao.nn.quantized.dynamic.modules.conv import ConvTranspose2d as ConvTranspose2d
from torchlike.ao.nn.quantized.dynamic.modules.conv import ConvTranspose3d as ConvTranspose3d
from torchlike.ao.nn.quantized.dynamic.modules.linear import Linear as Linear
from torchlike.ao.nn.quantized.dynamic.modules.rnn import GRU as GRU
from torchlike.ao.nn.quantized.dynamic.modules.rnn import LSTM as LSTM
from torchlike.ao.nn.quantized.dynamic.modules.rnn import GRUCell as GRUCell
from torchlike.ao.nn.quantized.dynamic.modules.rnn import LSTMCell as LSTMCell
from torchlike.ao.nn.quantized.dynamic.modules.rnn import RNNCell as RNNCell
