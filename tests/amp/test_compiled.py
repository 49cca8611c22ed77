"""Mixed precision in and around compiled functions."""

import warnings

import pytest

import torchlike as torch
from torchlike._engine import stats

F = torch.nn.functional


@pytest.fixture(autouse=True)
def _fail_on_uncompiled_calls():
    """Turn the warning about an uncompiled call into an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def _setup():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.LayerNorm(8), torch.nn.GELU(), torch.nn.Linear(8, 3))
    return model, torch.optim.AdamW(model.parameters(), lr=0.01), torch.randn(6, 4), torch.arange(6) % 3


def _losses(compiled, inside):
    model, optimizer, x, y = _setup()

    def step(x, y):
        optimizer.zero_grad()
        if inside:
            with torch.autocast("cpu"):
                loss = F.cross_entropy(model(x), y)
        else:
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    run = torch.compile(step, fullgraph=True) if compiled else step
    losses = []
    for _ in range(5):
        with torch.autocast("cpu", enabled=not inside):  # a new region, with no cached casts of the weights
            losses.append(run(x, y).item())
    return losses


@pytest.mark.parametrize("inside", [True, False])
def test_a_compiled_step_with_autocast_has_the_uncompiled_losses(inside):
    assert _losses(True, inside) == pytest.approx(_losses(False, inside), rel=1.6e-2)


def test_autocast_state_is_part_of_a_compiled_signature():
    weight, x = torch.ones(3, 3), torch.ones(2, 3)
    product = torch.compile(lambda x: x @ weight, fullgraph=True)
    for _ in range(3):
        assert product(x).dtype is torch.float32
        with torch.autocast("cpu"):
            assert product(x).dtype is torch.bfloat16
            with torch.autocast("cpu", dtype=torch.float16):
                assert product(x).dtype is torch.float16
                with torch.autocast("cpu", enabled=False):
                    assert product(x).dtype is torch.float32
    before = stats.compiles
    with torch.autocast("cpu"):
        product(x)
    product(x)
    assert stats.compiles == before


def test_a_compiled_module_in_an_autocast_region_has_the_modules_gradients():
    model, _, x, _ = _setup()
    compiled = torch.compile(model)
    for _ in range(3):
        model.zero_grad()
        with torch.autocast("cpu"):
            ours = compiled(x)
            again = compiled(x)
            plain = model(x)
        assert ours.dtype is again.dtype is plain.dtype is torch.bfloat16
        torch.testing.assert_close(ours, plain, rtol=1.6e-2, atol=1e-2)
        (ours.float().sum() + again.float().sum()).backward()
        grad = model[0].weight.grad.clone()
        model.zero_grad()
        with torch.autocast("cpu"):
            loss = model(x).float().sum() * 2
        loss.backward()
        torch.testing.assert_close(grad, model[0].weight.grad, rtol=1.6e-2, atol=1e-2)


def test_compile_of_a_function_decorated_with_autocast():
    weight, x = torch.ones(3, 3), torch.ones(2, 3)

    @torch.autocast("cpu")
    def product(x):
        return x @ weight

    compiled = torch.compile(product)
    assert [compiled(x).dtype for _ in range(3)] == [torch.bfloat16] * 3
    assert not torch.is_autocast_enabled("cpu")


def test_cond_computes_in_the_dtype_of_the_autocast_region():
    weight, x = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    with torch.autocast("cpu"):
        y = torch.cond(x.sum() > 0, lambda x: x @ weight, lambda x: (x @ weight) * 2, (x,))
        z = x @ weight
    assert y.dtype is z.dtype is torch.bfloat16
    (y.sum() + z.sum()).backward()
    assert weight.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]


def test_autocast_steps_compile_nothing_after_the_second_step():
    model, optimizer, x, y = _setup()

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu"):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    step()
    step()
    before = stats.compiles
    for _ in range(4):
        step()
    assert stats.compiles == before
