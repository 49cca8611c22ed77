"""A few hundred hostile checkpoints. Each is refused with a message, or loads only its own data."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
import torch

import torchlike
from tests.serialization.hostile import child
from tests.serialization.hostile.mutations import names
from tests.serialization.hostile.seeds import seeds


def test_hostile_checkpoints():
    """Load hostile checkpoints in a new process. The current process may have threads, which make forking unsafe."""
    count = str(6 * len(names()))
    command = [sys.executable, "-W", "ignore", "-m", "tests.serialization.hostile", "--count", count, "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "'refused'" in done.stdout and "'loaded'" in done.stdout


@pytest.mark.parametrize("seed", seeds(), ids=lambda s: s.name)
def test_foreign_data_is_noticed(seed, tmp_path):
    """Check that the comparison detects a result that does not match the bytes of its file."""
    import torchlike

    path = tmp_path / "a.pt"
    path.write_bytes(seed.file())
    try:
        made = torchlike.load(path)
    except Exception:
        return
    assert child.foreign(made, str(path)) == ""
    held = [t for t in child.tensors(made) if t.device.type != "meta" and t.numel() and t.dtype is torchlike.float32]
    if not held:
        return
    held[0].detach().view(-1)[:1].fill_(123.456) if held[0].is_contiguous() else held[0].detach().fill_(123.456)
    assert "no record of the file" in child.foreign(made, str(path))


SAID = [
    (KeyError("a"), child.CRASHED),
    (RuntimeError("x.pt: list index out of range."), child.CRASHED),
    (ValueError("x.pt: unhashable type: 'list'."), child.CRASHED),
    (RuntimeError("something is wrong."), child.CRASHED),
    (RuntimeError("x.pt is damaged"), child.CRASHED),
    (RuntimeError("x.pt is damaged; get it again."), child.REFUSED),
]


@pytest.mark.parametrize(("error", "kind"), SAID)
def test_texts_are_told_apart(error, kind):
    assert child.classify(error, "x.pt").kind == kind


HARM = {
    "a file": (lambda path, canary: open(canary, "w").close(), child.EXECUTED),
    "a command": (lambda path, canary: __import__("os").system("true"), child.EXECUTED),
    "code": (lambda path, canary: eval("1 + 1"), child.EXECUTED),
    "memory": (lambda path, canary: bytearray(3 << 30), child.OVER),
    "a signal": (lambda path, canary: __import__("os").kill(__import__("os").getpid(), 9), child.CRASHED),
}


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_harm_is_noticed(harm, tmp_path):
    canary, path = str(tmp_path / "canary"), tmp_path / "x.pt"
    path.write_bytes(b"")
    act, kind = HARM[harm]
    files: list = [(str(path), {}), (str(path), {})]
    found = child.attempts(lambda path: act(path, canary), files, canary)
    assert [outcome.kind for outcome in found] == [kind, kind]


def test_a_negated_tensor_that_repeats_its_storage_takes_no_memory(tmp_path):
    path = tmp_path / "repeated.pt"
    torch.save(torch._neg_view(torch.ones(1).expand(1 << 20, 1 << 20)), path)
    loaded = torchlike.load(path)
    assert loaded.is_neg()
    assert loaded.stride() == (0, 0)
    assert loaded[3, 5].item() == -1
    torch.save(torch._neg_view(torch.ones(1 << 17).as_strided((1 << 16, 1 << 16), (1, 1))), path)
    with pytest.raises(pickle.UnpicklingError, match="repeats the 131072 elements of its storage"):
        torchlike.load(path)
