"""Warnings name the user's line, however many library frames lie between."""

import inspect
import threading
import warnings

import pytest

import torchlike as L
from tests.oracle import both
from torchlike import nn
from torchlike._errors.callers import is_users
from torchlike._errors.warned import warn


class Masked(L.Tensor):
    """A subclass with `__torch_function__`, so that there are more frames in between."""


X = L.ones(2, 3)
CALLS = {
    "a function": lambda: nn.functional.softmax(X),
    "a function, told of a stack level": lambda: nn.functional.softmax(X, _stacklevel=1),
    "a module": lambda: nn.Softmax()(X),
    "modules in a module": lambda: nn.Sequential(nn.Sequential(nn.LogSoftmax()))(X),
    "a subclass": lambda: nn.functional.softmin(X.as_subclass(Masked)),
    "a property": lambda: L.ones(2, 3, 4).T,
    "a constructor": lambda: nn.LSTM(2, 3, dropout=0.5),
    "a function written in Python": lambda: L.meshgrid(L.ones(2), L.ones(2)),
    "out=": lambda: L.add(X, 1, out=L.ones(1)),
    "a loss": lambda: nn.MSELoss()(L.ones(2, 1), L.ones(2)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_warning_names_the_users_line(call):
    L.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            call()
    finally:
        L.set_warn_always(False)
    line = inspect.getsourcelines(call)[1]
    assert {(w.filename, w.lineno) for w in seen} == {(__file__, line)}


def test_the_default_filter_tells_each_line_once():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            nn.functional.softmax(X)
        nn.functional.softmax(X)
    assert len(seen) == 2


def test_filters_by_module_apply():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module=__name__.replace(".", r"\."))
        nn.functional.softmax(X)


def test_a_thread_without_a_line_of_the_users_warns_too():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        thread = threading.Thread(target=warn, args=("from nowhere", RuntimeWarning))
        thread.start()
        thread.join()
    assert [(str(w.message), w.category) for w in seen] == [("from nowhere", RuntimeWarning)]
    assert not is_users(seen[0].filename)


def test_the_warnings_about_old_orders_count_as_one():
    def program(torch):
        torch.set_warn_always(False)
        x = torch.ones(2)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            torch.add(x, 2, x)  # an earlier test may have heard this one
            seen.clear()
            torch.sub(x, 2, x)
            x.view(1, 2, 1).T
            seen.clear()
            torch.ones(2).T
        return len(seen)

    both(program)
