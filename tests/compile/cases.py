"""Known pitfalls of compiled functions. Each case is a program that returns numbers.

A case is written once. It runs uncompiled in PyTorch, uncompiled in torchlike, and compiled in torchlike: `compile` is
the identity in the first two runs. A value that is wrongly frozen, lost or aliased changes one of the numbers.
"""

import numpy as np

CASES = {}


def footgun(case):
    """Register a case under the name of its function."""
    assert case.__name__ not in CASES
    CASES[case.__name__] = case
    return case


def numbers(*results):
    """Return a flat list of all numbers in the results."""
    found = []
    for x in results:
        if isinstance(x, list | tuple):
            found += numbers(*x)
        else:
            found += np.asarray(x.detach() if hasattr(x, "detach") else x).ravel().tolist()
    return found
