"""`torch.ao.pruning`: sparsifiers, which choose the weights that become zero, and schedulers of the sparsity."""

from torchlike.ao.pruning._mappings import (
    get_dynamic_sparse_quantized_mapping as get_dynamic_sparse_quantized_mapping,
)
from torchlike.ao.pruning._mappings import get_static_sparse_quantized_mapping as get_static_sparse_quantized_mapping
from torchlike.ao.pruning.scheduler.base_scheduler import BaseScheduler as BaseScheduler
from torchlike.ao.pruning.scheduler.cubic_scheduler import CubicSL as CubicSL
from torchlike.ao.pruning.scheduler.lambda_scheduler import LambdaSL as LambdaSL
from torchlike.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier as BaseSparsifier
from torchlike.ao.pruning.sparsifier.nearly_diagonal_sparsifier import (
    NearlyDiagonalSparsifier as NearlyDiagonalSparsifier,
)
from torchlike.ao.pruning.sparsifier.utils import FakeSparsity as FakeSparsity
from torchlike.ao.pruning.sparsifier.utils import fqn_to_module as fqn_to_module
from torchlike.ao.pruning.sparsifier.utils import get_arg_info_from_tensor_fqn as get_arg_info_from_tensor_fqn
from torchlike.ao.pruning.sparsifier.utils import module_to_fqn as module_to_fqn
from torchlike.ao.pruning.sparsifier.weight_norm_sparsifier import WeightNormSparsifier as WeightNormSparsifier
