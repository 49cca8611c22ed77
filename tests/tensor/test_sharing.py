"""Memory shared with NumPy: writes are visible on both sides until the array or the tensor is deleted."""

import array
import warnings

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import both
from torchlike import _errors


def both_directions(torch):
    a = np.arange(6.0)
    t = torch.from_numpy(a)
    t[0] = 9
    a[1] = 7
    seen = a.tolist(), t.tolist(), t._version
    b = t.numpy()
    b[2] = -1
    t.mul_(2)
    return seen, a.tolist(), b.tolist(), t, t._version, t.is_leaf, t._is_view()


def through_views_of_either(torch):
    a = np.arange(24.0).reshape(2, 3, 4)
    t = torch.from_numpy(a)
    row, flipped = t[1], a[:, ::-1]
    flipped[0, 0, 0] = 100
    row.t()[1].add_(50)
    t.permute(2, 0, 1)[3, :, 2] = -5
    a[1, 0] *= 2
    return a.tolist(), row, t, row.numpy().tolist(), flipped.tolist()


def from_a_view_of_a_view(torch):
    a = np.zeros((4, 6))
    t = torch.from_numpy(a[1:, ::2])
    t[0, 1] = 3
    a[2, 4] = 8
    u = t[:, 1:]
    u += 1
    return (
        a.tolist(),
        t,
        t.stride(),
        t.storage_offset(),
        t.untyped_storage().nbytes(),
        u,
        u.stride(),
        u.storage_offset(),
    )


def a_transposed_array(torch):
    a = np.arange(6.0).reshape(2, 3)
    t = torch.from_numpy(a.T)
    t.mul_(2)
    a[0, 2] = 70
    return a.tolist(), t, t.stride(), (t + 1).stride(), t.contiguous().stride()


def windows_that_overlap(torch):
    a = np.arange(5.0)
    t = torch.from_numpy(np.lib.stride_tricks.sliding_window_view(a, 3, writeable=True))
    a[2] = 100
    return t, t.stride(), t.untyped_storage().nbytes(), t.sum(1)


def an_array_repeated(torch):
    a = np.array([1.0, 2.0])
    t = torch.from_numpy(np.lib.stride_tricks.as_strided(a, (3, 2), (0, 8)))
    a[0] = 5
    return t, t.stride(), t.numpy().strides, t.t().numpy().strides


def a_scalar_array(torch):
    a = np.array(3.0)
    t = torch.from_numpy(a)
    a[()] = 4
    before = t.item()
    t.add_(1)
    return before, a.item(), t


def empty_arrays(torch):
    t = torch.from_numpy(np.zeros((2, 0)))
    return t, t.shape, t.numpy().shape, torch.zeros(0, 3).numpy().shape


def numpy_of_views(torch):
    t = torch.arange(24).reshape(2, 3, 4)
    views = [
        t,
        t[1],
        t[:, 1:, ::2],
        t.permute(2, 0, 1),
        t.expand(2, 2, 3, 4),
        t.diagonal(),
        t.view(-1)[3:],
        t[1, 2, 3],
        t.unfold(2, 2, 1),
        t.mT,
        t.view(torch.int32),
    ]
    arrays = [v.numpy() for v in views]
    arrays[0][1, 2, 3] = 77
    t[0] += 100
    return [(x.tolist(), x.strides, x.shape, str(x.dtype)) for x in arrays], views


def parts_of_complex_numbers(torch):
    z = torch.tensor([1 + 2j, 3 - 4j])
    real, whole = torch.view_as_real(z).numpy(), z.numpy()
    real[0, 1] = 9
    whole[1] = 5j
    z.mul_(2)
    part = z.imag.numpy()
    part[0] = -1
    return real.tolist(), whole.tolist(), part.strides, z


@pytest.mark.parametrize(
    "dtype",
    [
        "float16",
        "float32",
        "float64",
        "int8",
        "uint8",
        "int16",
        "int32",
        "int64",
        "bool",
        "complex64",
        "complex128",
        "uint16",
        "uint32",
        "uint64",
    ],
)
def test_every_dtype_shares_memory(dtype):
    def program(torch):
        a = np.array([0, 1, 1, 0]).astype(dtype)
        t = torch.from_numpy(a)
        a[0] = 1
        before = t.tolist()
        t[1] = 0
        t.view(2, 2)[1] = t.view(2, 2)[0].clone()
        return before, a.tolist(), t, str(t.numpy().dtype)

    both(program)


