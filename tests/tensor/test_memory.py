"""Storages, and tensors whose memory is replaced: `untyped_storage`, `set_`, `resize_`, `data_ptr`."""

import ctypes
import mmap
import warnings
from pathlib import Path

import numpy as np
import pytest

import torchlike
from tests.oracle import both


def bytes_of_a_tensor(torch):
    t = torch.arange(4, dtype=torch.int16)
    s = t.untyped_storage()
    facts = [
        s.nbytes(),
        len(s),
        s.size(),
        s[0],
        s[2],
        s.tolist(),
        str(s.device),
        s.is_cuda,
        s.is_pinned(),
        s.is_shared(),
        s.element_size(),
        type(s).__name__,
        s.data_ptr() == t.data_ptr(),
        s.resizable(),
        s.type(),
    ]
    s[0] = 7
    other = s.clone()
    other[1] = 1
    before = t.tolist(), other.tolist()
    s.fill_(1)
    filled = t.tolist()
    s.copy_(other)
    return facts, before, filled, t, t._version


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_elements_of_a_tensor():
    def program(torch):
        t = torch.arange(6.0)
        s = t[2:].storage()
        s[1] = 9
        return (
            s.size(),
            s[2],
            s.tolist(),
            str(s.dtype),
            s.element_size(),
            s.data_ptr() == t.data_ptr(),
            s.type(),
            repr(s),
            s.untyped().nbytes(),
            len(s),
            s.double().tolist(),
            s.int().tolist(),
            t,
        )

    both(program)


def memory_of_its_own(torch):
    s = torch.UntypedStorage(8)
    s.fill_(0)
    s[3] = 5
    t = torch.tensor([], dtype=torch.int16).set_(s)
    t[0] = 2
    return t, s.tolist(), torch.UntypedStorage([1, 2, 3]).tolist(), torch.UntypedStorage().nbytes()


def one_storage(torch):
    t = torch.arange(6.0)
    a, b = t.untyped_storage(), t[1:].untyped_storage()
    return a.data_ptr() == b.data_ptr(), a._cdata == b._cdata, a._cdata == t.clone().untyped_storage()._cdata


def memory_that_grows(torch):
    t = torch.arange(6.0)
    view, s = t[1:3], t.untyped_storage()
    s.resize_(40)
    t.add_(1)
    view[0] = 50
    return s.nbytes(), t, view, t.untyped_storage().nbytes(), view.untyped_storage().nbytes()


def resized_beyond_its_memory(torch):
    t = torch.arange(6.0)
    view = t[2:4]
    alias = t.detach()
    t.resize_(3, 3)
    t[0, 2] = 50
    view[1] = -1
    alias[0] = 7
    t[0].mul_(2)
    part = t[:2].clone()
    t.resize_(20)
    t[3] = 4
    return part, view, alias, t[:6].clone(), t.shape, t.untyped_storage().nbytes()


def resized_within_its_memory(torch):
    t = torch.arange(6.0)
    t.resize_(2, 2)
    t[0, 0] = 9
    small = t.clone()
    t.resize_(6)
    u = torch.arange(6.0).reshape(2, 3).t()
    u.resize_(4)
    v = torch.arange(6.0)[2:4]
    v.resize_(4)
    return small, t, u, v, v.storage_offset(), t._version


def resized_like_another(torch):
    t = torch.zeros(6).resize_as_(torch.zeros(2, 2))
    like = torch.zeros(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)
    u = torch.zeros(24).resize_as_(like, memory_format=torch.preserve_format)
    v = torch.zeros(2, 3).resize_(1, 2, 2, 2, memory_format=torch.channels_last)
    return t, u.stride(), v.stride()


def set_to_other_memory(torch):
    t, u = torch.arange(6.0), torch.zeros(2)
    u.set_(t)
    u[0] = 9
    w = torch.zeros(1).set_(t.untyped_storage(), 1, (2, 2), (1, 2))
    w[0, 0] = 7
    e = torch.zeros(3)
    e.set_()
    x = torch.zeros(1).set_(t.reshape(2, 3), 2, (2,), (3,))
    return t, u, w, w.storage_offset(), e, x, x.storage_offset(), u.is_set_to(t), u.is_set_to(w), u._version


