"""Both libraries load the DTensors in the files of either, and continue to train with them."""

import pytest

from tests.processes.launched import said, started

COMMANDS = {"torch": (), "torchlike": ("-m", "torchlike")}


def ran(library, size, monkeypatch, folder, action, of):
    for name, value in (("ACTION", action), ("FOLDER", str(folder)), ("OF", of)):
        monkeypatch.setenv(f"FILES_{name}", value)
    printed = said(started("dtensor_files", size, COMMANDS[library]))
    return [[line for line in each.splitlines() if not line.startswith("[Gloo]")] for each in printed]


@pytest.mark.long
@pytest.mark.parametrize("size", [2, 4])
def test_files_of_both_libraries(size, monkeypatch, tmp_path):
    saved = {of: ran(of, size, monkeypatch, tmp_path, "save", of) for of in COMMANDS}
    assert saved["torchlike"] == saved["torch"]
    runs = [(library, of) for library in COMMANDS for of in COMMANDS]
    first, *others = (ran(library, size, monkeypatch, tmp_path, "load", of) for library, of in runs)
    assert all(len(found) == 13 for found in first)
    for other in others:
        assert other == first
