"""Every layer, compared with PyTorch's: repr, initial parameters, results and gradients."""

import numpy as np
import pytest
import torch

import torchlike
from tests.nn.layers import LAYERS, LOSSES
from tests.nn.twins import agree, evaluate, numbers, same

CASES = LAYERS + LOSSES
IDS = [f"{line}-{number}" for number, (line, _) in enumerate(CASES)]

CALLED = [pytest.param(line, given, id=name) for name, (line, given) in zip(IDS, CASES)]


def inputs_of(T, given):
    """Return fresh tensors of the given shapes or arrays. Floating-point tensors made from a shape require grad."""
    arrays = [numbers(*x, seed=place) if isinstance(x, tuple) else x for place, x in enumerate(given)]
    tensors = [T.tensor(array) for array in arrays]
    return [t.requires_grad_() if isinstance(x, tuple) and t.is_floating_point() else t for t, x in zip(tensors, given)]


@pytest.mark.parametrize("line", [line for line, _ in CASES], ids=IDS)
def test_prints_and_starts_alike(line):
    def build(T):
        layer = evaluate(line, T)
        return repr(layer), layer.state_dict(), [name for name, _ in layer.named_modules()], layer.training

    agree(build)


@pytest.mark.parametrize(("line", "given"), CALLED)
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_computes_alike(line, given, training):
    def compute(T):
        layer = evaluate(line, T).train(training)
        inputs = inputs_of(T, given)
        copies = [x * 1 if x.is_floating_point() else x for x in inputs]  # an in-place layer may write to these
        return layer(*copies), layer.state_dict()

    agree(compute, rtol=2e-5, atol=2e-6, warned=False)


def total(output):
    parts = output if isinstance(output, tuple) else (output,)
    parts = [total(p) if isinstance(p, tuple) else p for p in parts if p is not None]
    return sum((p * p).sum() for p in parts if p.is_floating_point())


@pytest.mark.parametrize(("line", "given"), CALLED)
def test_gradients_alike(line, given):
    def differentiate(T):
        layer = evaluate(line, T)
        inputs = inputs_of(T, given)
        result = total(layer(*[x * 1 if x.is_floating_point() else x for x in inputs]))
        if not result.requires_grad:
            return []
        result.backward()
        return [x.grad for x in inputs if x.requires_grad], {n: p.grad for n, p in layer.named_parameters()}

    agree(differentiate, rtol=2e-4, atol=2e-5, warned=False)


def test_no_grad_calls_are_boundaries_of_their_outermost_module(monkeypatch):
    from torchlike.nn.modules import module

    calls = []
    monkeypatch.setattr(module, "boundary", lambda is_read: calls.append(is_read))
    net = torchlike.nn.Sequential(torchlike.nn.Linear(2, 3), torchlike.nn.Linear(3, 1))
    net(torchlike.ones(2))
    assert calls == []
    with torchlike.no_grad():
        net(torchlike.ones(2))
    assert calls == [True]


def test_one_seed_one_loss_curve():
    def train(T):
        net = evaluate("nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1))", T)
        x, y = T.tensor(numbers(16, 3)), T.tensor(numbers(16, 1, seed=1))
        losses = []
        for _ in range(10):
            loss = T.nn.functional.mse_loss(net(x), y)
            net.zero_grad()
            loss.backward()
            with T.no_grad():
                for p in net.parameters():
                    p -= 0.1 * p.grad
            losses.append(loss.item())
        return losses

    torch.manual_seed(0)
    theirs = train(torch)
    torchlike.manual_seed(0)
    np.testing.assert_allclose(train(torchlike), theirs, rtol=1e-5)


def test_padding_is_zeroed_where_pytorch_skips_it():
    line = "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)"
    padding = np.array([[False, False, True, True], [False, False, False, True]])

    def run(T):
        encoder, x = evaluate(line, T).eval(), T.tensor(numbers(2, 4, 8))
        with T.no_grad():
            return encoder(x, src_key_padding_mask=T.tensor(padding))

    torch.manual_seed(0)
    theirs = run(torch)
    torchlike.manual_seed(0)
    same(run(torchlike), theirs)
