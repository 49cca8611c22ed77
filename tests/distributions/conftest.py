"""Fixtures shared by the tests of distributions."""

import pytest
import torch

import torchlike


@pytest.fixture
def default_dtype(request):
    """Set the default floating dtype of both libraries for one test."""
    for library in (torch, torchlike):
        library.set_default_dtype(getattr(library, request.param))
    yield request.param
    for library in (torch, torchlike):
        library.set_default_dtype(library.float32)
