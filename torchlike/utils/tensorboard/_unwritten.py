"""The methods of PyTorch's `SummaryWriter` that are not supported."""

from __future__ import annotations

from typing import Any

from torchlike._internal import cannot


class Unwritten:
    """A mixin of unsupported methods. Each raises `NotImplementedError` with a suggestion."""

    def add_graph(self, model: Any, *args: Any, **kwargs: Any) -> None:
        """Raise `NotImplementedError`, because torchlike has no TorchScript graph."""
        raise _refused("add_graph", "torchlike.explain() and the hlo() of a compiled function show what is run")

    def add_onnx_graph(self, prototxt: Any) -> None:
        """Raise `NotImplementedError`, because a graph of ONNX is not written for TensorBoard."""
        raise _refused("add_onnx_graph", "torchlike.explain() shows what is run")

    def add_video(self, tag: str, vid_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Raise `NotImplementedError`; use `add_images` instead."""
        raise _refused("add_video", "log its images by add_images")

    def add_mesh(self, tag: str, vertices: Any, *args: Any, **kwargs: Any) -> None:
        """Raise `NotImplementedError`; use `add_figure` instead."""
        raise _refused("add_mesh", "draw it and log the figure by add_figure")

    def add_image_with_boxes(self, tag: str, img_tensor: Any, box_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Raise `NotImplementedError`; draw the boxes yourself and use `add_image` instead."""
        raise _refused("add_image_with_boxes", "draw the boxes with Pillow and log the image by add_image")


def _refused(name: str, instead: str) -> NotImplementedError:
    return cannot(f"utils.tensorboard.SummaryWriter.{name}", instead)
