"""After one seed, a new module has PyTorch's weights and leaves the generator in the same state as PyTorch does."""

import numpy as np
import pytest
import torch

import torchlike
from tests.nn.layers import ACTIVATIONS, LAYERS

MORE = [
    "nn.LSTM(3, 5, 2, bidirectional=True)",
    "nn.LSTM(3, 5, proj_size=2)",
    "nn.GRU(3, 5, 2)",
    "nn.RNN(3, 5)",
    "nn.LSTMCell(3, 5)",
    "nn.GRUCell(3, 5)",
    "nn.RNNCell(3, 5)",
    "nn.MultiheadAttention(8, 2)",
    "nn.MultiheadAttention(8, 2, kdim=4, vdim=6, add_bias_kv=True)",
    "nn.TransformerEncoderLayer(8, 2, 16)",
    "nn.TransformerDecoderLayer(8, 2, 16)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)",
    "nn.SyncBatchNorm(3)",
    "nn.Transformer(8, 2, 1, 1, 16)",
    "nn.Embedding(7, 3, padding_idx=1)",
    "nn.Linear(64, 64)",
]
MADE = list(dict.fromkeys([*ACTIVATIONS, *(layer[0] for layer in LAYERS), *MORE]))


def fresh(library, text):
    library.manual_seed(3)
    module = eval(text, {"nn": library.nn, "T": library, "torch": library})
    return {name: value.detach() for name, value in module.state_dict().items()}, library.random.get_rng_state()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize("text", MADE)
def test_weights(text):
    (theirs, state), (ours, own_state) = fresh(torch, text), fresh(torchlike, text)
    assert list(theirs) == list(ours)
    for name in theirs:
        np.testing.assert_array_equal(ours[name].numpy(), theirs[name].numpy(), err_msg=name)
    np.testing.assert_array_equal(own_state.numpy(), state.numpy())


def test_every_module_is_tried():
    """Check that every module with parameters of its own is tested.

    Lazy modules are exempt, because they create parameters later. Base classes are covered by their subclasses.
    """
    tried = " ".join(MADE)
    known = {name for name in dir(torchlike.nn) if isinstance(getattr(torchlike.nn, name), type)}
    having = {name for name in known if makes_parameters(getattr(torchlike.nn, name))}
    untried = {name for name in having if f"nn.{name}(" not in tried and not name.startswith("Lazy")}
    assert untried == {"RNNBase", "RNNCellBase"}


def makes_parameters(kind):
    return issubclass(kind, torchlike.nn.Module) and any(
        "reset_parameters" in vars(base) or "_reset_parameters" in vars(base) for base in kind.__mro__
    )
