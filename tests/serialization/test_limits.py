"""Limits on the time and memory that a hostile file may take. Very large genuine files are within the limits."""

import io
import pickle
import random
import time
import zipfile

import pytest
import torch

import torchlike
from tests.serialization.crossing import load_bytes, save_bytes
from tests.serialization.hostile.archives import Record, build
from tests.serialization.hostile.pickles import Raw, call, name, number, push
from torchlike.serialization import load_limits


def archive(pickled, *more):
    return build([Record("a/data.pkl", b"\x80\x02" + pickled + b"."), Record("a/version", b"3\n"), *more])


def refused(data, why, **options):
    with pytest.raises(Exception, match=why) as info:
        load_bytes(torchlike, data, **options)
    assert "the file" in "\n".join([str(info.value), *getattr(info.value, "__notes__", [])])
    return info.value


def test_the_state_of_an_optimizer_of_5000_tensors():
    state = {i: {"step": 1, "exp_avg": torch.ones(2)} for i in range(5_000)}
    data = save_bytes(torch, {"state": state, "param_groups": [{"lr": 0.1, "params": list(range(5_000))}]})
    found = load_bytes(torchlike, data)
    assert len(found["state"]) == 5_000 and found["state"][4_999]["exp_avg"].tolist() == [1, 1]


def test_a_vocabulary_of_a_million_words():
    words = {f"token{i}": i for i in range(1_000_000)}
    assert load_bytes(torchlike, archive(pickle.dumps(words, 2)[2:-1])) == words


@pytest.mark.parametrize("make", [range, lambda n: random.Random(0).sample(range(1 << 60), n)])
def test_many_honest_ints_are_keys(make):
    found = {i: None for i in make(30_000)}
    assert load_bytes(torchlike, save_bytes(torch, found)) == found


def test_many_honest_elements_of_sets():
    found = {*range(5_000), *(float(i) / 3 for i in range(5_000)), *((i, str(i)) for i in range(5_000))}
    assert load_bytes(torchlike, save_bytes(torch, found)) == found


def run_of_slots(count):
    """Return ints that fill a probe sequence of a dictionary, followed by ints that start at its first slot."""
    size = 1 << (count * 3 // 2).bit_length()
    run = [1]
    while len(run) < count // 2:
        run.append((5 * run[-1] + 1) % size)
    return run + [1 + size * (i + 1) for i in range(count // 2)]


CONTAINERS = {
    "dictionary": lambda keys: b"}(" + b"".join(number(k) + b"N" for k in keys) + b"u",
    "pairs": lambda keys: call("collections.OrderedDict", [(k, None) for k in keys]),
    "counter": lambda keys: call("collections.Counter", dict.fromkeys(keys)),
    "one by one": lambda keys: b"}" + b"".join(number(k) + b"Ns" for k in keys),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_ints_that_collide_along_the_probes(container):
    refused(archive(CONTAINERS[container](run_of_slots(60_000))), "needs more than 20 probes")


def test_ints_that_collide_in_a_set():
    refused(archive(call("builtins.set", [i << 40 for i in range(60_000)])), "needs more than 20 probes")


def test_a_replay_counts_what_a_dictionary_does():
    """Check that a dictionary is fast if few probes are predicted for its keys, and slow if many are predicted."""
    from torchlike.serialization._probing import Probes

    def seconds(keys):
        started = time.process_time()
        dict.fromkeys(keys)
        return time.process_time() - started

    chosen, plain = run_of_slots(8_000), list(range(8_000))
    assert Probes(False, plain).visits < 3 * 8_000
    assert Probes(False, chosen).visits > 50 * 8_000
    assert seconds(chosen) > 5 * min(seconds(plain) for _ in range(3))


@pytest.mark.parametrize(
    "limit", [{"objects": 50}, {"opcodes": 50}, {"pickle_bytes": 20}, {"tensors": 3}, {"nesting": 2}]
)
def test_each_limit_holds_and_can_be_set(limit):
    data = save_bytes(torch, {"a": [[torch.ones(1) for _ in range(20)]]})
    with load_limits(**limit):
        refused(data, rf"set_load_limits\({next(iter(limit))}=")
    assert len(load_bytes(torchlike, data)["a"][0]) == 20


def test_a_small_limit_is_exact():
    data = archive(b"](NNe")  # six opcodes, including PROTO and STOP
    with load_limits(opcodes=7):
        assert load_bytes(torchlike, data) == [None, None]
    with load_limits(opcodes=6):
        refused(data, "opcodes")


def test_one_text_in_many_calls():
    text = push("x" * 1_000_000)
    pieces = b"c_codecs\nencode\nq\x00" + text + push("latin1") + b"\x86q\x01" + b"h\x00h\x01R" * 400
    refused(archive(b"(" + pieces + b"t"), "pickle_bytes")


def test_a_compressed_pickle_has_no_free_megabytes():
    bomb = Record("a/data.pkl", b"\x80\x02]" + b"]" * 30_000_000 + b".", 8)
    refused(build([bomb, Record("a/version", b"3\n")]), "unpacked_ratio")


def test_compressed_zeros_are_honest():
    source = io.BytesIO(save_bytes(torch, torch.zeros(1_000_000)))
    target = io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for record in old.namelist():
            new.writestr(record, old.read(record))
    assert load_bytes(torchlike, target.getvalue()).sum().item() == 0


def test_a_meta_tensor_larger_than_any_memory():
    made = call(
        "torch._utils._rebuild_meta_tensor_no_storage", Raw(name("torch.float32")), (1 << 40, 1 << 40), (1, 1), False
    )
    refused(archive(made), "too large")
