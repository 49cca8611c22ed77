"""`python -m tests.fuzz_autograd`: run many programs, print each difference, and write docs/fuzz_autograd.md."""

from tests.fuzz.campaign import Campaign

HEAD = """# Random autograd programs, beside PyTorch's

Written by `python -m tests.fuzz_autograd`: random leaves, operators, views, in-place writes, calls of `backward` and
`autograd.grad`, hooks, custom functions, hooks on saved tensors, checkpoints, grad modes, function transforms and
forward mode, run by PyTorch and here. After each statement its error and warnings, and the values, flags, versions,
gradient nodes and gradients of all tensors are compared, and what hooks received. A quarter of the programs runs in a
compiled function. What was ever found is kept in `tests/fuzz_autograd/found.py`.
"""

if __name__ == "__main__":
    Campaign("tests.fuzz_autograd", "statements", 1_000, HEAD).main()
