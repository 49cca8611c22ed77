"""`for_target` of compiled functions: the program of a call, compiled without running it."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import both
from torchlike._compile.ahead import ForTarget
from torchlike._engine import stats
from torchlike._engine.ahead.targets import Target

# A target whose kernels have the forms of a TPU, lowered for a CPU device because the TPU compiler may be absent.
LIKE_A_TPU = Target("like a TPU", "tpu", "tpu", tuple(jax.local_devices(backend="cpu")[:1]), None)


def trainer(torch):
    """Return a training step with a generator, buffers, an optimizer and a scheduler."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.Dropout(0.5), torch.nn.Linear(16, 4)
    )
    optimizer = torch.optim.AdamW(net.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    loss_of = torch.nn.functional.mse_loss

    def step(x):
        optimizer.zero_grad()
        out = net(x)
        loss = loss_of(out, out.detach() * 0 + 1)
        loss.backward()
        optimizer.step()
        scheduler.step()
        return loss

    x = torch.linspace(-1, 1, 32).reshape(4, 8)
    return SimpleNamespace(net=net, optimizer=optimizer, scheduler=scheduler, step=step, x=x)


def state_of(training):
    return (
        [(v.tolist(), v._version) for v in training.net.state_dict().values()],
        [p.grad is None for p in training.net.parameters()],
        training.scheduler.state_dict(),
        training.optimizer.param_groups[0]["lr"],
        torchlike.get_rng_state().tolist(),
    )


def test_the_figures_are_those_of_the_compiled_function():
    training = trainer(torchlike)
    step = torchlike.compile(training.step, fullgraph=True)
    program = step.for_target("cpu").lower(training.x).compile()
    step(training.x)
    ours, due = program.memory, step.memory()
    assert (ours.arguments, ours.outputs, ours.aliased) == (
        due.argument_size_in_bytes,
        due.output_size_in_bytes,
        due.alias_size_in_bytes,
    )
    assert ours.aliased > 0
    assert ours.total == ours.arguments + ours.outputs - ours.aliased + ours.temporaries + ours.code
    assert (program.flops, program.target, program.chips) == (step.cost()["flops"], "cpu", 1)
    assert program.as_text().startswith("HloModule")
    assert (program.collectives, program.host_transfers) == ({}, {})


def test_nothing_runs_and_all_state_is_as_before():
    training = trainer(torchlike)
    step = torchlike.compile(training.step, fullgraph=True)
    for _ in range(2):  # before the first step, and after it
        before, compiles = state_of(training), stats.compiles
        step.for_target("cpu").lower(training.x)
        assert stats.compiles == compiles
        assert state_of(training) == before
        step(training.x)


def test_training_continues_as_in_pytorch():
    def program(torch):
        training = trainer(torch)
        step = torchlike.compile(training.step) if torch is torchlike else training.step
        losses = []
        for _ in range(3):
            if torch is torchlike:
                step.for_target("cpu").lower(training.x)
            losses.append(step(training.x).detach())
        return torch.stack(losses)

    both(program)


def test_gradients_and_arguments_that_the_call_writes_are_restored():
    weight, given = torchlike.ones(3, requires_grad=True), torchlike.zeros(3)
    weight.grad = torchlike.full((3,), 5.0)
    before = weight.grad

    def f(x):
        x += 1
        (weight * x).sum().backward()
        return x * 2

    lowered = torchlike.compile(f).for_target("cpu").lower(given)
    assert lowered.as_text().startswith("module @jit_torchlike_program")
    assert (given.tolist(), given._version, weight.grad is before, before.tolist()) == ([0] * 3, 0, True, [5] * 3)


def test_a_differentiable_result_has_a_program_for_its_backward_pass():
    net = torchlike.compile(torchlike.nn.Linear(64, 32))
    program = net.for_target("cpu").lower(torchlike.ones(8, 64)).compile()
    assert program.flops == pytest.approx(2 * 8 * 64 * 32, rel=0.1)
    assert program.backward.flops == pytest.approx(2 * 8 * 64 * 32, rel=0.1)
    assert program.backward.backward is None
    with torchlike.no_grad():
        assert net.for_target("cpu").lower(torchlike.ones(8, 64)).backward is None


def test_kernels_have_the_forms_of_the_target():
    depthwise = torchlike.compile(torchlike.nn.Conv2d(4, 4, 3, groups=4).requires_grad_(False))
    x = torchlike.ones(2, 4, 6, 6)
    ours, other = (ForTarget(depthwise._call.function, t).lower(x).as_text() for t in ("cpu", LIKE_A_TPU))
    assert "stablehlo.convolution" not in ours
    assert "stablehlo.convolution" in other


def test_residuals_of_one_platform_are_not_used_for_another():
    lstm = torchlike.nn.LSTM(4, 6)
    x = torchlike.from_numpy(np.linspace(-1, 1, 60, dtype="float32").reshape(5, 3, 4))

    def gradient():
        lstm.zero_grad()
        lstm(x)[0].square().sum().backward()
        return lstm.weight_hh_l0.grad.tolist()

    due = gradient()
    step = torchlike.compile(lambda x: lstm(x)[0].square().sum().backward())
    for target in (LIKE_A_TPU, "cpu", LIKE_A_TPU):
        ForTarget(step.function, target).lower(x).compile()
        np.testing.assert_allclose(gradient(), due, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: x * x.sum().item(), "the elements of a tensor are needed"),
        (lambda x: print(x), "the elements of a tensor are needed"),
    ],
)
def test_a_call_that_cannot_be_captured_raises_and_has_no_effect(function, reason):
    x = torchlike.ones(3)

    def f(x):
        x.add_(1)
        return function(x)

    with pytest.raises(torchlike._dynamo.exc.Unsupported, match=f"f cannot be compiled ahead of time: .*{reason}"):
        torchlike.compile(f).for_target("cpu").lower(x)
    assert (x.tolist(), x._version) == ([1, 1, 1], 0)


def test_an_error_of_the_function_is_raised_and_state_is_restored():
    x = torchlike.ones(3)

    def f(x):
        x.add_(1)
        return x @ torchlike.ones(4)

    with pytest.raises(RuntimeError, match=r"inconsistent tensor size"):
        torchlike.compile(f).for_target("cpu").lower(x)
    assert (x.tolist(), x._version) == ([1, 1, 1], 0)


def test_the_next_options_are_used_if_compiling_fails():
    options = {"xla_gpu_dump_autotuned_gemm_fusions": "neither true nor false"}, {"xla_cpu_enable_fast_math": True}
    target = LIKE_A_TPU._replace(options=options)
    lowered = ForTarget(lambda x: x.exp(), target).lower(torchlike.ones(3))
    assert lowered.compile().memory.arguments == 12
    with pytest.raises(jax.errors.JaxRuntimeError):
        ForTarget(lambda x: x.exp(), target._replace(options=options[:1])).lower(torchlike.ones(3)).compile()


def test_an_unknown_target_is_refused():
    with pytest.raises(ValueError, match="unknown target 'v9'"):
        torchlike.compile(lambda x: x).for_target("v9")
    assert not hasattr(torch.compile(lambda x: x), "for_target")
