"""Triggers PyTorch's one-time warnings about sparse invariants and CSR tensors before the tests."""

import warnings

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def _warned():
    torch.sparse.check_sparse_tensor_invariants.disable()
    with warnings.catch_warnings(action="ignore"):
        torch.eye(2).to_sparse_csr()
