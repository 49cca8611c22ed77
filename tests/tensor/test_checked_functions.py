"""Public functions are wrapped once a program has a tensor subclass. The wrappers behave like the functions."""

import io
import json
import subprocess
import sys

import pytest

PROGRAM = """
import copy, inspect, io, json, pickle, types
import torchlike as torch
from torchlike.serialization._names import torch_name

F = torch.nn.functional
raw = F.relu, torch.special.expit, torch.seed
named = [torch_name(f) for f in raw]
torch.ones(1).as_subclass(type("Subclass", (torch.Tensor,), {}))
wrapped = F.relu, torch.special.expit, torch.seed

@torch.compile
def draw(x):
    return torch.seed(), torch.rand(3) + x

def saved(x):
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    return torch.load(file, weights_only=False)

print(json.dumps({
    "are wrapped": all(a is not b for a, b in zip(raw, wrapped)),
    "functions": all(inspect.isfunction(f) and isinstance(f, types.FunctionType) for f in wrapped),
    "equal": all(a == b and b == a and hash(a) == hash(b) for a, b in zip(raw, wrapped)),
    "aliases": torch.row_stack == torch.vstack and F.relu != F.gelu,
    "names": named == [torch_name(f) for f in wrapped] == [torch_name(f) for f in raw],
    "copies": all(copy.deepcopy(f) is f for f in wrapped),
    "pickles": all(pickle.loads(pickle.dumps(f)) is f for f in wrapped),
    "raw pickles": all(pickle.loads(pickle.dumps(f)) == f for f in raw[:1]),
    "files": all(saved(f) == f for f in (*raw, *wrapped)),
    "attributes": F.relu.__defaults__ == (False,) and F.relu.__code__ is raw[0].__code__,
    "new seeds in compiled functions": len({draw(torch.zeros(3))[0] for _ in range(4)}) == 4,
}))
"""


@pytest.fixture(scope="module")
def answers():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.load(io.StringIO(run.stdout))


PICKLED = """
import pickle, types
import torchlike
for space in (torchlike, torchlike.nn.functional, torchlike.linalg, torchlike.fft, torchlike.special):
    for name, found in vars(space).items():
        if isinstance(found, types.FunctionType) and found.__qualname__ == name and not name.startswith("_"):
            assert pickle.loads(pickle.dumps(found)) is found, (space.__name__, name)
            print(name)
"""


def test_public_functions_can_be_pickled():
    run = subprocess.run([sys.executable, "-c", PICKLED], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.split()) > 700


def test_wrapped_functions_stay_functions(answers):
    assert len(answers) == 11
    assert [question for question, answer in answers.items() if answer is not True] == []
