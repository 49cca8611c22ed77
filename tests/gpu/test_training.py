"""Training steps on a GPU: the losses and the trained tensors of PyTorch, without reads of the device."""

import jax
import pytest
import torch

import torchlike
from tests.gpu.judge import JUDGE
from tests.targets.steps import STEPS, run

pytestmark = pytest.mark.gpu
ONE_DEVICE = [name for name in STEPS if name != "two devices"]


@pytest.fixture(autouse=True)
def full_precision():
    """Compute convolutions in full float32, so that results agree to float32's tolerance."""
    for library in (torch, torchlike):
        library.backends.cudnn.allow_tf32 = False
    yield
    for library in (torch, torchlike):
        library.backends.cudnn.allow_tf32 = True


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", ONE_DEVICE)
def test_steps(name, compiled):
    assert JUDGE == "cuda"  # the random numbers of PyTorch's CPU are others
    for library in (torch, torchlike):
        library.manual_seed(0)
    losses, tensors = run(torchlike, name, "cuda", 6, compiled)
    due_losses, due_tensors = run(torch, name, JUDGE, 6)
    close = lambda a, b: torch.testing.assert_close(torch.tensor(a), torch.tensor(b), rtol=1e-4, atol=1e-5)
    close(losses, due_losses)
    for mine, due in zip(tensors, due_tensors, strict=True):
        if name != "GPT":  # AdamW divides the gradients of its key biases, which are rounding errors, by their size
            close(mine, due)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", ONE_DEVICE)
def test_a_warm_step_reads_nothing(name, compiled):
    step, _ = STEPS[name](torchlike, "cuda")
    step = torchlike.compile(step) if compiled else step
    for _ in range(4):
        step()
    with jax.transfer_guard_device_to_host("disallow"):
        for _ in range(2):
            loss = step()
    assert loss.isfinite().item()
