"""The verdicts about other people's programs are true: each name that they use is looked up in the package.

The gate checks the names of a sample of repositories and a part of PyTorch's own Python code. The long tests check the
packages that are installed beside PyTorch, or in the folder that the environment variable REPOSITORIES names.
"""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.conformance.names import names, resolves
from tests.house.source import ROOT
from torchlike._cli.check import check

INSTALLED = Path(os.environ.get("REPOSITORIES", Path(torch.__file__).parents[1]))
PACKAGES = (
    "accelerate",
    "datasets",
    "diffusers",
    "lightning",
    "pytorch_lightning",
    "safetensors",
    "timm",
    "torchmetrics",
    "torchvision",
    "transformers",
)
PYTORCHS = ("optim", "distributions", "nn/utils")
THERE = ("supported", "differing")


def has_keyword(name):
    """Return whether a call such as `torch.nn.Linear(bias=)` has the argument, in PyTorch."""
    path, _, argument = name.removesuffix("=)").partition("(")
    function = torch
    for word in path.split(".")[1:]:
        function = getattr(function, word)
    parameters = inspect.signature(function).parameters
    return argument in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def false_verdicts(findings):
    """Return the verdicts that looking the name up contradicts."""
    each = {(finding.name, finding.status) for finding in findings}
    plain = {(name, status) for name, status in each if "(" not in name}
    wrong = {(name, status) for name, status in plain if status in THERE and not resolves(name)}
    wrong |= {(name, status) for name, status in plain if status == "missing" and resolves(name)}
    wrong |= {(name, status) for name, status in each - plain if status == "missing" and has_keyword(name)}
    called = [name for name, status in sorted(plain) if status == "supported" and (name, status) not in wrong]
    return wrong | {(name, "supported") for name in refused(called)}


def refused(names):
    """Return the names whose call raises an error that names torchlike."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.calls"],
        input=json.dumps(names),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_names_of_repositories_and_of_pytorchs_own_code(tmp_path):
    program = tmp_path / "names.py"
    used = [each.text for each in names() if each.text.startswith("torch.")]
    program.write_text("import torch\n" + "\n".join(used) + "\n")
    result = check([program, *(Path(torch.__file__).parent / folder for folder in PYTORCHS)])
    assert len({each.name for each in result.findings}) > 900
    assert not result.errors
    assert false_verdicts(result.findings) == set()


@pytest.mark.long
@pytest.mark.parametrize("package", [name for name in PACKAGES if (INSTALLED / name).is_dir()])
def test_a_library(package):
    result = check([INSTALLED / package])
    assert result.files and not result.errors
    assert false_verdicts(result.findings) == set()
