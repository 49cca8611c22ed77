"""`weights_only=True`: no code from the file runs, errors equal PyTorch's, and safe globals can be registered."""

import io
import pickle
import zipfile

import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, refusal, save_bytes


class Holder:
    def __init__(self, value=1):
        self.value = value


class Stateful(Holder):
    def __getstate__(self):
        return {"kept": self.value}

    def __setstate__(self, state):
        self.value = ("restored", state["kept"])


class Slotted:
    __slots__ = ("value",)


class Calling:
    def __init__(self, function, *args):
        self.call = (function, args)

    def __reduce__(self):
        return self.call


def archive(stream):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as z:
        z.writestr("archive/data.pkl", stream)
        z.writestr("archive/version", "3\n")
    return buffer.getvalue()


STREAMS = {
    "call of an int": b"\x80\x02K\x01)R.",
    "new of an int": b"\x80\x02K\x01)\x81.",
    "state for an int": b"\x80\x02K\x01}b.",
    "append to an int": b"\x80\x02K\x01K\x01a.",
    "extend an int": b"\x80\x02K\x01(K\x01e.",
    "item of a list": b"\x80\x02]K\x01K\x01s.",
    "items of a list": b"\x80\x02](K\x01K\x01u.",
    "persistent int": b"\x80\x02K\x01Q.",
    "persistent list": b"\x80\x02]Q.",
    "persistent text": b"\x80\x02X\x01\0\0\0a\x85Q.",
    "unknown name": b"\x80\x02ctorch\nfoo\n.",
    "os": b"\x80\x02cos\nsystem\n.",
    "sys": b"\x80\x02csys\nexit\n.",
    "Python 2's builtins": b"\x80\x02c__builtin__\neval\n.",
    "old opcode": b"\x80\x02I5\n.",
    "instance opcode": b"\x80\x02(ios\nsystem\n.",
    "call of a result": b"\x80\x02ccollections\nOrderedDict\n)R)R.",
}


@pytest.mark.parametrize("name", STREAMS)
def test_hostile_streams(name):
    expected, found = (refusal(lambda T=T: load_bytes(T, archive(STREAMS[name]))) for T in LIBRARIES)
    assert found == expected and found[0] != "nothing raised"


@pytest.mark.parametrize(
    "make",
    [
        Holder,
        lambda: Calling(print, "ran"),
        lambda: Calling(eval, "1"),
        lambda: Calling(__import__("os").system, "true"),
    ],
)
def test_unknown_classes_and_functions(make, capsys):
    data = save_bytes(torch, make())
    expected, found = (refusal(lambda T=T: load_bytes(T, data)) for T in LIBRARIES)
    assert found == expected and found[0] == "UnpicklingError"
    assert capsys.readouterr().out == ""


def test_modules_are_refused_by_pytorchs_name():
    data = save_bytes(torch, torch.nn.Linear(1, 1))
    expected, found = (refusal(lambda T=T: load_bytes(T, data)) for T in LIBRARIES)
    assert found == expected and "torch.nn.modules.linear.Linear" in found[1]


@pytest.mark.parametrize("make", [Holder, Stateful])
def test_marked_classes_load(make):
    for T in LIBRARIES:
        data = save_bytes(T, make(T.ones(2)))
        with T.serialization.safe_globals([make]):
            assert type(load_bytes(T, data)) is make
            assert make in T.serialization.get_safe_globals()
        with pytest.raises(pickle.UnpicklingError):
            load_bytes(T, data)
        T.serialization.add_safe_globals([make])
        assert type(load_bytes(T, data)) is make
    torchlike.serialization.clear_safe_globals()
    assert torchlike.serialization.get_safe_globals() == []
    with pytest.raises(pickle.UnpicklingError):
        load_bytes(torchlike, data)


def test_state_of_marked_classes():
    kept = Slotted()
    kept.value = 5
    with torchlike.serialization.safe_globals([Slotted, Stateful]):
        assert load_bytes(torchlike, save_bytes(torchlike, kept)).value == 5
        assert load_bytes(torchlike, save_bytes(torchlike, Stateful(2))).value == ("restored", 2)


def test_names_that_moved():
    with zipfile.ZipFile(io.BytesIO(save_bytes(torch, Holder()))) as z:
        stream = z.read("archive/data.pkl").replace(b"test_weights_only\nHolder", b"test_weights_gone\nHolder")
    with torchlike.serialization.safe_globals([(Holder, "tests.serialization.test_weights_gone.Holder")]):
        assert type(load_bytes(torchlike, archive(stream))) is Holder


@pytest.mark.parametrize("marked", [(1, 2, 3), (1, 2)])
def test_marks_of_the_wrong_shape(marked):
    data = save_bytes(torch, Holder())

    def attempt(T):
        T.serialization.add_safe_globals([marked])
        try:
            load_bytes(T, data)
        finally:
            T.serialization.clear_safe_globals()

    expected, found = (refusal(lambda T=T: attempt(T)) for T in LIBRARIES)
    assert found == expected


def test_get_unsafe_globals_in_checkpoint():
    for make in (Holder, lambda: torch.nn.Linear(1, 1), lambda: {"a": torch.ones(1)}):
        data = save_bytes(torch, make())
        expected, found = (T.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) for T in LIBRARIES)
        assert sorted(found) == sorted(expected)


def test_arguments_for_the_unpickler():
    data = save_bytes(torch, {"a": 1})
    for T in LIBRARIES:
        with pytest.warns(UserWarning, match="pickle_load_args only works if `weights_only=False`."):
            assert load_bytes(T, data, encoding="latin1") == {"a": 1}
        with pytest.raises(TypeError):
            load_bytes(T, data, weights_only=False, foo=1)


def test_another_pickle_module_reads_everything():
    data = save_bytes(torch, Holder(3))
    assert load_bytes(torchlike, data, pickle_module=pickle).value == 3
    with pytest.raises(NotImplementedError, match="pickle_module"):
        torchlike.save(1, io.BytesIO(), pickle_module=pickle._compat_pickle)
