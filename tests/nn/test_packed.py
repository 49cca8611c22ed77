"""Recurrent layers over packed sequences, compared with PyTorch's in random configurations."""

import random

import pytest
import torch

import torchlike
from tests.nn.twins import agree, execute, numbers

LAYERS = ("LSTM", "GRU", "RNN")
# Several hundred rounded steps add up. Half precision is rounded in other places (docs/differences.md).
TOLERANCES = {"float32": 2e-5, "float64": 1e-10, "bfloat16": 5e-2, "float16": 6e-3}


def configuration(seed):
    """Return a random module, its dtype, the lengths of its sequences, and how it is called."""
    choose = random.Random(seed)
    kind = choose.choice(LAYERS)
    lengths = [choose.choice((1, 1, 2, 3, 5, 7)) for _ in range(choose.randint(1, 5))]
    if choose.random() < 0.2:
        lengths = [lengths[0]] * len(lengths)
    in_order = choose.random() < 0.5
    options = {
        "num_layers": (layers := choose.randint(1, 3)),
        "bidirectional": choose.random() < 0.5,
        "bias": choose.random() < 0.7,
        "dropout": choose.choice((0.0, 0.4)) if layers > 1 else 0.0,
        "dtype": choose.choice(list(TOLERANCES)),
    }
    if kind == "LSTM" and choose.random() < 0.3:
        options["proj_size"] = 1
    if kind == "RNN":
        options["nonlinearity"] = choose.choice(("tanh", "relu"))
    lengths = sorted(lengths, reverse=True) if in_order else lengths
    return kind, options, lengths, in_order, choose.random() < 0.5, choose.random() < 0.8


def results(T, case, twice=False):
    """Return the output, the final states, the gradients of everything, and a random number drawn afterwards."""
    kind, options, lengths, in_order, has_state, trains = case
    options = options | {"dtype": (dtype := getattr(T, options["dtype"]))}
    net = getattr(T.nn, kind)(3, 4, **options).train(trains)
    made = lambda seed, *shape: T.from_numpy(numbers(*shape, seed=seed)).to(dtype).requires_grad_()
    rows = [made(i, n, 3) for i, n in enumerate(lengths)]
    count = options["num_layers"] * (1 + options["bidirectional"])
    widths = (options.get("proj_size", 4), 4)[: 1 + (kind == "LSTM")]
    states = [made(9 + i, count, len(lengths), n) for i, n in enumerate(widths)] if has_state else []
    hx = (tuple(states) if kind == "LSTM" else states[0]) if states else None
    output, last = net(T.nn.utils.rnn.pack_sequence(rows, enforce_sorted=in_order), hx)
    last = last if isinstance(last, tuple) else (last,)
    loss = output.data.cos().sum() + sum((s * s).sum() for s in last)
    leaves = [*net.parameters(), *rows, *states]
    found = list(T.autograd.grad(loss, leaves, create_graph=twice))
    if twice:
        found += T.autograd.grad(sum((g * g).sum() for g in found), leaves, allow_unused=True)
    return [output.data, output.batch_sizes, *last, *found, T.rand(2)]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.filterwarnings("ignore:LSTM with projections")
def test_random_configurations(seed):
    case = configuration(seed)
    tolerance = TOLERANCES[case[1]["dtype"]]
    agree(lambda T: results(T, case), rtol=tolerance, atol=tolerance, warned=False)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("seed", range(100, 106))
@pytest.mark.filterwarnings("ignore:LSTM with projections")
def test_both_executors(seed, executor):
    kind, options, *rest = configuration(seed)
    case = kind, options | {"dtype": "float64"}, *rest
    with torchlike.set_executor(executor):
        agree(lambda T: results(T, case), rtol=1e-10, atol=1e-10, warned=False)


@pytest.mark.parametrize("kind", LAYERS)
def test_second_derivatives(kind):
    options = {"num_layers": 2, "bidirectional": True, "bias": True, "dtype": "float64"}
    case = kind, options, [3, 1, 2], False, True, True
    agree(lambda T: results(T, case, twice=True), rtol=1e-9, atol=1e-9, warned=False)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("kind", LAYERS)
