"""Downloads of pretrained files with a local cache, and entry points of local `hubconf.py` files."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from torchlike import _errors


class _Count:
    """A byte counter on standard error with the interface of tqdm, used if tqdm is not installed."""

    def __init__(self, total: int | None = None, disable: bool = False, **_: Any) -> None:
        self.total, self.disable, self.n = total, disable, 0

    def update(self, n: int) -> None:
        """Add `n` to the count."""
        self.n += n
        if not self.disable:
            sys.stderr.write(f"\r{self.n:,} of {self.total or '?'} bytes")

    def set_description(self, *_: Any, **__: Any) -> None:
        """Accept a title; it is not shown."""

    def __enter__(self) -> _Count:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the output line."""
        if self.n and not self.disable:
            sys.stderr.write("\n")


try:
    tqdm: Any = importlib.import_module("tqdm").tqdm
except ImportError:
    tqdm = _Count


HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
ENV_GITHUB_TOKEN = "GITHUB_TOKEN"
ENV_TORCH_HOME = "TORCH_HOME"
ENV_XDG_CACHE_HOME = "XDG_CACHE_HOME"
DEFAULT_CACHE_DIR = "~/.cache"
VAR_DEPENDENCY = "dependencies"
MODULE_HUBCONF = "hubconf.py"
READ_DATA_CHUNK = 128 * 1024
_folder: str | None = None


def _get_torch_home() -> str:
    """Return `TORCH_HOME`, or a folder in the user's cache directory if it is not set."""
    cache = os.environ.get(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR)
    return str(Path(os.environ.get(ENV_TORCH_HOME, str(Path(cache) / "torch"))).expanduser())


def get_dir() -> str:
    """Return the folder for downloaded files; by default `TORCH_HOME`/hub.

    `TORCH_HOME` is an environment variable. It is the folder `torch` in the user's cache folder if it is not set.
    """
    return _folder or str(Path(_get_torch_home()) / "hub")


def set_dir(d: str | os.PathLike) -> None:
    """Set the folder for downloaded files.

    Args:
      d (str or path): the folder. It is created by the first download.
    """
    global _folder
    _folder = str(Path(d).expanduser())


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Download a file. The target is replaced only after a complete download.

    Args:
      url (str): the address of the file.
      dst (str or path): the path of the target. Its folder must exist.
      hash_prefix (str, optional): the first hexadecimal digits of the file's SHA256 hash. Default: no check.
      progress (bool, default True): show the number of bytes on standard error.

    Raises:
      RuntimeError: the SHA256 hash of the file does not begin with `hash_prefix`.

    >>> import pathlib, tempfile, torchlike as torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source, target = pathlib.Path(folder, "source"), pathlib.Path(folder, "target")
    ...     _ = source.write_text("content")
    ...     torch.hub.download_url_to_file(source.as_uri(), str(target), progress=False)
    ...     target.read_text()
    'content'
    """
    digest, target = hashlib.sha256(), Path(dst).expanduser()
    with (
        urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source,
        tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as part,
    ):
        length = source.headers.get("Content-Length")
        try:
            with tqdm(total=length and int(length), disable=not progress, unit="B", unit_scale=True) as bar:
                while block := source.read(READ_DATA_CHUNK):
                    part.write(block)
                    digest.update(block)
                    bar.update(len(block))
            part.flush()
            found = digest.hexdigest()
            if hash_prefix and not found.startswith(hash_prefix):
                raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{found}")')
            shutil.move(part.name, target)
        finally:
            Path(part.name).unlink(missing_ok=True)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> dict[str, Any]:
    """Load a checkpoint from a URL. The file is downloaded only if the folder does not have it yet.

    Args:
      url (str): the address of the file.
      model_dir (str or path, optional): the folder for the file. Default: `checkpoints` in `get_dir()`.
      map_location: the device of the tensors, see `torch.load`.
      progress (bool, default True): show the progress of a download.
      check_hash (bool, default False): check a download by the SHA256 digits in its name, "name-digits.ext".
      file_name (str, optional): the name of the file in the folder. Default: the last part of the URL.
      weights_only (bool, default False): load tensors and plain containers only, see `torch.load`.

    Returns:
      The loaded object.

    Raises:
      RuntimeError: the file has another hash than its name says.

    >>> import pathlib, tempfile, torchlike as torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "weights.pt")
    ...     torch.save({"weight": torch.ones(2)}, path)
    ...     torch.hub.load_state_dict_from_url(path.as_uri(), folder + "/cache", progress=False)
    {'weight': tensor([1., 1.])}
    """
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


def _entries(repo: Any, source: str, called: str) -> Any:
    """Import and return the `hubconf` module of a folder."""
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise _errors.arguments.cannot(f"hub.{called} of a repository on GitHub", 'download it and pass source="local"')
    path = Path(repo).expanduser() / MODULE_HUBCONF
    spec = importlib.util.spec_from_file_location("hubconf", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def _entry(module: Any, name: str) -> Any:
    found = getattr(module, name, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def list(
    github: Any,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    verbose: bool = True,
    *,
    source: str = "github",
) -> Any:
    """Return the names of the functions in the folder's `hubconf.py`, which `load` accepts.

    Args:
      github (str or path): the folder.
      force_reload, skip_validation, trust_repo, verbose: have no effect: they concern repositories on GitHub.
      source (str, default "github"): must be "local". PyTorch's function has no such argument.

    Raises:
      NotImplementedError: `source` is "github". Repositories on GitHub are not downloaded.

    >>> import pathlib, tempfile, torchlike as torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "hubconf.py").write_text("magnitude = abs")
    ...     torch.hub.list(folder, source="local")
    ['magnitude']
    """
    module = _entries(github, source, "list")
    return [name for name, each in vars(module).items() if callable(each) and not name.startswith("_")]


def help(
    github: Any,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    *,
    source: str = "github",
) -> str | None:
    """Return the docstring of a function in `hubconf.py`.

    Args:
      github (str or path): the folder.
      model (str): the name of the function.
      force_reload, skip_validation, trust_repo: have no effect: they concern repositories on GitHub.
      source (str, default "github"): must be "local". PyTorch's function has no such argument.

    Raises:
      NotImplementedError: `source` is "github". Repositories on GitHub are not downloaded.
      RuntimeError: there is no such function.

    >>> import pathlib, tempfile, torchlike as torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "hubconf.py").write_text("magnitude = abs")
    ...     torch.hub.help(folder, "magnitude", source="local")
    'Return the absolute value of the argument.'
    """
    return _entry(_entries(github, source, "help"), model).__doc__


def load(
    repo_or_dir: Any,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: Any = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """Call a function of the folder's `hubconf.py` and return its result.

    Args:
      repo_or_dir (str or path): the folder.
      model (str): the name of the function.
      *args: the positional arguments of the function.
      source (str, default "github"): must be "local".
      trust_repo, force_reload, verbose, skip_validation: have no effect: they concern repositories on GitHub.
      **kwargs: the other keyword arguments of the function.

    Raises:
      NotImplementedError: `source` is "github". Repositories on GitHub are not downloaded.
      RuntimeError: there is no such function.

    >>> import pathlib, tempfile, torchlike as torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "hubconf.py").write_text("magnitude = abs")
    ...     torch.hub.load(folder, "magnitude", -3, source="local")
    3
    """
    return _entry(_entries(repo_or_dir, source, "load"), model)(*args, **kwargs)
