"""`torch.utils.set_module`: the module that a function says it comes from."""

import pytest

from tests.oracle import both


@pytest.mark.parametrize("name", ["a.b", "", 3, None])
def test_the_module_is_a_string(name):
    def program(torch):
        def f(): ...

        torch.utils.set_module(f, name)
        return f.__module__

    both(program)
