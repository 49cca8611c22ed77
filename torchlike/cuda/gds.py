"""`torch.cuda.gds`: reads of files into the memory of a GPU, which are not supported."""

from __future__ import annotations

from torchlike.cuda import _refused

__all__ = ["gds_register_buffer", "gds_deregister_buffer", "GdsFile"]

_INSTEAD = "read the file with torch.load or numpy.fromfile and move the tensor to the GPU"


def _absent(name: str) -> RuntimeError:
    return RuntimeError(f"torch._C._{name} is not supported on this platform")


gds_register_buffer = _refused.function("gds_register_buffer", _INSTEAD, lambda: _absent("gds_register_buffer"))
gds_deregister_buffer = _refused.function("gds_deregister_buffer", _INSTEAD, lambda: _absent("gds_deregister_buffer"))


class GdsFile:
    """A file for direct reads into the memory of a GPU. Not supported: the constructor raises an error.

    Args:
      filename: the path.
      flags: the flags of `os.open`.
    """

    def __init__(self, filename: str, flags: int) -> None:
        _refused.refuse("gds.GdsFile", _INSTEAD, _absent("gds_register_handle"))
