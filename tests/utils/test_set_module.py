"""`torch.utils.set_module` sets the `__module__` of a function."""

import pytest

from tests.oracle import both


@pytest.mark.parametrize("name", ["a.b", "", 3, None])
def test_set_module_accepts_only_strings(name):
    def program(torch):
        def f(): ...

        torch.utils.set_module(f, name)
        return f.__module__

    both(program)