def in_place_operators(torch):
    a = np.linspace(-2, 2, 12).astype(np.float32).reshape(3, 4)
    t = torch.from_numpy(a)
    t.abs_().sqrt_()
    t[t > 1] = 0
    t[torch.tensor([0, 2])] = t[torch.tensor([2, 0])]
    t.index_put_((torch.tensor([0, 0]), torch.tensor([1, 1])), torch.ones(2), accumulate=True)
    t.scatter_(1, torch.tensor([[0], [1], [2]]), 5.0)
    t.masked_fill_(torch.eye(3, 4, dtype=torch.bool), -1.0)
    t[:, 3].copy_(torch.arange(3))
    t[1].zero_()
    t.diagonal().fill_(2)
    torch.add(t, 1, out=t)
    return a.tolist(), t._version


def read_while_recorded(torch):
    """A recorded operation reads the values at the time of its call."""
    a = np.ones(4)
    t = torch.from_numpy(a)
    first = t * 2
    a[:] = 5
    second = t * 2
    view = t[1:]
    third = view + 1
    a[:] = 7
    return first, second, third, t + view[0]


def copied_while_recorded(torch):
    a = np.ones(4)
    t, u = torch.from_numpy(a), torch.zeros(4)
    u.copy_(t)
    v = torch.zeros(2, 4)
    v[1] = t
    w = t.clone()
    a[:] = 5
    return u, v, w, t


def gradients_of_shared_tensors(torch):
    a = np.arange(3.0)
    x = torch.from_numpy(a).requires_grad_()
    w = torch.from_numpy(a * 2)
    y = (x * x * w).sum()
    y.backward()
    n = x.detach().numpy()
    n[0] = 10
    (x * w).sum().backward()
    return x, x.grad, a.tolist(), w


def a_gradient_from_numpy(torch):
    x = torch.ones(3, requires_grad=True)
    g = np.array([1.0, 2.0, 3.0], dtype=np.float32)
    given = torch.from_numpy(g)
    (x * 1).backward(given)
    y = torch.ones(3, requires_grad=True)
    (y * 3).backward(given)
    before = x.grad.tolist()
    g[:] = 0
    return before, y.grad


def overwritten_after_it_was_saved(torch):
    x = torch.from_numpy(np.arange(1.0, 4.0))
    keep = x.numpy()
    w = torch.ones(3, dtype=torch.float64, requires_grad=True)
    y = (w * x).sum()
    x.add_(1)
    keep[0] = 0
    y.backward()


def a_trained_parameter(torch):
    layer = torch.nn.Linear(2, 1, bias=False)
    weight = layer.weight.detach().numpy()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        layer(torch.ones(4, 2)).sum().backward()
        optimizer.step()
    torch.testing.assert_close(torch.tensor(weight), layer.weight.detach())
    weight[:] = 1
    return layer(torch.ones(1, 2)), layer.weight


def data_of_a_parameter(torch):
    p = torch.nn.Parameter(torch.zeros(3))
    a = p.data.numpy()
    a[1] = 4
    p.data.add_(1)
    return a.tolist(), p


def functions_that_share_or_copy_an_array(torch):
    a = np.zeros(3, dtype=np.float32)
    tensors = [
        torch.as_tensor(a),
        torch.asarray(a),
        torch.from_numpy(a),
        torch.as_tensor(a, dtype=torch.float32),
        torch.Tensor(a),
    ]
    apart = [
        torch.tensor(a),
        torch.as_tensor(a, dtype=torch.float64),
        torch.asarray(a, copy=True),
        torch.DoubleTensor(a),
        torch.asarray(a, dtype=torch.int64),
        torch.stack([torch.from_numpy(a)]),
    ]
    a[0] = 1
    tensors[0][1] = 2
    return tensors, apart, a.tolist()


def aliases_that_are_impossible(torch):
    found = []
    for make in (
        lambda: torch.asarray(np.zeros(2), dtype=torch.float32, copy=False),
        lambda: torch.asarray(torch.zeros(2), dtype=torch.float64, copy=False),
        lambda: torch.asarray([1, 2], copy=False),
        lambda: torch.asarray(np.float32(1), copy=False),
        lambda: torch.asarray(np.zeros(2), device="meta", copy=False),
    ):
        try:
            make()
        except (RuntimeError, ValueError) as error:
            found.append(str(error))
    return found


