"""`utils.tensorboard`: the same calls on both libraries' writers, and the resulting events and files."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
import torch.utils.tensorboard
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

import torchlike
import torchlike.utils.tensorboard
from tests.house.source import ROOT
from tests.oracle import outcome

X = np.random.RandomState(0).randn(3, 5)
IMAGE = np.random.RandomState(1).rand(3, 4, 5)
BYTES = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
BATCH = np.random.RandomState(2).rand(10, 1, 2, 3)
LABELS, GUESSES = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.9, 0.35, 0.8, 1.0])
DTYPES = (
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "bool",
    "complex64",
    "complex128",
    "uint16",
)
EDGES = [-1.0, 0.0, 0.5, 4.0]

PROGRAMS = {
    "scalar": lambda L, w: [
        w.add_scalar("loss", x, i)
        for i, x in enumerate((1, 0.1, L.tensor(0.3), L.tensor([[2]]), np.float32(0.1), np.ones(1), True))
    ],
    "scalar that requires grad": lambda L, w: w.add_scalar("a", L.ones((), requires_grad=True) * 2, L.tensor(3)),
    "scalar of new style": lambda L, w: w.add_scalar("a", 0.1, np.int64(3), 7.5, True),
    "scalar in double precision": lambda L, w: [
        w.add_scalar("a", 0.1, 3, new_style=new, double_precision=True) for new in (True, False)
    ],
    "scalar in bfloat16": lambda L, w: w.add_scalar("a", L.tensor(0.1, dtype=L.bfloat16)),
    "scalar that is a vector": lambda L, w: w.add_scalar("a", L.ones(2, 3)),
    "scalar that is a list": lambda L, w: w.add_scalar("a", [1.0]),
    "scalar that is text": lambda L, w: w.add_scalar("a", "text"),
    "scalar without a value": lambda L, w: w.add_scalar("a"),
    "scalars": lambda L, w: [w.add_scalars("a/b", {"x": i, "y": L.tensor(i / 3)}, i, 1.5) for i in range(2)],
    **{
        f"tensor of {d}": lambda L, w, d=d: w.add_tensor("a", L.tensor([[0, 1], [1, 3]]).to(getattr(L, d)), 2)
        for d in DTYPES
    },
    "tensor of one element": lambda L, w: w.add_tensor("a", L.tensor(2.5)),
    "histogram": lambda L, w: w.add_histogram("a", L.tensor(X), 3),
    "histogram of a model": lambda L, w: [w.add_histogram(n, p, 1) for n, p in L.nn.Linear(3, 4).named_parameters()],
    "histogram of whole numbers": lambda L, w: w.add_histogram("a", L.arange(20) % 3),
    "histogram of an array": lambda L, w: w.add_histogram("a", X, bins="auto", walltime=3.0),
    "histogram of few bins": lambda L, w: w.add_histogram("a", X, bins=4),
    "histogram of given bins": lambda L, w: w.add_histogram("a", X, bins=EDGES),
    "histogram joined": lambda L, w: [w.add_histogram("a", X, max_bins=n) for n in (1, 10, 100, 774, 775, 2000)],
    "histogram of bfloat16": lambda L, w: w.add_histogram("a", L.tensor(X).bfloat16()),
    "histogram with NaN": lambda L, w: w.add_histogram("a", L.tensor([1.0, float("nan"), 3.0]), bins=EDGES),
    "histogram of other bins": lambda L, w: w.add_histogram("a", X, bins=[100, 200, 300]),
    "histogram of nothing": lambda L, w: w.add_histogram("a", L.ones(0)),
    "histogram raw": lambda L, w: w.add_histogram_raw("a", 0, 4, 3, 6.5, 20.25, [1.0, 2.0, 4.0], [1, 0, 2], 4),
    "histogram raw of other lengths": lambda L, w: w.add_histogram_raw("a", 0, 4, 3, 6, 20, [1.0, 2.0], [1], 4),
    "image": lambda L, w: [
        w.add_image("a", L.tensor(IMAGE), 2),
        w.add_image("a", IMAGE[:1]),
        w.add_image("a", X * 9, dataformats="HW"),
        w.add_image("a", L.tensor(BYTES), dataformats="HWC"),
    ],
    "image with alpha": lambda L, w: w.add_image("a", L.tensor(IMAGE)[[0, 1, 2, 0]].float(), 2),
    "image of whole numbers": lambda L, w: w.add_image("a", L.tensor(BYTES).long(), dataformats="hwc"),
    "image of two dims": lambda L, w: w.add_image("a", L.ones(3, 3)),
    "image of a dim twice": lambda L, w: w.add_image("a", L.ones(3, 3, 3), dataformats="CHH"),
    "images": lambda L, w: [w.add_images("a", L.tensor(x)) for x in (BATCH, BATCH[:8], BATCH[:1], IMAGE[None])],
    "images of bytes": lambda L, w: w.add_images("a", L.tensor(BYTES)[None], dataformats="NHWC"),
    "images of four channels": lambda L, w: w.add_images("a", L.ones(2, 4, 3, 3)),
    "figure": lambda L, w: [w.add_figure("a", figure(), 3), w.add_figure("b", [figure(), figure()], close=False)],
    "audio": lambda L, w: [w.add_audio("a", L.tensor(x), 3, 8000) for x in (X[0] / 9, X[:1])],
    "audio of two channels": lambda L, w: w.add_audio("a", L.zeros(2, 3)),
    "text": lambda L, w: w.add_text("a/b", "**größer** than\n\n|a|b|", 3),
    "hparams": lambda L, w: w.add_hparams(
        {"lr": 0.1, "n": 3, "flag": True, "name": "x", "t": L.tensor([2.0]), "none": None},
        {"loss": 0.5, "accuracy": L.tensor(0.25)},
        {"lr": [0.1, 0.2], "name": ["x", "y"], "flag": [True, False]},
        "run",
        4,
    ),
    "hparams of a name given by the time": lambda L, w: w.add_hparams({"lr": 1}, {}),
    "hparams that are no dictionary": lambda L, w: w.add_hparams([1], {}),
    "hparams of another kind": lambda L, w: w.add_hparams({"a": [1, 2]}, {}),
    "hparams of another domain": lambda L, w: w.add_hparams({"a": 1.0}, {}, {"a": [1]}),
    "hparams of an unknown domain": lambda L, w: w.add_hparams({"a": 1.0}, {}, {"b": [1]}),
    "summary.hparams": lambda L, w: [w.file_writer.add_summary(s) for s in summaries(L).hparams({"a": 1.5}, {"b": 2})],
    "summary.hparams of a list": lambda L, w: summaries(L).hparams([], {}),
    "summary.hparams with domains in a list": lambda L, w: summaries(L).hparams({}, {}, [1]),
    "summary.image rescaled": lambda L, w: w.file_writer.add_summary(summaries(L).image("a", IMAGE, 2.5, "CHW"), 2),
    "pr_curve": lambda L, w: [
        w.add_pr_curve("a", L.tensor(LABELS), L.tensor(GUESSES), 3, n) for n in (2, 10, 127, 999)
    ],
    "pr_curve with weights": lambda L, w: w.add_pr_curve("a", LABELS, GUESSES, weights=GUESSES + 1),
    "pr_curve of few": lambda L, w: w.add_pr_curve("a", LABELS > 0, GUESSES * 2 - 0.5, num_thresholds=1),
    "pr_curve raw": lambda L, w: w.add_pr_curve_raw("a", *np.arange(12.0).reshape(6, 2), 3, 2),
    "custom scalars": lambda L, w: [
        w.add_custom_scalars({"c": {"t": ["Multiline", ["a", "b"]], "u": ["Margin", ["a", "b", "c"]]}}),
        w.add_custom_scalars_multilinechart(["a", "b"], "c", "t"),
        w.add_custom_scalars_marginchart(["a", "b", "c"]),
    ],
    "custom scalars of two tags": lambda L, w: w.add_custom_scalars_marginchart(["a", "b"]),
    "custom scalars of two tags in a layout": lambda L, w: w.add_custom_scalars({"c": {"t": ["Margin", ["a"]]}}),
    "embedding": lambda L, w: [
        w.add_embedding(L.tensor(X), ["a", "b", "ü"], L.tensor(BATCH[:3]), 5, "a/b%\\"),
        w.add_embedding(L.tensor(X), [["a", 1], ["b", 2], ["c", 3]], metadata_header=["x", "y"]),
        w.add_embedding(L.arange(6).view(3, 2), label_img=L.tensor(IMAGE)[None].expand(3, 3, 4, 5)),
    ],
    "embedding of other labels": lambda L, w: w.add_embedding(L.tensor(X), ["a"]),
    "embedding of other images": lambda L, w: w.add_embedding(L.tensor(X), label_img=L.ones(2, 3, 4, 4)),
    "embedding of another header": lambda L, w: w.add_embedding(L.tensor(X), [["a"]] * 3, metadata_header=["x", "y"]),
    "embedding of a vector": lambda L, w: w.add_embedding(L.ones(3)),
    "after close": lambda L, w: [
        w.add_text("a", "b"),
        w.close(),
        w.file_writer,
        w.all_writers,
        w.flush(),
        w.add_scalar("c", 2),
        w.close(),
        w.close(),
    ][2:4],
    "attributes": lambda L, w: [
        w.max_queue,
        w.flush_secs,
        w.filename_suffix,
        w.purge_step,
        w.default_bins,
        w.get_logdir() == w.log_dir,
        len(w.all_writers),
    ],
}


def summaries(L):
    return importlib.import_module(f"{L.__name__}.utils.tensorboard.summary")


def figure():
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(2, 1))
    drawn.add_subplot().plot([1, 3, 2])
    return drawn


def logged(folder):
    """Return the events without their times, and the other files, in order.

    A run folder that is named after the time gets a fixed name.
    """
    found = []
    for path in sorted(folder.rglob("*")):
        above = path.parent.relative_to(folder).as_posix()
        above = "a time" if above.replace(".", "").isdigit() and "." in above else above
        if "tfevents" in path.name:
            found += [(above, plain(Event.FromString(raw))) for raw in RawEventFileLoader(str(path)).Load()]
        elif path.is_file():
            found.append((above, path.name, path.read_bytes()))
    return sorted(found, key=lambda each: each[0])


def plain(event):
    # Small times were given by the program, large ones are clock times.
    event.wall_time = event.wall_time if event.wall_time < 10 else 0
    hyper = [
        HParamsPluginData.FromString(value.metadata.plugin_data.ClearField("content") or content)
        for value in event.summary.value
        if (content := value.metadata.plugin_data.content) and value.metadata.plugin_data.plugin_name == "hparams"
    ]
    return event, hyper  # hyperparameters form a mapping, which is written in any order


def run(program, L, folder):
    writer = L.utils.tensorboard.SummaryWriter(folder, filename_suffix=".x", purge_step=2)
    with writer:
        return outcome(lambda _: program(L, writer), L)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_events_are_pytorchs(name, tmp_path, capsys):
    theirs = run(PROGRAMS[name], torch, tmp_path / "theirs")
    their_words = capsys.readouterr().out
    ours = run(PROGRAMS[name], torchlike, tmp_path / "ours")
    assert ours.sentence == theirs.sentence
    assert (ours.result, capsys.readouterr().out) == (theirs.result, their_words)
    found = logged(tmp_path / "ours")
    assert found == logged(tmp_path / "theirs") and len(found) > 2


def test_a_run_has_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = []
    for L in (torch, torchlike):
        with L.utils.tensorboard.SummaryWriter(comment="-note") as writer:
            folders.append(os.path.split(writer.log_dir))
        assert os.listdir(writer.log_dir)
    assert folders[0][0] == folders[1][0] == "runs"
    assert folders[0][1][15:] == folders[1][1][15:] and folders[1][1].endswith("-note")


def test_a_file_writer_alone(tmp_path):
    for L in (torch, torchlike):
        writer = L.utils.tensorboard.FileWriter(tmp_path / L.__name__, filename_suffix=".1")
        writer.add_event(Event(file_version="brain.Event:2"), 3, 4.5)
        writer.add_summary(summaries(L).text("a", "b"), L.tensor(4))
        writer.flush()
        assert writer.get_logdir() == str(tmp_path / L.__name__)
        writer.close()
    assert [path.suffix for path in tmp_path.glob("torchlike/*")] == [".1"]
    assert logged(tmp_path / "torchlike") == logged(tmp_path / "torch")


REFUSED = {
    "graph": (None, True),
    "onnx_graph": (),
    "video": (None, 3),
    "mesh": (None,),
    "image_with_boxes": (None, None),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_summaries_raise_with_their_name(name, tmp_path):
    with torchlike.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        with pytest.raises(NotImplementedError, match=rf"SummaryWriter\.add_{name} is not supported by torchlike; \w+"):
            getattr(writer, f"add_{name}")("a", *REFUSED[name])


@pytest.mark.parametrize("version", ["None", "'1.14.0'"])
def test_without_the_package_it_cannot_be_imported(version):
    """Check that the import fails in both libraries with the same message."""
    code = f"""import sys, types
found = types.ModuleType("tensorboard")
found.__version__ = {version}
sys.modules["tensorboard"] = found if found.__version__ else None
import LIBRARY.utils
print(hasattr(LIBRARY.utils, "tensorboard"))
for statement in ("import LIBRARY.utils.tensorboard", "from LIBRARY.utils import tensorboard"):
    try:
        exec(statement)
    except ImportError as error:
        print(type(error), error)
"""
    said = []
    for library in ("torch", "torchlike"):
        command = [sys.executable, "-W", "ignore", "-c", code.replace("LIBRARY", library)]
        said.append(subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout)
    assert said[0] == said[1] and said[0].startswith("False\n")
