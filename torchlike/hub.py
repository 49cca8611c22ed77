"""Files from the network, kept in a folder for later."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import Request, urlopen

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_folder: str | None = None


def get_dir() -> str:
    """The folder for files: `TORCH_HOME`/hub, by default in the user's cache."""
    if _folder is not None:
        return _folder
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    home = os.environ.get("TORCH_HOME", str(Path(cache) / "torch"))
    return str(Path(home).expanduser() / "hub")


def set_dir(d: str | os.PathLike) -> None:
    """Choose the folder for files."""
    global _folder
    _folder = str(Path(d).expanduser())


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Fetch a file, whole or not at all.

    Raises:
      RuntimeError: the file's SHA256 does not begin with `hash_prefix`.
    """
    digest, target, done = hashlib.sha256(), Path(dst).expanduser(), 0
    with (
        urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source,
        tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as part,
    ):
        try:
            while block := source.read(1 << 17):
                part.write(block)
                digest.update(block)
                done += len(block)
                if progress:
                    sys.stderr.write(f"\r{done:,} of {source.headers.get('Content-Length', '?')} bytes")
            part.flush()
            found = digest.hexdigest()
            if hash_prefix and not found.startswith(hash_prefix):
                raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{found}")')
            shutil.move(part.name, target)
        finally:
            Path(part.name).unlink(missing_ok=True)
            if progress and done:
                sys.stderr.write("\n")


def load_state_dict_from_url(url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True,
                             check_hash: bool = False, file_name: str | None = None,
                             weights_only: bool = False) -> dict[str, Any]:  # fmt: skip
    """What `load` reads of a file from the network, which is fetched where it is not yet in the folder."""
    from torchlike import serialization

    folder = Path(model_dir or Path(get_dir()) / "checkpoints")
    folder.mkdir(parents=True, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = folder / name
    if not path.exists():
        if progress:
            sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, str(path), found.group(1) if found else None, progress)
    return serialization.load(path, map_location=map_location, weights_only=weights_only)
