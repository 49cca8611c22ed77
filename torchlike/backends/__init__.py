"""What stands behind the operators. Here it is always XLA; the names are those that programs ask about."""

from torchlike.backends import cuda as cuda
from torchlike.backends import cudnn as cudnn
from torchlike.backends import mkl as mkl
from torchlike.backends import mkldnn as mkldnn
from torchlike.backends import mps as mps
from torchlike.backends import openmp as openmp
