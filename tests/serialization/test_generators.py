"""Generators in files and pickles."""

import copy
import io
import pickle
import subprocess
import sys

import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, save_bytes
from torchlike._random import Generator


def drawn(T):
    generator = T.Generator().manual_seed(5)
    T.randn(3, generator=generator)
    return generator


def seen(generator, T):
    return generator.initial_seed(), generator.get_state().tolist(), T.randn(5, generator=generator).tolist()


# PyTorch fails to read generators from files of the old format, even from its own.
@pytest.mark.parametrize(("reader", "zipped"), [(torch, True), (torchlike, True), (torchlike, False)])
def test_a_generator_crosses(reader, zipped):
    writer = next(T for T in LIBRARIES if T is not reader)
    data = save_bytes(writer, [drawn(writer)], _use_new_zipfile_serialization=zipped)
    assert seen(load_bytes(reader, data, weights_only=False)[0], reader) == seen(drawn(torch), torch)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
@pytest.mark.parametrize("T", LIBRARIES)
def test_a_copy_goes_on_alike(T, copied):
    assert seen(copied(drawn(T)), T) == seen(drawn(torch), torch)


def test_a_file_does_not_end_pytorchs_process(tmp_path):
    torchlike.save(drawn(torchlike), tmp_path / "a.pt")
    program = f"import torch; print(torch.load({str(tmp_path / 'a.pt')!r}, weights_only=False).initial_seed())"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"5\n"


def test_pickles_of_earlier_versions():
    old = drawn(torchlike)
    made = Generator.__new__(Generator)
    made.__setstate__(old.state_bytes())
    assert seen(made, torchlike) == seen(old, torchlike)


def test_the_state_is_checked():
    data = io.BytesIO(save_bytes(torch, drawn(torch))).getvalue()
    at = data.index(bytes(drawn(torch).get_state().tolist()))
    broken = data[: at + 8] + b"\xff" * 8 + data[at + 16 :]
    with pytest.raises(RuntimeError, match="corrupted"):
        load_bytes(torchlike, broken, weights_only=False)
