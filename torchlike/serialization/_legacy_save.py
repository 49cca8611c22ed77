"""Writing the legacy checkpoint format from before PyTorch 1.6.

A file consists of five pickles, followed by the storages, in one stream.
"""

from __future__ import annotations

import pickle
import struct
import sys
from typing import IO

from torchlike.serialization._legacy import MAGIC, PROTOCOL
from torchlike.serialization._storages import SavedStorage
from torchlike.serialization._streams import write_all

MORE_OF_AN_ID = (None,)  # the last item of a persistent id: the storage is not a view of another storage
_SYSTEM = {
    "protocol_version": PROTOCOL,
    "little_endian": sys.byteorder == "little",
    "type_sizes": {"short": 2, "int": 4, "long": 4},
}


def write(file: IO[bytes], pickled: bytes, storages: list[SavedStorage], protocol: int) -> None:
    """Write a pickled object and the storages that its pickle refers to."""
    for head in (MAGIC, PROTOCOL, _SYSTEM):
        write_all(file, pickle.dumps(head, protocol))
    write_all(file, pickled)
    write_all(file, pickle.dumps([storage.key for storage in storages], protocol))
    for storage in storages:
        write_all(file, struct.pack("=q", storage.numel))
        write_all(file, storage.bytes())
