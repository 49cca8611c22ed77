"""`torch.onnx.export`: each argument, files, names and sizes."""

import io

import onnx
import pytest

import torchlike as torch
from torchlike.export import Dim

nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore:# 'dynamic_axes' is not recommended:UserWarning")


@pytest.fixture
def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)).eval()


class Nested(nn.Module):
    def forward(self, a, b=None, *, c=2.0):
        return {"sum": a["u"] + a["v"][0], "product": a["u"] * c, "number": 3}


def shape(value):
    return [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]


def layout(proto):
    """Return the inputs and the outputs of a model with their shapes."""
    return ({v.name: shape(v) for v in proto.graph.input}, {v.name: shape(v) for v in proto.graph.output})


def initializers(proto):
    return {w.name for w in proto.graph.initializer}


def test_defaults(net):
    program = torch.onnx.export(net, (torch.randn(2, 3),))
    proto = program.model_proto
    assert layout(proto) == ({"input": [2, 3]}, {"linear_1": [2, 2]})
    assert initializers(proto) == {"0.weight", "0.bias", "2.weight", "2.bias"}
    assert [node.op_type for node in proto.graph.node] == ["Gemm", "Relu", "Gemm"]
    assert proto.opset_import[0].version == 20
    onnx.checker.check_model(proto, full_check=True)
    assert "Gemm" in repr(program) and isinstance(program.exported_program, torch.export.ExportedProgram)


def test_one_tensor_is_one_input(net):
    assert layout(torch.onnx.export(net, torch.randn(2, 3)).model_proto)[0] == {"input": [2, 3]}


@pytest.mark.parametrize("way", ["kwargs", "last"])
def test_inputs_by_name(way):
    given = {"a": {"u": torch.ones(2), "v": [torch.ones(2)]}, "c": 3.0}
    program = torch.onnx.export(Nested().eval(), **({"args": (given,)} if way == "last" else {"kwargs": given}))
    assert layout(program.model_proto) == ({"a_u": [2], "a_v_0": [2]}, {"add": [2], "mul": [2]})
    assert [t.tolist() for t in program(**given)] == [[2.0, 2.0], [3.0, 3.0]]


@pytest.mark.parametrize("dims", [({0: Dim("n")},), {"input": {0: "n"}}, ({0: "n"},), ([Dim("n"), None],)])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_sizes_that_vary(net, dims, size):
    program = torch.onnx.export(net, (torch.randn(size, 3),), dynamic_shapes=dims)
    assert layout(program.model_proto) == ({"input": ["n", 3]}, {"linear_1": ["n", 2]})
    for other in (1, 4):
        x = torch.randn(other, 3)
        torch.testing.assert_close(program(x)[0], net(x).detach())


@pytest.mark.parametrize("dynamo", [True, False])
@pytest.mark.parametrize(
    ("axes", "name"),
    [({"x": {0: "batch size"}, "y": {0: "batch size"}}, "batch size"), ({"x": [0]}, "x_dynamic_axes_1")],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dynamic_axes(net, tmp_path, dynamo, axes, name):
    options = {"input_names": ["x"], "output_names": ["y"], "dynamic_axes": axes, "dynamo": dynamo}
    made = torch.onnx.export(net, (torch.randn(1, 3),), tmp_path / "net.onnx", **options)
    assert (made is None) is not dynamo
    assert layout(onnx.load(tmp_path / "net.onnx")) == ({"x": [name, 3]}, {"y": [name, 2]})
    assert (tmp_path / "net.onnx.data").exists() is dynamo


def test_dynamic_axes_name_inputs(net):
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"\['z'\], which are neither inputs nor outputs"):
        torch.onnx.export(net, (torch.randn(1, 3),), dynamic_axes={"input": {0: "n"}, "z": {0: "n"}})
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"dict\[int, str\] or list\[int\]"):
        torch.onnx.export(net, (torch.randn(1, 3),), dynamic_axes={"input": 3})


def test_names_must_differ():
    with pytest.raises(ValueError, match=r"Input names cannot be duplicated: \['x'\]"):
        torch.onnx.export(nn.Bilinear(2, 2, 2).eval(), (torch.ones(1, 2), torch.ones(1, 2)), input_names=["x", "x"])


@pytest.mark.parametrize("opset", range(18, 24))
def test_opset_versions(opset):
    module = nn.Sequential(nn.Conv2d(2, 4, 3), nn.GELU(), nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1)).eval()
    x = torch.randn(2, 2, 5, 5)
    program = torch.onnx.export(module, (x,), opset_version=opset)
    onnx.checker.check_model(program.model_proto, full_check=True)
    assert program.model_proto.opset_import[0].version == opset
    torch.testing.assert_close(program(x)[0], module(x).detach(), rtol=1e-4, atol=1e-5)  # erf differs from XLA's


def test_older_opset_versions(net):
    x = torch.randn(2, 3)
    program = torch.onnx.export(net, (x,), opset_version=17)
    assert program.model_proto.opset_import[0].version == 17
    torch.testing.assert_close(program(x)[0], net(x).detach())
    with pytest.warns(torch.onnx.errors.OnnxExporterWarning, match="opset version 18, because onnx cannot convert it"):
        program = torch.onnx.export(net, (x,), opset_version=11)
    assert program.model_proto.opset_import[0].version == 18


