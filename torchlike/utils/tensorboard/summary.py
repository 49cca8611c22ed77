"""Functions that convert logged values to TensorBoard's `Summary` protocol buffers."""

from __future__ import annotations

import struct
from typing import Any

from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.custom_scalar.metadata import CONFIG_SUMMARY_TAG
from tensorboard.plugins.custom_scalar.metadata import PLUGIN_NAME as CUSTOM_SCALARS

from torchlike.utils.tensorboard._arrays import make_np, shape_of, value_of
from torchlike.utils.tensorboard._arrays import tensor_proto as tensor_proto
from torchlike.utils.tensorboard._histograms import compute_curve as compute_curve
from torchlike.utils.tensorboard._histograms import histogram as histogram
from torchlike.utils.tensorboard._histograms import histogram_raw as histogram_raw
from torchlike.utils.tensorboard._histograms import make_histogram as make_histogram
from torchlike.utils.tensorboard._histograms import pr_curve as pr_curve
from torchlike.utils.tensorboard._histograms import pr_curve_raw as pr_curve_raw
from torchlike.utils.tensorboard._hparams import hparams as hparams
from torchlike.utils.tensorboard._images import audio as audio
from torchlike.utils.tensorboard._images import image as image
from torchlike.utils.tensorboard._images import make_image as make_image


def half_to_int(f: float) -> int:
    """Return the integer with the bits of a float32 number, as protocol buffers store half precision.

    Args:
      f: the number.
    """
    return struct.unpack("i", struct.pack("f", f))[0]


def int_to_half(i: int) -> float:
    """Return the float32 number with the bits of an integer.

    Args:
      i: the integer.
    """
    return struct.unpack("f", struct.pack("i", i))[0]


def scalar(
    name: str, tensor: Any, collections: Any = None, new_style: bool = False, double_precision: bool = False
) -> Summary:
    """Return a summary of a number.

    By default, the number is stored as a simple value. With `new_style`, it is stored as a float32 tensor, or as a
    float64 tensor if `double_precision` is True.
    """
    array = make_np(tensor).squeeze()
    if array.ndim:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions).             Was given size: {array.size} "
            f"and {array.ndim} dimensions."
        )
    if not new_style:
        return Summary(value=[Summary.Value(tag=name, simple_value=float(array))])
    if double_precision:
        return value_of(name, "scalars", tensor=TensorProto(double_val=[float(array)], dtype="DT_DOUBLE"))
    return value_of(name, "scalars", tensor=TensorProto(float_val=[float(array)], dtype="DT_FLOAT"))


def text(tag: str, text: str) -> Summary:
    """Return a summary of a text, which TensorBoard renders as Markdown."""
    held = TensorProto(dtype="DT_STRING", string_val=[text.encode()], tensor_shape=shape_of(1))
    return value_of(f"{tag}/text_summary", "text", tensor=held)


def custom_scalars(layout: dict) -> Summary:
    """Return a summary of a chart layout `{category: {title: ["Multiline" or "Margin", tags]}}`."""
    categories = [
        layout_pb2.Category(title=name, chart=[_chart(title, *rest) for title, rest in charts.items()])
        for name, charts in layout.items()
    ]
    content = layout_pb2.Layout(category=categories).SerializeToString()
    held = TensorProto(dtype="DT_STRING", string_val=[content], tensor_shape=shape_of())
    return value_of(CONFIG_SUMMARY_TAG, CUSTOM_SCALARS, tensor=held)


def _chart(title: str, kind: str, tags: list[str]) -> layout_pb2.Chart:
    if kind != "Margin":
        return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
    if len(tags) != 3:
        raise AssertionError("len(tags) != 3")
    series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
    return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))
