"""The error about an overwritten saved tensor names the node that made the tensor, as PyTorch's does."""

import pytest
import torch

import torchlike

IN_PLACE = ["relu_", "sigmoid_", "tanh_", "exp_", "sqrt_"]


def message(lib, name, is_view, uses, reads_after):
    """Return the error of a backward pass through an in-place operator whose result was overwritten."""
    x = lib.linspace(0.1, 1, 12).reshape(3, 4).requires_grad_()
    y = (x * 2).unsqueeze(1).exp()
    z = getattr(y.squeeze(1) if is_view else y, name)()
    loss = (z * 2).sum() if uses == "scaled" else z.sum() if uses == "summed" else x.sum() + y.sum()
    z.mul_(1.5)
    if reads_after:
        loss = loss + z.mean()
    del z
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation") as caught:
        loss.backward()
    return str(caught.value)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "uses, reads_after", [("scaled", False), ("scaled", True), ("summed", False), ("summed", True), ("base", False)]
)
@pytest.mark.parametrize("is_view", [False, True])
@pytest.mark.parametrize("name", IN_PLACE)
def test_the_node_of_an_overwritten_result(name, is_view, uses, reads_after):
    given = name, is_view, uses, reads_after
    assert message(torchlike, *given) == message(torch, *given)
