"""Attention on a GPU, forward and backward, against PyTorch in float64, and the kernels that compute it."""

import itertools

import pytest
import torch

import torchlike
from tests.gpu.judge import JUDGE, distance, to_ours

pytestmark = pytest.mark.gpu
# Half precision is judged against float64: the bound is a few of its rounding steps.
BOUNDS = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}
KINDS = {
    "plain": {},
    "causal": {"is_causal": True},
    "boolean mask": {"mask": "bool"},
    "bias": {"mask": "bias"},
    "padding": {"mask": "padding"},
    "gqa": {"enable_gqa": True},
    "causal gqa": {"enable_gqa": True, "is_causal": True},
    "odd length": {"T": 77},
    "cross": {"S": 96},
    "wide heads": {"D": 160},
    "narrow heads": {"D": 20},
    "long": {"T": 2048, "is_causal": True},
}


def _inputs(dtype, mask=None, T=128, S=None, D=64, enable_gqa=False, is_causal=False):
    torch.manual_seed(0)
    S, groups = S or T, 2 if enable_gqa else 4
    made = [torch.randn(2, heads, n, D).to(getattr(torch, dtype)) for heads, n in ((4, T), (groups, S), (groups, S))]
    masks = {
        None: None,
        "bool": torch.rand(T, S) < 0.7,
        "bias": torch.randn(2, 4, T, S).to(getattr(torch, dtype)),
        "padding": (torch.arange(S) < S - 13).view(1, 1, 1, S).expand(2, 1, 1, S),
    }
    return [t.requires_grad_() for t in made], masks[mask], {"enable_gqa": enable_gqa, "is_causal": is_causal}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("kind", "dtype"), [*itertools.product(KINDS, BOUNDS)])
def test_attention(kind, dtype, compiled):
    qkv, mask, options = _inputs(dtype, **KINDS[kind])
    ours = [to_ours(t) for t in qkv]
    attend = torchlike.nn.functional.scaled_dot_product_attention
    function = lambda q, k, v, m: attend(q, k, v, m, **options)
    function = torchlike.compile(function) if compiled else function
    mine = function(*ours, None if mask is None else to_ours(mask))
    exact = [t.detach().double().to(JUDGE).requires_grad_() for t in qkv]
    wide = mask if mask is None else mask.to(JUDGE) if mask.dtype is torch.bool else mask.double().to(JUDGE)
    due = torch.nn.functional.scaled_dot_product_attention(*exact, wide, **options)
    assert distance(mine, due) < BOUNDS[dtype]
    weights = torch.randn(due.shape, dtype=torch.float64).to(qkv[0].dtype)
    mine.backward(to_ours(weights))
    due.backward(weights.double().to(JUDGE))
    for t, e in zip(ours, exact):
        assert distance(t.grad, e.grad) < 2 * BOUNDS[dtype]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("causal", [False, True])
def test_dropout(dtype, causal):
    """The mean over many masks is the attention without dropout. The gradient uses the masks of the forward pass."""
    (q, k, v), _, _ = _inputs(dtype)
    q, k, v = (to_ours(t) for t in (q, k, v))
    attend = torchlike.nn.functional.scaled_dot_product_attention
    torchlike.manual_seed(1)
    with torchlike.no_grad():
        # Each draw is read, because one program of 200 attentions takes minutes to compile.
        some = sum(attend(q, k, v, dropout_p=0.2, is_causal=causal).float().cpu() for _ in range(200)) / 200
        due = attend(q, k, v, is_causal=causal).float().cpu()
    assert ((some - due).norm() / due.norm()).item() < 0.06
    state = torchlike.cuda.get_rng_state()
    first = attend(q, k, v, dropout_p=0.2, is_causal=causal)
    torchlike.cuda.set_rng_state(state)
    moved = attend(q, k, v * 2, dropout_p=0.2, is_causal=causal)
    # The result is linear in v, so the gradient times v is the result times the weights.
    first.sum().backward()
    total, linear = first.float().sum().item(), (v.grad.float() * v.float()).sum().item()
    assert linear == pytest.approx(total, rel=5e-2, abs=2.0)
    assert torchlike.allclose(moved.float(), 2 * first.float(), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize(("kind", "dtype"), [("causal", "bfloat16"), ("bias", "float16"), ("gqa", "bfloat16")])
def test_cudnn_computes_it(kind, dtype):
    qkv, mask, options = _inputs(dtype, **KINDS[kind])
    ours = [to_ours(t) for t in qkv]
    m = None if mask is None else to_ours(mask)

    @torchlike.compile
    def step(q, k, v):
        torchlike.nn.functional.scaled_dot_product_attention(q, k, v, m, **options).float().sum().backward()

    step(*ours)
    assert "__cudnn$fmha" in step.hlo()
