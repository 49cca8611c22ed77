"""Notebooks: the kernel that `python -m torchlike --install-kernel` installs, and `%load_ext torchlike`."""

import json

import nbclient
import nbformat
import pytest

from tests.house.source import ROOT
from torchlike.__main__ import main

CELLS = {
    "import sys, torch, torchlike; torch is torchlike, torch.__name__, __name__": "(True, 'torch', '__main__')",
    "torch.ones(2)": "tensor([1., 1.])",
    """
class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return torch.tensor(index)
[batch.tolist() for batch in torch.utils.data.DataLoader(Numbers(), batch_size=2, num_workers=2)]
""": "[[0, 1], [2, 3]]",
    """
import multiprocessing, operator
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
    result = pool.submit(operator.mul, torch.ones(2), 3).result()
result
""": "tensor([3., 3.])",
    """
layer = torch.nn.Linear(3, 2)
@torch.compile
def step(x):
    return layer(x).sum()
for _ in range(3):
    step(torch.ones(1, 3)).backward()
layer.weight.grad
""": "tensor([[3., 3., 3.],\n        [3., 3., 3.]])",
    "%reload_ext torchlike": None,
    "import torch as again; again is torch, torch.__name__": "(True, 'torch')",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))


def run(sources, kernel):
    """Run a notebook, and return what each cell shows."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source.strip()) for source in sources])
    nbclient.NotebookClient(notebook, kernel_name=kernel, timeout=400).execute()
    outputs = [[each for each in cell.outputs if each.output_type == "execute_result"] for cell in notebook.cells]
    return [found[0].data["text/plain"] if found else None for found in outputs]


def test_the_kernel(tmp_path, capsys):
    main(["--install-kernel", "--prefix", str(tmp_path), "--name", "ours", "--display-name", "Ours"])
    folder = tmp_path / "share" / "jupyter" / "kernels" / "ours"
    assert capsys.readouterr().out == f"installed a kernel in {folder}\n"
    assert json.loads((folder / "kernel.json").read_text())["display_name"] == "Ours"
    assert run(CELLS, "ours") == [*CELLS.values()]


def test_the_extension():
    assert run(["%load_ext torchlike", *CELLS], "python3") == [None, *CELLS.values()]


def test_a_name_that_jupyter_refuses(capsys):
    with pytest.raises(SystemExit):
        main(["--install-kernel", "--name", "a b"])
    assert "Invalid kernel name 'a b'" in capsys.readouterr().err
