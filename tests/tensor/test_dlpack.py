"""DLPack in both directions, with NumPy, JAX and PyTorch on the other side."""

import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import assert_same, both

FLOATS = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def take_numpy(torch):
    a = np.arange(6.0).reshape(2, 3)
    t = torch.from_dlpack(a)
    a[0, 0] = 9
    t[1] = -1
    u = torch.utils.dlpack.from_dlpack(a.T)
    u[0] += 1
    return a.tolist(), t, u, u.stride(), t._version


def give_numpy(torch):
    t = torch.arange(6.0).reshape(2, 3)
    a = np.from_dlpack(t[:, 1:])
    a[0, 0] = 9
    t.mul_(2)
    return a.tolist(), a.strides, t


def capsules(torch):
    t = torch.arange(3.0)
    u = torch.from_dlpack(torch.utils.dlpack.to_dlpack(t))
    u[0] = 5
    v = torch.from_dlpack(t.__dlpack__())
    return t, u, v, type(torch.to_dlpack(t)).__name__, t.__dlpack_device__()


def between_tensors(torch):
    t = torch.arange(3.0)
    u = torch.from_dlpack(t)
    u[0] = 7
    t[1] = 8
    c = torch.from_dlpack(t, copy=True)
    t[2] = 9
    return t, u, c, u._is_view(), u.is_leaf


def chosen_devices(torch):
    a = np.arange(2.0)
    here, apart = torch.from_dlpack(a, device="cpu"), torch.from_dlpack(a, copy=True)
    a[0] = 4
    return here, apart, torch.from_dlpack(a, copy=False)


def take_jax(torch):
    array = jnp.asarray(FLOATS)
    return torch.from_dlpack(array), torch.from_dlpack(array.astype(jnp.bfloat16))


def give_jax(torch):
    t = torch.arange(6.0).reshape(2, 3)
    return (
        np.asarray(jnp.from_dlpack(t)).tolist(),
        np.asarray(jax.dlpack.from_dlpack(t.t().contiguous())).tolist(),
        str(jnp.from_dlpack(t.bfloat16()).dtype),
    )


def masks_and_halves(torch):
    return [torch.from_dlpack(np.array(x)) for x in ([True, False], np.float16([1, 2]), np.uint8([3]), 1j)]


REFUSED = {
    "requires grad": lambda torch: torch.ones(2, requires_grad=True).__dlpack__(),
    "requires grad, taken": lambda torch: torch.from_dlpack(torch.ones(2, requires_grad=True)),
    "no data": lambda torch: torch.zeros(2, device="meta").__dlpack__(),
    "no device": lambda torch: torch.zeros(2, device="meta").__dlpack_device__(),
    "a stream": lambda torch: torch.zeros(2).__dlpack__(stream=1),
    "no stream": lambda torch: torch.zeros(2).__dlpack__(stream="a"),
    "no capsule": lambda torch: torch.from_dlpack([1]),
}
PROGRAMS = [
    take_numpy,
    give_numpy,
    capsules,
    between_tensors,
    chosen_devices,
    take_jax,
    give_jax,
    masks_and_halves,
    *REFUSED.values(),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=[f.__name__ for f in PROGRAMS[:8]] + list(REFUSED))
def test_dlpack_programs_equal_pytorchs(program):
    both(program)


def test_the_numbers_of_devices():
    ours, theirs = torchlike.utils.dlpack.DLDeviceType, torch.utils.dlpack.DLDeviceType
    assert [(x.name, x.value) for x in ours] == [(x.name, x.value) for x in theirs]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool", "complex64", "float16"])
def test_pytorch_and_torchlike_share_memory(dtype):
    theirs = torch.zeros(2, 3, dtype=getattr(torch, dtype))
    ours = torchlike.from_dlpack(theirs)
    ours[0, 1] = 1
    theirs[1] = 1
    assert_same(ours, theirs)
    ours = torchlike.ones(3, 2, dtype=getattr(torchlike, dtype))
    theirs = torch.from_dlpack(ours.t()[:, 1:])
    theirs[0, 0] = 0
    ours[2] = 0
    assert_same(ours.t()[:, 1:], theirs)


def test_a_loan_ends_when_pytorch_lets_go():
    ours = torchlike.zeros(3)
    theirs = torch.from_dlpack(ours)
    theirs[1] = 5
    assert ours._storage.shared
    del theirs
    gc.collect()
    assert ours.tolist() == [0, 5, 0] and not ours._storage.shared


def test_bfloat16_is_copied():
    theirs = torch.ones(3, dtype=torch.bfloat16)
    ours = torchlike.from_dlpack(theirs)
    theirs[0] = 7
    assert ours.dtype is torchlike.bfloat16 and ours.tolist() == [1, 1, 1]
    zeros = torchlike.zeros(2, dtype=torchlike.bfloat16)
    assert_same(zeros, torch.from_dlpack(zeros))
    with pytest.raises(BufferError, match="only as a copy"):
        ours.__dlpack__(copy=False)


def test_arrays_of_jax_never_change():
    array = jnp.arange(3.0)
    t = torchlike.from_dlpack(array)
    t[0] = 5
    t.numpy()[1] = 6
    assert array.tolist() == [0, 1, 2] and t.tolist() == [5, 6, 2]
    u = torchlike.from_numpy(np.array(array))
    seen = u * 2
    u[0] = 7
    assert seen.tolist() == [0, 2, 4]


def test_strides_that_no_tensor_has():
    # PyTorch itself crashes here.
    with pytest.raises(ValueError, match="negative"):
        torchlike.from_dlpack(np.arange(3.0)[::-1])


def test_a_capsule_is_used_once():
    texts = []
    for lib in (torch, torchlike):
        capsule = lib.ones(2).__dlpack__()
        lib.from_dlpack(capsule)
        for read in (lib.from_dlpack, lib.utils.dlpack.from_dlpack):
            with pytest.raises(RuntimeError) as error:
                read(capsule)
            texts.append(str(error.value))
    assert len(set(texts)) == 1


def test_a_capsule_of_a_tensor_that_requires_grad():
    leaf = torchlike.ones(2, requires_grad=True)
    shared = torchlike.from_dlpack(torchlike.utils.dlpack.to_dlpack(leaf))
    shared.add_(1)
    assert (leaf.tolist(), shared.requires_grad) == ([2.0, 2.0], False)
