"""The tables of `torchlike check` agree with the documentation and with the package."""

import pytest

from tests.house.source import ROOT
from torchlike._cli import differences, libraries
from torchlike._cli.refusals import refused_arguments, refuses
from torchlike._cli.verdict import exists, find


def sections():
    """Return the text of each section of docs/differences.md by its anchor."""
    text = (ROOT / differences.PAGE).read_text("utf-8")
    parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
    return {title.lower().replace(" ", "-"): " ".join(body.split()) for title, _, body in parts}


@pytest.mark.parametrize("entry", differences.ENTRIES, ids=lambda entry: entry.text[:40])
def test_an_entry_is_on_the_page_and_its_names_exist(entry):
    assert entry.text in sections()[entry.anchor], "the page has changed: adapt torchlike/_cli/differences.py"
    paths = [name.partition("(")[0].removesuffix(".*") for name in entry.names.split()]
    assert [path for path in paths if not exists(path)] == []


def test_a_name_has_one_entry():
    names = [name for entry in differences.ENTRIES for name in entry.names.split()]
    assert len(names) == len(set(names))


def test_entries_of_a_namespace():
    assert "torch.multiprocessing" in differences.entry("torch.multiprocessing.Queue")
    assert differences.entry("torch.multi") == differences.entry("torch") == ""


def test_tested_libraries_are_in_the_table_of_libraries():
    page = (ROOT / libraries.PAGE).read_text("utf-8").lower().replace("-", "_").replace("'s trainer", "")
    # Names under which a library is imported, if the table has another one.
    listed = {"neuralop": "neuraloperator", "whisper": "openai_whisper", "lightning": "pytorch_lightning"}
    assert [name for name in libraries.TESTED.split() if listed.get(name, name) not in page] == []
    assert not set(libraries.TESTED.split()) & set(libraries.UNTESTED.split())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("jit.save", False),
        ("jit.ScriptModule", False),
        ("onnx.export", False),
        ("onnx.is_in_onnx_export", False),
        ("SymInt", True),
        ("overrides.TorchFunctionMode", True),
        ("utils.cpp_extension.BuildExtension", True),
        ("utils.tensorboard.SummaryWriter.add_graph", True),
        ("utils.tensorboard.SummaryWriter.add_scalar", False),
        ("cuda.CUDAGraph", True),
        ("cuda.reset_peak_memory_stats", True),
        ("func.functionalize", True),
        ("distributed.rpc.rpc_async", True),
        ("distributed.fsdp.CPUOffloadPolicy", True),
        ("complex32", True),
        ("float32", False),
        ("nn.Module.forward", False),  # abstract, in PyTorch too
        ("utils.data.Dataset.__getitem__", False),
        ("autograd.Function.forward", False),
        ("distributions.Distribution.mode", False),
        ("add", False),
        ("nn.Linear", False),
    ],
)
def test_refusals_are_recognized(name, expected):
    assert refuses(find(f"torch.{name}").value) is expected


def test_refused_arguments_are_recognized():
    assert list(refused_arguments(find("torch.gather").value)) == ["sparse_grad"]
    assert list(refused_arguments(find("torch.nn.SyncBatchNorm").value)) == ["process_group"]
    assert refused_arguments(find("torch.add").value) == {}
