"""What a `SummaryWriter` of PyTorch's logs too, refused by name."""

from __future__ import annotations

from typing import Any

from torchlike._internal import cannot


class Unwritten:
    """The methods that refuse, each with what to do instead."""

    def add_graph(self, model: Any, *args: Any, **kwargs: Any) -> None:
        """Refused: there is no graph of PyTorch's."""
        raise _refused("add_graph", "torchlike.explain() and the hlo() of a compiled function show what is run")

    def add_onnx_graph(self, prototxt: Any) -> None:
        """Refused: there is no exporter either."""
        raise _refused("add_onnx_graph", "torchlike.explain() shows what is run")

    def add_video(self, tag: str, vid_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Refused."""
        raise _refused("add_video", "log its images by add_images")

    def add_mesh(self, tag: str, vertices: Any, *args: Any, **kwargs: Any) -> None:
        """Refused."""
        raise _refused("add_mesh", "draw it and log the figure by add_figure")

    def add_image_with_boxes(self, tag: str, img_tensor: Any, box_tensor: Any, *args: Any, **kwargs: Any) -> None:
        """Refused."""
        raise _refused("add_image_with_boxes", "draw the boxes with Pillow and log the image by add_image")


def _refused(name: str, instead: str) -> NotImplementedError:
    return cannot(f"utils.tensorboard.SummaryWriter.{name}", instead)
