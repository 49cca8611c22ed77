"""Checks of devices, versions and storage types that other projects import from `torch.serialization`."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from typing import Any

import torchlike
from torchlike._errors.warned import warn
from torchlike._utils import _import_dotted_name
from torchlike.serialization import _errors as errors
from torchlike.serialization._locations import _cuda


class SourceChangeWarning(Warning):
    """A warning that the source of a module has changed since it was saved. It is never given."""


@contextlib.contextmanager
def mkdtemp() -> Iterator[str]:
    """Return the path of a temporary folder within a `with` statement."""
    with tempfile.TemporaryDirectory() as path:
        yield path


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple, error_if_malformed: bool = True
) -> bool:
    """Return whether the version of a module is at least the required one.

    Args:
      module: the module.
      req_version_tuple: the required version. Its types are those of the compared fields.
      error_if_malformed: whether a version of another form is an error. Otherwise, a warning is given and the result is
        True.
    """
    try:
        fields = module.__version__.split(".")
        return tuple([type(field)(fields[i]) for i, field in enumerate(req_version_tuple)]) >= req_version_tuple
    except Exception as error:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared "
            f"with tuple {req_version_tuple}"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error
        warn(message + ", but continuing assuming that requirement is met")
        return True


def validate_cuda_device(location: str) -> int:
    """Return the index of a GPU after checking that it exists.

    Args:
      location: the name of the GPU.

    Raises:
      RuntimeError: there is no such GPU.
    """
    return _cuda(torchlike.cuda._get_device_index(location, True) or 0).index


def validate_hpu_device(location: str) -> int:
    """Raise an error: there are no HPUs.

    Args:
      location: not used.
    """
    raise errors.no_hpu()


def normalize_storage_type(storage_type: type) -> type:
    """Return the class of CPU storages with the name of the given class.

    Args:
      storage_type: a class of storages.
    """
    return getattr(torchlike, storage_type.__name__)


def storage_to_tensor_type(storage: Any) -> type:
    """Return the class of tensors that belongs to a storage, by its name.

    Args:
      storage: a storage.
    """
    kind = type(storage)
    return getattr(_import_dotted_name(kind.__module__), kind.__name__.replace("Storage", "Tensor"))


class StorageType:
    """The type of a storage in a checkpoint file.

    Args:
      name: the name of the class, such as "FloatStorage".
    """

    def __init__(self, name: str) -> None:
        found: Any = getattr(torchlike, name, None) if name.endswith("Storage") else None
        if getattr(found, "dtype", None).__class__ is not torchlike.dtype:
            raise KeyError(f'pickle storage type "{name}" is not recognized')
        self._dtype = found.dtype

    @property
    def dtype(self) -> torchlike.dtype:
        """The dtype of the elements."""
        return self._dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"
