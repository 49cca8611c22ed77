"""Operators whose arguments may be on another device than their input. CPU devices stand in for accelerators."""

import jax
import pytest

import torchlike
from tests.oracle import both
from torchlike._dtypes.devices import stand_ins

LENGTHS = {
    "lists": lambda torch, to: ([4, 3], [2, 1]),
    "tensors on the CPU": lambda torch, to: (torch.tensor([4, 3]), torch.tensor([2, 1])),
    "tensors on the device": lambda torch, to: (to(torch.tensor([4, 3])), to(torch.tensor([2, 1]))),
}
TARGETS = {"padded": [[1, 2], [3, 0]], "concatenated": [1, 2, 3]}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("on_device", [True, False])
@pytest.mark.parametrize("targets", TARGETS)
@pytest.mark.parametrize("lengths", LENGTHS)
def test_ctc_loss_moves_its_targets_and_lengths(lengths, targets, on_device):
    def program(torch):
        to = lambda t: t.to("cuda") if torch is torchlike else t
        scores = to(torch.arange(32.0).reshape(4, 2, 4).sin()).requires_grad_()
        wanted = torch.tensor(TARGETS[targets])
        wanted = to(wanted) if on_device else wanted
        loss = torch.nn.functional.ctc_loss(scores.log_softmax(-1), wanted, *LENGTHS[lengths](torch, to))
        assert loss.device == scores.device
        loss.backward()
        return loss.detach().cpu(), scores.grad.cpu()

    with stand_ins("cuda", jax.devices("cpu")[:1]):
        both(program, rtol=1e-5, atol=1e-6)
