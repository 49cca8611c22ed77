"""The choice of the executor, and the equality of the results of all executors."""

import jax
import numpy as np
import pytest
import torch as judge

import torchlike as torch
from torchlike import _dtypes
from torchlike._engine import aval, boundary, stats
from torchlike._engine.interpreter import costs
from torchlike._engine.interpreter import executor as numpy_executor
from torchlike._engine.interpreter.jaxpr import flatten
from torchlike._engine.interpreter.rules import RULES
from torchlike._engine.report.program_statistics import heard, ledger
from torchlike._engine.trace.plan import FLAT, Plan, specs
from torchlike._ops.schema import interpreted


def _compiles(run):
    boundary()
    before = stats.compiles
    run()
    boundary()
    return stats.compiles - before


def _forward(n=7):
    x = torch.arange(float(n))
    return (torch.softmax(x * 2 + 1, 0) @ torch.ones(n)).item()


def test_cold_forward_work_compiles_nothing():
    assert _compiles(_forward) == 0


def test_work_with_gradients_is_compiled_when_it_comes_again():
    w = torch.ones(11, requires_grad=True)

    def train():
        (w * torch.arange(11.0)).sum().backward()
        boundary()
        found, w.grad = w.grad.tolist(), None
        return found

    found = []
    assert [_compiles(lambda: found.append(train())) for _ in range(3)] == [0, 1, 0]
    assert found == [[*range(11)]] * 3


@pytest.mark.parametrize("reason", ["many operators", "much data", "an operator that NumPy lacks"])
def test_larger_work_with_gradients_is_compiled_at_once(reason, monkeypatch):
    monkeypatch.delitem(RULES, "tan")
    ledger.lines.clear()  # a source line that has three programs would compile no others
    w = torch.ones((1 << 22) if reason == "much data" else 16, requires_grad=True)

    def train():
        x = w * 2
        for _ in range(costs.FEW if reason == "many operators" else 0):
            x = x.cos()
        if reason == "an operator that NumPy lacks":
            x = x.view(*[1] * 11, 16).tan()  # no other test traces it with this number of dims
        x.sum().backward()

    assert _compiles(train) == 1


def test_a_line_that_brings_new_operators_again_and_again_stops_compiling():
    """A source line that keeps producing programs with new operators is no longer compiled.

    The function loops over the letters of a word, so each length gives another program. The first two programs are
    compiled at their second run, later ones only when they run twice in succession.
    """
    w = torch.full((3,), 0.5, requires_grad=True)
    grads = {}

    def read(letters):
        h = torch.ones(3)
        for _ in range(letters):
            h = torch.tanh(h * w + 0.25)
        w.grad = None
        h.sum().backward()
        boundary()
        grads.setdefault(letters, []).append(w.grad.tolist())

    assert _compiles(lambda: [read(n) for n in range(1, 10)]) == 0
    assert _compiles(lambda: [read(n) for n in (1, 2)]) == 2
    assert _compiles(lambda: [read(n) for n in (9, 9)]) == 1
    assert _compiles(lambda: [read(n) for n in (5, 7, 5, 7)]) == 0
    with torch.set_executor("xla"):
        for n in range(1, 10):
            read(n)
    for found in grads.values():
        np.testing.assert_allclose(found[:-1], [found[-1]] * (len(found) - 1), rtol=2e-6)


def test_a_line_that_trains_many_small_models_stops_compiling():
    """A search over sizes runs each program only a few times, so most of its programs are interpreted.

    The gradients and the steps of the first models are compiled. A program that runs often is compiled on any line.
    """

    def train(width, steps):
        model = torch.nn.Sequential(torch.nn.Linear(3, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))
        optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.5)
        for _ in range(steps):
            optimizer.zero_grad()
            model(torch.ones(4, 3)).square().mean().backward()
            optimizer.step()
        return width

    assert _compiles(lambda: [train(width, 4) for width in range(5, 5 + costs.MANY)]) == 2 * costs.MANY
    assert _compiles(lambda: [train(width, 4) for width in range(40, 50)]) == 0
    assert _compiles(lambda: train(60, costs.LATER + 4)) == 2