def test_a_sequence_with_nan_does_not_change_the_others(kind, executor):
    script = f"""
rows = [T.ones(4, 3), T.full((2, 3), float('nan')), T.ones(1, 3)]
rows = [r.requires_grad_() for r in rows]
net = nn.{kind}(3, 4, bidirectional=True)
output, state = net(nn.utils.rnn.pack_sequence(rows))
log(output.data); log(state); output.data.nan_to_num().sum().backward(); log([rows[0].grad, rows[2].grad])
"""
    with torchlike.set_executor(executor):
        agree(lambda T: execute(script, T))


@pytest.mark.parametrize(
    "sizes", ([3, 2], [3, 3, 1], [2, 3, 1], [3, 2, 2], [], [3, 0, 3], [6], [4, -1, 3], [7], [0]), ids=str
)
@pytest.mark.parametrize("layer", ["nn.LSTM(3, 4)", "nn.GRU(3, 4, bidirectional=True)"])
def test_batch_sizes_that_do_not_fit(layer, sizes):
    sizes = f"T.tensor({sizes}, dtype=T.int64)"
    line = f"log({layer}(nn.utils.rnn.PackedSequence(T.ones(6, 3), {sizes}))[0].data.shape)"
    agree(lambda T: execute(line, T))


def test_the_dtype_of_batch_sizes():
    state = "(T.zeros(1, 3, 4),) * 2"
    line = f"nn.LSTM(3, 4)(nn.utils.rnn.PackedSequence(T.ones(6, 3), T.tensor([3, 2, 1], dtype=T.int32)), {state})"
    agree(lambda T: execute(line, T))


@pytest.mark.parametrize("lengths", ([3, 1], [2, 2]), ids=str)
@pytest.mark.parametrize("layer", ["LSTM(3, 4)", "LSTM(3, 4, proj_size=2)", "GRU(3, 4)", "RNN(3, 4, 2)"])
@pytest.mark.filterwarnings("ignore:LSTM with projections")
def test_names_of_nodes(layer, lengths):
    script = f"""
net = nn.{layer}
output, state = net(nn.utils.rnn.pack_sequence([T.ones(n, 3) for n in {lengths}]))
state = state if isinstance(state, tuple) else (state,)
log([t.grad_fn.name() for t in (output.data, *state)])
output, state = net(T.ones(2, 2, 3))
state = state if isinstance(state, tuple) else (state,)
log([t.grad_fn.name() for t in (output, *state)])
"""
    agree(lambda T: execute(script, T), warned=False)


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("lengths", ([3, 1], [2, 2]), ids=str)
def test_autocast(kind, lengths):
    def run(T):
        net = getattr(T.nn, kind)(3, 4, 2, bidirectional=True)
        packed = T.nn.utils.rnn.pack_sequence([T.ones(n, 3) for n in lengths])
        with T.autocast("cpu", dtype=T.bfloat16):
            output, state = net(packed)
        output.data.float().sum().backward()
        return [output.data, state, net.weight_ih_l0.grad]

    try:
        run(torch)
    except RuntimeError as error:  # oneDNN has no bfloat16 layers for some processors
        assert "primitive descriptor" in str(error)
        assert run(torchlike)[0].dtype is torchlike.bfloat16
        return
    agree(run, rtol=5e-2, atol=5e-2)  # the steps are rounded in other places (docs/differences.md)


def test_vmap_over_the_rows():
    net, sizes = torchlike.nn.GRU(3, 4, bidirectional=True), torchlike.tensor([2, 1])
    rows = torchlike.from_numpy(numbers(5, 3, 3))

    def last(data):
        return net(torchlike.nn.utils.rnn.PackedSequence(data, sizes))[0].data

    torchlike.testing.assert_close(torchlike.vmap(last)(rows), torchlike.stack([last(data) for data in rows]))


def test_a_compiled_step():
    net = torchlike.nn.LSTM(3, 4, 2, bidirectional=True)
    rows = [torchlike.from_numpy(numbers(n, 3)) for n in (4, 2, 1)]

    def step():
        net.zero_grad()
        net(torchlike.nn.utils.rnn.pack_sequence(rows))[0].data.sum().backward()
        return [p.grad.clone() for p in net.parameters()]

    due, compiled = step(), torchlike.compile(step)
    for _ in range(3):
        for mine, one in zip(compiled(), due):
            torchlike.testing.assert_close(mine, one)
