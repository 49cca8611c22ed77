"""Tests of `torchlike check`: verdicts in every style of importing, names that are not PyTorch's, output, statuses."""

import json
from pathlib import Path

import pytest

from tests.cli.programs import HIDDEN, VERDICTS, programs
from torchlike._cli import main
from torchlike._cli.check import check


@pytest.fixture
def checked(tmp_path):
    def run(code, name="program.py"):
        path = tmp_path / name
        path.write_text(code, "utf-8")
        return check([path])

    return run


def statuses(result):
    return {each.name: each.status for each in result.findings}


@pytest.mark.parametrize("name", VERDICTS)
def test_a_name_has_one_verdict_in_every_style_of_importing_it(checked, name):
    # The name of a class or dtype that refuses is only mentioned by some styles; the table has no such names.
    for style, code, used in programs():
        if used == name:
            result = checked(code)
            assert statuses(result).get(name) == VERDICTS[name], (style, code, result.findings)
            assert not result.errors


@pytest.mark.parametrize("program", HIDDEN)
def test_names_that_are_not_pytorchs_are_not_listed(checked, program):
    result = checked(HIDDEN[program])
    assert not [each for each in result.findings if "hidden" in each.name and "assignment" not in each.note]
    assert not result.errors


def test_methods_of_variables_that_are_tensors(checked):
    code = "import torch\nx = torch.zeros(3)\ndef f():\n    return x.view(3), x.no_such()\n"
    assert statuses(checked(code)) == {
        "torch.zeros": "supported",
        "torch.Tensor.view": "supported",
        "torch.Tensor.no_such": "missing",
    }


def test_a_class_that_refuses_its_constructor_may_be_mentioned(checked):
    found = checked("import torch\nisinstance(3, torch.SymInt)\ntorch.SymInt(3)\n").findings
    assert [(each.line, each.status) for each in found] == [(2, "differing"), (3, "refused")]


def test_a_dtype_without_tensors_is_refused_as_an_argument(checked):
    found = checked("import torch\nx = {torch.complex32: 8}\ntorch.zeros(3, dtype=torch.complex32)\n").findings
    assert [each.status for each in found if each.name == "torch.complex32"] == ["differing", "refused"]


@pytest.mark.parametrize(
    ("call", "status", "name"),
    [
        ("optim.Adam(p, capturable=True)", "refused", "torch.optim.Adam(capturable=)"),
        ("optim.Adam(p, capturable=False)", "supported", "torch.optim.Adam"),
        ("optim.Adam(p, capturable=x)", "differing", "torch.optim.Adam(capturable=)"),
        ("gather(x, 0, i, sparse_grad=True)", "refused", "torch.gather(sparse_grad=)"),
        ("nn.Linear(3, 4, bias=False)", "supported", "torch.nn.Linear"),
        ("nn.Linear(3, 4, no_such=3)", "missing", "torch.nn.Linear(no_such=)"),
        ("nn.Linear(**options)", "supported", "torch.nn.Linear"),
    ],
)
def test_keyword_arguments(checked, call, status, name):
    assert statuses(checked(f"import torch\ntorch.{call}\n")) == {name: status}


def test_the_fallback_of_an_import_takes_effect_if_the_name_is_missing(checked):
    code = "try:\n    from torch.{} as C\nexcept ImportError:\n    from torch.nn import Linear as C\nC.other\n"
    assert "torch.nn.Linear.other" in statuses(checked(code.format("no_such import Thing")))
    assert "torch.nn.Conv2d.other" in statuses(checked(code.format("nn import Conv2d")))


def test_a_fallback_that_is_not_pytorchs_is_not_listed(checked):
    code = "try:\n    from torch.no_such import C\nexcept ImportError:\n    class C: pass\nC.other\n"
    assert [(each.name, each.line) for each in checked(code).findings] == [("torch.no_such.C", 2)]


def test_star_imports(checked):
    found = statuses(checked("from torch.nn import *\nLinear(3, 4)\nsum([3])\nno_such()\n"))
    assert found == {"torch.nn.Linear": "supported"}


def test_notes_tell_the_circumstances_of_a_missing_name(checked):
    code = """import torch
try:
    torch.no_such_1
except AttributeError:
    pass
if hasattr(torch, "no_such_2"):
    torch.no_such_2()
torch.npu.empty_cache()
"""
    assert [each.note.rpartition("; ")[2] for each in checked(code).findings] == [
        "the program handles the error",
        "the program tests whether it exists",
        "another package adds this device to PyTorch",
    ]


