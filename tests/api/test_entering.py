"""Programs that `python` and `python -m torchlike` run: their surroundings, their errors and their exit statuses."""

import pytest

from tests.api.entered import TORCHLIKE, both_ended, ended, without_runpy
from tests.house.source import ROOT

SHOWN = """
import os, sys
found = {name: str(value).partition(" at 0x")[0] for name, value in globals().items() if name[:2] == "__"}
print(*sorted(found.items()), sys.argv, sys.path[0], sys.excepthook is sys.__excepthook__, sep="\\n")
print(sys.modules["__main__"].__dict__ is globals(), os.getcwd())
"""
RAISED = """
def f(x):
    try:
        {}["key"]
    except KeyError:
        raise ValueError(x)

f(1)
"""
OWN_HOOK = """
import sys, traceback
sys.excepthook = lambda kind, error, trace: print(kind, len(traceback.extract_tb(trace)), error)
1 / 0
"""
AT_THE_END = """
import atexit, threading
atexit.register(print, "at exit")
worker = threading.Thread(target=lambda: [print("in a thread"), 1 / 0], name="worker")
worker.start(); worker.join()
print("last", end="")
raise SystemExit(4)
"""
PROGRAMS = {
    "surroundings": SHOWN,
    "an error": RAISED,
    "an error in a hook of the program": OWN_HOOK,
    "a syntax error": "x = = 1\n",
    "exits with a number": "raise SystemExit(7)",
    "exits with a message": "import sys; print(1); sys.exit('this is why')",
    "exits without": "import sys; sys.exit()",
    "interrupted": "raise KeyboardInterrupt",
    "a thread and an exit": AT_THE_END,
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_script(name, tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "program.py").write_text(PROGRAMS[name])
    ours, theirs = both_ended(["inside/../inside/program.py", "a", "-b"], tmp_path)
    assert ours == theirs


@pytest.mark.parametrize("name", ["surroundings", "an error", "a syntax error", "exits with a message"])
def test_code_of_the_command_line(name, tmp_path):
    ours, theirs = both_ended(["-c", PROGRAMS[name], "a", "-b"], tmp_path)
    assert ours == theirs


@pytest.mark.parametrize("name", ["surroundings", "an error", "a syntax error", "exits with a number"])
def test_a_program_on_standard_input(name, tmp_path):
    ours, theirs = both_ended(["-", "a"] if name == "surroundings" else [], tmp_path, PROGRAMS[name])
    assert ours == theirs


@pytest.mark.parametrize("name", ["surroundings", "an error", "interrupted"])
def test_a_module(name, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "__main__.py").write_text(PROGRAMS[name])
    ours, theirs = both_ended(["-m", "pack", "a"], tmp_path)
    assert ours == theirs._replace(stderr=without_runpy(theirs.stderr))


@pytest.mark.parametrize("name", ["no_such", "no_such.part", "pack", "pack.no_such"])
def test_a_module_that_is_missing(name, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    ours, theirs = both_ended(["-m", name], tmp_path)
    assert ours == theirs and ours.status == 1


FAILED = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x.view(5)

def f(x):
    x.register_hook(lambda grad: Model()(grad))
    x.sum().backward()

f(torch.ones(2, requires_grad=True))
"""


@pytest.mark.parametrize("kept", ["", "full"])
def test_an_error_of_torchlike_shows_the_frames_of_the_program(kept, tmp_path):
    (tmp_path / "program.py").write_text(FAILED)
    found = ended([*TORCHLIKE, "program.py"], tmp_path, TORCHLIKE_TRACEBACK=kept).stderr
    lines = [line.split()[-1] for line in found.splitlines() if "program.py" in line]
    assert lines == ["<module>", "f", "<lambda>", "forward"]
    assert (str(ROOT / "torchlike") in found) == bool(kept)


def test_a_link_to_a_script(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "program.py").write_text(SHOWN)
    (tmp_path / "link.py").symlink_to("there/program.py")
    ours, theirs = both_ended(["link.py"], tmp_path)
    assert ours == theirs and str(tmp_path / "there") in ours.stdout.splitlines()


def test_standard_input_has_no_more_lines_for_the_program(tmp_path):
    ours, theirs = both_ended([], tmp_path, "print('a')\nprint(input())\n")
    assert ours == theirs and ours.stderr.endswith("EOFError: EOF when reading a line\n")


def test_python_can_be_told_not_to_search_the_folder_of_the_script(tmp_path):
    (tmp_path / "program.py").write_text("import sys; print(sys.path[0])")
    ours, theirs = both_ended(["program.py"], tmp_path, PYTHONSAFEPATH="1")
    assert ours == theirs


@pytest.mark.parametrize("args, stdin", [([], "{}"), (["-c{}"], "")])
def test_torch_is_torchlike(args, stdin, tmp_path):
    program = "import torch; print(torch.__name__, torch.nn.Linear, torch.ones(2).sum().item())"
    found = ended([*TORCHLIKE, *(each.format(program) for each in args)], tmp_path, stdin.format(program))
    assert found == ("torch <class 'torch.nn.modules.linear.Linear'> 2.0\n", "", 0)


def test_versions(tmp_path):
    found = ended([*TORCHLIKE, "--version"], tmp_path)
    assert [each.split()[0] for each in found.stdout.split(", ")] == ["torchlike", "JAX", "Python"]
    assert (found.stderr, found.status) == ("", 0)
