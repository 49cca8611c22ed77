"""The engine: flushes, liveness, donation, immediate mode, threads, interrupts."""

import gc
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import torchlike as torch
from tests.engine.interrupting import alarms_interrupt, cut_short
from torchlike._engine import Plan, boundary
from torchlike._engine.trace import failures
from torchlike._engine.trace import trace as engine_trace
from torchlike._engine.xla import executor


def _runs(work):
    before = torch.explain().totals.runs
    work()
    return torch.explain().totals.runs - before


def test_recording_runs_nothing_and_an_observation_runs_once():
    x = torch.ones(3).requires_grad_()
    assert _runs(lambda: (x * 2 + 1).sum()) == 0
    y = (x * 2 + 1).sum()
    assert _runs(lambda: y.item()) == 1
    assert _runs(lambda: y.item()) == 0


def test_unreferenced_results_are_not_computed():
    x = torch.ones(3).requires_grad_()
    boundary()
    x * 2
    assert _runs(boundary) == 0


def test_values_that_backward_needs_are_kept_across_an_observation():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x * x).sum()
    assert y.item() == 9.0
    y.backward()
    assert x.grad.tolist() == [3.0, 12.0]


def test_a_value_kept_by_the_graph_is_neither_donated_nor_used_after_a_write():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    with torch.no_grad():
        x.mul_(10)
    boundary()
    assert x.tolist() == [10.0, 20.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_overwritten_inputs_are_donated():
    with torch.set_executor("xla"):
        x = torch.ones(1000) * 1
        boundary()
        before = x._storage.value.array.unsafe_buffer_pointer()
        x.add_(1)
        boundary()
        assert x._storage.value.array.unsafe_buffer_pointer() == before
        assert x[0].item() == 2


def test_an_array_that_another_value_lies_over_is_not_donated():
    with torch.set_executor("xla"):
        x = torch.ones(1000)
        with torch.inference_mode():
            y = x + 1
            assert y[0].item() == 2
            z = y * 2
        assert z[0].item() == 4
        assert y[0].item() == 2
        copy = torch.zeros(1000).copy_(x * 1)
        boundary()
        copy.copy_(x)
        x.add_(1)
        assert (x[0].item(), copy[0].item()) == (2, 1)


def test_immediate_mode_runs_each_operator():
    with torch.set_executor("immediate"):
        x = torch.ones(3).requires_grad_()
        assert _runs(lambda: (x * 2 + 1).sum()) == 3
    assert engine_trace.limit.length


def test_unknown_executor_is_refused():
    with pytest.raises(ValueError, match="numpy2"):
        torch.set_executor("numpy2")


def test_the_trace_does_not_keep_tensors_alive():
    x = torch.ones(3).requires_grad_()
    node = (x * 2).grad_fn
    import weakref

    held = weakref.ref(node)
    del node
    gc.collect()
    assert held() is None


def test_threads_give_what_each_gives_alone():
    def work(seed, out):
        rng = np.random.default_rng(seed)
        w = torch.tensor(rng.standard_normal((4, 4))).requires_grad_()
        x = torch.tensor(rng.standard_normal((3, 4)))
        for _ in range(20):
            loss = ((x @ w).tanh() ** 2).mean()
            w.grad = None
            loss.backward()
            with torch.no_grad():
                w -= 0.5 * w.grad
        out[seed] = w.tolist()

    alone, together = {}, {}
    for seed in range(3):
        work(seed, alone)
    threads = [threading.Thread(target=work, args=(seed, together)) for seed in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for seed in range(3):
        np.testing.assert_allclose(together[seed], alone[seed], rtol=1e-12)


def test_a_value_recorded_in_one_thread_is_used_in_another():
    x = torch.ones(3).requires_grad_()
    made = []
    t = threading.Thread(target=lambda: made.append(x * 2))
    t.start()
    t.join()
    assert (made[0] + 1).tolist() == [3.0, 3.0, 3.0]


def test_an_interrupt_leaves_parameters_before_or_after_a_step():
    """An interrupted step updates both of its parameters or neither, whenever SIGINT arrives."""
    a, b = (torch.zeros(2).requires_grad_() for _ in range(2))
    optimizer = torch.optim.SGD([a, b], lr=1.0)

    def step():
        optimizer.zero_grad()
        (a.sum() + b.sum()).backward()
        optimizer.step()

    for _ in range(3):  # compile everything first
        step()
    interrupted = 0
    with alarms_interrupt():
        for delay in np.linspace(1e-5, 3e-3, 60):
            interrupted += cut_short(step, float(delay))
            assert a.tolist() == b.tolist()
            assert a[0].item() == a[1].item() == round(a[0].item())
    assert interrupted > 30


def test_memory_stays_flat():
    w = torch.ones(50, 50).requires_grad_()
    counts = []
    for i in range(300):
        (w * 2).sum().backward()
        w.grad = None
        if i in (100, 299):
            gc.collect()
            counts.append(len(gc.get_objects()))
    assert counts[1] - counts[0] < 200


def test_a_long_loop_without_boundaries_runs_in_pieces():
    x = torch.zeros(2).requires_grad_()
    y = x
    for _ in range(engine_trace.limit.length + 10):
        y = y + 1
    assert y[0].item() == engine_trace.limit.length + 10


def test_a_gradient_shares_the_numbers_of_its_forward(monkeypatch):
    """An operator and its gradient share the Python numbers that are inputs of the program.

    The gradient repeats the operator's forward computation. With separate inputs, XLA could not eliminate it.
    """
    taken = []
    plain = executor.numbers_of
    monkeypatch.setattr(executor, "numbers_of", lambda trace: taken.append(plain(trace)) or taken[-1])
    x = torch.rand(3, 5, requires_grad=True)
    with torch.set_executor("xla"):
        (x * 2.53125).pow(2.25).sum().backward()
    assert [len(places) for _, places, _ in taken] == [4] and [len(kinds) for *_, kinds in taken] == [2]


def test_one_sequence_of_numbers_enters_a_program_once():
    trace, numbers = engine_trace.Trace(), [2.5, 1.0]
    plan = Plan("pair", (), (float, float), (), tuple)
    trace.code, trace.scalars = [plan] * 3, [numbers, [2.5, 1.0], numbers]
    assert executor.numbers_of(trace) == ([0, 1], [0, 2, 0], [float] * 4)


def test_the_error_of_a_failed_operator_keeps_the_attributes_of_its_slots():
    error = np.exceptions.AxisError(-2, 1)
    for _ in range(2):
        with pytest.raises(np.exceptions.AxisError, match="axis -2 is out of bounds for array of dimension 1"):
            failures.check(SimpleNamespace(trace=failures.Failed(error)))


@pytest.mark.parametrize("name", ["numpy", "xla"])
def test_a_kept_result_keeps_nothing_of_its_program(name):
    with torch.set_executor(name):
        y = (torch.ones(2) * 3 + 1).sum()
        y.item()
    trace = y._value.trace
    assert not any([trace.code, trace.results, trace.inputs, trace.scalars, trace.arrays, trace.puts, trace.hosts])


def test_dropped_inputs_of_pending_work_are_bounded(monkeypatch):
    """A loop without reads does not keep the arrays of all its iterations."""
    monkeypatch.setattr(engine_trace.limit, "bytes", 40_000)
    total, most = torch.zeros(()), 0
    weight = torch.ones(3000)
    for n in range(40):
        total = total + (torch.full((1000,), float(n)) * weight[:1000]).sum()
        trace = total.device.trace
        most = max(most, sum(array.nbytes for array in trace.arrays) if trace else 0)
    assert total.item() == 1000 * sum(range(40))
    assert most < 120_000


def test_replaced_parameters_do_not_end_a_program(monkeypatch):
    monkeypatch.setattr(engine_trace.limit, "bytes", 10_000)
    parameters = [torch.ones(1000) for _ in range(20)]
    boundary()

    def step():
        for p in parameters:
            p.mul_(2)

    assert _runs(step) == 0
    assert _runs(boundary) == 1
