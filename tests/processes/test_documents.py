"""The scripts in docs/many_devices.md run in two processes."""

import re
import subprocess
import sys

import pytest

from tools import pages

BLOCKS = pages.blocks((pages.DOCS / "many_devices.md").read_text("utf-8"))
SCRIPTS = [block.code for block in BLOCKS if block.mark.startswith("two processes")]
SAID = [r"loss \d\.\d{4}", r"\(Shard\(dim=0\),\) \(8, 16\)", r"\(Shard\(dim=0\),\) \(32, 16\)"]
CASES = [
    pytest.param(*each, id=name, marks=pytest.mark.long if name != "fsdp" else ())
    for name, *each in zip(["ddp", "fsdp", "tensor parallel"], SCRIPTS, SAID, strict=True)
]


@pytest.mark.parametrize(("script", "said"), CASES)
def test_a_script_of_the_documents(script, said, tmp_path):
    (tmp_path / "train.py").write_text(script)
    command = ["-m", "torchlike", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py"]
    ended = subprocess.run(
        [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert re.fullmatch(said, ended.stdout.strip()), ended.stdout
