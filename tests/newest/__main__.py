"""`python -m tests.newest`: record the results of PyTorch."""

import json
from pathlib import Path

import torch

from tests.newest.cases import CASES, plain, written

recorded = {"cases": {name: plain(case(torch)) for name, case in CASES.items()}, "file": written(torch)}
Path(__file__).with_name("recorded.json").write_text(json.dumps(recorded, indent=None, separators=(",", ":")) + "\n")
