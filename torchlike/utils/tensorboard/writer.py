"""`SummaryWriter`, which logs a run to a directory of event files."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from itertools import accumulate, repeat, takewhile
from operator import mul
from typing import Any

from google.protobuf import text_format
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

from torchlike.utils.tensorboard import _projector, summary
from torchlike.utils.tensorboard._file_writer import FileWriter as FileWriter
from torchlike.utils.tensorboard._images import figure_to_image
from torchlike.utils.tensorboard._unwritten import Unwritten


class SummaryWriter(Unwritten):
    """A writer of scalars, images, text and other data to event files for TensorBoard.

    Most methods take the arguments `global_step`, the step of the run, and `walltime`, the time in seconds, which
    defaults to the current time.

    Args:
        log_dir: the directory of the event files. Default: `runs/` followed by the current date, time and host name.
        comment: a suffix of the default `log_dir`.
        purge_step: the step at which an interrupted run resumes. TensorBoard hides events of the earlier run with
            this or a later step.
        max_queue: the maximum number of events in the queue.
        flush_secs: the interval in seconds at which pending events are written to disk.
        filename_suffix: a suffix of the names of all event files in `log_dir`.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        now = datetime.now().strftime("%b%d_%H-%M-%S")
        self.log_dir = log_dir or os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._get_file_writer()
        up = list(takewhile(lambda edge: edge < 1e20, accumulate(repeat(1.1), mul, initial=1e-12)))
        self.default_bins = [*(-edge for edge in reversed(up)), 0, *up]

    def _get_file_writer(self) -> FileWriter:
        """Return the writer of the log directory. Open a new one after `close`."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = self._file_writer_of(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                self.file_writer.add_event(Event(step=self.purge_step, file_version="brain.Event:2"))
                log = SessionLog(status=SessionLog.START)
                self.file_writer.add_event(Event(step=self.purge_step, session_log=log))
                self.purge_step = None
        return self.file_writer

    def _file_writer_of(self, folder: Any) -> FileWriter:
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def get_logdir(self) -> Any:
        """Return the directory of the event files."""
        return self.log_dir

    def _add(self, what: Any, global_step: Any, walltime: float | None) -> None:
        self._get_file_writer().add_summary(what, global_step, walltime)

    # -- scalars ---------------------------------------------------------------------------------------------------

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Log a scalar."""
        what = summary.scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._add(what, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: dict, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Log several scalars for one chart. Each tag is written to its own subdirectory of the log directory."""
        walltime = time.time() if walltime is None else walltime
        above = self._get_file_writer().get_logdir()
        writers: Any = self.all_writers
        for tag, value in tag_scalar_dict.items():
            folder = f"{above}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in writers:
                writers[folder] = self._file_writer_of(folder)
            writers[folder].add_summary(summary.scalar(main_tag, value), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Log a whole tensor."""
        self._add(summary.tensor_proto(tag, tensor), global_step, walltime)

    def add_hparams(
        self,
        hparam_dict: dict,
        metric_dict: dict,
        hparam_domain_discrete: dict | None = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Log hyperparameters and the resulting metrics as a separate run in a subdirectory."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        found = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(folder) as run:
            for each in found:
                run._add(each, global_step, None)
            for tag, value in metric_dict.items():
                run.add_scalar(tag, value, global_step)

    # -- histograms and curves -------------------------------------------------------------------------------------

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Log the histogram of a tensor.

        `bins` is passed to `numpy.histogram`. The default "tensorflow" uses edges that grow by a factor of 1.1.
        """
        if isinstance(bins, str) and bins == "tensorflow":
            bins = self.default_bins
        self._add(summary.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: Any,
        max: Any,
        num: Any,
        sum: Any,
        sum_squares: Any,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Log a precomputed histogram."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        what = summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(what, global_step, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Log the precision-recall curve of predicted probabilities."""
        self._add(summary.pr_curve(tag, labels, predictions, num_thresholds, weights), global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Log a precomputed precision-recall curve. `weights` has no effect, as in PyTorch."""
        what = summary.pr_curve_raw(
            tag,
            true_positive_counts,
            false_positive_counts,
            true_negative_counts,
            false_negative_counts,
            precision,
            recall,
            num_thresholds,
        )
        self._add(what, global_step, walltime)

    # -- images, audio, text ---------------------------------------------------------------------------------------

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Log an image.

        uint8 values range from 0 to 255. The values of all other dtypes range from 0 to 1.
        """
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Log a batch of images as one grid with eight images per row."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Log a matplotlib figure, or a list of figures as a grid with eight figures per row."""
        dataformats = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, dataformats)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Log a mono audio clip with amplitudes from -1 to 1."""
        self._add(summary.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None) -> None:
        """Log a text, which TensorBoard renders as Markdown."""
        self._add(summary.text(tag, text_string), global_step, walltime)

    # -- charts and embeddings -------------------------------------------------------------------------------------

    def add_custom_scalars(self, layout: dict) -> None:
        """Log a chart layout `{category: {title: ["Multiline" or "Margin", tags]}}`."""
        self._add(summary.custom_scalars(layout), None, None)

    def add_custom_scalars_multilinechart(
        self, tags: list[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Log a chart that displays the scalars with these tags as lines."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: list[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Log a chart that displays a scalar within a margin.

        `tags` are the tags of the value, of the lower bound and of the upper bound.
        """
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: Any = None,
        tag: str = "default",
        metadata_header: Any = None,
    ) -> None:
        """Log points for the embedding projector.

        Args:
            mat: the points, of shape (N, D).
            metadata: a label for each point.
            label_img: an image for each point, of shape (N, C, H, W).
            global_step: the step of the run.
            tag: the name of the embedding.
            metadata_header: the column names if each label is a list of columns.
        """
        folder = self._get_file_writer().get_logdir()
        info = _projector.write_embedding(folder, mat, metadata, label_img, global_step, tag, metadata_header)
        if not hasattr(self, "_projector_config"):
            self._projector_config = ProjectorConfig()
        self._projector_config.embeddings.append(info)
        config = text_format.MessageToString(self._projector_config)
        _projector.write(folder, "projector_config.pbtxt", config.encode())

    # -- closing ---------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write all pending events to disk."""
        for each in (self.all_writers or {}).values():
            each.flush()

    def close(self) -> None:
        """Write all pending events to disk and close all files. Later events are written to new files."""
        for each in (self.all_writers or {}).values():
            each.flush()
            each.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
