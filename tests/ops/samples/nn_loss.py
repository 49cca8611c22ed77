"""Samples of losses."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, integers, normal, scalar, uniform

F = "nn.functional."
X, Y = normal(3, 4), normal(3, 4, seed=1)
P, Q = uniform(3, 4, low=0.1, high=0.9), uniform(3, 4, low=0.1, high=0.9, seed=1)
SIGN = np.sign(Y)
KINKS = array(-2, -1, -0.5, 0, 0.25, 0.5, 1, 2)
INTS = integers(2, 3)
LOGITS, CLASSES, WEIGHT = normal(4, 5), integers(4, low=0, high=5), uniform(5)
MAPS, MAP = normal(2, 5, 3), integers(2, 3, low=0, high=5)
SOME = array(0, -100, 2, 1, dtype=np.int64)
SPEECH = np.log(uniform(6, 2, 5, low=0.1, high=1.0))
WORDS = array(1, 2, 2, 3, 1, 3, dtype=np.int64).reshape(2, 3)
FIXED = "PyTorch does not differentiate the weight or the target"


def each(*args, **kwargs):
    return [Sample(*args, **kwargs), *[Sample(*args, **kwargs, reduction=r) for r in ("sum", "none")]]


def once(samples):
    return [s.without_second_gradient("PyTorch has none") for s in samples]


def log_softmax(a):
    return a.log_softmax(-1)


def of_log_softmax(samples):
    return [s.taken_as(0, log_softmax, "the gradient is that of what the logarithms come from") for s in samples]


def fixed(samples):
    return [s.without_gradient(FIXED) for s in samples]


WRONG_CLASSES = [
    Fails(LOGITS, integers(3, low=0, high=5)),
    Fails(LOGITS, array(0, 1, 5, 2, dtype=np.int64)),
    Fails(LOGITS, array(0, 1, -3, 2, dtype=np.int64)),
    Fails(LOGITS, CLASSES.astype(np.int32)),
    Fails(LOGITS, normal(4)),
    Fails(LOGITS, CLASSES, uniform(2)),
    Fails(LOGITS, CLASSES, reduction="x"),
    Fails(MAPS, integers(2, 4, low=0, high=5)),
    Fails(integers(4, 5), CLASSES),
]

SAMPLES = {
    F + "cross_entropy": [
        *each(LOGITS, CLASSES),
        *each(LOGITS, SOME, label_smoothing=0.1),
        *fixed(each(LOGITS, SOME, WEIGHT)),
        *fixed(each(MAPS, MAP, WEIGHT, ignore_index=1, label_smoothing=0.3)),
        *each(LOGITS, uniform(4, 5)),
        *fixed(each(MAPS, uniform(2, 5, 3), WEIGHT, label_smoothing=0.1)),
        Sample(normal(5), scalar(3, np.int64)),
        Sample(LOGITS + 1000, CLASSES),
        Sample(LOGITS.astype(ml_dtypes.bfloat16), CLASSES),
        Sample(LOGITS, np.full(4, -100)),
        *WRONG_CLASSES,
        Fails(LOGITS, CLASSES, label_smoothing=2.0),
        Fails(normal(2, 3), normal(2, 4)),
        Fails(normal(2, 3), integers(2, 3)),
    ],
    F + "nll_loss": [*each(LOGITS, CLASSES), *fixed(each(MAPS, MAP, WEIGHT, ignore_index=1)), *WRONG_CLASSES[:-1]],
    F + "mse_loss": [*each(X, Y), Fails(INTS, INTS), Fails(X, normal(2, 4)), Fails(X, Y, reduction="x")],
    F + "l1_loss": [*each(X, Y), *each(KINKS, KINKS * 0), Fails(INTS, INTS)],
    F + "smooth_l1_loss": [
        *each(X, Y),
        Sample(KINKS, KINKS * 0, beta=0.5),
        Sample(KINKS, KINKS * 0, beta=0.0),
        Fails(X, Y, beta=-1.0),
        Fails(INTS, INTS),
    ],
    F + "huber_loss": [*each(X, Y), Sample(KINKS, KINKS * 0, delta=0.5), Fails(X, Y, delta=-1.0), Fails(INTS, INTS)],
    F + "binary_cross_entropy": [
        *each(P, Q),
        *fixed(each(P, Q, uniform(3, 4))),
        Sample(array(0, 1, 0.5, 0, 1), array(0, 1, 0.5, 1, 0)).without_gradient("the target's is infinite there"),
        Fails(P + 1, Q),
        Fails(P, uniform(4)),
    ],
    F + "binary_cross_entropy_with_logits": [
        *each(X, Q),
        *fixed(each(X, Q, uniform(4), pos_weight=uniform(4, seed=1))),
        Sample(KINKS, uniform(8)),
        Fails(X, uniform(4)),
    ],
    F + "kl_div": [*each(X, P), *each(X, Y, log_target=True), Sample(X, P, reduction="batchmean")],
    F + "poisson_nll_loss": [*each(P, 3 * Q, full=True), Sample(P, 3 * Q, log_input=False)],
    F + "gaussian_nll_loss": [
        *each(X, Y, P, full=True),
        Sample(X, Y, uniform(3, 1)),
        Sample(X, Y, 0 * P),
        Fails(X, Y, P - 5),
        Fails(X, Y, uniform(5)),
        Fails(X, Y, P, reduction="x"),
    ],
    F + "soft_margin_loss": fixed(each(X, SIGN)),
    F + "hinge_embedding_loss": [*fixed(each(X, SIGN)), Fails(INTS, INTS)],
    F + "margin_ranking_loss": [*fixed(each(X, Y, SIGN, 0.3)), Fails(X, normal(2), normal(2))],
    F + "cosine_embedding_loss": fixed(each(X, Y, SIGN[:, 0].copy(), 0.1)),
    F + "triplet_margin_loss": [*each(X, Y, P, swap=True), Sample(X, Y, P, p=1.5), Fails(X, X, X, margin=-1.0)],
    F + "multi_margin_loss": [
        *once(each(LOGITS, CLASSES)),
        *fixed(each(LOGITS, CLASSES, 2, 0.5, WEIGHT)),
        Fails(LOGITS, CLASSES, p=3),
    ],
    F + "multilabel_margin_loss": once(
        each(LOGITS, np.array([[3, 0, -1, 1, 2], [-1, 0, 0, 0, 0], [0, 1, 2, 3, 4], [2, -1, -1, -1, -1]]))
    ),
    F + "multilabel_soft_margin_loss": each(X, P),
    F + "linear_cross_entropy": [
        *each(LOGITS, normal(7, 5), integers(4, low=0, high=7)),
        Sample(LOGITS, normal(7, 5), integers(4, low=0, high=7), linear_bias=normal(7), ignore_index=1),
        Sample(LOGITS, normal(3, 2, 5), integers(4, 2, low=0, high=3), linear_bias=normal(3, 2)),
        Sample(LOGITS, normal(7, 5), uniform(4, 7), label_smoothing=0.1),
        Fails(normal(2, 4, 5), normal(7, 5), CLASSES),
        Fails(LOGITS, normal(5), CLASSES),
        Fails(LOGITS, normal(7, 4), CLASSES),
        Fails(LOGITS, normal(7, 5), CLASSES, linear_bias=normal(5)),
        Fails(LOGITS[0], normal(7, 2, 5), CLASSES),
        Fails(LOGITS, normal(7, 5), uniform(4, 7), ignore_index=1),
    ],
    F + "ctc_loss": of_log_softmax(
        once(
            [
                *each(SPEECH, WORDS, [6, 5], [2, 3]),
                *each(SPEECH, WORDS, array(2, 5, dtype=np.int64), array(2, 1, dtype=np.int64), zero_infinity=True),
                Sample(SPEECH, array(1, 1, 4, 2, dtype=np.int64), [6, 5], [3, 1]),
                Sample(SPEECH, WORDS - 1, [6, 5], [2, 0], 4),
                Sample(SPEECH[:, 0].copy(), WORDS[0], [6], [3]),
                Sample(SPEECH, WORDS, [1, 5], [3, 0], reduction="none"),
            ]
        )
    )
    + [
        Fails(SPEECH, WORDS, [6, 5], [2, 3], reduction="x"),
        Fails(SPEECH, WORDS, [6, 7], [2, 3]),
        Fails(SPEECH, WORDS, [6, -1], [2, 3]),
        Fails(SPEECH, WORDS, [6, 5], [2, 4]),
        Fails(SPEECH, WORDS, [6, 5], [2, -1]),
        Fails(SPEECH, WORDS, [6], [2, 3]),
        Fails(SPEECH, WORDS, [6, 5], [2, 3, 1]),
        Fails(SPEECH, WORDS, [6, 5], [2, 3], 5),
        Fails(SPEECH, WORDS.reshape(-1), [6, 5], [2, 3]),
        Fails(SPEECH, WORDS[None], [6, 5], [2, 3]),
        Fails(SPEECH, WORDS, array(6, 5), array(2, 3, dtype=np.int64)),
        Fails(SPEECH[0, 0], WORDS[0], [6], [2]),
        Fails(SPEECH.astype(np.int64), WORDS, [6, 5], [2, 3]),
    ],
}
