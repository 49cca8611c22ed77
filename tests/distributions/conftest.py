"""Fixtures shared by the tests of distributions."""

import pytest
import torch

import torchlike


@pytest.fixture(autouse=True)
def checked_arguments():
    """Turn argument checks on. PyTorch's compiler, which an earlier test may have used, turns them off."""
    torch.distributions.Distribution.set_default_validate_args(True)


@pytest.fixture
def default_dtype(request):
    """Set the default floating dtype of both libraries for one test."""
    for library in (torch, torchlike):
        library.set_default_dtype(getattr(library, request.param))
    yield request.param
    for library in (torch, torchlike):
        library.set_default_dtype(library.float32)
