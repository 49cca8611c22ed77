"""The disk cache of compiled programs: atomic writes, sharing between processes, a size limit, clearing."""

import itertools
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import torchlike as torch
from tests.house.source import ROOT
from torchlike._engine.xla import disk_cache
from torchlike._engine.xla.disk_cache import BLOCK, COUNTER, ENTRY, HALF, DiskCache, size_limit


@pytest.fixture
def store(tmp_path):
    return DiskCache(str(tmp_path / "programs"), 64 * BLOCK)


def _value(number, blocks=1):
    """Return bytes that fill `blocks` disk blocks together with their checksum."""
    return bytes([number % 256]) * (blocks * BLOCK - 100)


def _names(store, ending):
    return sorted(name for name in os.listdir(store.folder) if name.endswith(ending))


def test_get_returns_the_stored_bytes(store):
    assert store.get("a") is None
    store.put("a", b"first")
    store.put("b", b"")
    store.put("a", b"second")
    assert (store.get("a"), store.get("b"), store.get("c")) == (b"second", b"", None)
    assert store.contents() == (store.folder, 2, 2 * BLOCK)


@pytest.mark.parametrize("length", [0, 1, len(disk_cache.MAGIC), 30, 36, 100, -1])
def test_a_truncated_entry_is_removed_and_can_be_replaced(store, length):
    store.put("a", _value(1))
    path = Path(store.folder, "a" + ENTRY)
    os.truncate(path, length % path.stat().st_size)
    assert store.get("a") is None
    assert not path.exists()
    store.put("a", _value(2))
    assert store.get("a") == _value(2)


@pytest.mark.parametrize("place", [0, 25, 50, -1])
def test_an_entry_with_a_flipped_bit_is_ignored(store, place):
    store.put("a", _value(1))
    path = Path(store.folder, "a" + ENTRY)
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)
    assert store.get("a") is None


def test_a_renamed_entry_is_ignored(store):
    store.put("a", b"program a")
    os.rename(os.path.join(store.folder, "a" + ENTRY), os.path.join(store.folder, "b" + ENTRY))
    assert store.get("b") is None


class Died(BaseException):
    pass


CALLS = ["makedirs", "replace", "open", "write", "fstat", "truncate", "unlink"]


@pytest.mark.parametrize("call, after", [("scandir", False), *itertools.product(CALLS, [False, True])])
def test_a_writer_that_dies_at_a_system_call_leaves_entries_intact(store, monkeypatch, call, after):
    """A writer that dies before or after any system call leaves all entries intact, and a later writer can continue."""
    for number in range(60):
        store.put(f"old{number}", _value(number))
    plain = getattr(os, call)

    def die(*args, **kwargs):
        if after:
            plain(*args, **kwargs)
        raise Died

    monkeypatch.setattr(disk_cache.os, call, die)
    for number in range(20):
        try:
            store.put(f"new{number}", _value(number))
        except Died:
            break
    monkeypatch.undo()
    for number in range(60):
        assert store.get(f"old{number}") in (None, _value(number))
    for number in range(200):
        store.put(f"later{number}", _value(number))
        assert store.get(f"later{number}") == _value(number)
    assert store.contents().bytes <= store.limit


def test_the_size_is_bounded_after_every_write(store):
    for number in range(300):
        store.put(f"key{number}", _value(number, 1 + number % 5))
        assert store.contents().bytes <= store.limit
    assert store.contents().bytes > store.limit // 2  # most of the space is used


def test_the_least_recently_used_entries_are_removed_first(store):
    for number in range(50):
        store.put(f"key{number}", _value(number))
        os.utime(os.path.join(store.folder, f"key{number}{ENTRY}"), (1000 + number, 1000 + number))
    for number in (0, 7):
        assert store.get(f"key{number}") is not None
    for number in range(50, 90):
        store.put(f"key{number}", _value(number))
    kept = [number for number in range(90) if store.get(f"key{number}") is not None]
    assert {0, 7} < set(kept)
    assert kept[2:] == list(range(90 - len(kept) + 2, 90))