def test_recurrent_layers_of_lengths_that_come_once_compile_nothing():
    layer = torch.nn.LSTM(3, 4, bidirectional=True)

    def train(length):
        layer.zero_grad()
        layer(torch.ones(length, 2, 3))[0].sum().backward()
        return [p.grad.tolist() for p in layer.parameters()]

    train(3)
    found = {}
    assert _compiles(lambda: found.update({n: train(n) for n in range(4, 9)})) == 0
    with torch.set_executor("xla"):
        for length, grads in found.items():
            for mine, due in zip(grads, train(length)):
                np.testing.assert_allclose(mine, due, rtol=1e-5, atol=1e-6)


def _train_packed(library, net, data, sizes):
    net.zero_grad()
    packed = library.nn.utils.rnn.PackedSequence(library.from_numpy(data), library.tensor(sizes))
    net(packed)[0].data.pow(2).sum().backward()
    return [p.grad.tolist() for p in net.parameters()]


@pytest.mark.filterwarnings("ignore:.*differ only in the shapes")
def test_packed_sequences_of_changing_lengths_compile_nothing():
    random, batches = np.random.default_rng(0), []
    for _ in range(10):
        lengths = random.integers(1, 10, 4)
        sizes = [int((lengths > step).sum()) for step in range(lengths.max())]
        batches.append((random.standard_normal((sum(sizes), 3), dtype=np.float32), sizes))
    nets = []
    for library in (torch, judge):
        library.manual_seed(0)
        nets.append(library.nn.LSTM(3, 4, num_layers=2, bidirectional=True))
    found: list = []
    assert _compiles(lambda: found.extend(_train_packed(torch, nets[0], *batch) for batch in batches)) == 0
    for grads, batch in zip(found, batches):
        for mine, due in zip(grads, _train_packed(judge, nets[1], *batch)):
            np.testing.assert_allclose(mine, due, rtol=1e-4, atol=1e-5)  # the gradients are sums over many rows


def test_batch_sizes_are_data():
    """Batches with the same numbers of rows, steps and sequences share one compiled program."""
    net, data = torch.nn.GRU(3, 4), np.ones((9, 3), np.float32)
    with torch.set_executor("xla"):
        _train_packed(torch, net, data, [3, 2, 2, 1, 1])
        assert _compiles(lambda: _train_packed(torch, net, data, [3, 3, 1, 1, 1])) == 0


def test_small_recurrent_layers_are_interpreted_when_they_repeat():
    """The passes of recurrent layers are written by hand for NumPy, and a compile costs as much as hundreds of them."""
    net, rows = torch.nn.LSTM(3, 4, num_layers=2, bidirectional=True), torch.ones(5, 2, 3)

    def train():
        net(rows)[0].sum().backward()
        return net.weight_ih_l0.grad.sum().item()

    assert _compiles(lambda: [train() for _ in range(4)]) == 0
    wide, rows = torch.nn.LSTM(128, 128), torch.ones(64, 32, 128)

    def train_wide():
        wide.zero_grad()
        wide(rows)[0].sum().backward()
        return wide.weight_ih_l0.grad.sum().item()

    assert _compiles(lambda: [train_wide() for _ in range(costs.REPLACE + 1)]) == 1


@pytest.mark.filterwarnings("ignore:index_reduce:UserWarning")
def test_operators_that_are_written_for_jax_are_interpreted_too():
    """Operators whose kernels call JAX functions are interpreted too.

    Each was once compiled separately for every new shape.
    """
    torch.manual_seed(0)
    layer, cell = torch.nn.LSTM(3, 4, bidirectional=True), torch.nn.GRUCell(3, 4)

    def results(n):
        x, index = torch.linspace(-2, 2, 6 * n).view(n, 2, 3), torch.arange(n) % 2
        yield from (layer(x)[0], cell(x[:, 0]))
        yield torch.ones(2, 3).index_reduce(0, index, x[:, 1], "amax")
        yield torch.nn.functional.interpolate(x, size=7, mode="linear")
        yield torch.nn.functional.log_softmax(x, 2).unfold(0, 2, 1)

    with torch.no_grad(), torch.set_executor("numpy"):
        list(results(2))
        before = heard.compiles
        found = {n: [x.numpy() for x in results(n)] for n in (3, 4, 6, 9)}
        assert heard.compiles == before
    with torch.no_grad(), torch.set_executor("xla"):
        for n, mine in found.items():
            for one, due in zip(mine, results(n), strict=True):
                # XLA sums in a different order, and the differences add up over the steps
                np.testing.assert_allclose(one, due.numpy(), rtol=1e-5, atol=1e-6)


