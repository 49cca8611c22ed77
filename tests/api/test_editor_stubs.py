"""`python -m torchlike --stubs`: type checkers understand scripts that import `torch`."""

import json
import subprocess
import sys

from tests.house.source import ROOT

SCRIPT = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import Adam
from torch.utils.data import DataLoader

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.layer(x))

model = Model()
optimizer = Adam(model.parameters(), lr=0.1)
reveal_type(torch.ones(2) + 1)
reveal_type(torch.ones(2).sum())
torch.not_there
"""


def test_a_script_is_understood(tmp_path):
    made = subprocess.run(
        [sys.executable, "-m", "torchlike", "--stubs", str(tmp_path / "typings")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.startswith("wrote ")
    (tmp_path / "script.py").write_text(SCRIPT, "utf-8")
    (tmp_path / "pyrightconfig.json").write_text(
        json.dumps({"stubPath": "typings", "extraPaths": [str(ROOT)]}), "utf-8"
    )
    found = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    reported = json.loads(found.stdout)["generalDiagnostics"]
    messages = {(each["range"]["start"]["line"] + 1, each["severity"], each["message"]) for each in reported}
    errors = [(line, text) for line, severity, text in messages if severity == "error"]
    assert [line for line, _ in errors] == [19] and "not_there" in errors[0][1]
    assert {text for line, severity, text in messages if severity == "information" and line in (17, 18)} == {
        'Type of "torch.ones(2) + 1" is "Tensor"',
        'Type of "torch.ones(2).sum()" is "Tensor"',
    }
