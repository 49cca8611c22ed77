"""`torch.backends`: settings and queries of backends. The backend is always XLA."""

from contextlib import nullcontext

from torchlike.backends import cpu as cpu
from torchlike.backends import cuda as cuda
from torchlike.backends import cudnn as cudnn
from torchlike.backends import mha as mha
from torchlike.backends import mkl as mkl
from torchlike.backends import mkldnn as mkldnn
from torchlike.backends import mps as mps
from torchlike.backends import openmp as openmp


def __allow_nonbracketed_mutation() -> nullcontext:
    """Return a context in which settings may be changed. They can always be changed here."""
    return nullcontext()
