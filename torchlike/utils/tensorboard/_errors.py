"""PyTorch's error messages about logged values."""

from __future__ import annotations

from typing import Any


def no_array(x: Any) -> NotImplementedError:
    return NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")


# images and audio
def repeated_dim(dataformats: str) -> AssertionError:
    return AssertionError(
        f"You can not use the same dimension shorthand twice.             input_format: {dataformats}"
    )


def channels() -> AssertionError:
    return AssertionError("Input should be a 4D numpy array with 3 channels")


# embeddings
def other_count(what: str) -> AssertionError:
    return AssertionError(f"#{what} should equal with #data points")


def no_matrix() -> AssertionError:
    return AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
