"""PyTorch's sentences about what is logged, one function each."""

from __future__ import annotations

from typing import Any


def no_array(x: Any) -> NotImplementedError:
    return NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")


# scalars and tensors
def no_scalar(array: Any) -> AssertionError:
    return AssertionError(
        f"Tensor should contain one element (0 dimensions).             Was given size: {array.size} "
        f"and {array.ndim} dimensions."
    )


def too_big() -> ValueError:
    return ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")


def no_such_dtype(tag: str, dtype: Any) -> ValueError:
    return ValueError(f"{tag} has unsupported tensor dtype {dtype}")


# histograms
def no_element() -> ValueError:
    return ValueError("The input has no element.")


def empty_histogram() -> ValueError:
    return ValueError("The histogram is empty, please file a bug report.")


def limits_and_counts() -> ValueError:
    return ValueError("len(bucket_limits) != len(bucket_counts), see the document.")


# images and sounds
def repeated_dim(dataformats: str) -> AssertionError:
    return AssertionError(
        f"You can not use the same dimension shorthand twice.             input_format: {dataformats}"
    )


def other_ndim(shape: tuple, dataformats: str) -> AssertionError:
    return AssertionError(
        f"size of input tensor and input format are different.         tensor shape: {shape}, "
        f"input_format: {dataformats}"
    )


def channels() -> AssertionError:
    return AssertionError("Input should be a 4D numpy array with 3 channels")


def no_sound() -> AssertionError:
    return AssertionError("input tensor should be 1 dimensional.")


# hyperparameters
def not_dictionaries() -> TypeError:
    return TypeError("hparam_dict and metric_dict should be dictionary.")


def not_a_dictionary(name: str) -> TypeError:
    return TypeError(f"parameter: {name} should be a dictionary, nothing logged.")


def other_domain(key: str) -> TypeError:
    return TypeError(f"parameter: hparam_domain_discrete[{key}] should be a list of same type as hparam_dict[{key}].")


def no_hyperparameter() -> ValueError:
    return ValueError("value should be one of int, float, str, bool, or torch.Tensor")


# charts
def three_tags(tags: Any) -> AssertionError:
    return AssertionError(f"Expected 3 tags, got {len(tags)}.")


def three_tags_of_a_layout() -> AssertionError:
    return AssertionError("len(tags) != 3")


# embeddings
def other_count(what: str) -> AssertionError:
    return AssertionError(f"#{what} should equal with #data points")


def no_matrix() -> AssertionError:
    return AssertionError("mat should be 2D, where mat.size(0) is the number of data points")


def other_header() -> AssertionError:
    return AssertionError("len of header must be equal to the number of columns in metadata")


def not_a_folder(path: str) -> NotADirectoryError:
    return NotADirectoryError(f"Path: `{path}` exists, but is a file. Cannot proceed.")
