"""Anomaly detection: the errors, and the warnings that precede them."""

import os
import warnings

import pytest
import torch as theirs

import torchlike
from tests.autograd.library import compare, leaf, log, programs, torch


def nan():
    with torch.autograd.detect_anomaly():
        x = leaf()
        bad = torch.sqrt(x - 1)
        bad.sum().backward()
        return x.grad


def nocheck():
    with torch.autograd.detect_anomaly(check_nan=False):
        x = leaf()
        bad = torch.sqrt(x - 1)
        bad.sum().backward()
        return x.grad


def set():
    torch.autograd.set_detect_anomaly(True)
    log(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    torch.autograd.set_detect_anomaly(False)
    return torch.is_anomaly_enabled()


def ctx():
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        log(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    return torch.is_anomaly_enabled()


def raise_():
    with torch.autograd.detect_anomaly():

        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                raise ValueError("oops")

        x = leaf()
        bad = F.apply(x)
        bad.sum().backward()


def pow():
    with torch.autograd.detect_anomaly():
        x = leaf()
        bad = (x * 0).pow(0.5)
        (_g,) = torch.autograd.grad(bad.sum(), x, create_graph=True)


def double():
    with torch.autograd.detect_anomaly():
        x = leaf(1.0, 2.0)
        bad = x**2
        (g,) = torch.autograd.grad(bad.sum(), x, create_graph=True)
        h = (g - g).sqrt() * 0
        h.sum().backward()


def view():
    with torch.autograd.detect_anomaly():
        x = leaf(0.0, 2.0)
        bad = x[0] * x[1]
        bad2 = bad / 0 * 0
        bad2.sum().backward()


def meta():
    with torch.autograd.detect_anomaly():
        x = leaf(0.0, 2.0)
        bad = x * x
    with torch.autograd.detect_anomaly(False):
        pass
    return (
        "traceback_" in bad.grad_fn.metadata,
        "traceback_" in (x * x).grad_fn.metadata,
        type(bad.grad_fn.metadata.get("traceback_")).__name__,
    )


def outside():
    x = leaf(0.0, 0.0)
    bad = x.sqrt() * 0
    with torch.autograd.detect_anomaly():
        bad.sum().backward()


def version():
    with torch.autograd.detect_anomaly():
        x = leaf(1.0, 2.0)
        z = x * 1
        bad = z * z
        z.add_(1)
        bad.sum().backward()


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_anomaly_programs_equal_pytorchs(program):
    compare(program)


def _frames(message: str) -> list[str]:
    """Return the places in a traceback, without those in the libraries."""
    lines = [line for line in message.splitlines() if line.startswith("  File ")]
    return [line for line in lines if f"{os.sep}torch{os.sep}" not in line]


def test_the_traceback_holds_the_frames_of_the_program():
    def told(library):
        net = library.nn.Sequential(library.nn.Linear(1, 1), library.nn.ReLU())
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with library.autograd.detect_anomaly():
                bad = (net(library.ones(1, 1)) * 0).sqrt()
                with pytest.raises(RuntimeError, match="nan values"):
                    (bad * 0).sum().backward()
        return str(seen[-1].message)

    ours = told(torchlike)
    assert f"{os.sep}torchlike{os.sep}_" not in ours and "in told" in ours
    assert _frames(ours)[-1] == _frames(told(theirs))[-1]


def test_a_nan_is_reported_at_the_operator_within_a_loss_or_layer():
    def report(t):
        names = []
        for loss in (
            lambda x: t.nn.functional.cross_entropy(x / 0 * 0, t.tensor([0, 1])),
            lambda x: t.nn.functional.linear(x[None] / 0 * 0, t.ones(2, 3), t.ones(2)).sum(),
        ):
            x = t.ones(2, 3, requires_grad=True)
            with warnings.catch_warnings(), t.autograd.set_detect_anomaly(True):
                warnings.simplefilter("ignore")
                with pytest.raises(RuntimeError) as error:
                    loss(x).backward()
            names.append(str(error.value))
        return names

    assert report(torchlike) == report(theirs)
