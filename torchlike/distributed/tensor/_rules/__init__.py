"""The rules of the operators: how each operator maps the placements of its inputs to those of its results.

Importing this package fills `table.ROWS`.
"""

from torchlike.distributed.tensor._rules import attention as attention
from torchlike.distributed.tensor._rules import embedding as embedding
from torchlike.distributed.tensor._rules import joining as joining
from torchlike.distributed.tensor._rules import losses as losses
from torchlike.distributed.tensor._rules import making as making
from torchlike.distributed.tensor._rules import matrices as matrices
from torchlike.distributed.tensor._rules import normalizing as normalizing
from torchlike.distributed.tensor._rules import parts as parts
from torchlike.distributed.tensor._rules import pointwise as pointwise
from torchlike.distributed.tensor._rules import reductions as reductions
from torchlike.distributed.tensor._rules import views as views
from torchlike.distributed.tensor._rules.table import ROWS as ROWS
