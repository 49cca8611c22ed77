"""Flex attention with `score_mod` and `mask_mod` functions, compared with PyTorch's."""

import functools
import importlib
import inspect
import warnings

import pytest
import torch

import torchlike
from tests.oracle import assert_same, both, to_ours

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*flex_attention called without:UserWarning", "ignore:return_lse is deprecated:FutureWarning"
)


def flex(L):
    return importlib.import_module(f"{L.__name__}.nn.attention.flex_attention")


def causal(b, h, q, kv):
    return q >= kv


def nearby(b, h, q, kv):
    return (q - kv).abs() <= 3


def diagonal(b, h, q, kv):
    return q == kv + h - b


def relative(score, b, h, q, kv):
    return score + (q - kv) * 0.1 * (h + 1)


def qkv(L, *sizes, dtype="float32"):
    """Return query, key and value, each of shape (B, H, L, E)."""
    sizes = sizes or ((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4))
    drawn = torch.Generator().manual_seed(3)
    made = [torch.randn(size, generator=drawn).to(getattr(torch, dtype)) for size in sizes]
    return made if L is torch else [to_ours(x) for x in made]


def masked(L, mask_mod=causal, batch=None, heads=None, **more):
    return flex(L).create_block_mask(mask_mod, batch, heads, 5, 7, device="cpu", **{"BLOCK_SIZE": 2, **more})


def attend(L, *sizes, dtype="float32", **more):
    return flex(L).flex_attention(*qkv(L, *sizes, dtype=dtype), **more)


def with_documents(L):
    document = L.tensor([0, 0, 1, 1, 1, 2, 2])
    mask = masked(L, lambda b, h, q, kv: (document[q] == document[kv]) & (q >= kv))
    return attend(L, block_mask=mask), mask.to_dense()


def pieces(L, *counts):
    """Return the index tensors of a hand-written block mask."""
    num, full = L.tensor([[[1, 2]]]), L.tensor([[[1, 0]]])
    indices, full_indices = L.tensor([[[[0, 1], [0, 1]]]]), L.tensor([[[[1, 0], [0, 1]]]])
    return num, indices, full, full_indices


def from_blocks(L, count=2, **more):
    return flex(L).BlockMask.from_kv_blocks(*pieces(L)[:count], **{"BLOCK_SIZE": 4, **more})


def lse(L, **more):
    return attend(L, return_aux=flex(L).AuxRequest(lse=True), **more)


KERNELS = {"BLOCK_M": 4, "PRESCALE_QK": True, "ROWS_GUARANTEED_SAFE": True, "BACKEND": "AUTO"}
GQA = ((2, 4, 5, 4), (2, 2, 7, 4), (2, 2, 7, 6))

RESULTS = {
    "plain": attend,
    "scale": lambda L: attend(L, scale=0.3),
    "score_mod": lambda L: attend(L, score_mod=relative),
    "a score that is constant": lambda L: attend(L, score_mod=lambda s, b, h, q, kv: s * 0 + 1),
    "a score that is bool": lambda L: attend(L, score_mod=lambda s, b, h, q, kv: q >= kv),
    "a score in float64": lambda L: lse(L, score_mod=lambda s, *place: s.double()),
    "mask": lambda L: attend(L, block_mask=masked(L)),
    "mask of batch and head": lambda L: attend(L, block_mask=masked(L, diagonal, 2, 3)),
    "mask and score_mod": lambda L: attend(L, score_mod=relative, block_mask=masked(L, nearby)),
    "rows without any place": lambda L: attend(L, block_mask=masked(L, lambda b, h, q, kv: q > kv)),
    "documents": with_documents,
    "lse": lambda L: attend(L, return_lse=True),
    "lse of rows without any place": lambda L: lse(L, block_mask=masked(L, lambda b, h, q, kv: q > kv)),
    "aux": lse,
    "aux of nothing": lambda L: attend(L, return_aux=flex(L).AuxRequest()),
    "fewer heads of keys": lambda L: attend(L, *GQA, enable_gqa=True),
    "fewer heads of keys, mask": lambda L: attend(L, *GQA, enable_gqa=True, score_mod=relative, block_mask=masked(L)),
    "one batch of keys": lambda L: attend(L, (2, 3, 5, 4), (1, 3, 7, 4), (1, 3, 7, 4), block_mask=masked(L, causal, 2)),
    "kernel options": lambda L: attend(L, kernel_options=KERNELS),
    "no queries": lambda L: attend(L, (2, 3, 0, 4), (2, 3, 7, 4), (2, 3, 7, 4)).shape,
    "float64": lambda L: lse(L, dtype="float64", score_mod=relative),
    "integers": lambda L: attend(L, dtype="int64"),
    "other dtypes": lambda L: flex(L).flex_attention(
        *[x.to(d) for x, d in zip(qkv(L), (L.float32, L.float64, L.float64))]
    ),
    "blocks decide nothing": lambda L: attend(L, (1, 1, 8, 4), (1, 1, 8, 4), (1, 1, 8, 4), block_mask=from_blocks(L)),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results(name):
    both(RESULTS[name], rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision(dtype):
    # One unit in the last place: products are summed in another order.
    both(lambda L: attend(L, dtype=dtype, score_mod=relative), rtol=2**-7 if dtype == "bfloat16" else 2**-10, atol=1e-3)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (2, 1, 0, 3), (0, 1, 3, 2)])
