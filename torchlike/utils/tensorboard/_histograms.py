"""Summaries of histograms and precision-recall curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

from torchlike.utils.tensorboard._arrays import make_np, shape_of, value_of


def histogram_raw(
    name: str, min: Any, max: Any, num: Any, sum: Any, sum_squares: Any, bucket_limits: Any, bucket_counts: Any
) -> Summary:
    """Return a summary of a precomputed histogram.

    `bucket_limits` are the right edges of the buckets, and `bucket_counts` are the counts.
    """
    found = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return Summary(value=[Summary.Value(tag=name, histo=found)])


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Summary:
    """Return a summary of the histogram of all elements. Empty buckets at both ends are dropped."""
    found = make_histogram(make_np(values).astype(float), bins, max_bins)
    return Summary(value=[Summary.Value(tag=name, histo=found)])


def make_histogram(values: np.ndarray, bins: Any, max_bins: int | None = None) -> HistogramProto:
    """Return the histogram of all elements of an array. Empty buckets at both ends are dropped.

    Args:
      values: the array.
      bins: the number or the edges of the buckets, or one of NumPy's rules.
      max_bins: the number above which buckets are merged.
    """
    x = values.reshape(-1)
    if x.size == 0:
        raise ValueError("The input has no element.")
    counts, edges = np.histogram(x, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, edges = _merge_buckets(counts, edges, len(counts) // max_bins)
    occupied = np.flatnonzero(counts)
    if not len(occupied):
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = occupied[0], occupied[-1]
    # TensorBoard stores only right edges, so an empty first bucket marks the left edge of the first counted bucket.
    counts = [0, *counts[first : last + 1].tolist()]
    edges = edges[first : last + 2].tolist()
    return HistogramProto(
        min=x.min(), max=x.max(), num=len(x), sum=x.sum(), sum_squares=x.dot(x), bucket_limit=edges, bucket=counts
    )


def _merge_buckets(counts: np.ndarray, edges: np.ndarray, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Merge each group of `step` buckets into one bucket."""
    starts = np.arange(0, len(counts), step)
    return np.add.reduceat(counts, starts), np.append(edges[starts], edges[-1])


# The maximum number of thresholds that TensorBoard displays.
_MAX_THRESHOLDS = 127


def pr_curve_raw(
    tag: str,
    tp: Any,
    fp: Any,
    tn: Any,
    fn: Any,
    precision: Any,
    recall: Any,
    num_thresholds: int = 127,
    weights: Any = None,
) -> Summary:
    """Return a summary of a precomputed precision-recall curve, with one value per threshold.

    `weights` has no effect, as in PyTorch, because the counts already include the weights.
    """
    rows = np.stack((tp, fp, tn, fn, precision, recall))
    content = PrCurvePluginData(version=0, num_thresholds=min(num_thresholds, _MAX_THRESHOLDS)).SerializeToString()
    numbers = TensorProto(dtype="DT_FLOAT", float_val=rows.reshape(-1).tolist(), tensor_shape=shape_of(*rows.shape))
    return value_of(tag, "pr_curves", content, numbers)


def pr_curve(tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None) -> Summary:
    """Return a summary of the precision-recall curve of predicted probabilities.

    The thresholds are evenly spaced from 0 to 1.
    """
    n = min(num_thresholds, _MAX_THRESHOLDS)
    weights = None if weights is None else make_np(weights)
    return pr_curve_raw(tag, *compute_curve(make_np(labels), make_np(predictions), n, weights), num_thresholds=n)


def compute_curve(labels: np.ndarray, predictions: np.ndarray, num_thresholds: Any = None, weights: Any = None) -> Any:
    """Return true and false positives, true and false negatives, precision and recall, in one array.

    Args:
      labels: the true classes, 0 or 1.
      predictions: the predicted probabilities.
      num_thresholds: the number of thresholds, evenly spaced from 0 to 1.
      weights: the weights of the labels.
    """
    n: int = num_thresholds
    true = labels.astype(np.float64)
    places = np.int32(np.floor(predictions * (n - 1)))
    weights = 1.0 if weights is None else weights

    def at_least(weights: Any) -> np.ndarray:
        """Return the (weighted) number of predictions at or above each threshold."""
        return np.histogram(places, bins=n, range=(0, n - 1), weights=weights)[0][::-1].cumsum()[::-1]

    tp, fp = at_least(true * weights), at_least((1.0 - true) * weights)
    tn, fn = fp[0] - fp, tp[0] - tp
    precision, recall = tp / np.maximum(1e-7, tp + fp), tp / np.maximum(1e-7, tp + fn)
    return np.stack((tp, fp, tn, fn, precision, recall))
