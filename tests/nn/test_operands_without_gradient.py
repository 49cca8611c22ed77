"""Operands of losses and layers for which PyTorch has no derivative: an error is raised if they require grad."""

import pytest

from tests.oracle import both


def logits(L):
    return L.arange(float(3 * 4)).reshape(3, 4).sin().requires_grad_()


CALLS = {
    "nll_loss": lambda L, F, x, w: F.nll_loss(x, L.tensor([0, 1, 2]), w),
    "nll_loss of pictures": lambda L, F, x, w: F.nll_loss(L.ones(3, 4, 2, 2), L.ones(3, 2, 2, dtype=L.int64), w),
    "cross_entropy": lambda L, F, x, w: F.cross_entropy(x, L.tensor([0, 1, 2]), w),
    "cross_entropy, smoothed": lambda L, F, x, w: F.cross_entropy(x, L.tensor([0, 1, 2]), w, label_smoothing=0.1),
    "multi_margin_loss": lambda L, F, x, w: F.multi_margin_loss(x, L.tensor([0, 1, 2]), weight=w),
    "binary_cross_entropy": lambda L, F, x, w: F.binary_cross_entropy(x.sigmoid(), x.detach().sigmoid(), w),
    "with_logits": lambda L, F, x, w: F.binary_cross_entropy_with_logits(x, x.detach().sigmoid(), w),
    "pos_weight": lambda L, F, x, w: F.binary_cross_entropy_with_logits(x, x.detach().sigmoid(), pos_weight=w),
    "soft_margin_loss": lambda L, F, x, w: F.soft_margin_loss(x, w.expand(3, 4)),
    "multilabel_soft_margin_loss": lambda L, F, x, w: F.multilabel_soft_margin_loss(x, x.detach().sigmoid(), w),
}


@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_an_operand_without_a_gradient(name, requires_grad):
    def program(L):
        w = L.tensor([0.1, 0.2, 0.3, 0.4], requires_grad=requires_grad)
        with L.no_grad():
            quiet = CALLS[name](L, L.nn.functional, logits(L), w)
        return quiet, CALLS[name](L, L.nn.functional, logits(L), w)

    both(program)
