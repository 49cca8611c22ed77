"""The modules of `torch.ao.nn.quantizable`."""

from torchlike.ao.nn.quantizable.modules.activation import MultiheadAttention as MultiheadAttention
from torchlike.ao.nn.quantizable.modules.rnn import LSTM as LSTM
from torchlike.ao.nn.quantizable.modules.rnn import LSTMCell as LSTMCell