def set_to_more_than_there_is(torch):
    t = torch.arange(4.0)
    x = torch.zeros(2).set_(t.untyped_storage(), 0, (5,))
    x[0] = 3
    return x.untyped_storage().nbytes(), x.shape, x[:4].clone(), t


def other_types_at_any_strides(torch):
    x = torch.arange(4.0)
    half = x.view(torch.int16).as_strided((2, 2), (1, 3), 1)
    half[0, 0] = 0
    return half, half.stride(), half.storage_offset(), x


def addresses(torch):
    t = torch.zeros(4, 3)
    return (
        t[1].data_ptr() - t.data_ptr(),
        t.view(torch.int16)[0, 1:].data_ptr() - t.data_ptr(),
        torch.zeros(0).data_ptr(),
        t.data_ptr() == t.detach().data_ptr(),
    )


REFUSED = {
    "another dtype": lambda torch: torch.zeros(2).set_(torch.zeros(3, dtype=torch.int32)),
    "memory in another order": lambda torch: torch.zeros(1).set_(torch.zeros(2, 3).t(), 2, (2,), (3,)),
    "a leaf": lambda torch: torch.zeros(2, requires_grad=True).set_(torch.zeros(3)),
    "a negative size": lambda torch: torch.zeros(2).resize_(-1),
    "a resized leaf": lambda torch: torch.zeros(2, requires_grad=True).resize_(3),
    "beyond the end": lambda torch: torch.zeros(4, dtype=torch.uint8).untyped_storage()[10],
    "written beyond the end": lambda torch: torch.zeros(4).untyped_storage().__setitem__(99, 1),
    "another size": lambda torch: torch.UntypedStorage(2).copy_(torch.UntypedStorage(3)),
    "a byte of a fraction": lambda torch: torch.UntypedStorage(2).fill_(2.5),
    "bytes of text": lambda torch: torch.UntypedStorage("a"),
}
PROGRAMS = [
    bytes_of_a_tensor,
    memory_of_its_own,
    one_storage,
    memory_that_grows,
    resized_beyond_its_memory,
    resized_within_its_memory,
    resized_like_another,
    set_to_other_memory,
    set_to_more_than_there_is,
    other_types_at_any_strides,
    addresses,
    *REFUSED.values(),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=[f.__name__ for f in PROGRAMS[: -len(REFUSED)]] + list(REFUSED))
def test_memory_programs_equal_pytorchs(program):
    both(program)


def raw(t):
    """Return the bytes at a tensor's address."""
    return bytes((ctypes.c_ubyte * (t.numel() * t.element_size())).from_address(t.data_ptr()))


def read_by_address(torch, dtype):
    t = torch.arange(6).reshape(2, 3).to(dtype)
    place, said = t.data_ptr(), [raw(t), raw(t[1])]
    t.add_(1)
    said += [raw(t), t.data_ptr() == place]
    array = t.view(torch.uint8).numpy()
    array[0, 0] ^= 1
    said += [raw(t), array.ctypes.data == place]
    del array
    t.mul_(1)
    return said, raw(t), t.data_ptr() == place, t.clone().data_ptr() != place, raw(t.t().contiguous())


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "int64", "uint8", "bool", "complex64"])
def test_the_memory_at_data_ptr_has_the_elements(dtype):
    both(lambda torch: read_by_address(torch, getattr(torch, dtype)))


def borrowed(torch, writable):
    array = np.arange(4.0)
    array.flags.writeable = writable
    t = torch.from_numpy(array)
    seen = [raw(t), t.data_ptr() == array.ctypes.data]
    kept = bytes(array)
    t = t + 0 if not writable else t.mul_(2)
    return seen, raw(t), bytes(array) == kept, raw(torch.ones(3)[:0].resize_(2).fill_(7))


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
@pytest.mark.parametrize("writable", [True, False])
def test_data_ptr_of_a_tensor_over_an_array(writable):
    both(lambda torch: borrowed(torch, writable))


