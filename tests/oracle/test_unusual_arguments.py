"""Unusual and wrong arguments of layers, losses, optimizers and their tools: PyTorch's results and errors.

A row is an expression. In it, `L` is the library, `F` its `nn.functional`, `nn` its `nn`, and `x` and `t` make a float
tensor of a shape, `t` with a reversed memory order.
"""

from importlib import import_module

import numpy as np
import pytest

from tests.oracle import both


def _made(L, *shape):
    return L.arange(1.0, 1.0 + L.Size(shape).numel()).view(shape).sin()


def _flipped(L, *shape):
    """Return a tensor whose memory order is that of its dims in reverse."""
    return _made(L, *shape).permute(*range(len(shape))[::-1]).contiguous().permute(*range(len(shape))[::-1])


LOSSES = [
    # The deprecated arguments are used for their truth.
    *(f"F.mse_loss(x(2), -x(2), {name}={value})" for name in ("size_average", "reduce") for value in ("0", "1", "'a'")),
    "F.gaussian_nll_loss(x(2), x(2), L.ones(2), reduction=None)",
    # NaN stays NaN, and its gradient is 0.
    "F.margin_ranking_loss(x(2) * nan, x(2), x(2))",
    "F.triplet_margin_loss(x(1, 3), x(1, 3) * nan, x(1, 3))",
    "F.triplet_margin_with_distance_loss(x(3) * nan, x(3), x(3))",
    "F.hinge_embedding_loss(x(2) * nan, -L.ones(2))",
    "F.cosine_embedding_loss(x(1, 3) * nan, x(1, 3), -L.ones(1))",
    "F.gaussian_nll_loss(x(2), x(2), L.ones(2), eps=nan)",
    "L.autograd.grad(F.margin_ranking_loss(y := (x(2) * nan).requires_grad_(), x(2), x(2)), y)",
    # The result has the dtype of the tensor that PyTorch overwrites.
    "F.huber_loss(x(2), x(2).double())",
    "F.huber_loss(x(2).half(), x(2))",
    "F.huber_loss(L.ones(2, dtype=L.int64), x(2))",
    "F.soft_margin_loss(x(2), x(2).double())",
    "F.soft_margin_loss(x(2), x(2) * 1j)",
    "F.soft_margin_loss(x(2).bool(), x(2))",
    "F.soft_margin_loss(x(2).long(), x(2).double())",
    "F.huber_loss(x(2).bool(), x(2).long())",
    "F.binary_cross_entropy_with_logits(x(2).double(), L.ones(2))",
    "F.binary_cross_entropy_with_logits(x(2), L.ones(2, dtype=L.float16))",
    "F.binary_cross_entropy_with_logits(x(2), L.ones(2), pos_weight=L.ones(2, dtype=L.bool))",
    "F.binary_cross_entropy_with_logits(x(2), L.ones(2), x(2) * 1j)",
    "F.binary_cross_entropy_with_logits(x(2), L.ones(2), x(3, 2))",
    "F.binary_cross_entropy(L.ones(2), L.ones(2), x(3, 2))",
    "F.gaussian_nll_loss(L.ones(2, dtype=L.int64), x(2), L.ones(2))",
    "F.gaussian_nll_loss(x(2), x(2), L.ones(2), full=1)",
    # Weights
    "F.mse_loss(x(2), -x(2), weight=L.tensor(2.0))",
    "F.multi_margin_loss(x(2, 3), L.tensor([0, 1]), weight=L.ones(3).double())",
    "F.multilabel_soft_margin_loss(x(2, 3), L.ones(2, 3), weight=x(2))",
    "F.multilabel_soft_margin_loss(x(2, 3), L.ones(2, 3), weight=2)",
    # Targets
    "F.hinge_embedding_loss(x(2), L.ones(2).requires_grad_())",
    "F.cosine_embedding_loss(x(1, 3), -x(1, 3), L.ones(1).requires_grad_())",
    "F.margin_ranking_loss(x(2), x(2), L.ones(2, dtype=L.bool))",
    "F.triplet_margin_loss(x(1, 3).bool(), x(1, 3), x(1, 3))",
    "F.multilabel_soft_margin_loss(x(2, 3), L.ones(2, 3, dtype=L.bool))",
    *(
        f"F.cross_entropy(x(2, 3), L.tensor([0, 1]), label_smoothing={value})"
        for value in ("-0.5", "nan", "1.5", "'a'")
    ),
    "F.cross_entropy(x(2, 3), x(2, 3), ignore_index=-0.5)",
    "F.margin_ranking_loss(x(2), x(2), x(2), margin=None)",
]
FLAGS = [
    "F.embedding(L.tensor([0]), x(2, 3), sparse=1)",
    "F.embedding(L.tensor([0]), x(2, 3), padding_idx=True)",
    "nn.Embedding(3, 2, padding_idx=True)(L.tensor([0]))",
    "F.embedding_bag(L.tensor([0]), x(2, 3), L.tensor([0]), sparse=None)",
    "F.embedding_bag(L.tensor([0]), x(2, 3), L.tensor([0]), include_last_offset=1)",
    "F.embedding_bag(L.tensor([[0]]), x(2, 3), include_last_offset='a')",
    "F.one_hot(input=L.tensor([0, 2]))",
    "F.interpolate(x(1, 1, 2, 2), size=3, mode='bilinear', antialias=1)",
    "F.batch_norm(x(4, 3), x(3), L.ones(3), training=True, momentum=None)",
    "F.batch_norm(x(4, 3), None, L.ones(3), training=True)",
    "F.batch_norm(x(4, 3), x(3, 1), L.ones(3))",
    "F.batch_norm(x(4, 3), x(3, 1), L.ones(3), training=True)",
    "F.batch_norm(x(4, 0), None, None, training=True)",
    "F.instance_norm(x(2, 3, 4), use_input_stats=1)",
    "F.instance_norm(x(2, 3, 4), momentum=None)",
    "F.instance_norm(x(2, 3, 4), x(3))",
    "F.softmax(x(2), 0, dtype=True)",
    "F.log_softmax(x(2), 0, dtype=L.ones(2))",
    "L.autocast('cpu', enabled=1)(lambda: 1)()",
    "L.autocast('cpu', dtype='a')(lambda: 1)()",
    "nn.utils.rnn.pad_sequence([x(2)], batch_first=1)",
    "nn.utils.rnn.pack_padded_sequence(x(2, 1), [2], batch_first=None)",
    "L.optim.SGD([nn.Parameter(x(2))], differentiable=1).step()",
]
SIZES = [
    "F.unfold(x(1, 1, 3, 3), [2])",
    "F.fold(x(1, 4, 4), 3, 2, stride=[1])",
    "F.fold(L.ones(1, 4, 4, dtype=L.int64), 3, 2)",
    "F.avg_pool2d(x(1, 4, 4), 0, 1)",
    "F.max_unpool1d(x(1, 2), L.tensor([[0, 3]]), 2, output_size=[])",
    "F.fractional_max_pool2d(x(1, 4, 4), [2], 2)",
    "F.fractional_max_pool2d(x(1, 4, 4), 2, True)",
    *(f"F.lp_pool1d(x(1, 5), {p}inf, 2, {stride})" for p in "+-" for stride in ("None", "1, True")),
    "F.lp_pool2d(x(1, 4, 4), inf, 2)",
    "F.lp_pool2d(x(1, 4, 4), 2, [2])",
    "F.lp_pool1d(x(1, 5), 2, [2])",
    *(f"F.adaptive_{kind}_pool1d(x(1, 4), {size})" for kind in ("avg", "max") for size in ("None", "True")),
    *(f"F.adaptive_{kind}_pool2d(x(1, 4, 4), True)" for kind in ("avg", "max")),
    "F.adaptive_max_pool1d(x(1, 4), [None])",
    "F.pad(x(2), (True, 1))",
    "nn.ZeroPad1d(True)(x(1, 2))",
    "F.normalize(x(3))",
    "F.normalize(x(2, 3), dim=(1, 1))",
    "F.bilinear(x(2, 3), x(2, 3), x(2, 3, 3), x(2, 1, 1))",
    "F.rrelu(x(2), upper=inf, training=True)",
    "nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2])(x(1, 4), L.tensor([1.0]))",
    "nn.utils.weight_norm(nn.Linear(2, 3), dim=2)",
    "nn.utils.weight_norm(nn.Linear(2, 3), dim=1.5)",
]
RESULTS = [
    *(f"F.{call}" for call in ("glu(t(4, 6), 0)", "prelu(t(4, 6), x(6))", "normalize(t(4, 6))", "glu(t(2, 4, 6), 1)")),
    *(f"nn.CrossMapLRN2d({size}, 0.5, k=2)(x(2, 6, 2, 2))" for size in range(1, 6)),
    "nn.CrossMapLRN2d(3)(x(2, 3))",
    "repr(nn.Softmax(L.tensor(1))) + repr(nn.ELU(L.tensor(2.0))) + repr(nn.GELU('tanh'))",
    "repr(nn.EmbeddingBag(3, 2, max_norm=L.tensor(2.0), norm_type=L.tensor(1.0)))",
    "nn.utils.rnn.unpad_sequence(x(3, 2, 2), L.tensor([3, 1]))",
    "nn.utils.rnn.unpad_sequence(x(3, 2).requires_grad_(), L.tensor([3, 1]))",
    "nn.utils.rnn.unpad_sequence(x(3, 2), L.tensor([3]))",
    "nn.utils.rnn.unpack_sequence(nn.utils.rnn.pack_sequence([x(3, 2), x(1, 2)]))",
    "nn.utils.rnn.pack_padded_sequence(x(0, 1), [1])",
    "nn.utils.rnn.pack_padded_sequence(x(3, 2), L.tensor([3.0, 1.0])).data",
    "nn.utils.rnn.invert_permutation(L.tensor([1.0, 0.0]))",
    "nn.utils.rnn.invert_permutation(L.tensor([1, 2, 0]))",
    "prune.l1_unstructured(nn.Linear(2, 2), 'weight', np.int64(1)).weight_mask.sum()",
    "prune.l1_unstructured(nn.Linear(2, 2), 'weight', 1, L.ones(2))",
    "prune.custom_from_mask(nn.Linear(2, 2), 'weight', L.ones(2))",
    "nn.utils.stateless.functional_call(nn.ReLU(), {}, x(2), 0)",
    "L.optim.Adam([nn.Parameter(x(2))], betas=[1])",
    "L.optim.SGD([nn.Parameter(x(2))], maximize=[]).step()",
    "L.distributions.PowerTransform('a')",
    "L.optim.lr_scheduler.ReduceLROnPlateau(L.optim.SGD([nn.Parameter(x(2))]), mode=1)",
]


@pytest.mark.parametrize("row", [*LOSSES, *FLAGS, *SIZES, *RESULTS])
@pytest.mark.filterwarnings("ignore")
def test_unusual_argument(row):
    def program(L):
        made, flipped = (lambda *shape: _made(L, *shape)), (lambda *shape: _flipped(L, *shape))
        known = {"L": L, "F": L.nn.functional, "nn": L.nn, "x": made, "t": flipped, "np": np}
        prune = import_module(L.__name__ + ".nn.utils.prune")
        return eval(row, {**known, "prune": prune, "nan": float("nan"), "inf": float("inf")})

    both(program)


@pytest.mark.parametrize("max_iter", [0, 1.5])
def test_iterations_of_lbfgs(max_iter):
    def program(L):
        p = L.nn.Parameter(L.tensor([1.0, 2.0]))
        optimizer = L.optim.LBFGS([p], max_iter=max_iter)

        def closure():
            optimizer.zero_grad()
            loss = (p * p).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        return p, optimizer.state_dict()["state"]

    both(program)