def test_operators_with_loops_in_several_sizes():
    """Operators with loops work in several sizes.

    The interpreter traces operators without loops under `jax.disable_jit`. Operators with loops must not be traced in
    this way, because their loops would be unrolled.
    """

    def gradients(library, n):
        x = library.linspace(-1, 1, 8 * n * 5).view(8, n, 5).requires_grad_()
        targets, lengths = library.ones(n, 3, dtype=library.int64), (library.full((n,), 8), library.full((n,), 3))
        library.nn.functional.ctc_loss(x.log_softmax(2), targets, *lengths).backward()
        rows = library.linspace(-1, 1, 6 * n).view(6, n).requires_grad_()
        library.segment_reduce(rows.cos(), "max", lengths=library.tensor([1, 3, 2])).sum().backward()
        return x.grad.numpy(), rows.grad.numpy()

    with torch.set_executor("numpy"):
        for n in (2, 3, 4, 6):
            for mine, due in zip(gradients(torch, n), gradients(judge, n)):
                np.testing.assert_allclose(mine, due, rtol=1e-5, atol=1e-6)
    assert {"_ctc_loss", "_segment_reduce"}.isdisjoint(op.name for op in interpreted._without_loops)


def test_loops_that_have_cost_a_compile_are_compiled_whatever_is_around_them():
    """A loop that has cost as much as a compile is compiled, whatever surrounds it.

    The graphs may differ in every step, so the break-even cost of a loop is accumulated for its layer and not for the
    program.
    """
    x = aval((2,), _dtypes.float32, torch.device("cpu"))
    plan = Plan("p", (x,), (), (x,), lambda x: (jax.lax.fori_loop(0, 5000, lambda i, y: y * 0.5 + 1, x),))
    program = flatten(jax.make_jaxpr(plan.function)(*specs(plan.inputs, ())))
    assert program.loops == [5000 * 3]
    plan.executor, plan.flat = FLAT, lambda: program
    for run in range(1, 4):
        (found,) = numpy_executor._run(plan, [np.ones(2, np.float32)])
        assert found.tolist() == [2, 2]
        # 15,000 iterations at 5 us take 75 ms. Two runs cost less than the estimated compile time of a loop, three cost
        # more.
        assert (plan.jitted is None) is (run < 3)


def test_layers_that_keep_more_than_their_results_are_interpreted_too():
    """Layers that save more than their results are interpreted too.

    The decoder is sometimes fed its own output, so each sequence of choices gives another graph.
    """
    found = []
    for library in (torch, judge):
        library.manual_seed(0)
        layer, cell = library.nn.LSTM(2, 3), library.nn.LSTMCell(2, 3)
        words = library.randn(4, 1, 2)

        def read(choices, layer=layer, cell=cell, words=words, library=library):
            layer.zero_grad()
            _, (h, c) = layer(words)
            state, given = (h[0], c[0]), words[0]
            for k, own in enumerate(choices):
                state = cell(given, state)
                given = state[0][:, :2] if own else words[k]
            state[0].sum().backward()
            return layer.weight_hh_l0.grad.tolist()

        choices = [[k >> i & 1 for i in range(4)] for k in range(8)]
        if library is torch:
            assert _compiles(lambda choices=choices: [read(some) for some in choices]) == 0
        found.append([read(some) for some in choices])
    np.testing.assert_allclose(*found, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("call", "often", "once"), [("F.gelu(x, approximate=how)", "none", "tanh"), ("L.pow(x, how)", 2.5, 0.5)]
)
def test_second_gradients_are_those_of_their_own_options(call, often, once):
    """Second gradients are computed with the options of their own call.

    A size-generic trace with one option must not be used for another option.
    """
    for size, how in ((3, often), (4, often), (5, often), (6, once)):
        found = []
        for library in (torch, judge):
            x = (library.arange(size, dtype=library.float64) / 4 + 0.3).requires_grad_()
            with torch.set_executor("numpy"):
                result = eval(call, {"L": library, "F": library.nn.functional, "x": x, "how": how})
                (first,) = library.autograd.grad(result.sum(), x, create_graph=True)
                found.append(library.autograd.grad(first.sum(), x)[0].tolist())
        np.testing.assert_allclose(*found, rtol=1e-9)


