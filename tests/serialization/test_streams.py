"""File-like objects as the target of `save` and the source of `load`."""

import io
import os

import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, plain, refusal


def checkpoint(T):
    return {"a": T.arange(1000.0), "b": [1, 2]}


class Short(io.RawIOBase):
    """A stream that accepts at most 100 bytes at a time."""

    def __init__(self):
        self.data = b""
        self.flushed = 0

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data)[:100]
        return min(len(data), 100)

    def flush(self):
        self.flushed += 1


def test_short_writes_are_completed():
    stream = Short()
    torchlike.save(checkpoint(torchlike), stream)
    assert stream.flushed == 1
    assert plain(load_bytes(torch, stream.data)) == plain(checkpoint(torch))


class Answers:
    """A stream whose `write` accepts everything and returns `answer`."""

    def __init__(self, answer):
        self.data, self.answer = b"", answer

    def write(self, data):
        self.data += bytes(data)
        return self.answer

    def flush(self):
        pass


@pytest.mark.parametrize("answer", [None, "text", 1 << 40, -1])
@pytest.mark.parametrize("T", LIBRARIES)
def test_answers_that_are_no_count(T, answer):
    stream = Answers(answer)
    T.save(checkpoint(T), stream)
    assert plain(load_bytes(T, stream.data)) == plain(checkpoint(T))


def test_a_stream_that_takes_nothing_is_an_error():
    with pytest.raises(OSError, match="wrote 0 of"):
        torchlike.save(1, Answers(0))


def test_a_full_pipe_that_does_not_block():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with os.fdopen(writer, "wb", 0) as stream, pytest.raises(BlockingIOError, match="without blocking"):
        torchlike.save(torchlike.ones(100_000), stream)
    os.close(reader)


def test_an_error_of_the_stream_passes():
    class Full(Answers):
        def write(self, data):
            raise OSError(28, "No space left on device")

    expected, found = (refusal(lambda T=T: T.save(1, Full(0))) for T in LIBRARIES)
    assert found == expected


@pytest.mark.parametrize("mode", ["w", "rb"])
def test_files_that_do_not_take_bytes(mode):
    with open(os.devnull, mode) as file:
        expected, found = (refusal(lambda T=T: T.save(1, file)) for T in LIBRARIES)
    assert found == expected


def test_a_stream_of_text():
    expected, found = (refusal(lambda T=T: T.save(1, io.StringIO())) for T in LIBRARIES)
    assert found == expected


def test_a_saved_stream_is_flushed(tmp_path):
    with open(tmp_path / "a.pt", "wb") as file:
        torchlike.save(3, file)
        assert torch.load(tmp_path / "a.pt") == 3


@pytest.mark.parametrize("gap", [b"", b"xyz"])
@pytest.mark.parametrize("second", [lambda T: T.zeros(3), lambda T: {"a": T.zeros(400), "b": [1] * 1000}])
@pytest.mark.parametrize("writer", LIBRARIES)
def test_two_archives_in_one_stream(writer, second, gap, tmp_path):
    with open(tmp_path / "two.pt", "w+b") as file:
        writer.save(writer.ones(3), file)
        file.write(gap)
        middle = file.tell()
        writer.save(second(writer), file)
        for reader in LIBRARIES:
            file.seek(middle)
            assert plain(reader.load(file)) == plain(second(reader))
        file.seek(0)  # PyTorch reads the directory of the second archive, and fails unless both archives are alike
        assert torchlike.load(file).tolist() == [1, 1, 1]
    assert torchlike.load(tmp_path / "two.pt", mmap=True).tolist() == [1, 1, 1]
