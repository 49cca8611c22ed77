"""Files that PyTorch programs write with `pickle.dump`, read with `pickle.load` under torchlike."""

import pickle
import warnings

import pytest
import torch
from torch import nn

from tests.api.entered import PYTHON, TORCHLIKE, ended

READ = """
import pickle, sys
import torch

for name, data in pickle.load(open(sys.argv[1], "rb")).items():
    found = pickle.loads(data)
    if isinstance(found, torch.nn.Module):
        found = list(found.state_dict().items())
    if callable(found):
        found = found(torch.tensor([[-1.0, 2.0], [0.5, 1.0]]))
    print(name, getattr(found, "__dict__", None) if isinstance(found, torch.Tensor) else None, found)
"""


def tagged():
    made = torch.ones(2)
    made.__dict__["tag"] = "kept"
    return made


MADE = {
    "tensors": lambda: [torch.arange(6.0).view(2, 3).t(), torch.ones(2).bfloat16(), torch.tensor([1j]).conj()],
    "leaves": lambda: [torch.ones(2, requires_grad=True), nn.Parameter(torch.ones(2), False), nn.Buffer(torch.ones(1))],
    "attributes": tagged,
    "module": lambda: nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Embedding(2, 2)),
    "layer with a function": lambda: nn.TransformerEncoderLayer(4, 2, 4, activation=nn.functional.gelu),
    "state": lambda: nn.Linear(2, 2).state_dict(),
    "other tensors": lambda: [torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr(), torch.empty(2, device="meta")],
    "values": lambda: [torch.float32, torch.device("cpu"), torch.Size([1]), torch.strided, torch.channels_last],
    "dataset": lambda: torch.utils.data.TensorDataset(torch.ones(2))[0],
    "distribution": lambda: torch.distributions.Normal(0.0, 1.0),
    "result": lambda: torch.eye(2).max(0),
    "relu": lambda: torch.relu,
    "gelu": lambda: nn.functional.gelu,
    "norm": lambda: torch.linalg.norm,
    "method": lambda: torch.Tensor.exp,
    "special": lambda: torch.special.expit,
    "fft": lambda: torch.fft.fft,
}


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Return the lines that Python and torchlike print about the pickles of PyTorch, by the name of the pickle."""
    folder = tmp_path_factory.mktemp("pickles")
    with open(folder / "made.pickle", "wb") as file, warnings.catch_warnings(action="ignore"):
        pickle.dump({name: pickle.dumps(make()) for name, make in MADE.items()}, file)
    (folder / "read.py").write_text(READ, encoding="utf-8")
    return [ended([*command, "read.py", "made.pickle"], folder) for command in (TORCHLIKE, PYTHON)]


def test_every_pickle_is_read(read):
    ours, theirs = read
    assert ours.stdout == theirs.stdout, ours.stderr
    assert ours.stdout.count("\n") >= len(MADE)


def test_other_names_do_not_exist(tmp_path):
    source = "import torch; print([hasattr(torch._utils, n) for n in ('relu', '_no')], hasattr(torch._C._nn, '_no'))"
    done = ended([*TORCHLIKE, "-c", source], tmp_path)
    assert done.stdout == "[False, False] False\n", done.stderr
