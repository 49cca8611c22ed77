"""The composite functions of `torch.functional`; each is also available in `torch`."""

from torchlike import atleast_1d as atleast_1d
from torchlike import atleast_2d as atleast_2d
from torchlike import atleast_3d as atleast_3d
from torchlike import block_diag as block_diag
from torchlike import broadcast_shapes as broadcast_shapes
from torchlike import broadcast_tensors as broadcast_tensors
from torchlike import cartesian_prod as cartesian_prod
from torchlike import cdist as cdist
from torchlike import chain_matmul as chain_matmul
from torchlike import einsum as einsum
from torchlike import istft as istft
from torchlike import lu as lu
from torchlike import meshgrid as meshgrid
from torchlike import norm as norm
from torchlike import pca_lowrank as pca_lowrank
from torchlike import split as split
from torchlike import stft as stft
from torchlike import svd_lowrank as svd_lowrank
from torchlike import tensordot as tensordot
from torchlike import unique as unique
from torchlike import unique_consecutive as unique_consecutive
from torchlike import unravel_index as unravel_index
