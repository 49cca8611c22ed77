"""Programs that were saved and loaded in ONNX Runtime."""

import io
import zipfile

import pytest

import torchlike as torch

nn = torch.nn


class Mixed(nn.Module):
    """Branches, writes through views, constants that depend on sizes, and numbers that do."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda x: self.first(x) * 2, lambda x: self.second(x), (x,)).clone()
        y[:, 1:3] += torch.arange(x.shape[0])[:, None]
        return y / x.shape[0], y[1:, ::2]


def saved(program, how=torch.export.save):
    file = io.BytesIO()
    how(program, file)
    file.seek(0)
    return file


def test_loaded_programs():
    torch.manual_seed(0)
    net, x = Mixed().eval(), torch.randn(4, 4)
    exported = torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("n")},))
    loaded = torch.export.load(saved(exported))
    assert loaded._saved.listing == exported._saved.listing
    program = torch.onnx.export(loaded)
    for given in (x, -x, torch.randn(6, 4)):
        wanted = tuple(result.detach() for result in net(given))
        torch.testing.assert_close(program(given), wanted, rtol=1e-5, atol=1e-6)
    assert {w for w in program.model.graph.initializers if "." in w} == set(net.state_dict())


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_loaded_traces():
    net, x = nn.Sequential(nn.Linear(3, 2), nn.Tanh()).eval(), torch.randn(4, 3)
    loaded = torch.jit.load(saved(torch.jit.trace(net, (x,)), torch.jit.save))
    torch.testing.assert_close(torch.onnx.export(loaded, (x,))(x[:3])[0], net(x[:3]).detach())


def replaced(file, content):
    """Return a file with other operators, or without any."""
    made = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as new:
        for member in old.namelist():
            if member != "operators.json":
                new.writestr(member, old.read(member))
        if content is not None:
            new.writestr("operators.json", content)
    made.seek(0)
    return made


def test_files_without_operators():
    net, x = nn.Linear(3, 2), torch.randn(4, 3)
    loaded = torch.export.load(replaced(saved(torch.export.export(net, (x,))), None))
    torch.testing.assert_close(loaded.module()(x), net(x))
    with pytest.raises(torch.onnx.OnnxExporterError, match="does not list its operators"):
        torch.onnx.export(loaded)


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"dtype": "nn"}', '{"Listing": [1]}', '{"other": 1}', '{"a": 1, "b": 2}']
)
def test_damaged_operators(content):
    file = saved(torch.export.export(nn.Linear(3, 2), (torch.randn(4, 3),)))
    with pytest.raises(RuntimeError, match="damaged"):
        torch.export.load(replaced(file, content))