def test_repeated_programs_are_compiled_at_the_break_even_point(monkeypatch):
    entries = 4  # the host executes arange itself
    monkeypatch.setattr(costs, "COMPILE_ENTRY", 10 * costs.ENTRY)
    monkeypatch.setattr(costs, "BYTE", 0)
    monkeypatch.setattr(costs, "DISPATCH", 0)  # otherwise NumPy keeps these small programs
    _forward(entries + 9)
    assert _compiles(lambda: [_forward(entries + 9) for _ in range(10)]) == 0
    assert _compiles(lambda: [_forward(entries + 9) for _ in range(3)]) == 1
    assert _compiles(lambda: [_forward(entries + 9) for _ in range(3)]) == 0


@pytest.mark.parametrize(("dtype", "compiles"), [(torch.bfloat16, 0), (torch.float8_e5m2, 1)])
def test_eight_bit_floats_are_compiled(dtype, compiles):
    assert _compiles(lambda: (torch.ones(13).to(dtype).to(torch.float32) * 2).sum().item()) == compiles


def test_numpy_never_compiles_a_whole_program():
    w = torch.ones(5, requires_grad=True)
    with torch.set_executor("numpy"):
        assert _compiles(lambda: (w * 3).sin().sum().backward()) == 0
        assert w.grad.tolist() == pytest.approx([3 * np.cos(3)] * 5, rel=1e-6)


def test_results_of_one_program_do_not_share_memory():
    x = torch.arange(6.0) + 0
    view, same = x.reshape(2, 3), x.contiguous()
    y = view.t().clone()
    boundary()
    shared = y.numpy()
    shared[:] = 100
    assert x.tolist() == same.tolist() == [0, 1, 2, 3, 4, 5]
    assert y.tolist() == [[100, 100]] * 3


def test_a_write_after_an_interpreted_program_leaves_its_other_results_alone():
    x = torch.zeros(4)
    y = x + 0
    z = y[1:]
    boundary()
    y.add_(1)
    assert z.tolist() == [1, 1, 1]
    assert x.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("executor", ["xla", "numpy", "auto", "immediate"])
def test_executors_agree(executor):
    with torch.set_executor(executor):
        torch.manual_seed(0)
        x = torch.randn(9, 5, requires_grad=True)
        y = torch.nn.functional.layer_norm(x, (5,)).exp().sum(1)
        y[2:].square().sum().backward()
        found = [*y.tolist(), *x.grad.flatten().tolist()]
    torch.manual_seed(0)
    x = torch.randn(9, 5, requires_grad=True)
    y = torch.nn.functional.layer_norm(x, (5,)).exp().sum(1)
    y[2:].square().sum().backward()
    assert found == pytest.approx([*y.tolist(), *x.grad.flatten().tolist()], rel=1e-4, abs=1e-5)


def test_a_kernel_that_fails_concerns_only_who_looks_at_its_result():
    x = torch.arange(5.0)
    # computed from floating-point numbers, so the values are still pending
    places = (torch.tensor([1.0, 4.0]) + 5).long()
    failed, later = x[places], x + 1
    after = failed * 2
    assert later.tolist() == [1, 2, 3, 4, 5]
    assert places.tolist() == [6, 9]
    for each in (failed, after, failed):
        with pytest.raises(IndexError, match="index 6 is out of bounds for dimension 0 with size 5"):
            each.tolist()
    with pytest.raises(IndexError, match="index 6 is out of bounds"):
        (failed + 1).tolist()


@pytest.mark.parametrize("executor", ["auto", "numpy", "xla", "immediate"])
def test_a_number_that_no_array_holds_spoils_nothing_else(executor):
    with torch.set_executor(executor):
        held = []
        for _ in range(2):
            with pytest.raises(OverflowError):
                held.append(torch.ones(2) + 2**70)
                held[-1].tolist()
            assert (torch.ones(2) * 3).tolist() == [3, 3]


@pytest.mark.parametrize(
    "run",
    [
        lambda x: x.sum(0),
        lambda x: x.mean(0),
        lambda x: x.t().sum(1),
        lambda x: x.var(0),
        lambda x: x.flatten().cumsum(0)[-3:],
        lambda x: torch.autograd.grad((x * (w := torch.ones(5, requires_grad=True))).sum(), w)[0],
    ],
)
def test_long_sums_of_numpy_are_exact(run):
    x = torch.tensor(np.random.default_rng(0).random((200_000, 5), "float32"))
    with torch.set_executor("numpy"):
        found, due = run(x).numpy(), run(x.double()).numpy()
    np.testing.assert_allclose(found, due, rtol=1.3e-6)
