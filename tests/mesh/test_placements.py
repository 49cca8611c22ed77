"""Trainings over a mesh of eight devices have the losses of one device, and of PyTorch."""

from tests.mesh.compare import compared
from tests.mesh.launched import PYTORCH, difference, said, started

# Every model, both kinds of steps, and batches that do not divide. `python -m tests.mesh.compare` runs all pairs of a
# model and a placement, and compares with PyTorch.
TRAININGS: dict[tuple[str | None, bool], tuple[str, ...]] = {
    ("data=8", False): ("mlp:recorded:60",),
    ("data=8", True): ("cnn:compiled",),
    ("data=2,fsdp=2,model=2", False): ("gpt:recorded",),
}


def test_losses_and_layouts():
    found = {one.name: one for one in compared(TRAININGS)}
    assert [one for one in found.values() if one.losses > 1e-6 or one.evaluated > 1e-6] == []
    facts = {name: one.facts for name, one in found.items()}
    sharded = lambda name: [facts[name][what] for what in ("parameters", "gradients", "states")]
    # All parameters but those of which no dimension has a multiple of eight elements; AdamW has two states for each.
    assert sharded("data=8 cnn:compiled") == [7, 7, 14]
    assert sharded("data=2,fsdp=2,model=2 gpt:recorded") == [4, 4, 8]
    assert sharded("data=8 mlp:recorded:60") == [0, 0, 0]
    assert facts["data=8 mlp:recorded:60"]["collectives"] == ["all-reduce"]
    assert {"all-gather", "all-reduce"} <= {*facts["data=8 cnn:compiled"]["collectives"]}
    assert facts["data=8 cnn:compiled"]["batch"] == "P('data',)"
    assert facts["data=2,fsdp=2,model=2 gpt:recorded"]["batch"] == "P(('data', 'fsdp'),)"
    assert facts["data=8 mlp:recorded:60"]["mesh"] == (
        "mesh data=8 of cpu devices; batches of 40 are sharded; "
        "batches of 60 are replicated, because 8 does not divide them"
    )


def test_checkpoints(tmp_path):
    """A checkpoint has whole tensors. Another mesh and PyTorch continue from it."""
    file = str(tmp_path / "checkpoint.pt")
    (before,) = said(started("fsdp=8", "checkpoint", "save", file))
    readers = [started(other, "checkpoint", "load", file) for other in ("data=4,model=2", PYTORCH)]
    for (after,) in map(said, readers):
        assert difference(after.pop("losses"), before["losses"]) < 1e-5
        assert after == {name: before[name] for name in after}


def test_the_mesh_of_an_accelerator():
    *alone, recorded, compiled = said(started("", "accelerator"))
    for one, spread in zip(alone, (recorded, compiled)):
        assert difference(spread["losses"], one["losses"]) < 1e-6
        assert (spread["batches"], spread["sharded"], spread["devices"]) == (["P('data',)"], 1, 1)
        assert (one["batches"], one["devices"]) == (["None"], 8)


def test_loaders():
    """Samples are computed in the main process and in workers, which have no mesh."""
    running = [started(mesh, "loaded") for mesh in ("data=4", "", PYTORCH)]
    spread, alone, theirs = (said(process)[0]["losses"] for process in running)
    assert difference(spread, theirs) < 1e-6
    assert difference(alone, theirs) < 1e-6
