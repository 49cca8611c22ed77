"""Atomic saves: the path always holds the old or the new file, and files left by killed processes are cleaned up."""

import errno
import io
import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, refusal
from tests.serialization.kills import Kills
from torchlike.serialization import _atomic


def test_a_killed_save_leaves_the_old_file_or_the_new_one(tmp_path):
    with Kills(tmp_path, megabytes=10) as kills:
        results = [kills.trial() for _ in range(5)]
    assert all(result.whole and result.strays <= 1 and not result.strays_after_next for result in results)
    assert any(result.killed for result in results)


def test_the_next_save_removes_a_stray_and_nothing_else(tmp_path):
    others = [".a.pt.tmp", "a.pt.0123456789ab.torchlike.tmp", ".b.pt.0123456789ab.torchlike.tmp", ".a.pt.swp"]
    for name in [*others, ".a.pt.0123456789ab.torchlike.tmp"]:
        (tmp_path / name).write_bytes(b"x")
    torchlike.save(1, tmp_path / "a.pt")
    assert sorted(os.listdir(tmp_path)) == sorted([*others, "a.pt"])


def test_a_file_that_another_thread_is_writing_is_left_alone(tmp_path):
    path = tmp_path / "a.pt"
    with _atomic.replacing(str(path)) as file:
        file.write(b"unfinished")
        thread = threading.Thread(target=torchlike.save, args=("other", path))
        thread.start()
        thread.join()
        assert len(os.listdir(tmp_path)) == 2
        assert torchlike.load(path) == "other"
    assert path.read_bytes() == b"unfinished" and os.listdir(tmp_path) == ["a.pt"]


