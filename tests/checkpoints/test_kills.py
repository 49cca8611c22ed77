"""Saves that are killed, and folders that hold an older checkpoint. `python -m tests.checkpoints.kills` kills more."""

import os
import shutil

import pytest

import torchlike
import torchlike.distributed.checkpoint as dcp
from tests.checkpoints.kills import Kills

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_killed_save_leaves_the_old_checkpoint_or_the_new_one(tmp_path):
    kills = Kills(tmp_path)
    trials = [kills.trial() for _ in range(5)]
    assert all(trial.read_by_pytorch and not trial.left_over_after_next for trial in trials)
    assert any(trial.killed for trial in trials)


def saved(folder, number, **options):
    dcp.save({"a": torchlike.full((3,), number)}, storage_writer=dcp.FileSystemWriter(folder, **options))


def found(folder):
    state = {"a": torchlike.zeros(3)}
    dcp.load(state, checkpoint_id=folder)
    return state["a"].tolist()


def test_a_save_that_fails_leaves_the_old_checkpoint(tmp_path):
    class Failing(dcp.FileSystemWriter):
        def finish(self, metadata, results):
            raise OSError("the disk is full")

    saved(tmp_path, 1.0)
    with pytest.raises(dcp.CheckpointException, match="the disk is full"):
        dcp.save({"a": torchlike.full((3,), 2.0)}, storage_writer=Failing(tmp_path))
    assert found(tmp_path) == [1, 1, 1]
    assert sorted(os.listdir(tmp_path)) == [".metadata", "__0_0.distcp", "__0_1.distcp"]
    saved(tmp_path, 3.0)
    assert found(tmp_path) == [3, 3, 3]
    assert sorted(os.listdir(tmp_path)) == [".metadata", "__0_2.distcp"]


def test_an_old_checkpoint_is_not_replaced_without_overwrite(tmp_path):
    saved(tmp_path, 1.0)
    with pytest.raises(dcp.CheckpointException, match=r"Checkpoint already exists and self\.overwrite=False"):
        saved(tmp_path, 2.0, overwrite=False)
    assert found(tmp_path) == [1, 1, 1]


def test_other_files_of_the_folder_stay(tmp_path):
    for name in ("__0_0.txt", "notes", "__1_0.distcp.bak", ".__0_0.distcp.old"):
        (tmp_path / name).write_text("mine")
    saved(tmp_path, 1.0)
    saved(tmp_path, 2.0)
    assert {"__0_0.txt", "notes", "__1_0.distcp.bak", ".__0_0.distcp.old"} < set(os.listdir(tmp_path))


def test_processes_that_save_on_their_own_keep_the_other_checkpoints(tmp_path):
    saved(tmp_path, 1.0)
    dcp.save({"a": torchlike.full((3,), 2.0)}, checkpoint_id=tmp_path, use_collectives=False)
    assert found(tmp_path) == [1, 1, 1]
    os.unlink(tmp_path / ".metadata")
    assert found(tmp_path) == [2, 2, 2]
    shutil.rmtree(tmp_path)