def buffers_and_numbers_as_arrays(torch):
    return (
        torch.asarray(bytearray(8)),
        torch.asarray(bytearray(b"\x01\x02"), dtype=torch.uint8),
        torch.asarray(np.int16(4)),
        torch.as_tensor(np.float64(3)),
        torch.asarray(3.0),
        torch.asarray(array.array("d", [1, 2]), dtype=torch.float64),
    )


def buffers(torch):
    b = bytearray(range(16))
    t = torch.frombuffer(b, dtype=torch.int16, offset=2, count=3)
    b[2:4] = b"\xff\x7f"
    t[1] = -1
    return t, list(b)


def arrays_of_numpy_as_buffers(torch):
    a = np.arange(3.0)
    t = torch.frombuffer(a, dtype=torch.float64)
    t[0] = 4
    a[1] = 6
    return a.tolist(), t, torch.frombuffer(bytearray(8), dtype=torch.float32, requires_grad=True)


def shared_indices_and_masks(torch):
    places, mask = np.array([0, 2]), np.array([True, False, True])
    i, m, zero = torch.from_numpy(places), torch.from_numpy(mask), torch.from_numpy(np.array(1))
    x = torch.arange(6).reshape(3, 2)
    first = x[i], x[m], x[zero], x.index_select(0, i), x.masked_select(m[:, None])
    places[0], mask[1] = 1, True
    x[i] = -1
    return first, x[m], x


def a_shared_index_out_of_range(torch):
    i = torch.from_numpy(np.array([0, 1]))
    keep = i.numpy()
    keep[0] = 7
    return torch.zeros(3)[i]


def a_shared_divisor_of_zero(torch):
    d = torch.from_numpy(np.array([1, 1]))
    keep = d.numpy()
    keep[0] = 0
    return torch.ones(2, dtype=torch.int64) // d


def copies_and_pickles(torch):
    import copy
    import io

    a = np.arange(3.0)
    t = torch.from_numpy(a)
    twin, kept = copy.deepcopy(t), io.BytesIO()
    torch.save(t, kept)
    a[0] = 9
    kept.seek(0)
    return t, twin, torch.load(kept)


def subclasses_and_dtypes_of_arrays(torch):
    a = np.arange(4.0)
    return (
        torch.as_tensor(a.view(np.recarray)),
        np.asarray(torch.from_numpy(a)).tolist(),
        np.asarray(torch.from_numpy(a), dtype=np.float32).dtype.name,
    )


def numpy_with_force(torch):
    x = torch.ones(2, requires_grad=True)
    a = x.numpy(force=True)
    a[0] = 3
    return x.detach(), a.tolist()


def addresses_of_shared_memory(torch):
    a = np.zeros((2, 3))
    t, made = torch.from_numpy(a), torch.zeros(3)
    n = made.numpy()
    return t.data_ptr() == a.ctypes.data, t[1].data_ptr() - t.data_ptr(), made.data_ptr() == n.ctypes.data


