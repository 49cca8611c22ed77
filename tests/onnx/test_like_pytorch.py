"""Models of torchlike's and of PyTorch's exporter have the same inputs, outputs, weights and results."""

import warnings

import numpy as np
import onnxruntime
import pytest
import torch

import torchlike

# PyTorch's exporter warns of its own deprecated functions, and of the mode of the module.
pytestmark = [pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")]


def mlp(L):
    return L.nn.Sequential(L.nn.Linear(6, 8), L.nn.ReLU(), L.nn.Linear(8, 2)), (L.ones(3, 6),)


def convolutions(L):
    layers = [L.nn.Conv2d(3, 4, 3, padding=1), L.nn.BatchNorm2d(4), L.nn.ReLU(), L.nn.MaxPool2d(2), L.nn.Flatten()]
    return L.nn.Sequential(*layers, L.nn.Linear(64, 5)), (L.ones(3, 3, 8, 8),)


def words(L):
    class Words(L.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.norm, self.out = L.nn.Embedding(10, 4), L.nn.LayerNorm(4), L.nn.Linear(4, 2, bias=False)

        def forward(self, tokens, scale):
            x = self.norm(self.embed(tokens)) * scale
            return self.out(x), x.softmax(-1)

    return Words(), (L.zeros(3, 5, dtype=L.int64), L.ones(3, 1, 1))


NETWORKS = {"mlp": mlp, "convolutions": convolutions, "words": words}
FORMS = {
    "fixed": {},
    "dims": {"dynamic_shapes": True},
    "axes": {"dynamic_axes": True, "input_names": ["a", "b"], "output_names": ["y", "z"]},
}


def exported(L, make, form):
    module, args = make(L)
    with L.no_grad():
        for i, weight in enumerate(module.state_dict().values()):
            if weight.is_floating_point():
                weight.copy_(L.linspace(0.1, 1, weight.numel()).view(weight.shape).sin() + 0.1 * i)
    options = dict(FORMS[form])
    if options.get("dynamic_shapes"):
        options["dynamic_shapes"] = tuple({0: L.export.Dim("batch")} for _ in args)
    if options.get("dynamic_axes"):
        options["dynamic_axes"] = {name: {0: "batch"} for name in ["a", "b"][: len(args)]}
        options["input_names"] = ["a", "b"][: len(args)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # PyTorch's optimizer folds weights into others, which then have no names.
        return L.onnx.export(module.eval(), args, verbose=False, optimize=False, **options).model_proto


def layout(proto):
    shape = lambda v: [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim]
    kind = lambda v: v.type.tensor_type.elem_type
    values = [[(v.name, kind(v), shape(v)) for v in part] for part in (proto.graph.input, proto.graph.output)]
    return values, {w.name for w in proto.graph.initializer if not w.name.startswith(("val", "constant"))}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NETWORKS)
def test_layout_and_results(name, form):
    ours, theirs = (exported(L, NETWORKS[name], form) for L in (torchlike, torch))
    (inputs, outputs), weights = layout(ours)
    (wanted, wanted_outputs), wanted_weights = layout(theirs)
    assert inputs == wanted
    # Outputs of operators that PyTorch decomposes have its names for their parts.
    assert [each[1:] for each in outputs] == [each[1:] for each in wanted_outputs]
    assert form != "axes" or outputs == wanted_outputs
    assert weights == wanted_weights
    rng = np.random.default_rng(0)
    sizes = [[7 if d == "batch" else d for d in shape] for _, _, shape in inputs]
    arrays = [
        rng.integers(0, 10, s) if kind == 7 else rng.random(s, np.float32) for s, (_, kind, _) in zip(sizes, inputs)
    ]
    given = {name: array for array, (name, _, _) in zip(arrays, inputs)} if form != "fixed" else None
    if given is not None:
        results = [onnxruntime.InferenceSession(m.SerializeToString()).run(None, given) for m in (ours, theirs)]
        for a, b in zip(*results):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dynamo", [True, False])
def test_unknown_operators_have_the_same_class_of_error(dynamo):
    def error(L):
        class Values(L.nn.Module):
            def forward(self, x):
                return L.linalg.eigvalsh(x)

        import io

        file = None if dynamo else io.BytesIO()
        with pytest.raises(L.onnx.OnnxExporterError) as found:
            L.onnx.export(Values().eval(), (L.ones(3, 3),), file, dynamo=dynamo, verbose=False)
        return found.value

    ours, theirs = error(torchlike), error(torch)
    assert dynamo or type(ours).__name__ == type(theirs).__name__ == "UnsupportedOperatorError"
    assert "eigvalsh" in str(ours)


def test_names():
    ours, theirs = ({n for n in dir(L.onnx) if not n.startswith("_")} for L in (torchlike, torch))
    # What torchlike lacks: classes of observers, and modules of PyTorch's symbolic functions.
    assert theirs - ours <= {
        "Any", "TYPE_CHECKING", "annotations", "torch", "ExportableModule", "InputObserver", "JitScalarType", "ops",
        "select_model_mode_for_export", "symbolic_helper", "symbolic_opset9", "symbolic_opset10", "utils", "testing",
        "verification", "operators",
    }  # fmt: skip