def test_files(net, tmp_path):
    x, path = torch.randn(2, 3), tmp_path / "net.onnx"
    program = torch.onnx.export(net, (x,), path)
    assert (tmp_path / "net.onnx.data").exists() and initializers(onnx.load(path)) == set(net.state_dict())
    torch.onnx.export(net, (x,), path, export_params=False, external_data=False)
    assert initializers(onnx.load(path)) == set()
    torch.onnx.export(net, (x,), path, keep_initializers_as_inputs=True, external_data=False)
    assert set(layout(onnx.load(path))[0]) == {"input", *net.state_dict()}
    program.save(str(path))
    onnx.checker.check_model(path)
    assert initializers(program.model_proto) == set(net.state_dict())  # saving leaves the program as it was
    assert list(layout(program.model_proto)[0]) == ["input"]
    with pytest.raises(TypeError, match="must be a path"):
        program.save(io.BytesIO())


@pytest.mark.filterwarnings("ignore:You are using the legacy:DeprecationWarning")
def test_files_in_memory(net):
    legacy, modern = io.BytesIO(), io.BytesIO()
    torch.onnx.export(net, (torch.randn(2, 3),), legacy, dynamo=False)
    with pytest.warns(DeprecationWarning, match="BytesIO object is deprecated"):
        torch.onnx.export(net, (torch.randn(2, 3),), modern)
    for file in (legacy, modern):
        assert initializers(onnx.load_from_string(file.getvalue())) == set(net.state_dict())


@pytest.mark.filterwarnings("ignore:You are using the legacy:DeprecationWarning")
def test_modes(tmp_path):
    net, x, path = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.0)), torch.randn(4, 3), tmp_path / "net.onnx"
    with pytest.warns(UserWarning, match="Exporting a model while it is in training mode"):
        program = torch.onnx.export(net, (x,))
    assert "running_mean" not in str(initializers(program.model_proto))
    torch.onnx.export(net, (x,), path, dynamo=False)
    assert "0.running_mean" in initializers(onnx.load(path)) and net.training
    torch.onnx.export(net, (x,), path, dynamo=False, training=torch.onnx.TrainingMode.PRESERVE)
    assert "0.running_mean" not in initializers(onnx.load(path))
    with pytest.raises(NotImplementedError, match="training="):
        torch.onnx.export(net.eval(), (x,), training=torch.onnx.TrainingMode.TRAINING)


@pytest.mark.filterwarnings("ignore:You are using the legacy:DeprecationWarning")
def test_arguments_that_exclude_each_other(net):
    with pytest.raises(ValueError, match="through parameter dynamic_axes when dynamo=False"):
        torch.onnx.export(net, (torch.ones(2, 3),), io.BytesIO(), dynamo=False, dynamic_shapes=({0: "n"},))
    with pytest.raises(ValueError, match="f must be a path"):
        torch.onnx.export(net, (torch.ones(2, 3),), dynamo=False)


def test_steps_are_printed(net, capsys, tmp_path):
    torch.onnx.export(net, (torch.ones(2, 3),), verbose=False)
    assert capsys.readouterr().out == ""
    torch.onnx.export(net, (torch.ones(2, 3),), verbose=True, dump_exported_program=True, artifacts_dir=tmp_path)
    assert capsys.readouterr().out.count("[torch.onnx]") == 3
    (file,) = tmp_path.glob("onnx_export_*.pt2")
    assert torch.export.load(file).module()(torch.ones(2, 3)).shape == (2, 2)


def test_verify(net, monkeypatch):
    torch.onnx.export(net, (torch.ones(2, 3),), verify=True)
    monkeypatch.setattr(torch.onnx.ONNXProgram, "__call__", lambda *_: (torch.zeros(2, 2),))
    with pytest.warns(torch.onnx.errors.OnnxExporterWarning, match="Output 'linear_1' differs"):
        torch.onnx.export(net, (torch.ones(2, 3),), verify=True)


def test_unused_parts_are_removed():
    class Unused(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.unused = nn.Linear(3, 2), nn.Linear(3, 2)

        def forward(self, x):
            x.exp()
            return self.used(x) + self.used(x)

    names = {"used.weight", "used.bias"}
    proto = torch.onnx.export(Unused().eval(), (torch.ones(2, 3),)).model_proto
    assert initializers(proto) == names and len(proto.graph.node) == 2
    proto = torch.onnx.export(Unused().eval(), (torch.ones(2, 3),), optimize=False).model_proto
    assert initializers(proto) == names and len(proto.graph.node) == 3


def test_forward_can_ask():
    class Asks(nn.Module):
        def forward(self, x):
            return x * 2 if torch.onnx.is_in_onnx_export() else x

    program = torch.onnx.export(Asks().eval(), (torch.ones(2),))
    assert program(torch.ones(2))[0].tolist() == [2.0, 2.0]
    assert not torch.onnx.is_in_onnx_export()
