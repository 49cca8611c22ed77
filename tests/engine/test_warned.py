"""Warnings name the user's line, however many library frames lie between."""

import contextlib
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


# Calls whose warnings PyTorch gives at lines of its own code, so that each text is shown once, or at the user's lines.
COUNTED = {
    "a loss module": lambda torch: torch.nn.MSELoss()(torch.ones(2, 1), torch.ones(2)),
    "a loss function": lambda torch: torch.nn.functional.mse_loss(torch.ones(2, 1), torch.ones(2)),
    "an old argument of a loss": lambda torch: torch.nn.functional.l1_loss(torch.ones(2), torch.ones(2), reduce=True),
    "an old argument of a loss module": lambda torch: torch.nn.MSELoss(size_average=True),
    "an old name of a reduction": lambda torch: torch.nn.functional.mse_loss(
        torch.ones(2), torch.ones(2), reduction="elementwise_mean"
    ),
    "LSTM": lambda torch: torch.nn.LSTM(2, 3, dropout=0.5),
    "softmax module": lambda torch: torch.nn.Softmax()(torch.ones(2, 3)),
    "softmax": lambda torch: torch.nn.functional.softmax(torch.ones(2, 3)),
    "pinned loader": lambda torch: list(torch.utils.data.DataLoader(torch.ones(2), pin_memory=True)),
    "loader with many workers": lambda torch: torch.utils.data.DataLoader(torch.ones(2), num_workers=99),
    "GradScaler": lambda torch: torch.amp.GradScaler("cuda"),
    "cuda.amp.GradScaler": lambda torch: torch.cuda.amp.GradScaler(),
    "autocast": lambda torch: torch.autocast("cpu", dtype=torch.float64),
    "scheduler": lambda torch: torch.optim.lr_scheduler.StepLR(_sgd(torch), 1).step(),
    "get_lr": lambda torch: torch.optim.lr_scheduler.StepLR(_sgd(torch), 1).get_lr(),
    "the same parameter twice": lambda torch: torch.optim.SGD([torch.nn.Parameter(torch.ones(1))] * 2, 0.1),
    "trunc_normal_": lambda torch: torch.nn.init.trunc_normal_(torch.empty(3), mean=9.0),
    "an empty layer": lambda torch: torch.nn.Linear(0, 3),
    "initialization of nothing": lambda torch: torch.nn.init.kaiming_uniform_(torch.empty(0, 3)),
    "weight_norm": lambda torch: torch.nn.utils.weight_norm(torch.nn.Linear(2, 2)),
    "clip_grad_norm_": lambda torch: torch.nn.utils.clip_grad_norm_((p for p in ()), 1.0),
    "clip_grad_norm": lambda torch: torch.nn.utils.clip_grad_norm(torch.nn.Linear(2, 2).parameters(), 1.0),
    "Transformer": lambda torch: torch.nn.Transformer(4, 2),
    "InstanceNorm1d": lambda torch: torch.nn.InstanceNorm1d(3)(torch.ones(1, 2, 4)),
    "Dropout2d": lambda torch: torch.nn.Dropout2d()(torch.ones(2, 3)),
    "random_split": lambda torch: torch.utils.data.random_split(range(1), [0.5, 0.5]),
    "sdp_kernel": lambda torch: torch.backends.cuda.sdp_kernel(),
    "a copy of a tensor": lambda torch: torch.tensor(torch.ones(2)),
    "an index that is a string": lambda torch: _quietly(lambda: torch.ones(2)["a"]),
}


def _sgd(torch):
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1)


def _quietly(call):
    with contextlib.suppress(TypeError):
        call()


@pytest.mark.parametrize("call", COUNTED.values(), ids=COUNTED)
def test_the_default_filter_counts_warnings_as_in_pytorch(call):
    def program(torch):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("default")
            first = lambda: call(torch)
            first()
            first()
            call(torch)
        return [w.category.__name__ for w in seen]

    both(program)


def test_operands_that_searchsorted_copies_are_reported_once():
    def program(torch):
        torch.set_warn_always(True)
        try:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                torch.searchsorted(torch.arange(8.0)[::2], torch.ones(4, 2).t())
                torch.searchsorted(torch.arange(4.0), torch.ones(2), sorter=torch.arange(8)[::2] // 2)
            return [str(w.message).partition(" (Triggered")[0] for w in seen]
        finally:
            torch.set_warn_always(False)

    both(program)
