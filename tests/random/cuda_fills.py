"""Random tensors of an accelerator, by the names of `cuda_numbers.json`.

`python -m tests.random.cuda_fills` writes that file on a machine whose PyTorch has a GPU with 270,336 threads (H100 or
H200). The committed numbers are those of PyTorch 2.11.0 on an H200.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

NUMBERS = Path(__file__).with_name("cuda_numbers.json")
SIZES = 1000, 1081344, 1081345
STREAMS = 132 * 2048  # the threads of an H100
_PLACES = 0, 1, 5, 257, 999, 262145, 270336, 540673, 811009


def fills(torch: Any, n: int, device: str = "cuda") -> dict[str, Callable[[], Any]]:
    """Return functions of a library that create random tensors of about n elements."""
    F, kinds = torch.nn.functional, torch
    empty = lambda dtype=torch.float32: torch.empty(n, device=device, dtype=dtype)
    ones = lambda dtype=torch.float32: torch.ones(n, device=device, dtype=dtype)
    full = lambda number, dtype=torch.float32: torch.full((n,), number, device=device, dtype=dtype)
    of = lambda function, dtype: lambda: function(n, device=device, dtype=dtype)
    found = {
        "rand32": of(torch.rand, kinds.float32),
        "rand64": of(torch.rand, kinds.float64),
        "rand16": of(torch.rand, kinds.float16),
        "randbf": of(torch.rand, kinds.bfloat16),
        "randn32": of(torch.randn, kinds.float32),
        "randn64": of(torch.randn, kinds.float64),
        "randn16": of(torch.randn, kinds.float16),
        "randnbf": of(torch.randn, kinds.bfloat16),
        "randnc64": lambda: torch.view_as_real(torch.randn(n, device=device, dtype=kinds.complex64)),
        "uniform": lambda: empty().uniform_(-2, 5),
        "normal": lambda: empty().normal_(3, 2),
        "expo32": lambda: empty().exponential_(1.5),
        "expo64": lambda: empty(kinds.float64).exponential_(1.5),
        "cauchy": lambda: empty().cauchy_(1, 2),
        "logn": lambda: empty().log_normal_(0.1, 0.5),
        "geom": lambda: empty().geometric_(0.2),
        "bern_p": lambda: empty().bernoulli_(0.3),
        "bern_p64": lambda: empty(kinds.float64).bernoulli_(0.3),
        "bern_pi": lambda: empty(kinds.int64).bernoulli_(0.3),
        "bern_t": lambda: torch.bernoulli(full(0.3)),
        "bern_tbf": lambda: torch.bernoulli(full(0.3, kinds.bfloat16)),
        "randint": lambda: torch.randint(10, (n,), device=device),
        "randint_big": lambda: torch.randint(-(2**40), 2**40, (n,), device=device),
        "randint32": lambda: torch.randint(3, 1000, (n,), device=device, dtype=kinds.int32),
        "randint8": lambda: torch.randint(0, 100, (n,), device=device, dtype=kinds.uint8),
        "random_": lambda: empty(kinds.int64).random_(),
        "random_f": lambda: empty().random_(),
        "random_i32": lambda: empty(kinds.int32).random_(),
        "random_to": lambda: empty().random_(1, 50),
        "dropout": lambda: F.dropout(ones(), 0.3),
        "dropoutbf": lambda: F.dropout(ones(kinds.bfloat16), 0.3),
        "dropout64": lambda: F.dropout(ones(kinds.float64), 0.3),
        "dropout_": lambda: F.dropout(ones(), 0.3, inplace=True),
        "dropoutt": lambda: F.dropout(torch.ones(n, 2, device=device).t(), 0.3).contiguous(),
        "alpha": lambda: F.alpha_dropout(ones(), 0.3, True),
        "dropout1d": lambda: F.dropout1d(torch.ones(1, n, 2, device=device), 0.3),
        "rrelu": lambda: F.rrelu(-ones(), 0.1, 0.3, True),
        "gumbel": lambda: F.gumbel_softmax(torch.ones(n, 3, device=device)),
        "normal_tt": lambda: torch.normal(ones(), full(2.0)),
    }
    if n < 10_000:
        found |= {
            "randperm": lambda: torch.randperm(n, device=device),
            "multin": lambda: torch.multinomial(ones(), n // 2),
            "multir": lambda: torch.multinomial(ones(), 7, True),
        }
    return found


def sampled(torch: Any, make: Callable[[], Any], n: int, places: Sequence[int]) -> dict[str, Any]:
    """Return some numbers of a random tensor from seed 7, which elements they are, and the generator's next offset."""
    torch.cuda.init()
    torch.cuda.manual_seed(7)
    if n % 2:
        torch.cuda.default_generators[0].set_offset(12)
    numbers = make().detach().reshape(-1).cpu()
    numbers = numbers.float() if numbers.dtype is torch.bfloat16 else numbers
    places = [*dict.fromkeys(i for i in places if i < numbers.numel())]
    offset = int.from_bytes(bytes(torch.cuda.get_rng_state()[8:].tolist()), "little")
    return {"elements": places, "numbers": [numbers[i].item() for i in places], "offset": offset}


def main() -> None:
    """Write PyTorch's numbers."""
    import torch

    found = {
        f"{name} {n}": sampled(torch, make, n, (*_PLACES, n - 1))
        for n in SIZES
        for name, make in fills(torch, n).items()
    }
    NUMBERS.write_text(json.dumps(found, separators=(",", ":")))


if __name__ == "__main__":
    main()
