"""What the tests of distributions share."""

import pytest
import torch

import torchlike


@pytest.fixture
def default_dtype(request):
    """The floating dtype that both libraries make of numbers."""
    for library in (torch, torchlike):
        library.set_default_dtype(getattr(library, request.param))
    yield request.param
    for library in (torch, torchlike):
        library.set_default_dtype(library.float32)
