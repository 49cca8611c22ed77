"""Pinned batches have PyTorch's structure, and the next batch is sent ahead. CPU devices stand in for accelerators."""

import collections
import json
import os
import subprocess
import sys

import pytest
from torch.utils.data._utils.pin_memory import pin_memory as of_pytorch

from torchlike.utils.data._utils.pin_memory import pin_memory


class _Own:
    def pin_memory(self):
        return "pinned"

    def __repr__(self) -> str:  # test ids must not depend on the address
        return "own"


_Pair = collections.namedtuple("_Pair", "first second")


class _Listed(list):
    pass


@pytest.mark.parametrize(
    "batch",
    [
        [_Own(), 1],
        (_Own(), "text", b"bytes"),
        {"a": _Own(), "b": [_Own()]},
        collections.OrderedDict(a=(_Own(),)),
        _Pair(_Own(), 2.5),
        _Listed([_Own()]),
        range(3),
        None,
    ],
    ids=repr,
)
def test_structures(batch):
    ours, theirs = pin_memory(batch), of_pytorch(batch)
    assert type(ours) is type(theirs)
    assert ours == theirs


LOADED = """
import json, jax
import torchlike as torch
from torchlike._dtypes.devices import stand_ins
from torchlike._engine.xla.transfers import counted

loaded = []

class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        loaded.append(i)
        if i == 5 and fails:
            raise ValueError("no fifth")
        return torch.full((3,), float(i)), i

def rows(workers, pin):
    loaded.clear()
    found = []
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=2, num_workers=workers, pin_memory=pin)
    for x, y in loader:
        with counted() as counts:
            there = x.to("cuda", non_blocking=True), y.cuda(non_blocking=True)
        found.append([x.is_pinned(), str(there[0].device), counts.to_device, len(loaded), there[1].tolist()])
    return found

fails = False
with stand_ins("cuda", jax.devices()[1:3]):
    made = {f"{workers} {pin}": rows(workers, pin) for workers in (0, 2) for pin in (False, True)}
    fails = True
    seen = []
    try:
        for x, y in torch.utils.data.DataLoader(Numbers(), batch_size=2, num_workers=1, pin_memory=True):
            seen.append(y.tolist())
    except ValueError as error:
        made["error"] = [seen, "no fifth" in str(error)]
    x = torch.arange(6).reshape(2, 3).t()
    pinned = x.pin_memory()
    made["methods"] = [pinned.is_pinned(), pinned.pin_memory() is pinned, x.is_pinned(), pinned[0].is_pinned()]
    made["methods"] += [pinned.clone().is_pinned(), pinned.stride(), pinned.tolist() == x.tolist()]
    try:
        x.cuda().pin_memory()
    except RuntimeError as error:
        made["refusal"] = str(error)
    written = next(iter(torch.utils.data.DataLoader(Numbers(), batch_size=2, pin_memory=True)))[0]
    written.add_(1)
    made["written"] = written.to("cuda").tolist()
print(json.dumps(made))
"""


@pytest.fixture(scope="module")
def found():
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    done = subprocess.run([sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("workers", [0, 2])
def test_a_pinned_batch_is_on_its_way_before_it_is_moved(found, workers):
    loaded = [0, 0, 0] if workers else [2, 4, 6]  # samples that this process has loaded
    plain = [[False, "cuda:0", 2, loaded[n], [2 * n, 2 * n + 1]] for n in range(3)]
    assert found[f"{workers} False"] == plain
    assert found[f"{workers} True"] == [[True, "cuda:0", 0, loaded[n], [2 * n, 2 * n + 1]] for n in range(3)]


def test_an_error_is_raised_for_the_batch_that_has_it(found):
    assert found["error"] == [[[0, 1], [2, 3]], True]


def test_the_methods(found):
    assert found["methods"] == [True, True, False, True, False, [1, 3], True]
    assert found["refusal"] == "cannot pin 'torch.cuda.LongTensor' only dense CPU tensors can be pinned"


def test_a_batch_that_was_written_is_transferred_again(found):
    assert found["written"] == [[1.0] * 3, [2.0] * 3]
