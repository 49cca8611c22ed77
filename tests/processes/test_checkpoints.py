"""Checkpoints of distributed tensors go from process group to process group, of both libraries and different sizes."""

import os

import pytest

from tests.processes.launched import said, started

THEIRS, OURS = (), ("-m", "torchlike")
CHAIN = [(THEIRS, 2), (OURS, 3), (THEIRS, 1)]
LONG_CHAIN = [(THEIRS, 4), (OURS, 2), (OURS, 3), (THEIRS, 3), (OURS, 4), (OURS, 2), (THEIRS, 2), (OURS, 1), (OURS, 4)]
# The output of the other steps of the program.
ALWAYS = """\
failure [(-1, 'Missing key in checkpoint state_dict: y.')]
asynchronous True
alone (True, True, True)
one ({'a': tensor([1., 1.])}, ['.metadata', '__0_0.distcp'])
"""


def check(folder, seeds, chain):
    """Each group loads the checkpoints of the group before it, compares them, and saves them again."""
    os.environ["CHECKPOINT_SEEDS"] = " ".join(map(str, seeds))
    for i, (library, size) in enumerate(chain):
        os.environ["CHECKPOINT_LOAD"] = os.path.join(folder, str(i - 1)) if i else ""
        os.environ["CHECKPOINT_SAVE"] = os.path.join(folder, str(i))
        found = said(started("checkpoints", size, library))
        assert found == ["".join(f"same {seed}\n" for seed in seeds if i) + ALWAYS] * size, (i, found)


@pytest.mark.long
def test_other_processes_and_placements(tmp_path):
    check(tmp_path, range(4), CHAIN)


@pytest.mark.long
def test_many_processes_and_placements(tmp_path):
    check(tmp_path, range(100, 130), LONG_CHAIN)
