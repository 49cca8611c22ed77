"""The modules of `torch.ao.nn.quantized.dynamic`."""

from torchlike.ao.nn.quantized.dynamic.modules.linear import Linear as Linear
from torchlike.ao.nn.quantized.dynamic.modules.rnn import GRU as GRU
from torchlike.ao.nn.quantized.dynamic.modules.rnn import LSTM as LSTM
from torchlike.ao.nn.quantized.dynamic.modules.rnn import GRUCell as GRUCell
from torchlike.ao.nn.quantized.dynamic.modules.rnn import LSTMCell as LSTMCell
from torchlike.ao.nn.quantized.dynamic.modules.rnn import RNNCell as RNNCell
