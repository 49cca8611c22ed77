"""`torch.save` and `torch.load`, which write and read PyTorch's checkpoint files without PyTorch."""

from typing import Any

from torchlike._api.homes import settle as _settle
from torchlike._errors import arguments as _arguments
from torchlike.serialization._archive import get_crc32_options as get_crc32_options
from torchlike.serialization._archive import set_crc32_options as set_crc32_options
from torchlike.serialization._classes.checks import SourceChangeWarning as SourceChangeWarning
from torchlike.serialization._classes.checks import StorageType as StorageType
from torchlike.serialization._classes.checks import (
    check_module_version_greater_or_equal as check_module_version_greater_or_equal,
)
from torchlike.serialization._classes.checks import mkdtemp as mkdtemp
from torchlike.serialization._classes.checks import normalize_storage_type as normalize_storage_type
from torchlike.serialization._classes.checks import storage_to_tensor_type as storage_to_tensor_type
from torchlike.serialization._classes.checks import validate_cuda_device as validate_cuda_device
from torchlike.serialization._classes.checks import validate_hpu_device as validate_hpu_device
from torchlike.serialization._limits import LoadEndianness as LoadEndianness
from torchlike.serialization._limits import LoadLimits as LoadLimits
from torchlike.serialization._limits import get_default_load_endianness as get_default_load_endianness
from torchlike.serialization._limits import get_default_mmap_options as get_default_mmap_options
from torchlike.serialization._limits import get_load_limits as get_load_limits
from torchlike.serialization._limits import load_limits as load_limits
from torchlike.serialization._limits import set_default_load_endianness as set_default_load_endianness
from torchlike.serialization._limits import set_default_mmap_options as set_default_mmap_options
from torchlike.serialization._limits import set_load_limits as set_load_limits
from torchlike.serialization._limits import skip_data as skip_data
from torchlike.serialization._load import load as load
from torchlike.serialization._locations import default_restore_location as default_restore_location
from torchlike.serialization._locations import location_tag as location_tag
from torchlike.serialization._locations import register_package as register_package
from torchlike.serialization._safe_globals import add_safe_globals as add_safe_globals
from torchlike.serialization._safe_globals import clear_safe_globals as clear_safe_globals
from torchlike.serialization._safe_globals import get_safe_globals as get_safe_globals
from torchlike.serialization._safe_globals import safe_globals as safe_globals
from torchlike.serialization._save import save as save
from torchlike.serialization._weights_only import get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint

DEFAULT_PROTOCOL = 2  # the pickle protocol of checkpoint files
MAP_LOCATION = Any  # the annotation of `map_location`: a device, its name, a dictionary of names, or a function


class PyTorchFileReader:
    """A reader of single records of a checkpoint file. Not supported: the constructor raises.

    Args:
      args: not used.
    """

    def __init__(self, *args: Any) -> None:
        raise _arguments.cannot("PyTorchFileReader", "read the file with torch.load")


_settle(__name__, globals())
