"""Anomaly detection: the errors, and the warnings that precede them."""

import pytest

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
def test_as_in_pytorch(program):
    compare(program)
