"""Training in mixed precision: the losses agree with PyTorch's to the rounding of bfloat16."""

import pytest

from tests.oracle import both


def _numbers(t, *shape, seed=0):
    """Return the same numbers in both libraries, without a random generator."""
    count = 1
    for n in shape:
        count *= n
    steps = t.arange(1 + seed, 1 + seed + count, dtype=t.float64)
    return (steps * 12.9898).sin().mul(0.5).to(t.float32).reshape(shape)


def _fill(t, model):
    with t.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(_numbers(t, *p.shape, seed=100 * i))


def _mlp(t):
    return t.nn.Sequential(t.nn.Linear(6, 16), t.nn.LayerNorm(16), t.nn.GELU(), t.nn.Linear(16, 4))


def _cnn(t):
    nn = t.nn
    return nn.Sequential(
        nn.Unflatten(1, (1, 2, 3)),
        nn.Conv2d(1, 4, 2, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(16, 4),
    )


def _transformer(t):
    class Model(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = t.nn.Linear(1, 8)
            self.layer = t.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
            self.head = t.nn.Linear(8, 4)

        def forward(self, x):
            return self.head(self.layer(self.embed(x.unsqueeze(-1))).mean(1))

    return Model()


def _train(t, make, kind, scaled, where="around", steps=8):
    model = make(t)
    _fill(t, model)
    optimizer = getattr(t.optim, kind)(model.parameters(), lr=0.02)
    scaler = t.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=3, enabled=scaled)
    x, y = _numbers(t, 8, 6), t.arange(8) % 4
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        with t.autocast("cpu", dtype=t.bfloat16):
            out = model(x)
            loss = t.nn.functional.cross_entropy(out, y)
            if where == "inside":
                scaler.scale(loss).backward()
        if where == "around":
            scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.detach())
    kinds = {str(p.dtype).split(".")[-1] + str(p.grad.dtype).split(".")[-1] for p in model.parameters()}
    return t.stack(losses), out.dtype == t.bfloat16, loss.dtype == t.float32, sorted(kinds), scaler.get_scale()


# The losses are float32, but they are computed from products of bfloat16 numbers, so the tolerance is bfloat16's.
ROUNDED = {"rtol": 1.6e-2, "atol": 1e-2}


@pytest.mark.parametrize("make", [_mlp, _cnn, _transformer])
@pytest.mark.parametrize("kind", ["SGD", "AdamW"])
def test_losses(make, kind):
    both(lambda t: _train(t, make, kind, scaled=False), **ROUNDED)


@pytest.mark.parametrize("make", [_mlp, _transformer])
def test_losses_with_a_scale(make):
    both(lambda t: _train(t, make, "SGD", scaled=True), **ROUNDED)


def test_backward_inside_the_region():
    both(lambda t: _train(t, _mlp, "SGD", scaled=True, where="inside"), **ROUNDED)
