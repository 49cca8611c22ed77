"""Summaries of images, figures and audio."""

from __future__ import annotations

import io
import math
import wave
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary

from torchlike._internal import unsupported
from torchlike.utils.tensorboard import _errors
from torchlike.utils.tensorboard._arrays import make_np


def make_grid(images: np.ndarray, columns: int = 8) -> np.ndarray:
    """Arrange images (N, C, H, W) in a grid (3, rows * H, columns * W). Unused cells are black."""
    if images.shape[1] == 1:
        images = np.concatenate([images] * 3, 1)
    n, channels, height, width = images.shape
    if channels != 3:
        raise _errors.channels()
    columns = min(n, columns)
    rows = math.ceil(n / columns)
    black = np.zeros((rows * columns - n, channels, height, width), images.dtype)
    grid = np.concatenate([images, black]).reshape(rows, columns, channels, height, width)
    return grid.transpose(2, 0, 3, 1, 4).reshape(channels, rows * height, columns * width)


def _height_width_channels(array: np.ndarray, dataformats: str) -> np.ndarray:
    """Return the image, or the grid of images, in the layout (H, W, C) of Pillow."""
    if len(set(dataformats)) != len(dataformats):
        raise _errors.repeated_dim(dataformats)
    if array.ndim != len(dataformats):
        raise AssertionError(
            f"size of input tensor and input format are different.         tensor shape: {array.shape}, "
            f"input_format: {dataformats}"
        )
    wanted = {4: "NCHW", 3: "HWC", 2: "HW"}[array.ndim]
    array = array.transpose([dataformats.upper().find(dim) for dim in wanted])
    if array.ndim == 4:
        return make_grid(array).transpose(1, 2, 0)
    array = array[..., None] if array.ndim == 2 else array
    return np.concatenate([array] * 3, 2) if array.shape[2] == 1 else array


def png(array: np.ndarray, rescale: float = 1) -> bytes:
    """Rescale a uint8 image (H, W, C) and return the bytes of its PNG file."""
    from PIL import Image

    file, (height, width, _) = io.BytesIO(), array.shape
    size = int(width * rescale), int(height * rescale)
    Image.fromarray(array).resize(size, Image.Resampling.LANCZOS).save(file, format="PNG")
    return file.getvalue()


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Summary:
    """Return a summary of an image, or of a grid of images.

    uint8 values range from 0 to 255. The values of all other dtypes range from 0 to 1.
    """
    array = _height_width_channels(make_np(tensor), dataformats)
    scale = 1 if array.dtype == np.uint8 else 255
    found = make_image((array.astype(np.float32) * scale).clip(0, 255).astype(np.uint8), rescale)
    return Summary(value=[Summary.Value(tag=tag, image=found)])


def make_image(tensor: np.ndarray, rescale: float = 1, rois: Any = None, labels: Any = None) -> Summary.Image:
    """Return the protocol buffer of an image.

    Args:
      tensor: the image, a uint8 array (height, width, channels).
      rescale: the factor of the size of the stored image.
      rois: not supported; it must be None.
      labels: has no effect without `rois`.
    """
    if rois is not None:
        raise unsupported("make_image", "rois")
    height, width, channels = tensor.shape
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=png(tensor, rescale))


def figure_to_image(figures: Any, close: bool = True) -> np.ndarray:
    """Render a matplotlib figure to an image (3, H, W), or a list of figures to images (N, 3, H, W)."""
    import matplotlib.pyplot as plt  # pyright: ignore[reportMissingImports]
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # pyright: ignore[reportMissingImports]

    if isinstance(figures, list):
        return np.stack([figure_to_image(figure, close) for figure in figures])
    canvas = FigureCanvasAgg(figures)
    canvas.draw()
    drawn = np.array(canvas.buffer_rgba())[..., :3].transpose(2, 0, 1)
    if close:
        plt.close(figures)
    return drawn


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Summary:
    """Return a summary of a mono audio clip with amplitudes from -1 to 1."""
    array = make_np(tensor).squeeze()
    if abs(array).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        array = array.clip(-1, 1)
    if array.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        sound.writeframes((array * np.iinfo(np.int16).max).astype("<i2").tobytes())
    found = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=len(array),
        encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )
    return Summary(value=[Summary.Value(tag=tag, audio=found)])
