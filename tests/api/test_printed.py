"""Objects print the same as in PyTorch, and classes name the same modules."""

import importlib
import os
import subprocess
import sys
import types
from functools import cache

import pytest

from tests.house.source import ROOT

PRINTED = ROOT / "tests" / "api" / "printed.py"

MODULES = [
    "torch",
    "torch.nn",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.prune",
    "torch.nn.parallel",
    "torch.nn.parameter",
    "torch.nn.modules",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.utils.data",
    "torch.utils.hooks",
    "torch.utils.dlpack",
    "torch.utils.checkpoint",
    "torch.utils.flop_counter",
    "torch.autograd",
    "torch.autograd.function",
    "torch.autograd.graph",
    "torch.autograd.profiler",
    "torch.amp",
    "torch.cuda",
    "torch.cuda.amp",
    "torch.cpu.amp",
    "torch.distributions",
    "torch.futures",
    "torch.fx",
    "torch.func",
    "torch.linalg",
    "torch.sparse",
    "torch.distributed",
    "torch.overrides",
    "torch.serialization",
    "torch._dynamo.exc",
    "torch.distributed.checkpoint.api",
    "torch.jit.frontend",
    "torch.multiprocessing",
    "torch.nn.attention.flex_attention",
    "torch.onnx.errors",
    "torch.utils._pytree",
]

# Classes whose modules do not exist in torchlike: their names show the module that exports them.
ELSEWHERE = {
    "torch.nn.LinearCrossEntropyOptions",
    "torch.nn.modules.LinearCrossEntropyOptions",
    "torch.autograd.profiler.EventList",
}


@cache
def lines(*command: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


def test_objects_print_the_same():
    assert lines("-m", "torchlike", str(PRINTED)) == lines(str(PRINTED))


NAMES = """
import importlib
for name in {!r}:
    for key, found in vars(importlib.import_module(name)).items():
        if isinstance(found, type) and key[0] != "_":
            print(f"{{name}}.{{key}}", f"{{found.__module__}}.{{found.__qualname__}}")
"""


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Return the full names of the public classes of torchlike, by the names under which users find them."""
    program = tmp_path_factory.mktemp("names") / "names.py"
    program.write_text(NAMES.format(MODULES), encoding="utf-8")
    return dict(line.split() for line in lines("-m", "torchlike", str(program)))


@pytest.mark.parametrize("name", MODULES)
def test_classes_name_pytorchs_modules(named, name):
    module = importlib.import_module(name)
    theirs = {f"{name}.{key}": found for key, found in vars(module).items() if issubclass(type(found), type)}
    theirs = {key: f"{found.__module__}.{found.__qualname__}" for key, found in theirs.items()}
    common = [key for key in theirs if key in named and key not in ELSEWHERE]
    ours = {key: named[key] for key in common}
    assert ours == {key: theirs[key] for key in common}


def test_the_named_modules_hold_the_classes():
    from torchlike._api.homes import HOMES

    for place, homes in HOMES.items():
        offering = importlib.import_module(f"torchlike.{place}".removesuffix("."))
        public = {name: home for name, home in homes.items() if not name.startswith("_")}  # the others share a name
        for name, home in public.items():
            found = getattr(offering, name)
            holder: types.ModuleType = importlib.import_module(f"torchlike.{home}".removesuffix("."))
            assert getattr(holder, found.__qualname__) is found, name
