"""Attention, mostly with masks: queries whose keys are all masked, random calls, and inputs of different widths."""

import pytest

import torchlike
from tests.nn import attention_cases, attention_layer_cases
from tests.oracle import both

INF = float("inf")


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("kind", ["bool", "float"])
def test_a_query_without_keys_has_finite_gradients(kind, executor):
    def run(torch):
        q, k, v = (torch.randn(1, 1, 3, 4, requires_grad=True) for _ in range(3))
        mask = torch.ones(3, 3, dtype=torch.bool).tril()
        mask[2] = False
        if kind == "float":
            mask = torch.zeros(3, 3).masked_fill(~mask, -INF)
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return out, *torch.autograd.grad(out[:, :, :2].sum(), (q, k, v))

    with torchlike.set_executor(executor):
        both(run, stride=False)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_a_query_with_only_infinite_scores_gives_zeros_without_a_mask(executor):
    def run(torch):
        q, k, v = torch.ones(2, 3, 1), torch.full((2, 2, 1), -INF), torch.ones(2, 2, 1)
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    with torchlike.set_executor(executor):
        both(run, stride=False)


def test_gradients_of_small_batches_do_not_abort_the_process():
    """Check shapes for which XLA's CPU backend aborts: small batched products whose result has column-major layout."""

    def run(torch):
        q, k, v = (torch.randn(*shape, requires_grad=True) for shape in ((2, 2, 2), (2, 5, 2), (2, 5, 4)))
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return torch.autograd.grad(out, (q, k, v), torch.ones_like(out))

    with torchlike.set_executor("xla"):
        both(run, stride=False)


CASES = {"attention": attention_cases, "layers": attention_layer_cases}


@pytest.mark.filterwarnings("ignore:Support for mismatched")
@pytest.mark.parametrize(
    ("cases", "seed"), [*[("attention", n) for n in range(32)], *[("layers", n) for n in range(40)]]
)
def test_random_attention_calls(cases, seed):
    with torchlike.set_executor("numpy"):
        both(CASES[cases].program(seed), stride=False)


@pytest.mark.one_in(5)
@pytest.mark.filterwarnings("ignore:Support for mismatched")
@pytest.mark.parametrize(
    ("cases", "seed"), [*[("attention", n) for n in range(100, 108)], *[("layers", n) for n in range(100, 104)]]
)
def test_random_attention_calls_under_xla(cases, seed):
    with torchlike.set_executor("xla"):
        both(CASES[cases].program(seed), stride=False)


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("separate", [False, True])
def test_multi_head_attention_forward_with_different_widths(separate, static):
    def run(torch):
        q, k, v = torch.randn(3, 2, 4), torch.randn(5, 2, 4 - separate), torch.randn(5, 2, 4 + separate)
        q, k, v = (x.requires_grad_() for x in (q, k, v if separate else k))
        weights = [torch.randn(4, 4), torch.randn(4, 3), torch.randn(4, 5)]
        given = {"use_separate_proj_weight": True} if separate else {}
        given |= {f"{name}_proj_weight": w for name, w in zip("qkv", weights)} if separate else {}
        given |= {f"static_{name}": torch.randn(4, 6, 2) for name in "kv"} if static else {}
        joint = None if separate else torch.randn(12, 4)
        call = torch.nn.functional.multi_head_attention_forward
        out, scores = call(
            q, k, v, 4, 2, joint, torch.randn(12), None, None, False, 0.0, torch.randn(7, 4), torch.randn(7), **given
        )
        return out, scores, *torch.autograd.grad(out.sum(), (q, k, v), allow_unused=True)

    both(run, stride=False)


@pytest.mark.parametrize(
    ("executor", "size"),
    [("numpy", (3, 5)), ("xla", (3, 5)), ("xla", (5, 3)), ("numpy", (1100, 1030)), ("xla", (1100, 1030))],
)
@pytest.mark.parametrize("kind", ["bool", "float"])
def test_attn_mask_and_is_causal_are_both_applied(executor, size, kind):
    def run(torch):
        rows, keys = size
        q, k, v = (torch.randn(1, 2, n, 4, requires_grad=True) for n in (rows, keys, keys))
        mask = torch.rand(rows, keys) > 0.3 if kind == "bool" else torch.randn(1, 1, 1, keys)
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=True)
        return out, *torch.autograd.grad(out.sin().sum(), (q, k, v))

    with torchlike.set_executor(executor):
        both(run, stride=False, rtol=1e-5, atol=1e-4)  # keys that many rows attend to have long sums


MASKS = [(2, 2), (4, 3), (3, 2), (5, 3, 3), (3, 1, 3, 3), (1, 2, 4, 3, 3), (3,), ()]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("shape", [(2, 4, 3, 8), (4, 3, 8), (3, 8), (1, 4, 1, 8)])
@pytest.mark.parametrize("causal", [False, True])
def test_masks_of_many_shapes(mask, shape, causal):
    def run(torch):
        q = torch.randn(shape)
        k, v = torch.randn(*shape[:-2], 3, 8), torch.randn(*shape[:-2], 3, 5 if causal else 8)
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(mask), is_causal=causal)

    both(run, stride=False)
