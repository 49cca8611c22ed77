"""`testing.assert_close`: which types are compared with which."""

import numpy as np
import pytest

from tests.oracle import both

PAIRS = [
    "a, p",
    "n, a",
    "a, n",
    "n, n",
    "[n], [a]",
    "1, 1.0",
    "[1], [1.0]",
    "1, 1 + 0j",
    "np.float32(1), 1.0",
    "1.0, a",
]


@pytest.mark.parametrize("options", ["", "allow_subclasses=False", "check_dtype=False"])
@pytest.mark.parametrize("pair", PAIRS)
def test_types(pair, options):
    def program(torch):
        names = {"a": torch.ones(2), "p": torch.nn.Parameter(torch.ones(2)), "n": np.ones(2, np.float32)}
        check, text = torch.testing.assert_close, f"check({pair}, {options})"
        try:
            return eval(text, {"torch": torch, "np": np, "check": check, **names})
        except (TypeError, AssertionError) as error:
            return type(error).__name__, str(error).replace("torchlike._tensor.tensor", "torch").replace(
                "torchlike", "torch"
            )

    both(program)
