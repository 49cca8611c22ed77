"""`python -m tests.fuzz_functions`: run many programs, print each difference, and write docs/fuzz_functions.md."""

from tests.fuzz.campaign import Campaign

HEAD = """# Random functions under transformations

Written by `python -m tests.fuzz_functions`: random functions of views, writes, indices, reductions, products,
decompositions and layers, each called in one of 32 forms: its gradients, first and second, by autograd and by
`torch.func`; forward-mode derivatives; `vmap`, nested and with gradients; `checkpoint`; `compile`, of the function, its
gradient and a whole step; `make_fx`; `jit.trace`; on `meta`. The values of PyTorch and torchlike are compared in
float64. Forms that PyTorch refuses for a function are skipped.
"""

if __name__ == "__main__":
    Campaign("tests.fuzz_functions", "statements", 3_000, HEAD).main()
