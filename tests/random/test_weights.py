"""From one seed, the initial weights of every layer and the generator's final state equal PyTorch's bit for bit."""

import inspect
import re

import numpy as np
import pytest
import torch

import torchlike
from tests.nn.layers import LAYERS
from tests.nn.twins import evaluate

MORE = [
    "nn.LinearCrossEntropyLoss(5, 7)",
    "nn.ParameterList([nn.Parameter(T.randn(2)), nn.Parameter(T.rand(3))])",
    "nn.utils.weight_norm(nn.Linear(3, 4))",
    "nn.utils.parametrizations.spectral_norm(nn.Linear(5, 6))",
]
LINES = list(dict.fromkeys([line for line, _ in LAYERS] + MORE))


def fresh(library, line):
    library.manual_seed(11)
    layer = evaluate(line, library)
    return {name: value.detach().numpy() for name, value in layer.state_dict().items()}, library.get_rng_state().numpy()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", LINES)
def test_fresh_weights(line):
    (ours, our_state), (theirs, their_state) = fresh(torchlike, line), fresh(torch, line)
    assert list(ours) == list(theirs)
    for name, due in theirs.items():
        if "_norm(nn" in line:  # products and norms, whose sums are added in another order
            np.testing.assert_allclose(ours[name], due, rtol=1e-5, atol=1e-6)
        else:
            assert ours[name].tobytes() == due.tobytes(), name
    assert np.array_equal(our_state, their_state)


def _has_weights(kind):
    """Return whether a layer registers parameters of its own. Its constructor then has a `device` argument."""
    return issubclass(kind, torch.nn.Module) and "device" in inspect.signature(kind).parameters


def test_every_layer_with_weights_is_among_them():
    named = {name for line in LINES for name in re.findall(r"nn\.(\w+)", line)}
    kinds = {n: k for n, k in vars(torch.nn).items() if inspect.isclass(k) and _has_weights(k)}
    made = {n for n in kinds if hasattr(torchlike.nn, n) and not n.startswith("Lazy")}
    assert made - named <= {"SyncBatchNorm", "RNNBase", "RNNCellBase"}
