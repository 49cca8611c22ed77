"""``python -m torchlike``: unmodified PyTorch programs, each in its own process."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from tests.house.source import ROOT


def run(args, folder):
    command = [sys.executable, "-m", "torchlike", *args]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)


@pytest.fixture
def script(tmp_path):
    """Return a function that writes a program to a temporary directory and runs it: ``script(source, *args)``."""

    def write_and_run(source, *args):
        (tmp_path / "program.py").write_text(textwrap.dedent(source), encoding="utf-8")
        return run(["program.py", *args], tmp_path)

    return write_and_run


def test_classes_say_that_they_are_pytorchs(script):
    """Classes report PyTorch's module names.

    Programs print these names, and libraries such as opt_einsum dispatch on the first part of the module name.
    """
    source = """
        import inspect, pickle
        import torch
        import torch.optim.lr_scheduler as schedules
        from torch import nn

        kinds = [torch.Tensor, torch.Size, torch.device, torch.dtype, nn.Linear, nn.Parameter, torch.optim.SGD,
                 schedules.StepLR, torch.distributions.Normal, torch.utils.data.DataLoader]
        print([(k.__module__, k.__qualname__) for k in kinds], type(torch.ones(1)))
        print(torch.ones(2), nn.Parameter(torch.ones(2)), pickle.loads(pickle.dumps(kinds)) == kinds)
        layer = nn.Linear(2, 2)
        print(type(layer.register_forward_hook(print)), type(torch.ones(2).to_sparse()))
        print(type(layer.load_state_dict(layer.state_dict())).__module__)
        print(type(nn.utils.parametrizations.weight_norm(layer)))
        print(len(inspect.getsource(nn.Linear)) > 100, torch.distributions.Normal(0, 1).expand((2,)).batch_shape)
    """
    done = script(source)
    theirs = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True)
    assert done.stdout == theirs.stdout, done.stderr
    assert "torch.optim.lr_scheduler" in done.stdout


def test_torch_is_torchlike_itself(script):
    done = script("""
        import sys
        import torch, torch.nn as nn, torch.nn.functional as F
        import torch.optim.lr_scheduler
        from torch.utils.data import DataLoader
        from torch import Tensor
        import torchlike.utils.data

        assert sys.modules["torch"] is sys.modules["torchlike"]
        assert torch.nn is nn is torchlike.nn and F is torchlike.nn.functional
        assert DataLoader is torchlike.utils.data.DataLoader and Tensor is torchlike.Tensor
        assert torch.nn.__name__ == torch.nn.__spec__.name == "torchlike.nn"
        from importlib.metadata import version
        assert version("torch") == torch.__version__ and torch.__name__ == "torch" and torch.torch is torch
        print(torch.ones(2).sum().item())
    """)
    assert (done.stdout, done.stderr) == ("2.0\n", "")


def test_the_program_sees_what_python_would_show_it(script, tmp_path):
    (tmp_path / "neighbour.py").write_text("import torch\nname = torch.__name__\n")
    done = script(
        """
        import os, sys, neighbour
        assert sys.path[0] == os.path.dirname(__file__) and sys.modules["__main__"].__file__ == __file__
        print(sys.argv, __name__, neighbour.name)
        sys.exit(7)
        """,
        "a",
        "--b=c",
    )
    assert done.stdout == "['program.py', 'a', '--b=c'] __main__ torch\n"
    assert done.returncode == 7


def test_a_missing_module_is_missing(script):
    done = script("""
        import importlib.util
        import torch

        assert importlib.util.find_spec("torch.no_such") is None
        assert importlib.util.find_spec("torch.nn.functional") is not None
        assert not hasattr(torch, "no_such")
        for statement in ("import torch.no_such", "import torch.nn.no_such.deeper"):
            try:
                exec(statement)
            except ModuleNotFoundError as error:
                print(error.name)
        try:
            from torch.nn import no_such
        except ImportError as error:
            print(type(error).__name__)
    """)
    assert done.stdout.split() == ["torch.no_such", "torch.nn.no_such", "ImportError"], done.stderr


def test_a_traceback_holds_only_the_programs_frames(script):
    done = script("""
        import torch
        def f():
            raise KeyError("here")
        f()
    """)
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert [line.split(", ", 1)[1] for line in lines if line.startswith("  File")] == [
        "line 5, in <module>",
        "line 4, in f",
    ]
    assert lines[-1] == "KeyError: 'here'"
    assert done.returncode == 1


def test_the_traceback_of_a_nan_begins_at_the_program(script):
    done = script("""
        import torch

        with torch.autograd.detect_anomaly():
            x = torch.zeros(1, requires_grad=True)
            (x.sqrt() * 0).sum().backward()
    """)
    told = done.stderr.partition("Traceback of forward call that caused the error:\n")[2].splitlines()
    assert told[0].endswith('program.py", line 6, in <module>') and told[1] == "    (x.sqrt() * 0).sum().backward()"


def test_an_error_of_an_operator_is_at_the_programs_line(script):
    done = script("""
        import torch
        a = torch.ones(2)
        b = a + torch.ones(3)
        print("never")
    """)
    assert 'program.py", line 4, in <module>' in done.stderr
    assert done.stderr.splitlines()[-1].startswith("RuntimeError: The size of tensor a (2) must match")
    assert done.stdout == ""


def test_a_syntax_error_looks_as_it_does_in_python(script, tmp_path):
    done = script("x = = 1\n")
    plain = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == plain.stderr


def test_a_module_of_a_package(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("import torch\n")
    (package / "__main__.py").write_text(
        "import sys\nfrom . import torch\nprint(torch.__name__, __package__, sys.argv[1:])\n"
    )
    (package / "broken.py").write_text("import no_such_thing\n")
    assert run(["-m", "pack", "x"], tmp_path).stdout == "torch pack ['x']\n"
    assert run(["-m", "pack.broken"], tmp_path).stderr.endswith(
        "ModuleNotFoundError: No module named 'no_such_thing'\n"
    )


@pytest.mark.parametrize(
    "args, sentence",
    [
        (["-c"], "-c requires code"),
        (["-i", "no_such.py"], "can't open 'no_such.py'"),
        (["no_such.py"], "can't open 'no_such.py'"),
        (["there"], "did you mean 'there.py'?"),
        (["."], "it is a directory"),
        (["-m"], "-m requires a module name"),
        (["-q"], "unknown option -q"),
    ],
)
def test_nothing_to_run_is_said_in_a_sentence(args, sentence, tmp_path):
    (tmp_path / "there.py").write_text("")
    done = run(args, tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_help_is_no_error(tmp_path):
    done = run(["--help"], tmp_path)
    assert (done.returncode, done.stdout.split()[0]) == (0, "usage:")


@pytest.mark.parametrize("zipped", [False, True])
def test_a_folder_or_a_zip_file_runs_its_main_module(tmp_path, zipped):
    place = tmp_path / "program"
    place.mkdir()
    (place / "helper.py").write_text("import torch\nvalue = torch.ones(2)\n")
    (place / "__main__.py").write_text(
        "import sys, helper\nprint(sys.argv, __name__, repr(__package__), __spec__.name, helper.value)\nsys.exit(4)\n"
    )
    if zipped:
        place = shutil.make_archive(str(place), "zip", place)
    name = os.path.basename(place)
    done = run([name, "a"], tmp_path)
    plain = subprocess.run([sys.executable, name, "a"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == (plain.stdout, plain.returncode) and done.returncode == 4


def test_a_star_import_has_the_names_that_are_imported_on_first_access(script):
    source = """
        from torch import *

        save({"a": ones(2)}, "file.pt")
        print(load("file.pt"), vmap(sum)(ones(2, 2)), callable(compile), GradScaler.__name__, "nn" in globals())
    """
    assert script(source).stdout == "{'a': tensor([1., 1.])} tensor([2., 2.]) True GradScaler False\n"


def test_a_module_of_a_zip_file_runs(tmp_path):
    package = tmp_path / "made" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("import torch\nprint(__package__, __spec__.name, torch.ones(1))\n")
    archive = shutil.make_archive(str(tmp_path / "packages"), "zip", tmp_path / "made")
    command = [sys.executable, "-m", "torchlike", "-m", "package.inner"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), archive])}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.stdout == "package package.inner tensor([1.])\n"
