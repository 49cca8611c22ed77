"""`python -m torchlike.aot`: the report about a script, and the script's surroundings."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from torchlike.aot.command import environment

SCRIPT = """
import sys
import torch

device = sys.argv[1]
print("cuda:", torch.cuda.is_available(), torch.cuda.device_count(), file=sys.stderr)
net = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)).to(device)
optimizer = torch.optim.AdamW(net.parameters())


def step(x, y):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    return loss


if "compiled" in sys.argv:
    step = torch.compile(step, fullgraph=True)
for number in range(5):
    x, y = torch.ones(16, 64, device=device), torch.zeros(16, dtype=torch.int64, device=device)
    loss = step(x, y)
    print("step", number, loss.item(), flush=True)
print("the script ended")
"""
NEEDS = {"v5e": "libtpu", "h100": "jax_plugins"}
AHEAD = [sys.executable, "-m", "torchlike.aot"]


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("aot") / "train.py"
    path.write_text(SCRIPT)
    return str(path)


def ran(*args: str, status: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([*AHEAD, *args], capture_output=True, text=True)
    assert done.returncode == status, done.stderr[-3000:]
    return done


def test_the_programs_of_the_first_step_are_reported(script, tmp_path):
    done = ran("--target", "cpu", "--hlo", str(tmp_path / "hlo"), script, "cpu")
    lines = done.stdout.splitlines()
    assert lines[0] == "2 programs for cpu (1 chip: cpu)"
    assert re.fullmatch(r"1\. train\.py:14: \d+ operators, linear relu linear .* linear_vjp", lines[2])
    assert "2. train.py:15: adam_update" in lines
    names = [line.split("  ")[1].strip() for line in lines if line.startswith("   ")]
    assert names == 2 * [
        "memory per chip",
        "FLOPs",
        "bytes accessed",
        "collectives",
        "host transfers",
        "compiled in",
    ]
    parameters = 4 * (64 * 32 + 32 + 32 * 4 + 4)
    assert f"arguments {4 * parameters / 1024:.1f} KiB" in done.stdout.split("\n2. ")[1]  # and gradients, two moments
    files = sorted((tmp_path / "hlo").iterdir())
    assert [file.name for file in files] == ["01.hlo.txt", "02.hlo.txt"]
    assert all(file.read_text().startswith("HloModule") for file in files)
    assert "running" in done.stderr
    assert "compiling program 2 of 2: train.py:15" in done.stderr


def test_more_steps_run_their_programs_again_with_true_values(script):
    lines = ran("--target", "cpu", "--steps", "3", script, "cpu").stdout.splitlines()
    plain = subprocess.run([sys.executable, "-m", "torchlike", script, "cpu"], capture_output=True, text=True)
    shown = lambda line: (line.split()[1], round(float(line.split()[2]), 4))
    assert [*map(shown, lines[:2])] == [*map(shown, plain.stdout.splitlines()[:2])]
    assert [line for line in lines if "runs" in line][1:] == ["2. train.py:15 (3 runs): adam_update"]


@pytest.mark.long  # test_a_module_is_run_by_name has a script that ends before its first step
def test_a_script_that_ends_before_the_last_step(script):
    done = ran("--target", "cpu", "--steps", "9", script, "cpu")
    assert "the script ended" in done.stdout
    assert "(5 runs)" in done.stdout


def test_a_compiled_step_is_one_program(script):
    lines = ran("--target", "cpu", script, "cpu", "compiled").stdout.splitlines()
    assert lines[0] == "1 program for cpu (1 chip: cpu)"
    assert re.fullmatch(r"1\. train\.py:\d+: \d+ operators, linear .* adam_update", lines[2])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("target", "device"), [("v5e", "tpu"), ("v5e:2x4", "cpu"), ("h100:8", "cuda:7")])
def test_the_devices_of_the_target_exist_for_the_script(target, device, script):
    """Check the report if the target's compiler is installed, and otherwise the message."""
    if find_spec(NEEDS[target.partition(":")[0]]) is None:
        done = ran("--target", target, script, device, status=2)
        assert re.search(rf'{target} needs the .*: pip install "jax\[(tpu|cuda12)\]==', done.stderr)
        return
    done = ran("--target", target, script, device, "compiled")
    assert f"cuda: {device == 'cuda:7'} {8 * (device == 'cuda:7')}" in done.stderr
    assert ("h100" in target) == (f", {device}: " in done.stdout)
    assert "collectives      none" in done.stdout


def test_an_error_of_the_script(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text("import torch\n\ntorch.ones(3) @ torch.ones(4)\n")
    done = ran("--target", "cpu", str(path), status=1)
    assert done.stderr.splitlines()[-1].startswith("RuntimeError: ")
    assert f'File "{path}", line 3' in done.stderr


def test_a_script_without_programs(tmp_path):
    path = tmp_path / "empty.py"
    path.write_text("import sys\n\nsys.exit(0)\n")
    assert "the script ran no program" in ran("--target", "cpu", str(path), status=1).stderr


def test_a_module_is_run_by_name(tmp_path):
    (tmp_path / "tiny.py").write_text("import torch\n\nprint((torch.ones(3) + 1).sum().item())\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *os.environ.get("PYTHONPATH", "").split(":")])}
    done = subprocess.run([*AHEAD, "--target", "cpu", "-m", "tiny"], capture_output=True, text=True, env=env)
    assert done.stdout.splitlines()[:2] == ["6.0", "1 program for cpu (1 chip: cpu)"], done.stderr


@pytest.mark.parametrize(
    "arguments", [(), ("--target", "v9", "x.py"), ("--target", "cpu"), ("--target", "cpu", "--steps", "0", "x.py")]
)
def test_a_wrong_command_line_shows_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as exited:
        environment(arguments)
    assert exited.value.code == 2
    assert "usage: python -m torchlike.aot" in capsys.readouterr().err