def test_data_ptr_does_not_write_to_read_only_memory():
    given = np.arange(4.0).tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t = torchlike.frombuffer(given, dtype=torchlike.float64)
    t.data_ptr()
    t.add_(1)
    assert raw(t) == np.arange(1, 5.0).tobytes() and given == np.arange(4.0).tobytes()


def from_files(torch, folder, shared):
    file = folder / f"{torch.__name__}"
    file.write_bytes(bytes(range(16)))
    storage = torch.UntypedStorage.from_file(str(file), shared, 12)
    t = torch.from_file(str(file), shared, 3, dtype=torch.int32)
    t[0] = -1
    storage[11] = 9
    return storage.tolist(), t, list(file.read_bytes()), torch.from_file(str(file), shared, 2).dtype


@pytest.mark.parametrize("shared", [False, True])
def test_files_as_memory(tmp_path, shared):
    both(lambda torch: from_files(torch, tmp_path, shared))


@pytest.mark.parametrize("shared", [False, True])
def test_files_that_are_too_short_or_not_there(tmp_path, shared):
    def asked(torch, name, size):
        (tmp_path / "short").write_bytes(bytes(4))
        return torch.UntypedStorage.from_file(str(tmp_path / name), shared, size).tolist()

    both(lambda torch: asked(torch, "short", 9))
    both(lambda torch: asked(torch, "nowhere/file", 9))
    both(lambda torch: asked(torch, "short", 0))


def test_parts_of_a_storage():
    def parts(torch):
        s = torch.UntypedStorage(list(range(8)))
        taken = torch.asarray(s[2:6], dtype=torch.uint8)
        return (
            s[2:5].tolist(),
            s[:].nbytes(),
            s[-2:].nbytes() >= 0,
            taken,
            torch.asarray(s[:4], dtype=torch.int16),
            torch.asarray(s),
            len(s[5:2]),
        )

    both(parts)
    both(lambda torch: torch.UntypedStorage(4)[::2])


def test_a_tensor_over_a_storage_shares_its_memory():
    def written(torch):
        s = torch.UntypedStorage(list(range(8)))
        torch.asarray(s, dtype=torch.uint8)[0] = 9
        return s.tolist()

    both(written)


KINDS = ["cpu", "cuda", "ipu", "xpu", "hip", "ve", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "mps:1", "nonsense"]


@pytest.mark.parametrize("kind", KINDS)
def test_devices_that_may_be_named(kind):
    def named(torch):
        device = torch.device(kind)
        return str(device), repr(device), device.type, device.index, device == torch.device(kind)

    both(named)


@pytest.mark.parametrize("kind", ["mps", "hpu"])
def test_devices_on_which_nothing_can_be(kind):
    with pytest.raises(RuntimeError, match=f"PyTorch is not linked with support for {kind} devices"):
        torchlike.ones(2, device=kind)
    both(lambda torch: getattr(torch.ones(2), f"is_{kind}", False))


def _resident() -> int:
    """Return the bytes of physical memory that this process uses."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


@pytest.mark.parametrize("name", ["empty", "zeros", "empty_like", "zeros_like", "new_zeros"])
def test_zeros_use_no_memory_before_they_are_written(name):
    like = torchlike.ones(()).expand(1 << 27)
    makers = {"empty_like": lambda: torchlike.empty_like(like), "zeros_like": lambda: torchlike.zeros_like(like)}
    makers["new_zeros"] = lambda: like.new_zeros(1 << 27)
    before = _resident()
    made = makers.get(name, lambda: getattr(torchlike, name)(1 << 27))()
    assert made.shape == (1 << 27,) and _resident() - before < 1 << 27


def test_negative_zero_keeps_its_sign():
    both(lambda torch: [torch.full((2,), fill).signbit() for fill in (0, 0.0, -0.0)])