def test_the_result_lies_in_memory_as_the_query_does(order):
    def strides(L):
        q, k, v = qkv(L)
        q = q.permute(order).contiguous().permute([order.index(d) for d in range(4)])
        return flex(L).flex_attention(q, k, v).stride()

    both(strides)


def biased(L):
    bias = L.linspace(-1, 1, 3, requires_grad=True)
    table = L.linspace(-2, 2, 13, requires_grad=True)
    score_mod = lambda score, b, h, q, kv: score * bias[h] + table[q - kv + 6]
    result, extra = lse(L, score_mod=score_mod, block_mask=masked(L))
    (result.square().sum() + extra.lse.sum()).backward()
    return bias.grad, table.grad


def test_captured_tensors_have_gradients():
    both(biased, rtol=1e-5, atol=1e-5)


def test_query_key_and_value_have_gradients():
    """Compare gradients with the formula. PyTorch supports them only on GPUs."""

    def by_formula(q, k, v):
        place = torch.arange(5)[:, None] - torch.arange(7)
        scores = q @ k.mT / 2 + place * 0.1 * torch.arange(1, 4)[:, None, None]
        return scores.masked_fill(place < 0, -torch.inf).softmax(-1) @ v

    theirs = [x.requires_grad_() for x in qkv(torch)]
    ours = [x.requires_grad_() for x in qkv(torchlike)]
    by_formula(*theirs).square().sum().backward()
    flex(torchlike).flex_attention(*ours, relative, masked(torchlike)).square().sum().backward()
    for mine, expected in zip(ours, theirs):
        assert_same(mine.grad, expected.grad, rtol=1e-5, atol=1e-5)


def test_a_row_without_any_place_has_no_gradient():
    ours = [x.requires_grad_() for x in qkv(torchlike)]
    mask = masked(torchlike, lambda b, h, q, kv: q > kv)
    flex(torchlike).flex_attention(*ours, block_mask=mask).sum().backward()
    assert ours[0].grad[:, :, 0].eq(0).all()
    assert all(x.grad.isfinite().all() for x in ours)


def test_compiled():
    module = flex(torchlike)
    q, k, v = qkv(torchlike)
    mask = masked(torchlike)
    compiled = torchlike.compile(module.flex_attention)(q, k, v, relative, mask)
    assert_same(compiled, attend(torch, score_mod=relative, block_mask=masked(torch)), rtol=2e-6, atol=1e-6)


def held(mask):
    return [mask.shape, *mask.as_tuple()[:-1], mask.mask_mod.__name__, mask.numel(), mask.sparsity(), mask.to_dense()]


def parts(L):
    return flex(L).create_block_mask(causal, 2, 3, 600, 700, device="cpu")


MASKS = {
    "causal": lambda L: masked(L, BLOCK_SIZE=(2, 3)),
    "of batch and head": lambda L: masked(L, diagonal, 2, 3),
    "not apart": lambda L: masked(L, separate_full_blocks=False),
    "large": parts,
    "one block": lambda L: masked(L, BLOCK_SIZE=128),
    "from blocks": from_blocks,
    "from whole blocks": lambda L: from_blocks(L, 4, seq_lengths=(7, 8), mask_mod=causal),
    "without columns": lambda L: from_blocks(L, 4, compute_q_blocks=False),
    "of two dims": lambda L: flex(L).BlockMask.from_kv_blocks(pieces(L)[0][0, 0], pieces(L)[1][0, 0]),
    "of one batch": lambda L: parts(L)[1],
    "of the last batch": lambda L: parts(L)[-1],
    "of one head": lambda L: parts(L)[:, 1],
    "of some rows": lambda L: parts(L)[0, 0, 1:3],
    "of every second row": lambda L: parts(L)[0, :, ::2],
    "of rows by a tensor": lambda L: parts(L)[:, :, L.tensor([1, 3])],
    "of rows by a list": lambda L: parts(L)[0, 0, [1, 2]],
    "of no batch": lambda L: parts(L)[5],
    "of a tensor": lambda L: parts(L)[0, 0, L.tensor(2)],
    "of four indices": lambda L: parts(L)[0, 0, 0, 0],
    "of a mask without columns": lambda L: from_blocks(L, 4, compute_q_blocks=False)[0],
    "adjusted": lambda L: masked(L, BLOCK_SIZE=(2, 3))._adjust(3, 6),
    "adjusted upwards": lambda L: parts(L)._adjust(900, 900),
    "moved": lambda L: parts(L).to("cpu"),
}


