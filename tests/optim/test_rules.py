"""Update rules against PyTorch: parameters and state after many steps."""

import pytest

from tests.optim.cases import CASES, IDS, ONE_EACH, Pair


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_twenty_steps(name, options, dtype):
    pair = Pair(name, dtype, **options)
    tolerance = {} if dtype == "float32" else dict(rtol=1e-11, atol=1e-13)
    for seed in range(1, 21):
        pair.step(seed)
        if seed in (1, 2, 5, 6, 7, 20):
            pair.check(**tolerance)


@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_gradients_that_come_late(name, options):
    """Parameters of one group may have taken different numbers of steps."""
    pair = Pair(name, **options)
    for seed, without in enumerate([(1, 2), (1,), (), (), (0,), (0, 1, 2), (), (2,), ()], start=1):
        pair.step(seed, without)
        pair.check()


@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_complex_parameters(name, options):
    pair = Pair(name, "complex64", **options)
    for seed in range(1, 6):
        pair.step(seed)
        pair.check()


@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_options_that_change_between_steps(name, options):
    """Every option is read at every step, as schedulers need."""
    pair = Pair(name, **options)
    for seed in range(1, 8):
        for optimizer in pair.optimizers.values():
            group = optimizer.param_groups[0]
            group["lr"] = 0.1 / seed
            if "weight_decay" in group and seed > 3:
                group["weight_decay"] = 0.01 * seed
            if "momentum" in group:
                group["momentum"] = 0.9 - 0.05 * seed
            if "betas" in group:
                group["betas"] = (0.9 - 0.05 * seed, 0.99)
        pair.step(seed)
        pair.check()
