"""`torch.ao.nn.quantizable`: float layers that are built of parts which observers can watch."""

from torchlike.ao.nn.quantizable.modules import LSTM as LSTM
from torchlike.ao.nn.quantizable.modules import LSTMCell as LSTMCell
from torchlike.ao.nn.quantizable.modules import MultiheadAttention as MultiheadAttention
