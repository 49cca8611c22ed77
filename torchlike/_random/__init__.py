"""Random numbers. Those of CPU tensors are bitwise equal to PyTorch's and computed with NumPy.

`PhiloxGenerator` is the generator of accelerator tensors, whose numbers are computed on the device. For the CPU, most
sampling functions have the form `draw(generator, size, dtype, ...) -> ndarray`. The others take arrays of parameters
instead of `size` and `dtype`. If the generator is None, the default generator is used.
"""

from ._choice import check_multinomial as check_multinomial
from ._choice import multinomial as multinomial
from ._generator import Generator as Generator
from ._generator import default_generator as default_generator
from ._integer import check_permutation as check_permutation
from ._integer import draw_seed as draw_seed
from ._integer import limits as limits
from ._integer import random_ as random_
from ._philox import PhiloxGenerator as PhiloxGenerator
from ._philox import Preserved as Preserved
from ._philox import default_of as default_of
from ._philox import seed_all as seed_all
from ._real import in_memory_order as in_memory_order
from ._real import trunc_normal as trunc_normal
from ._rejection import binomial as binomial
from ._rejection import dirichlet as dirichlet
from ._rejection import poisson as poisson
from ._rejection import standard_gamma as standard_gamma
from ._stand_ins import bernoulli as bernoulli
from ._stand_ins import dropout_noise as dropout_noise
from ._stand_ins import exponential as exponential
from ._stand_ins import normal as normal
from ._stand_ins import randint as randint
from ._stand_ins import randperm as randperm
from ._stand_ins import uniform as uniform
from ._waiting import cauchy as cauchy
from ._waiting import geometric as geometric
from ._waiting import log_normal as log_normal
