"""Tests of the functions of data parallelism and of `torch._utils`, on a machine without a GPU."""

import importlib
import warnings
from collections import namedtuple

import pytest
import torch

import torchlike

Pair = namedtuple("Pair", "a b")


def _shown(lib, call):
    """Return the result of a call, or its error, as text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = str(call())
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return found.replace(lib.__name__, "torch")


def _modules(lib, *names):
    return [importlib.import_module(f"{lib.__name__}.{name}") for name in names]


def _copies(lib):
    comm, functions, alias = _modules(lib, "nn.parallel.comm", "nn.parallel._functions", "cuda.comm")
    assert alias.broadcast is comm.broadcast
    x = lib.ones(2, 2)
    return [
        lambda: comm.broadcast(x),
        lambda: comm.broadcast(x, [0]),
        lambda: comm.broadcast(x, ["cpu"]),
        lambda: comm.broadcast(x, out=[x]),
        lambda: comm.broadcast_coalesced([x], [0]),
        lambda: comm.reduce_add([x, x], 0),
        lambda: comm.reduce_add_coalesced([[x], [x]], 0),
        lambda: comm.scatter(x, [0]),
        lambda: comm.scatter(x, [0], out=[x]),
        lambda: comm.scatter(x, chunk_sizes=[1], out=[x]),
        lambda: comm.gather([x], 0, -1),
        lambda: comm.gather([x], 0, "cpu"),
        lambda: comm.gather([x], 0, "cpu", out=x),
        lambda: functions.Broadcast.apply([0], x),
        lambda: functions.Gather.apply(0, 0, x),
        lambda: functions.Scatter.apply([0], None, 0, x),
        lambda: functions._get_stream(lib.device("cpu")),
    ]


def _calls(lib):
    apply, replicas, nested = _modules(
        lib, "nn.parallel.parallel_apply", "nn.parallel.replicate", "nn.parallel.scatter_gather"
    )
    x, module = lib.ones(2, 2), lib.nn.Linear(2, 2)
    return [
        lambda: apply.parallel_apply([module], [x]),
        lambda: apply.parallel_apply([module], [x, x]),
        lambda: apply.parallel_apply([module], [x], [{}], [0, 1]),
        lambda: apply.get_a_var([{"a": (3, x)}]),
        lambda: apply.get_a_var([3]),
        lambda: replicas.replicate(module, [0]),
        lambda: replicas.replicate(module, []),
        lambda: lib.nn.parallel.data_parallel(module, x),
        lambda: nested.is_namedtuple(Pair(1, 2)),
    ]


class _Two(Exception):
    def __init__(self, a, b):
        super().__init__(a)


def _again(wrapper, error):
    try:
        raise error
    except Exception:
        kept = wrapper(where="in a worker")
    try:
        kept.reraise()
    except Exception as raised:
        lines = str(raised).splitlines()
        return type(raised).__name__, lines[0], lines[1], lines[-1]


def _small(lib):
    (utils,) = _modules(lib, "_utils")

    class Counted:
        count = 3

        @utils.classproperty
        def shown(cls):
            return cls.count

    ones, more = [lib.ones(1), lib.ones(1, dtype=lib.int64)], [lib.zeros(2), lib.ones(2, dtype=lib.int64)]
    devices = [(0,), ("cpu",), ("cuda:3",), ("cuda",), ("cuda", True), (None, True), (None,), ("cpu", False, True)]
    return [
        *[lambda args=args: utils._get_device_index(*args) for args in devices],
        *[lambda e=e: _again(utils.ExceptionWrapper, e) for e in (ValueError("x"), KeyError("k"), _Two(1, 2))],
        lambda: utils._element_size(lib.bfloat16),
        lambda: utils._element_size(3),
        lambda: utils._import_dotted_name("os.path.join").__name__,
        lambda: utils._get_device_module("none"),
        lambda: utils._get_all_device_indices(),
        lambda: utils.get_current_device_index(),
        lambda: utils.is_compiling(),
        lambda: (Counted.shown, Counted().shown),
        lambda: utils._reorder_tensors_as(ones, more),
        lambda: utils._handle_complex(lib.ones(1, dtype=lib.complex64)),
    ]


def _replicas(lib):
    module = lib.nn.BatchNorm1d(2)
    module.kept = [1]
    replica = module._replicate_for_data_parallel()
    own = ("_parameters", "_buffers", "_modules")
    return [
        lambda: (type(replica).__name__, [hasattr(each, "_is_replica") for each in (module, replica)]),
        lambda: (replica._is_replica, hasattr(replica, "weight")),
        lambda: [getattr(replica, name) is getattr(module, name) for name in (*own, "kept", "running_mean")],
        lambda: [len(getattr(replica, name)) for name in own],
        lambda: lib.nn.LSTM(1, 1)._replicate_for_data_parallel()._parameters,
    ]


@pytest.mark.parametrize("calls", [_copies, _calls, _small, _replicas])
def test_without_a_gpu(calls):
    if torchlike.cuda.is_available():
        return
    want, got = [[_shown(lib, call) for call in calls(lib)] for lib in (torch, torchlike)]
    assert got == want
