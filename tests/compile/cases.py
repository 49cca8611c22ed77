"""What compiled functions of this field are known to get wrong: each a program that returns numbers.

A case is written once and run as it is in PyTorch, as it is in torchlike, and compiled in torchlike: `compile` is the
identity in the first two. What is frozen, forgotten or aliased shows as a number that differs.
"""

import numpy as np

CASES = {}


def footgun(case):
    """Add a case."""
    assert case.__name__ not in CASES
    CASES[case.__name__] = case
    return case


def numbers(*results):
    """Results as flat numbers."""
    found = []
    for x in results:
        if isinstance(x, list | tuple):
            found += numbers(*x)
        else:
            found += np.asarray(x.detach() if hasattr(x, "detach") else x).ravel().tolist()
    return found
