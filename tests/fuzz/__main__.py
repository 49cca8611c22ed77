"""`python -m tests.fuzz`: many programs, each difference printed as a small script; leaves docs/fuzz.md."""

from tests.fuzz.campaign import Campaign

HEAD = """# Random programs, beside PyTorch's

Written by `python -m tests.fuzz`: programs of views, writes, indices, arithmetic and gradients, run by both libraries.
After each statement, or at the end, everything that can be seen is compared: errors, values, gradients, shapes,
strides, flags, versions, who shares memory with whom. What was ever found is kept in `tests/fuzz/found`.
"""

if __name__ == "__main__":
    Campaign("tests.fuzz", "statements", 20_000, HEAD).main()
