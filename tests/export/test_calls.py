"""Calls of exported programs are compiled, and use the module's present weights."""

import copy
import io
import threading

import pytest

import torchlike as torch
from torchlike import nn

B = torch.export.Dim("b")


@pytest.fixture
def source():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))


@pytest.fixture
def loaded(source):
    return torch.export.export(source, (torch.ones(3, 4),), dynamic_shapes=({0: B},)).module()


def test_calls_replay_one_recording_for_each_shape(loaded):
    with torch.explain() as report, torch.no_grad():
        for _ in range(5):
            loaded(torch.ones(3, 4)), loaded(torch.ones(2, 4))
    (function,) = report.functions
    assert (function.name, function.recordings, function.runs, function.uncompiled) == ("exported program", 2, 8, ())


@pytest.mark.parametrize("grad", [True, False])
def test_new_weights_are_used(source, loaded, grad):
    x = torch.ones(3, 4)
    with torch.set_grad_enabled(grad):
        for _ in range(3):
            loaded(x)
            other = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
            loaded.load_state_dict(other.state_dict())
            torch.testing.assert_close(loaded(x), other(x))
        loaded.get_parameter("0.weight").data.mul_(2)
        other[0].weight.data.mul_(2)
        torch.testing.assert_close(loaded(x), other(x))
        loaded.get_submodule("2").bias = other[2].bias = nn.Parameter(torch.ones(2))
        torch.testing.assert_close(loaded(x), other(x))


def test_a_copy_has_weights_of_its_own(source, loaded):
    x = torch.ones(3, 4)
    loaded(x)
    made = copy.deepcopy(loaded)
    with torch.no_grad():
        made.get_parameter("2.bias").add_(1)
    torch.testing.assert_close(made(x), source(x) + 1)
    torch.testing.assert_close(loaded(x), source(x))


def test_inputs_are_checked_after_the_capture(loaded):
    for _ in range(2):
        loaded(torch.ones(3, 4))
        with pytest.raises(AssertionError, match="Guard failed"):
            loaded(torch.ones(3, 5))
        with pytest.raises(ValueError, match="dtype"):
            loaded(torch.ones(3, 4, dtype=torch.float64))


def test_buffers_are_written_at_each_call():
    source = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    loaded = torch.export.export(source, (torch.ones(3, 4),), dynamic_shapes=({0: B},)).module()
    for i in range(4):
        x = torch.randn(3 + i % 2, 4)
        torch.testing.assert_close(loaded(x), source(x))
    for (name, mine), theirs in zip(loaded.named_buffers(), source.buffers()):
        torch.testing.assert_close(mine, theirs, msg=name)


def test_a_loaded_module_is_part_of_a_compiled_function(source, loaded):
    x = torch.randn(3, 4)
    torch.testing.assert_close(torch.compile(lambda x: loaded(x).sin())(x), source(x).sin())


def test_threads_call_one_module(source, loaded):
    inputs = [torch.full((2 + i, 4), float(i)) for i in range(8)]
    found = [None] * 8

    def call(i):
        with torch.no_grad():
            for _ in range(20):
                found[i] = loaded(inputs[i])

    threads = [threading.Thread(target=call, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x, result in zip(inputs, found):
        torch.testing.assert_close(result, source(x).detach())


def _reloaded(program, **options):
    file = io.BytesIO()
    torch.export.save(program, file, **options)
    file.seek(0)
    return torch.export.load(file).module()


def test_a_loaded_program_trains_and_writes_its_buffers():
    source = nn.Sequential(nn.Linear(4, 8, bias=False), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2))
    program = torch.export.export(source, (torch.ones(3, 4),), dynamic_shapes=({0: B},))
    loaded = _reloaded(program, vjp_order=1)
    optimizers = [torch.optim.SGD(each.parameters(), 0.1, momentum=0.9) for each in (loaded, source)]
    with torch.explain() as report:
        for i in range(8):
            x, y = torch.randn(3 + i % 2, 4), torch.randn(3 + i % 2, 2)
            losses = []
            for module, optimizer in zip((loaded, source), optimizers):
                optimizer.zero_grad()
                losses.append((module(x) - y).square().mean())
                losses[-1].backward()
                optimizer.step()
            torch.testing.assert_close(*losses)
    state = source.state_dict()
    for name, tensor in loaded.state_dict().items():
        torch.testing.assert_close(tensor, state[name], msg=name)
    assert [function.uncompiled for function in report.functions] == [()]


def test_a_program_without_a_gradient_is_recorded_in_grad_mode(source, loaded):
    program = torch.export.export(source, (torch.ones(3, 4),), dynamic_shapes=({0: B},))
    loaded, x = _reloaded(program), torch.ones(3, 4)
    with torch.explain() as report:
        results = [loaded(x) for _ in range(3)]
        torch.testing.assert_close(results[-1], source(x))
        with pytest.raises(RuntimeError, match="vjp_order=1"):
            results[-1].sum().backward()
    assert results[-1].requires_grad and report.functions == ()
