"""Writes to tensors that recurrent and linear layers save for backward raise an error exactly if PyTorch does."""

import pytest
import torch

import torchlike

NONE = "the layer has none"
LAYERS = {
    "RNN": ("RNN", {}),
    "GRU, batch first": ("GRU", {"batch_first": True}),
    "LSTM": ("LSTM", {}),
    "LSTM, two layers and directions": ("LSTM", {"num_layers": 2, "bidirectional": True}),
    "LSTM, float64": ("LSTM", {"dtype": "float64"}),
    "LSTM, projected": ("LSTM", {"proj_size": 1}),
    "RNNCell": ("RNNCell", {}),
    "LSTMCell": ("LSTMCell", {}),
    "GRUCell": ("GRUCell", {}),
}


def run(library, name, options, target, frozen=False):
    """Return the error of a backward pass after a write to `target` (an input, a parameter or a result), or None."""
    options = {k: getattr(library, v) if k == "dtype" else v for k, v in options.items()}
    layer = getattr(library.nn, name)(3, 2, **options)
    dtype, width = options.get("dtype", library.float32), options.get("proj_size", 2)
    count = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    lead, states = ((2,), (2,)) if name.endswith("Cell") else ((4, 2), (count, 4 if "batch_first" in options else 2))

    def made(*shape):
        x = library.ones(shape, dtype=dtype, requires_grad=not frozen)
        return x if frozen else x * 2

    x, h, c = made(*lead, 3), made(*states, width), made(*states, 2)
    found = layer(x, (h, c) if name.startswith("LSTM") else h)
    flat = [found] if name.endswith("Cell") and not isinstance(found, tuple) else [found[0]]
    flat += [s for s in found[1:] for s in (s if isinstance(s, tuple) else (s,))] if isinstance(found, tuple) else []
    tensors = {
        "x": x,
        "h": h,
        "c": c,
        **dict(layer.named_parameters()),
        **{f"result {i}": t for i, t in enumerate(flat)},
    }
    if target not in tensors:
        return NONE
    with library.no_grad():
        tensors[target].mul_(1)
    try:
        flat[0].sum().backward()
    except RuntimeError as error:
        return str(error)
    return None


INPUTS = ("x", "h", "c", "result 0", "result 1", "result 2")
WEIGHTS = tuple(
    f"{kind}_{part}{end}" for kind in ("weight", "bias") for part in ("ih", "hh") for end in ("_l0", "_l1", "")
)


@pytest.mark.parametrize("frozen", [False, True], ids=["", "frozen input"])
@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.filterwarnings("ignore:LSTM with projections")
def test_a_write_to_what_a_recurrent_layer_keeps(layer, frozen):
    refused = 0
    for target in [*WEIGHTS, "weight_hr_l0"] if frozen else [*INPUTS, *WEIGHTS, "weight_hr_l0"]:
        due = run(torch, *LAYERS[layer], target, frozen)
        assert run(torchlike, *LAYERS[layer], target, frozen) == due, target
        refused += due not in (None, NONE)
    assert refused or (frozen and "Cell" in layer)


def linear_error(library, shape, target, grads):
    tensors = [library.ones(s, requires_grad=g) for s, g in zip((shape, (4, shape[-1]), (4,)), grads)]
    used = [t * 1 if t.requires_grad and i == 0 else t for i, t in enumerate(tensors)]
    found = library.nn.functional.linear(*used)
    with library.no_grad():
        used[target].mul_(1)
    try:
        found.sum().backward()
    except RuntimeError as error:
        return str(error)
    return None


@pytest.mark.parametrize("target", range(3), ids=["input", "weight", "bias"])
@pytest.mark.parametrize("grads", [(True, True, True), (False, True, True), (True, False, True)], ids=str)
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 2, 3)], ids=str)
def test_a_write_to_what_linear_keeps(shape, grads, target):
    assert linear_error(torchlike, shape, target, grads) == linear_error(torch, shape, target, grads)
