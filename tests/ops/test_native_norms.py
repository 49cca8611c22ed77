"""Norms under PyTorch's internal names: which of their results have gradients."""

import pytest

from tests.oracle import both


def _of_groups(L):
    x = L.arange(36.0, dtype=L.float64).sin().view(2, 6, 3).requires_grad_()
    weight, bias = L.ones(6, dtype=L.float64).requires_grad_(), L.zeros(6, dtype=L.float64).requires_grad_()
    made = L.native_group_norm(x, weight, bias, 2, 6, 3, 2, 1e-5)
    total = sum((part * (i + 1)).sum() for i, part in enumerate(made))
    return [part.requires_grad for part in made], *L.autograd.grad(total, (x, weight, bias))


def _of_rows(L):
    x = L.arange(6.0).view(2, 3).requires_grad_()
    return [part.requires_grad for part in L.native_layer_norm(x, (3,), None, None, 1e-5)]


def _of_batch(L):
    x = L.arange(12.0).view(2, 3, 2).requires_grad_()
    return [part.requires_grad for part in L.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)]


@pytest.mark.parametrize("program", [_of_groups, _of_rows, _of_batch])
def test_the_statistics_of_norms_have_gradients_where_they_have_in_pytorch(program):
    both(program)