PROGRAMS = [f for f in list(vars().values()) if getattr(f, "__code__", None) and f.__code__.co_varnames[0] == "torch"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_memory_shared_with_numpy(program):
    both(program)


REFUSED = {
    "negative strides": lambda torch: torch.from_numpy(np.arange(3.0)[::-1]),
    "negative strides, copied": lambda torch: torch.tensor(np.arange(3.0)[::-1]),
    "negative strides, as_tensor": lambda torch: torch.as_tensor(np.arange(3.0)[::-1]),
    "another byte order": lambda torch: torch.from_numpy(np.arange(3, dtype=">f8")),
    "strides of bytes": lambda torch: torch.from_numpy(np.zeros(3, dtype=[("a", "f4"), ("b", "i1")])["a"]),
    "text": lambda torch: torch.from_numpy(np.array(["a"])),
    "objects": lambda torch: torch.from_numpy(np.array([None])),
    "no array": lambda torch: torch.from_numpy([1]),
    "resized": lambda torch: torch.from_numpy(np.zeros(3)).resize_(9),
    "requires grad": lambda torch: torch.ones(2, requires_grad=True).numpy(),
    "no data": lambda torch: torch.zeros(2, device="meta").numpy(),
    "bfloat16": lambda torch: torch.zeros(2, dtype=torch.bfloat16).numpy(),
    "no buffer": lambda torch: torch.frombuffer([1], dtype=torch.float32),
    "a buffer in pieces": lambda torch: torch.frombuffer(np.arange(6.0)[::2], dtype=torch.float32),
    "part of an element": lambda torch: torch.frombuffer(bytearray(7), dtype=torch.float32),
    "ints that require grad": lambda torch: torch.frombuffer(bytearray(8), dtype=torch.int32, requires_grad=True),
    "an overlapping write": lambda torch: torch.from_numpy(
        np.lib.stride_tricks.as_strided(np.zeros(2), (3, 2), (0, 8))
    ).add_(1),
}


@pytest.mark.parametrize("case", REFUSED)
def test_conversions_that_raise(case):
    both(REFUSED[case])


def _read_only(torch):
    a = np.arange(3.0)
    a.flags.writeable = False
    t = torch.from_numpy(a)
    t[0] = 5
    a.flags.writeable = True
    a[1] = 6
    return a.tolist(), t


def test_read_only_arrays_are_shared_with_a_warning():
    _errors.warned._given.clear()
    with pytest.warns(UserWarning, match="The given NumPy array is not writable, and PyTorch does not support"):
        torchlike.from_numpy(np.broadcast_to(np.arange(2.0), (2, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torchlike.from_numpy(np.broadcast_to(np.arange(2.0), (2, 2)))  # no warning: it is given once per process
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch's own warning
            both(_read_only)
    with pytest.warns(UserWarning, match=r"The given buffer is not writable.*underlying \(supposedly non-writable\)"):
        torchlike.frombuffer(b"abcd", dtype=torchlike.uint8)


def test_sharing_ends_when_no_other_reference_exists():
    t = torchlike.arange(4.0)
    a = t.numpy()
    part = a[1:]
    del a
    part[0] = 9
    assert (t + 1)[1].item() == 10 and t._storage.shared
    del part
    assert t.tolist() == [0, 9, 2, 3] and not t._storage.shared
    assert t._version == 0

    b = np.arange(3.0)
    u = torchlike.from_numpy(b)
    v = torchlike.from_numpy(b)
    view = u[1:]
    b[1] = 5
    del b
    v[2] = 6  # no other reference to the array exists
    assert view.tolist() == [5, 6] and u._storage.shared
    del v
    view.add_(1)
    assert u.tolist() == [0, 6, 7] and not u._storage.shared


def test_a_view_that_was_read_sees_later_writes_by_numpy():
    t = torchlike.zeros(4)
    view = t[1:3]
    assert view.tolist() == [0, 0]
    a = t.numpy()
    a[1] = 5
    del a
    assert t.tolist() == [0, 5, 0, 0] and view.tolist() == [5, 0]


def test_copies_of_arrays_are_not_shared():
    made = [torchlike.tensor(np.zeros(3)), torchlike.zeros(3), torchlike.from_numpy(np.zeros(3)) + 1]
    data = torchlike.utils.data
    loader = data.DataLoader(data.TensorDataset(torchlike.from_numpy(np.ones((4, 2)))), batch_size=2)
    made += [batch for (batch,) in loader]
    assert not any(t._storage.shared for t in made)


def test_rows_of_a_large_array_are_read_alone():
    a = np.zeros((1000, 1000))
    t = torchlike.from_numpy(a)
    whole = t._storage._loan
    total = sum(t[i].sum().item() for i in range(5)) + t[torchlike.tensor([3, 4])].sum().item()
    t[7] = 1
    assert total == 0 and a[7].sum() == 1000
    assert whole.settled is None  # the base was never copied


def test_a_buffer_cannot_be_resized_while_a_tensor_views_it():
    b = bytearray(8)
    t = torchlike.frombuffer(b, dtype=torchlike.uint8)
    with pytest.raises(BufferError):
        b.append(1)
    assert t.numel() == 8
    a = np.zeros(3)
    t = torchlike.from_numpy(a)
    with pytest.raises(ValueError, match="cannot resize"):
        a.resize(100)
    assert t.numel() == 3


def test_pytorch_and_torchlike_share_one_array():
    a = np.arange(4.0)
    ours, theirs = torchlike.from_numpy(a), torch.from_numpy(a)
    ours[0] = 5
    theirs.mul_(2)
    ours[1:].sub_(1)
    assert ours.tolist() == theirs.tolist() == a.tolist() == [10, 1, 3, 5]


def test_np_array_with_copy_false_shares_memory():
    t = torchlike.ones(2)
    assert np.shares_memory(np.array(t, copy=False), t.numpy())
    assert not np.shares_memory(np.array(t), t.numpy())
    assert np.asarray(t, np.float64).dtype == np.array(t, np.float64, copy=True).dtype == np.float64
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(t, np.float64, copy=False)
