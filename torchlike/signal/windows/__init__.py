"""Window functions."""

from torchlike.signal.windows.windows import bartlett as bartlett
from torchlike.signal.windows.windows import blackman as blackman
from torchlike.signal.windows.windows import cosine as cosine
from torchlike.signal.windows.windows import exponential as exponential
from torchlike.signal.windows.windows import gaussian as gaussian
from torchlike.signal.windows.windows import general_cosine as general_cosine
from torchlike.signal.windows.windows import general_hamming as general_hamming
from torchlike.signal.windows.windows import hamming as hamming
from torchlike.signal.windows.windows import hann as hann
from torchlike.signal.windows.windows import kaiser as kaiser
from torchlike.signal.windows.windows import nuttall as nuttall

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]
