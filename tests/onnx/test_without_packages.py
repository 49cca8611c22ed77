"""What `torch.onnx` does without the packages of the exporter, and what it refuses."""

import importlib.util

import pytest
import torch

import torchlike

nn = torchlike.nn


@pytest.mark.parametrize("name", ["onnx", "onnx_ir", "onnxruntime", "onnxscript"])
def test_a_missing_package_is_named(name, monkeypatch):
    import sys

    if importlib.util.find_spec(name) is not None:
        monkeypatch.setitem(sys.modules, name, None)  # an import of it raises ModuleNotFoundError
    from torchlike.onnx._packages import needed

    with pytest.raises(ModuleNotFoundError, match=rf"needs the package {name}\. .*pip install torchlike\[onnx\]"):
        needed(name)


def test_export_needs_packages(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install torchlike\[onnx\]"):
        torchlike.onnx.export(nn.Linear(2, 2).eval(), (torchlike.ones(1, 2),))


REFUSED = {
    "custom_translation_table": {len: len},
    "report": True,
    "profile": True,
    "custom_opsets": {"own": 1},
    "export_modules_as_functions": True,
    "autograd_inlining": False,
    "operator_export_type": torchlike.onnx.OperatorExportTypes.ONNX_ATEN,
}


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_that_are_refused_are_named(name):
    with pytest.raises(NotImplementedError, match=f"export\\({name}="):
        torchlike.onnx.export(nn.Linear(2, 2).eval(), (torchlike.ones(1, 2),), **{name: REFUSED[name]})


def test_the_parameters_are_those_of_pytorch():
    import inspect

    ours, theirs = (inspect.signature(L.onnx.export).parameters for L in (torchlike, torch))
    plain = lambda p: p.default.name if hasattr(p.default, "name") else p.default
    assert [(p.name, p.kind, plain(p)) for p in ours.values()] == [(p.name, p.kind, plain(p)) for p in theirs.values()]


@pytest.mark.parametrize("kind", ["TrainingMode", "OperatorExportTypes", "TensorProtoDataType"])
def test_enumerations(kind):
    ours, theirs = (getattr(L.onnx, kind).__members__ for L in (torchlike, torch))
    assert {n: int(getattr(m, "value", m)) for n, m in ours.items()} == {n: int(m) for n, m in theirs.items()}


def test_errors():
    for arguments in (("aten::det", 17, None), ("aten::det", 17, 18), ("own::f", 17, None)):
        ours, theirs = (str(L.onnx.errors.UnsupportedOperatorError(*arguments)) for L in (torchlike, torch))
        assert ours == theirs
    for name in ("OnnxExporterError", "OnnxExporterWarning", "SymbolicValueError"):
        ours, theirs = (getattr(L.onnx.errors, name) for L in (torchlike, torch))
        assert [k.__name__ for k in ours.__mro__] == [k.__name__ for k in theirs.__mro__]


@pytest.mark.parametrize("name", ["no_domain", "own::9", "onnx::Add"])
def test_names_of_symbolic_functions(name):
    for L in (torchlike, torch):
        with pytest.raises((L.onnx.OnnxExporterError, ValueError), match="Failed to register operator"):
            L.onnx.register_custom_op_symbolic(name, lambda g, x: x, 9)


def test_registered_functions_can_be_removed():
    register, unregister = torchlike.onnx.register_custom_op_symbolic, torchlike.onnx.unregister_custom_op_symbolic
    from torchlike.onnx._symbolics import refuse

    register("::relu", lambda g, x: x, 9)
    with pytest.raises(torchlike.onnx.OnnxExporterError, match="A symbolic function is registered for aten::relu"):
        refuse("aten::relu")
    unregister("aten::relu", 9)
    refuse("aten::relu")


def test_no_export_is_running():
    assert not torchlike.onnx.is_in_onnx_export()
