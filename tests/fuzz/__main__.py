"""`python -m tests.fuzz`: run many programs, print each difference as a small script, and write docs/fuzz.md."""

from tests.fuzz.campaign import Campaign

HEAD = """# Random programs compared with PyTorch

Written by `python -m tests.fuzz`, which generates programs of views, writes, indices, arithmetic and gradients and runs
them in both libraries. After each statement, or at the end, all observable state is compared: errors, values,
gradients, shapes, strides, flags, versions, shared memory. Every difference that was ever found is a regression test in
`tests/fuzz/found`.
"""

if __name__ == "__main__":
    Campaign("tests.fuzz", "statements", 20_000, HEAD).main()
