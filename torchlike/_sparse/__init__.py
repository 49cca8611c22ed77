"""Sparse tensors of layouts COO, CSR and CSC.

A sparse tensor holds dense tensors for its indices and its values. Every sparse operator is implemented by operators on
them.
"""

from torchlike._sparse._convert import lines_of as lines_of
from torchlike._sparse._convert import to_dense as to_dense
from torchlike._sparse._gradients import of_bags as of_bags
from torchlike._sparse._gradients import of_rows as of_rows
from torchlike._sparse._make import sparse_compressed_tensor as sparse_compressed_tensor
from torchlike._sparse._make import sparse_coo_tensor as sparse_coo_tensor
from torchlike._sparse._make import sparse_csc_tensor as sparse_csc_tensor
from torchlike._sparse._make import sparse_csr_tensor as sparse_csr_tensor
from torchlike._sparse._methods import bind as bind
from torchlike._sparse._rules import elsewhere as elsewhere
from torchlike._sparse._tensor import SparseTensor as SparseTensor
from torchlike._sparse._tensor import maker as maker
from torchlike._sparse._tensor import members as members
from torchlike._tensor.binding import PUBLIC
from torchlike._tensor.dispatch import layouts
from torchlike._tensor.public_calls import worded

FUNCTIONS = {"spmm": PUBLIC["mm"], "dsmm": PUBLIC["mm"]} | {
    f.__name__: worded(f)
    for f in (
        sparse_coo_tensor,
        sparse_csr_tensor,
        sparse_csc_tensor,
        sparse_compressed_tensor,
    )
}
layouts.call = elsewhere
