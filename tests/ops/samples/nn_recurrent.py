"""Samples of recurrent networks."""

from tests.ops.sample import Fails, Sample, normal

ROUNDING = "steps add up rounding"
ANY = "PyTorch's depend on the kernel it picks"


def params(gates, layers=1, directions=1, biases=True, projection=0):
    """Return the weights of a network with input size 3 and hidden size 4, in PyTorch's order."""
    out = []
    for layer in range(layers):
        for direction in range(directions):
            seed = 10 * layer + direction
            inputs = 3 if layer == 0 else (projection or 4) * directions
            out += [normal(4 * gates, inputs, seed=seed) / 2, normal(4 * gates, projection or 4, seed=seed + 1) / 2]
            out += [normal(4 * gates, seed=seed) / 2, normal(4 * gates, seed=seed + 1) / 2] if biases else []
            out += [normal(projection, 4, seed=seed) / 2] if projection else []
    return out


def network(gates, cells=False):
    """Return samples of one layer, of two bidirectional layers, and of a layer without biases."""
    found = []
    for layers, directions, biases, batch_first in ((1, 1, True, False), (2, 2, True, True), (1, 1, False, False)):
        states = [normal(layers * directions, 2, 4, seed=s) for s in (1, 2)]
        x = normal(2, 5, 3) if batch_first else normal(5, 2, 3)
        weights = params(gates, layers, directions, biases)
        hx = tuple(states) if cells else states[0]
        found.append(Sample(x, hx, weights, biases, layers, 0.0, True, directions == 2, batch_first))
    return [s.loosely(ROUNDING, 2e-5, 2e-5).any_stride(ANY) for s in found]


def cell(gates, cells=False):
    states = [normal(2, 4, seed=s) for s in (1, 2)]
    hx = tuple(states) if cells else states[0]
    return [
        Sample(normal(2, 3), hx, *params(gates)),
        Sample(normal(2, 3), hx, *params(gates, biases=False)),
        Sample(normal(2, 3), hx, *params(gates)[:3]),
        Sample(normal(2, 3), hx, *params(gates, biases=False), None, params(gates)[3]),
        Fails(normal(2, 2), hx, *params(gates)),
    ]


PROJECTED = Sample(
    normal(5, 2, 3), (normal(2, 2, 2), normal(2, 2, 4)), params(4, 2, 1, True, 2), True, 2, 0.0, True, False, False
)

SAMPLES = {
    "lstm": [*network(4, True), PROJECTED.loosely(ROUNDING, 2e-5, 2e-5).any_stride(ANY)],
    "gru": network(3),
    "rnn_tanh": network(1),
    "rnn_relu": network(1),
    "lstm_cell": cell(4, True),
    "gru_cell": cell(3),
    "rnn_tanh_cell": cell(1),
    "rnn_relu_cell": cell(1),
}
