"""Random calls of `scaled_dot_product_attention` with rows whose keys are all masked.

`python -m tests.nn.attention_cases 500` compares 500 calls with PyTorch. `python -m tests.nn.attention_cases 50 0 512`
compares 50 calls with at least 512 queries and keys.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

DTYPES = ("float32", "float32", "float64", "bfloat16")


LONG = 512  # with so many queries and keys, the scores are computed by blocks


def program(seed: int, more: int = 0) -> Any:
    """Return a function of the library that makes the call of this seed.

    The function returns the result and the gradients, and sometimes second gradients.

    Args:
      seed: the seed of the random choices.
      more: added to the numbers of queries and keys.
    """
    random = np.random.default_rng(seed)
    dtype = str(random.choice(DTYPES))
    lead = tuple(int(n) for n in random.integers(1, 4, random.integers(0, 3)))
    length, keys, width, out = (int(n) for n in random.integers(1, 6, 4) + [more, more, 0, 0])
    out = width if random.random() < 0.6 else out
    grouped = len(lead) > 0 and random.random() < 0.2
    if grouped and dtype == "bfloat16":
        lead = lead[-1:]  # PyTorch's fused kernel sums the gradients of a group in bfloat16
    q_lead = (*lead[:-1], lead[-1] * 2) if grouped else lead
    shapes = [(*q_lead, length, width), (*lead, keys, width), (*lead, keys, out)]
    arrays = [random.standard_normal(shape) for shape in shapes]
    mask = _mask(random, q_lead, length, keys)
    options: dict[str, Any] = {"enable_gqa": True} if grouped else {}
    if random.random() < 0.2:
        options["scale"] = float(random.uniform(0.1, 1.0 if more else 3.0))
    if mask is None and random.random() < 0.6:
        options["is_causal"] = True
    if random.random() < 0.15:
        options["dropout_p"] = (0.4, 1.0)[seed % 3 == 0]
    # PyTorch's two kernels differ for infinities at masked positions.
    if random.random() < 0.1 and "is_causal" not in options and not more:
        arrays[random.integers(3)].flat[0] = random.choice([np.inf, -np.inf, 1e30])
    requires = random.random(4) < 0.6
    # PyTorch's fused kernel has no second derivative.
    second = random.random() < 0.4 and dtype == "float64" and len(lead) != 2
    shared = random.random() < 0.1 and len({*shapes}) == 1
    changes = random.standard_normal((*q_lead, length, out))

    def run(torch: Any) -> list:
        kind = getattr(torch, dtype)
        made = lambda a, needed: torch.tensor(a).to(kind).requires_grad_(bool(needed))
        q, k, v = (made(a, needed) for a, needed in zip(arrays, requires))
        if shared:
            k = v = q
        given = mask
        if mask is not None:
            given = torch.tensor(mask) if mask.dtype == bool else made(mask, requires[3])
        result = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=given, **options)
        found = [result]
        leaves = [x for x in (q, k, v, given) if x is not None and x.requires_grad]
        if leaves:
            first = torch.autograd.grad(
                result, leaves, torch.tensor(changes).to(kind), create_graph=second, allow_unused=True
            )
            found += first
            if second and all(x is None or x.requires_grad for x in first):
                total = sum((x * torch.cos(x.detach())).sum() for x in first if x is not None)
                found += torch.autograd.grad(total, leaves, allow_unused=True)
        return found

    told = None if mask is None else (mask.dtype.name, mask.shape)
    run.__doc__ = f"{dtype} {shapes} mask={told} {options} {requires} {second=} {shared=}"
    return run


def _mask(random: np.random.Generator, lead: tuple, length: int, keys: int) -> np.ndarray | None:
    """Return a mask or None. A mask has a random rank, is boolean or additive, and may mask all keys of a row."""
    if random.random() < 0.2:
        return None
    shape = (*lead, length, keys)[int(random.integers(0, len(lead) + 1)) :]
    shape = tuple(1 if random.random() < 0.15 else n for n in shape)
    seen = random.random(shape) < random.choice([0.3, 0.7, 1.0])
    if random.random() < 0.5:
        seen[..., random.integers(shape[-2]), :] = False
    if random.random() < 0.1:
        seen[...] = False
    if random.random() < 0.5:
        return seen
    low = -np.inf if random.random() < 0.8 else -1e9
    if low != -np.inf:
        # In rows where all are -1e9, the gradient of PyTorch's fused kernel loses the logarithm of the sum.
        seen[..., 0] = True
    return np.where(seen, random.standard_normal(shape), low)


if __name__ == "__main__":
    from tests.oracle import both

    failed = 0
    start, more = (int(sys.argv[i]) if len(sys.argv) > i else 0 for i in (2, 3))
    for seed in range(start, int(sys.argv[1])):
        run = program(seed, more)
        try:
            both(run, stride=False)
        except Exception as error:
            failed += 1
            print(f"{seed}: {run.__doc__}\n  {type(error).__name__}: {str(error)[:300]}")
    print(f"{failed} failed")
