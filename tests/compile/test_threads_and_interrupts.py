"""Compiled calls from several threads, and interrupted by Ctrl-C."""

import threading

import numpy as np

import torchlike as torch
from tests.engine.interrupting import alarms_interrupt, cut_short
from torchlike import nn


def _trainer(seed, compiled):
    """Return a model and its training step, which is compiled if requested."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step(x, y):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return model, torch.compile(step, fullgraph=True) if compiled else step


def _data(seed):
    rng = np.random.default_rng(seed)
    return [torch.from_numpy(rng.standard_normal((6, n), dtype=np.float32)) for n in (4, 1)]


def _together(*works):
    """Run the functions concurrently, each in its own thread, and raise the first error in the calling thread."""
    failed, gate = [], threading.Barrier(len(works))

    def run(work):
        try:
            gate.wait()
            work()
        except BaseException as error:  # raised again in the calling thread
            failed.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_threads_that_train_models_of_their_own():
    def losses(seed, out, trainer):
        _, step = trainer
        x, y = _data(seed)
        out[seed] = [step(x, y).item() for _ in range(30)]

    alone, together = {}, {}
    for seed in range(3):
        losses(seed, alone, _trainer(seed, False))
    trainers = [_trainer(seed, True) for seed in range(3)]  # not created in the threads, which share the random seed
    _together(*[lambda seed=seed: losses(seed, together, trainers[seed]) for seed in range(3)])
    for seed in range(3):
        np.testing.assert_allclose(together[seed], alone[seed], rtol=2e-5)


def test_threads_that_share_a_function_of_their_arguments():
    function = torch.compile(lambda x, y: (x * y).sum() + x[0, 0], fullgraph=True)
    found = {}

    def work(number):
        x, y = torch.full((3, number + 1), float(number)), torch.ones(3, number + 1)
        found[number] = [function(x + i, y).item() for i in range(20)]

    _together(*[lambda n=n: work(n) for n in range(4)])
    for number in range(4):
        x, y = torch.full((3, number + 1), float(number)), torch.ones(3, number + 1)
        assert found[number] == [((x + i) * y).sum().item() + number + i for i in range(20)]


def test_threads_that_share_a_step_each_move_its_state_once():
    counter = torch.zeros(3)

    @torch.compile(fullgraph=True)
    def advance(by):
        counter.add_(by)

    one = torch.ones(3)
    advance(one)
    _together(*[lambda: [advance(one) for _ in range(50)] for _ in range(4)])
    assert counter.tolist() == [201.0] * 3


def test_recorded_work_of_one_thread_beside_a_recording_of_another():
    """Work recorded by one thread is not part of a graph that another thread captures at the same time."""
    found = []

    def work():
        x = torch.ones(5)
        for _ in range(40):
            x = x * 1.5 - 0.25
        found.append(x.tolist())

    def compile_many():
        for n in range(6):
            torch.compile(lambda x, n=n: x * n + n, fullgraph=True)(torch.ones(n + 1))

    work()
    _together(compile_many, *[work] * 3)
    assert all(numbers == found[0] for numbers in found)


def test_an_interrupt_leaves_the_state_of_a_compiled_step_before_or_after_it():
    """Send SIGINT at many times during compiled steps. A step must have updated both parameters or neither."""
    a, b = (torch.zeros(2).requires_grad_() for _ in range(2))
    optimizer = torch.optim.SGD([a, b], lr=1.0)
    count = torch.zeros(())

    @torch.compile(fullgraph=True)
    def step():
        (a.sum() + b.sum()).backward()
        optimizer.step()
        optimizer.zero_grad()
        count.sub_(1)

    step()
    interrupted = 0
    with alarms_interrupt():
        for delay in np.linspace(1e-5, 3e-3, 60):
            interrupted += cut_short(step, float(delay))
            assert a.tolist() == b.tolist() == [count.item()] * 2
    assert interrupted > 30


def test_an_interrupt_while_a_step_is_recorded_leaves_it_to_be_recorded_again():
    a = torch.zeros(2).requires_grad_()
    optimizer = torch.optim.SGD([a], lr=1.0)
    interrupt = [True]

    class Cut(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if interrupt[0]:
                raise KeyboardInterrupt
            return x * 1

        @staticmethod
        def backward(ctx, change):
            return change

    def update():
        Cut.apply(a.sum()).backward()
        optimizer.step()
        optimizer.zero_grad()

    step = torch.compile(update)
    for _ in range(3):
        try:
            step()
        except KeyboardInterrupt:
            assert a.tolist() == [0.0, 0.0]
    interrupt[0] = False
    for n in range(1, 4):
        step()
        assert a.tolist() == [-n, -n]
