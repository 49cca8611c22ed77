"""Recurrent layers and cells in ONNX Runtime."""

import pytest

import torchlike as torch

nn = torch.nn
LAYERS = {
    "LSTM": lambda **options: nn.LSTM(3, 4, **options),
    "GRU": lambda **options: nn.GRU(3, 4, **options),
    "RNN of tanh": lambda **options: nn.RNN(3, 4, **options),
    "RNN of relu": lambda **options: nn.RNN(3, 4, nonlinearity="relu", **options),
}
OPTIONS = {
    "one layer": {},
    "two layers of two directions": {"num_layers": 2, "bidirectional": True},
    "batch first": {"batch_first": True},
    "without bias": {"bias": False},
}
CELLS = {
    "LSTMCell": lambda: nn.LSTMCell(3, 4),
    "GRUCell": lambda: nn.GRUCell(3, 4),
    "RNNCell": lambda: nn.RNNCell(3, 4),
    "RNNCell of relu": lambda: nn.RNNCell(3, 4, nonlinearity="relu", bias=False),
}


def compare(module, inputs, *others, **options):
    program = torch.onnx.export(module.eval(), inputs, **options)
    for given in (inputs, *others):
        wanted = [leaf.detach() for leaf in torch.utils._pytree.tree_leaves(module(*given))]
        # ONNX Runtime's tanh and sigmoid differ from XLA's by some units in the last place.
        torch.testing.assert_close(program(*given), tuple(wanted), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("layer", LAYERS)
def test_layer(layer, options):
    torch.manual_seed(0)
    module = LAYERS[layer](**OPTIONS[options])
    dims = ({0: "a", 1: "b"},)
    compare(module, (torch.randn(5, 7, 3),), (torch.randn(3, 9, 3),), dynamic_shapes=dims)


def test_given_states():
    torch.manual_seed(0)
    states = (torch.randn(1, 2, 4), torch.randn(1, 2, 4))
    compare(nn.LSTM(3, 4), (torch.randn(5, 2, 3), states))


@pytest.mark.parametrize("cell", CELLS)
def test_cell(cell):
    torch.manual_seed(0)
    compare(CELLS[cell](), (torch.randn(5, 3),), (torch.randn(1, 3),), dynamic_shapes=({0: "n"},))


def test_projections_are_refused():
    module = nn.LSTM(3, 4, proj_size=2).eval()
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"recurrent_layer.*projection"):
        torch.onnx.export(module, (torch.randn(5, 2, 3),))