def test_an_entry_of_an_eighth_of_the_limit_is_not_stored(store):
    store.put("a", bytes(store.limit // 8))
    assert store.get("a") is None


def test_a_folder_without_a_counter_is_counted_first(store):
    for number in range(60):
        store.put(f"key{number}", _value(number))
    os.unlink(os.path.join(store.folder, COUNTER))
    small = DiskCache(store.folder, 16 * BLOCK)
    small.put("a", b"one more")
    assert small.contents().bytes <= small.limit
    assert small.get("a") == b"one more"


def test_old_temporary_files_of_dead_writers_are_removed(store):
    store.put("a", b"a")
    for name, age in (("dead", 2 * disk_cache.ABANDONED), ("alive", 0)):
        path = Path(store.folder, name + HALF)
        path.touch()
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    store.contents()
    assert _names(store, HALF) == ["alive" + HALF]


def test_clear_removes_only_files_of_the_cache(store):
    store.put("a", b"a")
    Path(store.folder, "x" + HALF).touch()
    Path(store.folder, "notes.txt").touch()
    assert store.clear() == (store.folder, 1, BLOCK)
    assert os.listdir(store.folder) == ["notes.txt"]
    assert store.clear() == (store.folder, 0, 0)
    store.put("a", b"again")
    assert store.get("a") == b"again"


def test_an_unusable_folder_is_logged_once_and_raises_nothing(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    store = DiskCache(str(tmp_path / "file" / "programs"), 64 * BLOCK)
    with caplog.at_level("DEBUG", logger="torchlike"):
        for _ in range(3):
            store.put("a", b"a")
    assert store.get("a") is None
    assert [record.getMessage()[:43] for record in caplog.records] == ["compiled programs are not cached on disk: ["]
    assert store.contents()[1:] == store.clear()[1:] == (0, 0)


@pytest.mark.parametrize(
    "given, size",
    [(None, 4 << 30), ("", 4 << 30), ("0", 0), ("1000", 1000), ("2K", 2048), ("1.5 GiB", 3 << 29), ("10mb", 10 << 20)],
)
def test_size_limit_parses_sizes(given, size):
    assert size_limit(given) == size


@pytest.mark.parametrize("given", ["many", "-1", "4X", "G"])
def test_size_limit_refuses_invalid_sizes(given):
    with pytest.raises(ValueError, match=f"TORCHLIKE_CACHE_SIZE .* got '{given}'"):
        size_limit(given)


# -- processes ---------------------------------------------------------------------------------------------------------


def _python(source, **environment):
    env = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    env |= {"PYTHONPATH": str(ROOT), **{name: str(value) for name, value in environment.items()}}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source)],
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _done(process):
    stdout, stderr = process.communicate()
    assert process.returncode == 0, stderr
    return stdout, stderr


KILLED = """
    import os, random, signal, sys, time
    from torchlike._engine.xla.disk_cache import DiskCache

    random.seed(0)
    store = DiskCache(os.environ["FOLDER"], 4 << 20)
    value = lambda key: str(key).encode() * (20_000 * (1 + key % 4))

    def write_and_read(seed):
        random.seed(seed)
        while True:
            key = random.randrange(100)
            store.put(str(key), value(key))
            key = random.randrange(100)
            assert store.get(str(key)) in (None, value(key))

    for number in range(40):
        children = []
        for child in range(2):
            pid = os.fork()
            if not pid:
                try:
                    write_and_read(2 * number + child)
                finally:
                    os._exit(1)  # an assertion failed
            children.append(pid)
        time.sleep(random.uniform(0.002, 0.03))
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            assert os.waitpid(pid, 0)[1] == signal.SIGKILL
        for key in range(100):
            assert store.get(str(key)) in (None, value(key)), key
    store.put("last", b"last")
    assert store.contents().bytes <= store.limit, store.contents()
    assert store.contents().programs > 10
    print(store.get("last").decode())
"""


def test_killed_writers_leave_whole_entries(tmp_path):
    assert _done(_python(KILLED, FOLDER=tmp_path, PYTHONWARNINGS="ignore"))[0] == "last\n"


TRAINING = """
    import torchlike as torch
    from torchlike import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x, y = torch.randn(40, 6), torch.randint(0, 3, (40,))
    for step in range(12):
        rows = torch.randperm(40)[: 8 if step % 3 else 5]
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            print(loss.item().hex(), model(x).softmax(1).sum().item().hex())
    print([value.hex() for value in model[0].weight.flatten().tolist()])
"""


@pytest.mark.slow
def test_a_script_prints_the_same_bits_with_an_empty_and_a_filled_cache(tmp_path):
    log = {"TORCHLIKE_LOG": "compile"}
    cold = [_done(each) for each in [_python(TRAINING, TORCHLIKE_CACHE_DIR=tmp_path / n, **log) for n in "ab"]]
    warm = _done(_python(TRAINING, TORCHLIKE_CACHE_DIR=tmp_path / "a", **log))
    assert len({stdout for stdout, _ in [*cold, warm]}) == 1
    made = [line.split()[2] for _, stderr in cold for line in stderr.splitlines() if " for xla " in line]
    assert set(made) == {"compiled"}
    read = [line.split()[2] for line in warm[1].splitlines() if " for xla " in line]
    assert set(read) == {"loaded"} and 2 * len(read) == len(made)


ONE = """
    import torchlike as torch
    torch.set_executor("xla")
    w = torch.ones(3, requires_grad=True)
    (w * 5).sum().backward()
    print(w.grad.tolist())
"""


def test_broken_entries_are_replaced(tmp_path):
    place = {"TORCHLIKE_CACHE_DIR": tmp_path, "TORCHLIKE_LOG": "compile"}
    assert "compiled" in _done(_python(ONE, **place))[1]
    programs = list((tmp_path / "programs").glob("*" + ENTRY))
    whole = [path.read_bytes() for path in programs]
    for path, content in zip(programs, whole):
        path.write_bytes(content[: len(content) // 2])
    stdout, stderr = _done(_python(ONE, **place))
    assert stdout == "[5.0, 5.0, 5.0]\n"
    assert "compiled" in stderr and "Warning" not in stderr
    assert "loaded from disk" in _done(_python(ONE, **place))[1]


def test_the_option_clear_cache_removes_all_programs(tmp_path):
    _done(_python(ONE, TORCHLIKE_CACHE_DIR=tmp_path))
    clear = "import sys, torchlike.__main__ as m; m.main(['--clear-cache'])"
    stdout, stderr = _done(_python(clear, TORCHLIKE_CACHE_DIR=tmp_path))
    assert stdout.startswith("removed ") and str(tmp_path / "programs") in stdout and not stderr
    assert not list((tmp_path / "programs").iterdir())


def test_a_cache_size_of_zero_stores_nothing(tmp_path):
    _done(_python(ONE, TORCHLIKE_CACHE_DIR=tmp_path, TORCHLIKE_CACHE_SIZE="0"))
    assert not list(tmp_path.iterdir())


def test_jax_compilation_cache_dir_replaces_torchlikes_cache(tmp_path):
    source = """
        import torchlike as torch
        w = torch.ones(3, requires_grad=True)
        (w * 5).sum().backward()
        print(torch.clear_cache())
    """
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "theirs"),
        "TORCHLIKE_CACHE_DIR": str(tmp_path / "ours"),
    }
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], env=env, capture_output=True, text=True)
    assert done.stdout == "Contents(folder='', programs=0, bytes=0)\n", done.stderr
    assert not (tmp_path / "ours").exists()


def test_clear_cache_also_forgets_programs_in_memory(monkeypatch, store):
    monkeypatch.setattr(disk_cache, "cache", store)
    store.put("a", b"a")
    w = torch.ones(3, requires_grad=True)
    loss = lambda: (w * 4).sum().backward()
    loss()
    with torch.explain() as known:
        loss()
        loss()
    assert torch.clear_cache() == (store.folder, 1, BLOCK)
    with torch.explain() as cleared:
        loss()
    assert known.totals.misses <= 1 and cleared.totals.misses == 1
