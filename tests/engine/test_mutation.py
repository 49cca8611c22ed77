"""Views, in-place writes and autograd through them; each program runs under both libraries."""

import pytest

from tests.oracle import both


def row_of_a_matrix(torch):
    a = torch.zeros(3, 4)
    a[1].add_(2)
    a[1][2] += 5
    return a, a._version


def column_then_row(torch):
    a = torch.arange(12.0).reshape(3, 4)
    b = a[:, 1:3]
    b[1] = -1
    b.t()[0].mul_(10)
    return a, b, b.stride(), b.storage_offset(), a._version, b._version


def write_to_base_is_seen_through_view(torch):
    a = torch.zeros(4)
    b = a[1:3]
    a.add_(1)
    return b, b.data_ptr() - a.data_ptr(), b._base is a


def view_of_view_of_transpose(torch):
    a = torch.arange(24).reshape(2, 3, 4)
    b = a.permute(2, 0, 1)[1:3].select(1, 0)
    b.fill_(-7)
    return a, b, b.stride(), b.is_contiguous()


def diagonal_write(torch):
    a = torch.zeros(3, 3)
    a.diagonal().copy_(torch.arange(3.0))
    return a


def boolean_write(torch):
    a = torch.arange(6).reshape(2, 3)
    a[a % 2 == 0] = 100
    return a


def advanced_write_with_repeats(torch):
    a = torch.zeros(4)
    a.index_put_((torch.tensor([0, 0, 2]),), torch.ones(3), accumulate=True)
    a[torch.tensor([1, 3])] = torch.tensor([5.0, 6.0])
    return a


def mask_view_bool(torch):
    a = torch.zeros(2, 3, dtype=torch.bool)
    a[:, 1] = True
    return a


def bfloat16_view(torch):
    a = torch.zeros(2, 3, dtype=torch.bfloat16)
    a[0, ::2] = float("nan")
    return a


def gradient_through_written_rows(torch):
    x = torch.ones(3, 3, requires_grad=True)
    y = x * 2
    y[0] = y[1] + 1
    y[0, 1] *= 3
    y.sum().backward()
    return y, x.grad


def gradient_of_value_written(torch):
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.zeros(2, 2)
    y[1].copy_(v)
    (y * y).sum().backward()
    return y, v.grad, y.requires_grad


def product_of_slices(torch):
    a = torch.arange(4.0).requires_grad_()
    c = (a * 1).reshape(2, 2)
    c[0].mul_(c[1].clone())
    c[0].sum().backward()
    return a.grad


def detach_shares(torch):
    x = torch.ones(3, requires_grad=True)
    d = x.detach()
    d[0] = 9
    return x, d.requires_grad, x.is_leaf, d._version


def data_write(torch):
    x = torch.ones(3, requires_grad=True)
    x.data.mul_(4)
    x.data = torch.zeros(3)
    return x, x.requires_grad, x.is_leaf


def no_grad_update(torch):
    x = torch.ones(3, requires_grad=True)
    (x * x).sum().backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
    return x, x.is_leaf, x.grad


def in_place_on_non_leaf(torch):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y += 1
    y.mul_(y.detach().clone())
    y.sum().backward()
    return y, x.grad


def accumulation(torch):
    x = torch.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    return x.grad, x.grad is first, first


def strides_of_pointwise(torch):
    a = torch.ones(2, 3, 4).permute(2, 0, 1)
    b = torch.ones(4, 2, 3)
    return a + 1, a + b, b + a, a[:, :1] * a, (a > 0)


def expanded_write(torch):
    return torch.ones(3, 1).expand(3, 4).add_(1)


def leaf_view_write(torch):
    x = torch.ones(3, requires_grad=True)
    x[0].mul_(2)


def tuple_unpacking(torch):
    a, b = torch.arange(6.0).reshape(2, 3).unbind(0)
    a.add_(b)
    first, second = torch.arange(5).split(3)
    return a, b, first, second, torch.arange(7).chunk(3)


def cast_in_place(torch):
    return torch.ones(3, dtype=torch.int64).add_(1.5)


def in_place_keeps_dtype(torch):
    return torch.ones(3).add_(torch.ones(3, dtype=torch.float64)), torch.ones(3).mul_(2)


PROGRAMS = [value for value in list(globals().values()) if getattr(value, "__module__", "") == __name__]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_views_and_writes_equal_pytorchs(program):
    both(program)
