"""`torch.ao.nn.quantized.dynamic`: layers whose inputs are quantized at run time."""

from torchlike.ao.nn.quantized.dynamic.modules import GRU as GRU
from torchlike.ao.nn.quantized.dynamic.modules import LSTM as LSTM
from torchlike.ao.nn.quantized.dynamic.modules import GRUCell as GRUCell
from torchlike.ao.nn.quantized.dynamic.modules import Linear as Linear
from torchlike.ao.nn.quantized.dynamic.modules import LSTMCell as LSTMCell
from torchlike.ao.nn.quantized.dynamic.modules import RNNCell as RNNCell
