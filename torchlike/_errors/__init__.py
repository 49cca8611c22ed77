"""PyTorch's error sentences, each written once: one module for each topic, one function for each sentence."""

from torchlike._errors import activations as activations
from torchlike._errors import arguments as arguments
from torchlike._errors import arithmetic as arithmetic
from torchlike._errors import autograd as autograd
from torchlike._errors import checkpoint as checkpoint
from torchlike._errors import compiling as compiling
from torchlike._errors import control_flow as control_flow
from torchlike._errors import convolution as convolution
from torchlike._errors import dtypes as dtypes
from torchlike._errors import engine as engine
from torchlike._errors import functional as functional
from torchlike._errors import gradcheck as gradcheck
from torchlike._errors import images as images
from torchlike._errors import linalg as linalg
from torchlike._errors import lists as lists
from torchlike._errors import losses as losses
from torchlike._errors import making as making
from torchlike._errors import memory as memory
from torchlike._errors import normalization as normalization
from torchlike._errors import pooling as pooling
from torchlike._errors import random as random
from torchlike._errors import recording as recording
from torchlike._errors import sequences as sequences
from torchlike._errors import shapes as shapes
from torchlike._errors import spectra as spectra
from torchlike._errors import warned as warned
