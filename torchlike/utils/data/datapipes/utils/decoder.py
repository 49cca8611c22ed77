"""Decoders of files by the extensions of their names."""

from __future__ import annotations

import io
import json
import os.path
import pickle
import tempfile
from collections.abc import Callable
from importlib import import_module
from typing import Any

import torchlike
from torchlike.utils.data.datapipes.utils.common import StreamWrapper

__all__ = [
    "Decoder",
    "ImageHandler",
    "MatHandler",
    "audiohandler",
    "basichandlers",
    "extension_extract_fn",
    "handle_extension",
    "imagehandler",
    "mathandler",
    "videohandler",
]


def basichandlers(extension: str, data: Any) -> Any:
    """Decode text, numbers, JSON, pickled objects and files of `torch.save`. Return None for other extensions.

    Args:
      extension: the extension, without a dot.
      data: the bytes of the file.

    >>> basichandlers("json", b"[1, 2]")
    [1, 2]
    """
    # As in PyTorch, an extension may also be a part of these strings.
    if extension in "txt text transcript":
        return data.decode("utf-8")
    if extension in ("cls", "cls2", "class", "count", "index", "inx", "id"):
        try:
            return int(data)
        except ValueError:
            return None
    if extension in "json jsn":
        return json.loads(data)
    if extension in ("pyd", "pickle"):
        return pickle.loads(data)
    if extension == "pt":
        return torchlike.load(io.BytesIO(data))
    return None


# The kind of the result, its dtype and the mode of the image.
imagespecs: dict[str, tuple[str, str | None, str]] = {
    **{f"{mode}8": ("numpy", "uint8", mode) for mode in ("l", "rgb", "rgba")},
    **{mode: ("numpy", "float", mode) for mode in ("l", "rgb", "rgba")},
    **{f"torch{mode}8": ("torch", "uint8", mode) for mode in ("l", "rgb", "rgba")},
    **{f"torch{mode}": ("torch", "float", mode) for mode in ("l", "rgb")},
    "torch": ("torch", "float", "rgb"),
    "torchrgba": ("torch", "float", "rgba"),
    **{"pill": ("pil", None, "l"), "pil": ("pil", None, "rgb")},
    **{"pilrgb": ("pil", None, "rgb"), "pilrgba": ("pil", None, "rgba")},
}


def handle_extension(extensions: str, f: Callable[[Any], Any]) -> Callable:
    """Return a handler that decodes files whose keys end with an extension. Others give None.

    As in PyTorch, of several extensions only the first one that is not longer than the key is compared.

    Args:
      extensions: the extensions, separated by spaces, in any case. An extension may contain dots.
      f: a function of the data.

    >>> handle_extension("txt", len)("a.txt", b"text")
    4
    """
    wanted = [each.split(".") for each in extensions.lower().split()]

    def handle(key: str, data: Any) -> Any:
        parts = key.lower().split(".")
        first = next((each for each in wanted if len(each) <= len(parts)), None)
        return f(data) if first is not None and parts[-len(first) :] == first else None

    return handle