@pytest.mark.parametrize("name", MASKS)
def test_block_masks(name):
    both(lambda L: held(MASKS[name](L)))


SHOWN = [name for name in MASKS if name != "of no batch"]


@pytest.mark.parametrize("name", SHOWN)
def test_block_masks_are_shown_alike(name):
    both(lambda L: [str(MASKS[name](L)), repr(MASKS[name](L))])


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"grid_size": -1, "limit": 10},
        {"grid_size": (3, 5)},
        {"grid_size": 2},
        {"grid_size": (3, 3), "limit": 2},
        {"limit": 6},
    ],
    ids=str,
)
def test_pictures(how):
    both(lambda L: parts(L).to_string(**how))


class Kept:
    def __call__(self, b, h, q, kv):
        return q >= kv

    def __repr__(self):
        return "Kept()"


def made(L, mod, B=None, H=None, size=(4, 4)):
    # PyTorch's default is the accelerator of its build, which may be absent.
    return flex(L).create_mask(mod, B, H, *size, device="cpu")


FUNCTIONS = {
    "create_mask": lambda L: made(L, diagonal, 2, 3, (4, 5)),
    "create_mask of scores": lambda L: made(L, lambda s, b, h, q, kv: L.where(q >= kv, s, -float("inf"))),
    "create_mask of numbers": lambda L: made(L, lambda b, h, q, kv: q - kv),
    "and": lambda L: made(L, flex(L).and_masks(causal, nearby), size=(9, 9)),
    "or": lambda L: made(L, flex(L).or_masks(causal, nearby), size=(9, 9)),
    "and of none": lambda L: made(L, flex(L).and_masks()).tolist(),
    "or of none": lambda L: made(L, flex(L).or_masks()).tolist(),
    "names": lambda L: [flex(L).and_masks(causal).__name__, flex(L).or_masks(causal).__name__],
    "noop_mask": lambda L: [flex(L).noop_mask(*[L.tensor(0)] * 4), made(L, flex(L).noop_mask).tolist()],
    "a function with an argument given": lambda L: masked(
        L, functools.partial(lambda w, b, h, q, kv: q - kv <= w, 2)
    ).to_dense(),
    "an object": lambda L: repr(masked(L, Kept())),
    "AuxRequest": lambda L: [flex(L).AuxRequest(), flex(L).AuxOutput(), flex(L).AuxRequest(lse=True)],
    "all": lambda L: flex(L).__all__,
    "options": lambda L: list(flex(L).FlexKernelOptions.__annotations__),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    both(FUNCTIONS[name])


ONE, BATCH = (2, 3, 7, 4), (3, 3, 7, 4)
REFUSED = {
    "three dims": lambda L: flex(L).flex_attention(qkv(L)[0][0], *qkv(L)[1:]),
    "embedding": lambda L: attend(L, (2, 3, 5, 2), ONE, ONE),
    "heads": lambda L: attend(L, (2, 1, 5, 4), ONE, ONE),
    "grouped heads": lambda L: attend(L, (2, 4, 5, 4), ONE, ONE, enable_gqa=True),
    "batches": lambda L: attend(L, (1, 3, 5, 4), ONE, ONE),
    "batches and mask": lambda L: attend(L, (2, 3, 5, 4), BATCH, BATCH, block_mask=masked(L)),
    "batches apart": lambda L: attend(L, (2, 3, 5, 4), BATCH, BATCH, block_mask=masked(L, causal, 2)),
    "mask for fewer queries": lambda L: attend(L, (2, 3, 6, 4), ONE, ONE, block_mask=masked(L)),
    "mask for fewer keys": lambda L: attend(L, (2, 3, 4, 4), (2, 3, 8, 4), (2, 3, 8, 4), block_mask=masked(L)),
    "mask for more queries": lambda L: attend(L, (2, 3, 4, 4), ONE, ONE, block_mask=masked(L)),
    "mask for more keys": lambda L: attend(L, (2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 4), block_mask=masked(L)),
    "part of a mask": lambda L: attend(L, block_mask=masked(L)[:, :, :]),
    "mask of numbers": lambda L: attend(
        L, (1, 1, 8, 4), (1, 1, 8, 4), (1, 1, 8, 4), block_mask=from_blocks(L, mask_mod=lambda b, h, q, kv: q - kv)
    ),
    "lse twice": lambda L: attend(L, return_lse=True, return_aux=flex(L).AuxRequest(lse=True)),
    "max_scores": lambda L: attend(L, return_aux=flex(L).AuxRequest(max_scores=True)),
    "BACKEND": lambda L: attend(L, kernel_options={"BACKEND": "x"}),
    "two BACKENDs": lambda L: attend(L, kernel_options={"BACKEND": "AUTO", "FORCE_USE_FLEX_ATTENTION": True}),
    "OUTPUT_LOGSUMEXP": lambda L: attend(L, kernel_options={"OUTPUT_LOGSUMEXP": True}),
    "OUTPUT_MAX": lambda L: attend(L, kernel_options={"OUTPUT_MAX": True}),
    "no keys": lambda L: attend(L, (2, 3, 5, 4), (2, 3, 0, 4), (2, 3, 0, 4)),
    "mask_mod of a part": lambda L: masked(L)[0].mask_mod(0, 0, 0, 0),
    "no mask_mod": lambda L: masked(L, None),
    "three arguments": lambda L: masked(L, lambda b, h, q: q),
    "an argument with a default": lambda L: made(L, lambda b, h, q, kv=0: q),
    "numbers": lambda L: masked(L, lambda b, h, q, kv: q - kv),
    "no tensor": lambda L: masked(L, lambda b, h, q, kv: True),
    "random": lambda L: made(L, lambda b, h, q, kv: L.rand(()) > 0.5),
    "dq_kv_order": lambda L: masked(L, dq_kv_order=3),
    "blocks of one dim": lambda L: flex(L).BlockMask.from_kv_blocks(L.tensor(1), L.tensor([0])),
    "half of the full blocks": lambda L: from_blocks(L, 3),
    "and of a number": lambda L: flex(L).and_masks(3),
    "or of a number": lambda L: flex(L).or_masks(causal, 3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_pytorchs_words(name):
    both(REFUSED[name])


def test_score_mods_are_no_mask_mods():
    with pytest.raises(
        AssertionError, match=r"^create-block_mask requires a mask_mod function! Got <function relative"
    ):
        masked(torchlike, relative)


@pytest.mark.parametrize("given", [{"compute_dq_write_order": True}])
def test_orders_of_addition_are_refused(given):
    with pytest.raises(NotImplementedError, match="compute_dq_write_order"):
        masked(torchlike, **given)
    with pytest.raises(NotImplementedError, match="dq_write_order"):
        from_blocks(torchlike, dq_write_order=torchlike.ones(1))


@pytest.mark.parametrize("name", ["flex_attention", "create_block_mask", "create_mask"])
def test_signatures(name):
    ours, theirs = (list(inspect.signature(getattr(flex(L), name)).parameters) for L in (torchlike, torch))
    assert ours == theirs


def test_warned_of_in_pytorchs_words():
    def heard(L):
        L.set_warn_always(True)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            attend(L, return_lse=True)
            masked(L, _compile=L is torchlike)
        L.set_warn_always(False)
        return [(w.category, str(w.message)) for w in seen if "return_lse" in str(w.message)], seen

    ours, seen = heard(torchlike)
    assert "torch.compile(create_block_mask)" in str(seen[-1].message)
    assert ours == [(FutureWarning, str(ours[0][1]))]
    assert str(ours[0][1]).startswith("return_lse is deprecated and will be removed in v2.10. Please use return_aux=")


def corner(L, name, *size):
    bias = getattr(importlib.import_module(f"{L.__name__}.nn.attention.bias"), f"causal_{name}")(*size)
    return bias, [bias.variant.name, bias.seq_len_q, bias.seq_len_kv]


def by_corner(L, name, *size, **more):
    q, k, v = (x.requires_grad_() for x in qkv(L))
    result = L.nn.functional.scaled_dot_product_attention(q, k, v, corner(L, name, *size)[0], **more)
    result.square().sum().backward()
    return result, q.grad, k.grad, v.grad


BIASES = {
    "upper left": lambda L: by_corner(L, "upper_left", 5, 7),
    "lower right": lambda L: by_corner(L, "lower_right", 5, 7),
    "lower right, scale": lambda L: by_corner(L, "lower_right", 5, 7, scale=0.2),
    "and is_causal": lambda L: by_corner(L, "lower_right", 5, 7, is_causal=True),
    "shown": lambda L: [
        (repr(bias), said)
        for bias, said in (
            corner(L, "upper_left", 2, 4),
            corner(L, "lower_right", 2, 4),
            corner(L, "lower_right", 3, 3),
        )
    ],
    "one size": lambda L: corner(L, "upper_left", 2),
    "three sizes": lambda L: corner(L, "lower_right", 2, 3, 4),
}


@pytest.mark.parametrize("name", BIASES)
def test_biases_by_corner(name):
    both(BIASES[name], rtol=1e-5, atol=1e-5)


def test_more_queries_than_keys_are_warned_of():
    with pytest.warns(UserWarning, match="^Lower right causal bias will produce NaNs in the output when seq_len_q > "):
        corner(torchlike, "lower_right", 4, 2)
