"""Exceptions that signal handlers raise: they reach the user, and no operator counts as failed."""

import functools
import gc
import signal

import pytest

import torchlike as torch
from torchlike._engine.trace.interrupts import reraise


class _Late(Exception):
    pass


class _Handlers:
    def method(self, number, frame):
        raise _Late

    def __call__(self, number, frame):
        raise _Late


def _raises(number, frame):
    raise _Late


@pytest.fixture
def alarms():
    before = signal.getsignal(signal.SIGALRM)
    gc.disable()  # Python drops exceptions in JAX's callback of the garbage collector
    yield functools.partial(signal.signal, signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0)
    gc.enable()
    signal.signal(signal.SIGALRM, before)


def _within(seconds, work):
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.mark.parametrize(
    "handler",
    [_raises, _Handlers().method, _Handlers(), functools.partial(_raises)],
    ids=["function", "method", "object", "partial"],
)
def test_only_the_error_of_a_handler_is_raised_again(alarms, handler):
    alarms(handler)
    with pytest.raises(_Late):
        try:
            signal.raise_signal(signal.SIGALRM)
        except _Late as error:
            reraise(error)
    try:
        raise _Late
    except _Late as error:
        reraise(error)


def test_a_time_limit_ends_a_run_at_any_moment(alarms):
    """A run of operators that an alarm cuts short raises the alarm's exception, and the values can be read later."""
    alarms(_raises)
    x = torch.full((3000,), 0.5)

    def chain():
        y = x
        for _ in range(300):
            y = y.sin() + 0.01
        return y

    with torch.set_executor("numpy"):
        expected = chain().tolist()
        for n in range(12):
            y = chain()
            with pytest.raises(_Late):
                _within(0.0002 * (n + 1), lambda y=y: [y.tolist() for _ in range(20_000)])
            assert y.tolist() == expected


def test_the_traceback_of_an_instruction_without_a_line():
    def fails(module, args):
        raise _Late

    fails.__code__ = fails.__code__.replace(co_linetable=b"")
    layer = torch.nn.Linear(2, 2)
    y = layer(torch.ones(1, 2))
    y.register_hook(lambda gradient: fails(layer, gradient))
    with pytest.raises(_Late):
        y.sum().backward()