def _imported(module: str, package: str, use: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(
            f"Package `{package.split()[0]}` is required to be installed for {use}."
            f"Please use `pip install {package.split()[-1]}`{' ' if use.endswith('image decoder') else ''}"
            "to install the package"
        ) from error


class ImageHandler:
    """A handler of pictures.

    Args:
      imagespec: the form of the result: "pil", "rgb" (a NumPy array) or "torch", with an optional mode and dtype, such
        as "torchrgb8".

    Raises:
      AssertionError: The form is unknown.

    >>> ImageHandler("torch")("txt", b"") is None
    True
    """

    def __init__(self, imagespec: str) -> None:
        if imagespec not in imagespecs:
            raise AssertionError(f"unknown image specification: {imagespec}")
        self.imagespec = imagespec.lower()

    def __call__(self, extension: str, data: bytes) -> Any:
        if extension.lower() not in ("jpg", "jpeg", "png", "ppm", "pgm", "pbm", "pnm"):
            return None
        numpy = import_module("numpy")
        kind, dtype, mode = imagespecs[self.imagespec]
        with io.BytesIO(data) as stream:
            picture = _imported("PIL.Image", "PIL Pillow", "default image decoder").open(stream)
            picture.load()
            picture = picture.convert(mode.upper())
        if kind == "pil":
            return picture
        pixels = numpy.asarray(picture)
        if kind == "numpy":
            return pixels if dtype == "uint8" else pixels.astype("f") / 255.0
        found = torchlike.tensor(numpy.array(pixels.transpose(2, 0, 1)))
        return found if dtype == "uint8" else found / 255.0


def imagehandler(imagespec: str) -> ImageHandler:
    """Return an `ImageHandler`.

    Args:
      imagespec: the form of the result.

    >>> imagehandler("pil").imagespec
    'pil'
    """
    return ImageHandler(imagespec)


def _from_file(data: bytes, extension: str, read: Callable[[str], Any]) -> Any:
    """Write the data to a temporary file, and read this with a function of its path."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"file.{extension}")
        with open(path, "wb") as stream:
            stream.write(data)
        return read(path)


def videohandler(extension: str, data: bytes) -> Any:
    """Decode videos with torchvision. Return None for other extensions.

    Args:
      extension: the extension, without a dot.
      data: the bytes of the file.

    >>> videohandler("txt", b"") is None
    True
    """
    if extension not in ("mp4", "ogv", "mjpeg", "avi", "mov", "h264", "mpg", "webm", "wmv"):
        return None
    vision = _imported("torchvision.io", "torchvision", "default video file loader")
    return _from_file(data, extension, vision.read_video)


def audiohandler(extension: str, data: bytes) -> Any:
    """Decode sound with torchaudio. Return None for other extensions.

    Args:
      extension: the extension, without a dot.
      data: the bytes of the file.

    >>> audiohandler("txt", b"") is None
    True
    """
    if extension not in ("flac", "mp3", "sox", "wav", "m4a", "ogg", "wma"):
        return None
    return _from_file(data, extension, _imported("torchaudio", "torchaudio", "default audio file loader").load)


class MatHandler:
    """A handler of files of MATLAB, read with SciPy.

    Args:
      **loadmat_kwargs: options of `scipy.io.loadmat`.

    >>> MatHandler()("txt", b"") is None
    True
    """

    def __init__(self, **loadmat_kwargs: Any) -> None:
        self.sio = _imported("scipy.io", "scipy", "mat file")
        self.loadmat_kwargs = loadmat_kwargs

    def __call__(self, extension: str, data: bytes) -> Any:
        if extension != "mat":
            return None
        with io.BytesIO(data) as stream:
            return self.sio.loadmat(stream, **self.loadmat_kwargs)


def mathandler(**loadmat_kwargs: Any) -> MatHandler:
    """Return a `MatHandler`.

    Args:
      **loadmat_kwargs: options of `scipy.io.loadmat`.

    >>> mathandler(squeeze_me=True).loadmat_kwargs
    {'squeeze_me': True}
    """
    return MatHandler(**loadmat_kwargs)


def extension_extract_fn(pathname: str) -> str:
    """Return the extension of a path, without the dot.

    Args:
      pathname: the path.

    >>> extension_extract_fn("folder/a.tar.gz")
    'gz'
    """
    return os.path.splitext(pathname)[1][1:]


class Decoder:
    """A decoder of samples, each a path and its data. The first handler that does not return None decodes the data.

    Args:
      *handler: functions of a key and data.
      key_fn: the function that returns the key of a path.

    >>> Decoder(basichandlers)([("a.txt", b"text")])
    {'a.txt': 'text'}
    """

    def __init__(self, *handler: Callable, key_fn: Callable[[str], str] = extension_extract_fn) -> None:
        self.handlers = list(handler)
        self.key_fn = key_fn

    def add_handler(self, *handler: Callable) -> None:
        """Add handlers before the others.

        Args:
          *handler: functions of a key and data.
        """
        self.handlers = [*handler, *self.handlers]

    @staticmethod
    def _is_stream_handle(data: Any) -> bool:
        return isinstance(data.file_obj if isinstance(data, StreamWrapper) else data, io.BufferedIOBase | io.RawIOBase)

    def decode1(self, key: str, data: Any) -> Any:
        """Decode one file. Data that no handler decodes are returned as they are.

        Args:
          key: the key.
          data: bytes or a binary stream. The stream is read and closed.
        """
        if not data:
            return data
        if self._is_stream_handle(data):
            stream, data = data, b"".join(data)
            stream.close()
        found = (handler(key, data) for handler in self.handlers)
        return next((each for each in found if each is not None), data)

    def decode(self, data: Any) -> dict[str, Any]:
        """Decode samples. Return the decoded data of each path.

        Args:
          data: a pair of a path and data, or several pairs.
        """
        result: dict[str, Any] = {}
        for path, value in [data] if isinstance(data, tuple) else data or ():
            is_text = path[0] == "_" and isinstance(value, bytes)
            result[path] = value.decode("utf-8") if is_text else self.decode1(self.key_fn(path), value)
        return result

    def __call__(self, data: Any) -> dict[str, Any]:
        return self.decode(data)
