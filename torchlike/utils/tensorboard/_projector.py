"""The files of TensorBoard's embedding projector."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from tensorboard.compat import tf
from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo

from torchlike.utils.tensorboard import _errors
from torchlike.utils.tensorboard._arrays import make_np
from torchlike.utils.tensorboard._images import make_grid, png


def write_embedding(
    logdir: str, mat: Any, metadata: Any, label_img: Any, step: Any, tag: str, metadata_header: Any
) -> EmbeddingInfo:
    """Write the points, their labels and their images to files. Return a description with the file paths."""
    mat, step = make_np(mat), str(0 if step is None else step).zfill(5)
    folder = f"{step}/{_as_name(tag)}"
    info = EmbeddingInfo(tensor_name=f"{tag}:{step}", tensor_path=f"{folder}/tensors.tsv")
    _make_folder(os.path.join(logdir, folder))
    if metadata is not None:
        if len(metadata) != len(mat):
            raise _errors.other_count("labels")
        info.metadata_path = f"{folder}/metadata.tsv"
        write(logdir, info.metadata_path, _labels(metadata, metadata_header))
    if label_img is not None:
        if len(label_img) != len(mat):
            raise _errors.other_count("images")
        info.sprite.image_path = f"{folder}/sprite.png"
        info.sprite.single_image_dim.extend([label_img.shape[3], label_img.shape[2]])
        write(logdir, info.sprite.image_path, _sprite(make_np(label_img)))
    if mat.ndim != 2:
        raise _errors.no_matrix()
    write(logdir, info.tensor_path, _lines("\t".join(str(x.item()) for x in row) for row in mat))
    return info


def write(logdir: str, path: str, content: bytes) -> None:
    """Write a file through TensorBoard's file API, which also supports remote file systems."""
    with tf.io.gfile.GFile(os.path.join(logdir, path), "wb") as file:
        file.write(content)


def _as_name(tag: str) -> str:
    return tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")


def _make_folder(path: str) -> None:
    if not tf.io.gfile.exists(path):
        tf.io.gfile.makedirs(path)
    elif not tf.io.gfile.isdir(path):
        raise NotADirectoryError(f"Path: `{path}` exists, but is a file. Cannot proceed.")
    else:
        print("warning: Embedding dir exists, did you set global_step for add_embedding()?")


def _lines(lines: Any) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _labels(metadata: Any, header: Any) -> bytes:
    if not header:
        return _lines(metadata)
    if len(header) != len(metadata[0]):
        raise AssertionError("len of header must be equal to the number of columns in metadata")
    return _lines("\t".join(map(str, row)) for row in [header, *metadata])


def _sprite(images: np.ndarray) -> bytes:
    """Return the PNG file of a square sprite image that contains all images."""
    grid = make_grid(images, math.ceil(len(images) ** 0.5)).transpose(1, 2, 0)  # (H, W, 3)
    square = np.zeros((grid.shape[1], grid.shape[1], 3))
    square[: len(grid)] = grid
    return png((square * 255).clip(0, 255).astype(np.uint8))
