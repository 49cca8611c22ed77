"""`torch.onnx.ONNXProgram` and the checks of models."""

import pytest

import torchlike as torch
from torchlike.onnx.testing import assert_onnx_program
from torchlike.onnx.verification import VerificationInfo, verify_onnx_program

nn = torch.nn


@pytest.fixture
def program():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)).eval()
    return torch.onnx.export(net, (torch.randn(2, 3),), dynamic_shapes=({0: "n"},))


def test_backends_agree(program):
    x = torch.randn(5, 3)
    torch.testing.assert_close(program(x), program.call_reference(x))
    with pytest.raises(ValueError, match="takes 1 tensors, but 2 were given"):
        program(x, x)


def test_values_inside(program):
    x = torch.randn(5, 3)
    hidden, weight = program.compute_values(["relu", "0.weight"], (x,))
    assert hidden.shape == (5, 4) and (hidden >= 0).all()
    assert weight.equal(program.exported_program.state_dict["0.weight"])
    assert program(x)[0].shape == (5, 2)
    with pytest.raises(ValueError, match="Value 'other' not found in the model"):
        program.compute_values(["other"], (x,))


def test_weights_can_be_replaced(program):
    x = torch.randn(5, 3)
    program(x)
    program.apply_weights({"2.weight": torch.zeros(2, 4), "2.bias": torch.tensor([1.0, 2.0])})
    assert program(x)[0].tolist() == [[1.0, 2.0]] * 5
    with pytest.warns(torch.onnx.errors.OnnxExporterWarning, match="Weight 'other' not found in the model"):
        program.apply_weights({"other": torch.zeros(2)})


def test_optimize_keeps_results(program):
    x = torch.randn(5, 3)
    before = program(x)
    program.optimize()
    torch.testing.assert_close(program(x), before)


def test_axes_can_be_renamed(program):
    program.rename_axes({"n": "batch"})
    assert [str(v.shape[0]) for v in (*program.model.graph.inputs, *program.model.graph.outputs)] == ["batch", "batch"]
    program.rename_axes({program.model.graph.inputs[0].shape[0]: "rows"})
    assert str(program.model.graph.outputs[0].shape[0]) == "rows"


def test_own_sessions(program):
    given = []
    program.initialize_inference_session(lambda model: given.append(model))
    assert isinstance(given[0], bytes)
    program.release()
    assert program(torch.ones(1, 3))[0].shape == (1, 2)


def test_large_models_have_files_of_weights(program, monkeypatch, tmp_path):
    monkeypatch.setattr("torchlike.onnx._program.LARGE", 10)
    program.save(tmp_path / "net.onnx")
    assert (tmp_path / "net.onnx.data").exists()
    assert program(torch.ones(1, 3))[0].shape == (1, 2)
    program.release()


@pytest.mark.parametrize("backend", ["onnxruntime", "reference"])
def test_checks(program, backend):
    assert_onnx_program(program, backend=backend)
    (found,) = verify_onnx_program(program)
    assert found.name == "linear_1" and found.max_abs_diff < 1e-5
    program.apply_weights({"2.bias": torch.tensor([100.0, 2.0])})
    with pytest.raises(AssertionError, match="not close"):
        assert_onnx_program(program, args=(torch.ones(4, 3),), backend=backend)
    (found,) = verify_onnx_program(program)
    assert found.max_abs_diff > 90 and found.asdict()["expected_dtype"] == "torch.float32"


def test_checks_need_programs_and_inputs(program):
    with pytest.raises(ValueError, match="Unsupported backend 'other'"):
        assert_onnx_program(program, backend="other")
    with pytest.raises(ValueError, match="Expected strategy 'JitTrace'"):
        assert_onnx_program(program, strategy="JitTrace")
    with pytest.raises(NotImplementedError, match="compare_intermediates"):
        verify_onnx_program(program, compare_intermediates=True)
    program.exported_program = None
    with pytest.raises(ValueError, match="does not contain an ExportedProgram"):
        verify_onnx_program(program)


def test_differences_of_tensors():
    found = VerificationInfo.from_tensors("x", torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    assert (found.max_abs_diff, round(found.max_rel_diff, 6)) == (0.5, 0.25)
    assert found.abs_diff_hist[0].tolist() == [1, 0, 0, 0, 0, 0, 1, 0, 0]
    assert VerificationInfo.from_tensors("x", torch.ones(0), torch.ones(0)).max_abs_diff == float("inf")