def test_a_file_that_another_process_is_writing_is_left_alone(tmp_path):
    path = tmp_path / "a.pt"
    program = (
        "import sys\nfrom torchlike.serialization import _atomic as atomic\n"
        f"with atomic.replacing({str(path)!r}) as file:\n"
        "    print('open', flush=True); sys.stdin.read(); file.write(b'theirs')\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin and child.stdout and child.stdout.readline() == b"open\n"
        torchlike.save("ours", path)
        assert len(os.listdir(tmp_path)) == 2 and torchlike.load(path) == "ours"
        child.stdin.close()
        child.wait()
    assert path.read_bytes() == b"theirs" and os.listdir(tmp_path) == ["a.pt"]


def test_a_temporary_file_removed_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    lock, removed = _atomic._lock, []

    def late(fd):
        if not removed:
            removed.extend(os.listdir(tmp_path))
            os.unlink(tmp_path / removed[0])
        return lock(fd)

    monkeypatch.setattr(_atomic, "_lock", late)
    torchlike.save(1, tmp_path / "a.pt")
    assert removed and os.listdir(tmp_path) == ["a.pt"] and torchlike.load(tmp_path / "a.pt") == 1


@pytest.mark.parametrize("length", [95, 101, 255])
def test_long_names(length, tmp_path, monkeypatch):
    path = tmp_path / ("n" * (length - 3) + ".pt")
    seen = []
    write = _atomic._sync
    monkeypatch.setattr(_atomic, "_sync", lambda file: (seen.extend(os.listdir(tmp_path)), write(file)))
    torchlike.save(1, path)
    assert torchlike.load(path) == 1 and os.listdir(tmp_path) == [path.name]
    assert [len(name) < 143 and name.startswith(".") for name in seen] == [True]
    (tmp_path / seen[0]).write_bytes(b"left by a killed process")
    torchlike.save(2, path)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("T", LIBRARIES)
def test_hard_links_show_the_new_contents(T, tmp_path):
    T.save(1, tmp_path / "a.pt")
    os.link(tmp_path / "a.pt", tmp_path / "b.pt")
    T.save(2, tmp_path / "a.pt")
    assert T.load(tmp_path / "b.pt") == 2 and os.path.samefile(tmp_path / "a.pt", tmp_path / "b.pt")


@pytest.mark.parametrize("T", LIBRARIES)
def test_symbolic_links(T, tmp_path):
    (tmp_path / "deep").mkdir()
    os.symlink("deep/real.pt", tmp_path / "link.pt")
    for value in (1, 2):
        T.save(value, tmp_path / "link.pt")
        assert (tmp_path / "link.pt").is_symlink() and T.load(tmp_path / "deep/real.pt") == value
    assert os.listdir(tmp_path / "deep") == ["real.pt"]


def test_owner_mode_and_attributes_are_kept(tmp_path):
    path = tmp_path / "a.pt"
    torchlike.save(1, path)
    path.chmod(0o604)
    if os.getuid() == 0:
        os.chown(path, 12345, 23456)
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        kept = None
    else:
        kept = b"kept"
    before = path.stat()
    torchlike.save(2, path)
    after = path.stat()
    assert before.st_ino != after.st_ino
    assert (before.st_uid, before.st_gid, before.st_mode) == (after.st_uid, after.st_gid, after.st_mode)
    assert kept is None or os.getxattr(path, "user.note") == kept


@pytest.mark.parametrize("denied", ["fchown", "fchmod"])
def test_a_file_whose_owner_cannot_be_kept_is_written_in_place(denied, tmp_path, monkeypatch):
    path = tmp_path / "a.pt"
    torchlike.save(1, path)
    path.chmod(0o600)
    before = path.stat()

    def refuse(*args):
        raise PermissionError(errno.EPERM, "not yours")

    monkeypatch.setattr(os, "fchmod", refuse)
    monkeypatch.setattr(os, "fchown", refuse)
    torchlike.save(2, path)
    assert path.stat().st_ino == before.st_ino and torchlike.load(path) == 2 and os.listdir(tmp_path) == ["a.pt"]


def test_a_mount_point_is_written_in_place(tmp_path, monkeypatch):
    path = tmp_path / "a.pt"
    torchlike.save(1, path)
    before = path.stat()

    def busy(*args):
        raise OSError(errno.EBUSY, "a mount point")

    monkeypatch.setattr(os, "replace", busy)
    torchlike.save(2, path)
    assert path.stat().st_ino == before.st_ino and torchlike.load(path) == 2 and os.listdir(tmp_path) == ["a.pt"]


def _as_nobody(program):
    """Run a function in a forked process without root privileges. Return the bytes that it wrote to a pipe."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            os.write(writer, program().encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        found = file.read().decode()
    os.waitpid(child, 0)
    return found


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_directory_that_is_read_only():
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are not accessible to other users
        path = Path(folder) / "a.pt"
        path.write_bytes(b"")
        path.chmod(0o666)
        Path(folder).chmod(0o555)

        def program():
            with _atomic.replacing(str(path)) as file:
                file.write(b"new")
            try:
                with _atomic.replacing(f"{folder}/b.pt"):
                    return ""
            except OSError as e:
                return f"{type(e).__name__} {os.path.basename(e.filename)}"

        assert _as_nobody(program) == "PermissionError b.pt"
        assert path.read_bytes() == b"new" and os.listdir(folder) == ["a.pt"]
        Path(folder).chmod(0o755)


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_file_that_is_read_only_is_not_replaced():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pt"
        path.write_bytes(b"old")
        path.chmod(0o444)
        Path(folder).chmod(0o777)

        def program():
            try:
                with _atomic.replacing(str(path)) as file:
                    file.write(b"new")
            except OSError as e:
                return f"{type(e).__name__} {os.path.basename(e.filename)}"
            return ""

        assert _as_nobody(program) == "PermissionError a.pt"
        assert path.read_bytes() == b"old" and os.listdir(folder) == ["a.pt"]


def test_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    torchlike.save({"a": 1}, tmp_path / "pipe")
    reader.join()
    assert torch.load(io.BytesIO(found[0])) == {"a": 1}
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_name_of_an_open_file(tmp_path):
    with open(tmp_path / "a.pt", "w+b") as file:
        os.unlink(tmp_path / "a.pt")
        torchlike.save(5, f"/dev/fd/{file.fileno()}")
        assert torchlike.load(file) == 5


def test_a_full_device():
    with pytest.raises(OSError, match="No space left"):
        torchlike.save(torchlike.ones(100_000), "/dev/full")


class Named:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


def test_objects_with_a_path(tmp_path):
    torchlike.save(1, Named(str(tmp_path / "a.pt")))
    torchlike.save(2, Named(os.fsencode(tmp_path / "b.pt")))
    assert [torch.load(tmp_path / name) for name in ("a.pt", "b.pt")] == [1, 2]


def _loop(folder):
    os.makedirs(folder, exist_ok=True)
    if not os.path.lexists(f"{folder}/loop"):
        os.symlink("loop", f"{folder}/loop")
    return f"{folder}/loop"


NAMES = {
    "a directory": lambda d: d,
    "a loop": _loop,
    "too long": lambda d: f"{d}/{'n' * 256}",
    "no name": lambda d: "",
    "a directory that is not there": lambda d: f"{d}/sub/",
    "no stem": lambda d: f"{d}/.pt",
    "no parent": lambda d: f"{d}/missing/a.pt",
    "a relative parent": lambda d: "missing/a.pt",
    "not ASCII, a directory": lambda d: os.makedirs(f"{d}/ü", exist_ok=True) or f"{d}/ü",
    "not ASCII, no parent": lambda d: f"{d}/missing/ü.pt",
    "not ASCII, too long": lambda d: f"{d}/{'ü' * 128}",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_cannot_be_saved_to(name, tmp_path):
    path = NAMES[name](str(tmp_path))
    (theirs, expected), (ours, found) = (refusal(lambda T=T: T.save(1, path)) for T in LIBRARIES)
    assert ours == theirs
    sentence = expected.partition("] . ")[2].partition("\n")[0] or expected  # without the location in PyTorch's source
    assert sentence in found
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
