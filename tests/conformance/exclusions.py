"""Entries with weaker checks or known differences, and the reasons. The tables may only shrink.

``test_conformance.py`` checks this.
"""

from __future__ import annotations

UNINITIALISED = "its values are uninitialized memory"
LAPACK = "several results are correct; compared after the normalization in PyTorch's own database"

# Entries whose results are compared in dtype, shape and strides only.
WITHOUT_VALUES: dict[str, str] = {
    "empty": UNINITIALISED,
    "empty_like": UNINITIALISED,
    "empty_permuted": UNINITIALISED,
    "empty_strided": UNINITIALISED,
    "new_empty": UNINITIALISED,
    "new_empty_strided": UNINITIALISED,
    "resize_": UNINITIALISED,
    "resize_as_": UNINITIALISED,
}

# Entries whose results are normalized before they are compared.
UP_TO_A_CHOICE: dict[str, str] = {
    "linalg.eig": LAPACK,
    "linalg.eigh": LAPACK,
    "linalg.svd": LAPACK,
    "svd": LAPACK,
    "svd_lowrank": LAPACK,
    "pca_lowrank": LAPACK,
}

UNDETERMINED = "its second gradients may differ by as much as PyTorch's own do when the inputs change by one ulp"

# Entries whose second gradients are small differences of large float32 numbers.
ILL_CONDITIONED: dict[str, str] = {"cov": UNDETERMINED}

TIES = "PyTorch's order of equal elements on the CPU is not stable; torchlike's is, with both executors"

# Entries that differ through XLA, in a few samples or all.
DIFFERENT_THROUGH_XLA: dict[str, str] = {
    "argsort": TIES,
    "sort": TIES,
    "kthvalue": TIES,
    "topk": TIES,
    "as_strided_scatter": "PyTorch's gradient of the input is that of the elements that are overwritten",
    "chalf": "complex32 is not supported",
    "logcumsumexp": "PyTorch's float32 gradient is further from the float64 result than torchlike's",
    "matrix_exp": "PyTorch's results in half precision on the CPU are wrong, such as -1e30 for the exponential of 1",
    "nn.functional.ctc_loss": "sums of logarithms near -100; PyTorch's own float32 gradient is as inexact",
}