def test_a_private_package_of_torchlike_is_not_pytorchs(checked):
    assert statuses(checked("import torch\ntorch._ops\ntorch._ops.OpOverload\n")) == {
        "torch._ops": "differing",
        "torch._ops.OpOverload": "missing",
    }


def test_libraries_are_noted(checked):
    result = checked("import torchvision, numpy, functorch\nfrom xformers.ops import x\n")
    assert result.libraries["torchvision"] == "tested (docs/libraries.md)"
    assert result.libraries["xformers"] == "not tested"
    assert sorted(result.libraries) == ["functorch", "torchvision", "xformers"]


def test_a_notebook(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": "torch.no_such"},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!ls\n", "import torch\n", "torch.zeros(3)"]},
        {"cell_type": "code", "source": "%%bash\nls torch.no_such"},
        {"cell_type": "code", "source": "x = 'torch'\ntorch.no_such(\n"},
        {"cell_type": "code", "source": "y = 3\ntorch.nn.NoSuch()\n"},
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells}), "utf-8")
    result = check([path])
    assert [(each.path, each.line, each.name) for each in result.findings] == [
        (f"{path}[cell 1]", 4, "torch.zeros"),
        (f"{path}[cell 4]", 2, "torch.nn.NoSuch"),
    ]
    assert [(each.path, each.line) for each in result.errors] == [(f"{path}[cell 3]", 2)]


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "package" / ".hidden").mkdir(parents=True)
    (tmp_path / "package" / "a.py").write_text("import torch\ntorch.zeros(3)\n")
    (tmp_path / "package" / "notes.txt").write_text("torch.no_such")
    (tmp_path / "package" / ".hidden" / "b.py").write_text("import torch\ntorch.no_such")
    return tmp_path / "package"


def test_status_0_if_everything_is_there(folder, capsys):
    assert main(["check", str(folder)]) == 0
    assert "supported or differing: 100.0% of names, 100.0% of uses" in capsys.readouterr().out


def test_status_1_if_a_name_is_missing(folder, capsys):
    (folder / "c.py").write_text("import torch\n\nx = torch.no_such()\n")
    assert main(["check", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"{folder / 'c.py'}:3:5  missing  torch.no_such\n\n2 files, 2 names, 2 uses\n")
    assert "torch.zeros" not in printed
    assert main(["check", "--all", str(folder)]) == 1
    assert f"{folder / 'a.py'}:2:1  supported  torch.zeros\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"x = 3\nx = (\n", 2), (b"# coding: no-such\n", 1), (b"x = '\xff'\n", 1), (b"x = 3\0", 1), (b"(" * 5000, 1)],
)
def test_status_2_if_a_file_cannot_be_parsed_and_the_others_are_checked(folder, capsys, content, line):
    (folder / "0.py").write_bytes(content)
    assert main(["check", "--all", str(folder)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"{folder / '0.py'}:{line}: cannot be read: ")
    assert "torch.zeros" in captured.out


@pytest.mark.parametrize("content", ["", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code", "source": 3}]}'])
def test_status_2_if_a_notebook_is_damaged(tmp_path, content):
    (tmp_path / "a.ipynb").write_text(content)
    assert main(["check", str(tmp_path)]) == 2


def test_status_2_if_there_is_no_such_path(folder, capsys):
    assert main(["check", str(folder / "no_such")]) == 2
    assert main(["check", str(folder / "no_such"), str(folder)]) == 2
    assert "100.0% of names" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["check"])


def test_json(folder, capsys):
    (folder / "c.py").write_text("import torch, timm\nx = torch.no_such()\n")
    (folder / "d.py").write_text("x = (\n")
    main(["check", "--json", str(folder)])
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["files"] == 3
    assert document["summary"]["uses"] == {"supported": 1, "differing": 0, "refused": 0, "missing": 1}
    assert document["summary"]["coverage of names"] == 50.0
    assert document["libraries"] == {"timm": "tested (docs/libraries.md)"}
    assert [each["status"] for each in document["names"]] == ["supported", "missing"]
    assert document["errors"][0]["line"] == 1


def test_the_program_is_not_run(tmp_path, capsys):
    mark = tmp_path / "mark"
    (tmp_path / "a.py").write_text(f"import torch, no_such\nopen({str(mark)!r}, 'w')\n")
    assert main(["check", str(tmp_path)]) == 0
    assert not mark.exists() and "no PyTorch names" in capsys.readouterr().out


def test_the_examples_of_this_repository_are_supported(capsys):
    assert main(["check", str(Path(__file__).parents[2] / "examples")]) == 0
