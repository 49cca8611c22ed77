"""A group of one process, within the test's process: its results and errors."""

import contextlib
import copy
import importlib
import os
import pickle
import subprocess
import sys
import warnings
from datetime import timedelta

import pytest
import torch
import torch.distributed.nn.functional  # before any group exists: its functions keep the default group as an argument

import torchlike
from tests.oracle import both


@contextlib.contextmanager
def group(L):
    """Make a group of this process only."""
    L.distributed.init_process_group("gloo", rank=0, world_size=1, store=L.distributed.HashStore())
    try:
        yield L.distributed
    finally:
        L.distributed.destroy_process_group()
        if L is torch:  # its cache keeps the group, whose threads a child process would wait for
            torch._C._clear_DTensor_sharding_propagator_cache()


def within(run):
    """Return a program that runs in a group."""

    def program(L):
        with group(L) as dist, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run(L, dist)

    return program


WITHOUT = {
    "rank": lambda L: L.distributed.get_rank(),
    "size": lambda L: L.distributed.get_world_size(),
    "backend": lambda L: L.distributed.get_backend(),
    "sum": lambda L: L.distributed.all_reduce(L.ones(2)),
    "barrier": lambda L: L.distributed.barrier(),
    "group": lambda L: L.distributed.new_group([0]),
    "end": lambda L: L.distributed.destroy_process_group(),
    "questions": lambda L: [
        L.distributed.is_available(),
        L.distributed.is_initialized(),
        L.distributed.is_gloo_available(),
        L.distributed.is_nccl_available(),
        L.distributed.is_mpi_available(),
        L.distributed.is_ucc_available(),
        L.distributed.is_xccl_available(),
        L.distributed.is_torchelastic_launched(),
        L.distributed.is_backend_available("gloo"),
        L.distributed.is_backend_available("nccl"),
        L.distributed.group.WORLD,
        L.distributed.GroupMember.NON_GROUP_MEMBER,
        L.distributed.get_pg_count(),
        str(L.distributed.default_pg_timeout),
    ],
    "no environment": lambda L: L.distributed.init_process_group("gloo"),
    "no NCCL": lambda L: _told(L, "nccl"),
    "no NCCL, with a timeout": lambda L: _told(L, "nccl", timeout=timedelta(seconds=5)),
    "no MPI": lambda L: init(L, "mpi"),
    "no such backend": lambda L: init(L, "foo", rank=0, world_size=1, store=L.distributed.HashStore()),
    "no such method": lambda L: init(L, "gloo", "bar://x", rank=0, world_size=1),
    "tcp without rank": lambda L: init(L, "gloo", "tcp://127.0.0.1:1"),
    "tcp without size": lambda L: init(L, "gloo", "tcp://127.0.0.1:1", rank=0),
    "file without rank": lambda L: init(L, "gloo", "file:///nowhere", world_size=1),
    "store without size": lambda L: init(L, "gloo", store=L.distributed.HashStore()),
    "store and method": lambda L: init(L, "gloo", "env://", rank=0, world_size=1, store=L.distributed.HashStore()),
    "local rank": lambda L: L.distributed.get_node_local_rank(),
    "local rank, with another": lambda L: L.distributed.get_node_local_rank(3),
    "names of backends": lambda L: [
        L.distributed.Backend.GLOO,
        L.distributed.Backend("GLOO"),
        L.distributed.Backend("x"),
        L.distributed.Backend.UNDEFINED,
        L.distributed.get_default_backend_for_device("cpu"),
    ],
    "no name of a backend": lambda L: L.distributed.Backend(3),
    "ways of reducing": lambda L: [
        str(L.distributed.ReduceOp.SUM),
        repr(L.distributed.ReduceOp.AVG),
        int(L.distributed.ReduceOp.MAX),
        L.distributed.ReduceOp.MIN == 3,
        L.distributed.ReduceOp(L.distributed.ReduceOp.BOR) == L.distributed.ReduceOp.BOR,
    ],
    "complex": lambda L: [
        L.distributed.supports_complex(getattr(L.distributed.ReduceOp, op)) for op in ("SUM", "PRODUCT", "PREMUL_SUM")
    ],
    "module without a group": lambda L: L.nn.parallel.DistributedDataParallel(L.nn.Linear(2, 2)),
    "callback outside of a pass": lambda L: L.autograd.Variable._execution_engine.queue_callback(print),
}


def _told(L, *args, **kwargs):
    """Return the error and the warnings of a backend that is missing."""
    with warnings.catch_warnings(record=True) as seen, pytest.raises(RuntimeError) as error:
        warnings.simplefilter("always")
        init(L, *args, rank=0, world_size=1, store=L.distributed.HashStore(), **kwargs)
    return str(error.value), [(w.category.__name__, str(w.message)) for w in seen]


def init(L, *args, **kwargs):
    return L.distributed.init_process_group(*args, **kwargs)


@pytest.mark.parametrize("name", WITHOUT)
def test_without_a_group(name, monkeypatch):
    for variable in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_RANK"):
        monkeypatch.delenv(variable, raising=False)
    # PyTorch must behave like its CPU build, even if it was built for CUDA.
    monkeypatch.setattr(torch.distributed.distributed_c10d, "_NCCL_AVAILABLE", False)
    monkeypatch.setattr(torch.distributed.distributed_c10d, "default_pg_nccl_timeout", None)
    both(WITHOUT[name])
    assert not torch.distributed.is_initialized()
    assert not torchlike.distributed.is_initialized()


WITHIN = {
    "answers": lambda L, d: [
        d.get_rank(),
        d.get_world_size(),
        d.get_backend(),
        d.is_initialized(),
        d.get_backend_config(),
        d.group.WORLD.size(),
        d.get_rank(d.GroupMember.WORLD),
    ],
    "twice": lambda L, d: d.init_process_group("gloo", rank=0, world_size=1, store=d.HashStore()),
    "outside": lambda L, d: [
        d.get_rank(d.GroupMember.NON_GROUP_MEMBER),
        d.get_world_size(-100),
        d.all_reduce(L.ones(1), group=d.GroupMember.NON_GROUP_MEMBER),
    ],
    "columns": lambda L, d: [x := L.arange(9.0).view(3, 3), d.all_reduce(x[:, 1]), x, x._version],
    "leaf": lambda L, d: [x := L.ones(2, requires_grad=True), d.all_reduce(x), x._version, x.requires_grad],
    "versions": lambda L, d: [
        x := L.ones(2),
        d.broadcast(x, 0),
        x._version,
        d.all_gather([x], L.zeros(2)),
        x._version,
        x,
    ],
    "meta": lambda L, d: d.all_reduce(L.ones(1, device="meta")),
    "no elements": lambda L, d: [x := L.ones(0, 3), d.all_reduce(x), x],
    "into a 2-dim one": lambda L, d: d.all_gather_single(L.zeros(1, 2), L.zeros(2)),
    "bad root": lambda L, d: d.broadcast(L.ones(1), 1),
    "gather without a list": lambda L, d: d.gather(L.ones(1)),
    "gather to nobody": lambda L, d: d.gather(L.ones(1), [L.ones(1)], dst=3),
    "scatter without a list": lambda L, d: d.scatter(L.ones(1)),
    "sizes of parts": lambda L, d: d.all_to_all_single(L.ones(2), L.ones(2), [2], [3]),
    "to itself": lambda L, d: d.send(L.ones(1), 0),
    "to nobody": lambda L, d: d.isend(L.ones(1), None),
    "P2POp": lambda L, d: d.P2POp(d.all_reduce, L.ones(1), 0),
    "batch of others": lambda L, d: d.batch_isend_irecv([3]),
    "empty batch": lambda L, d: d.batch_isend_irecv([]),
    "objects": lambda L, d: [x := [None], d.all_gather_object(x, {"a": 1}), x],
    "no place for objects": lambda L, d: d.all_gather_object([], 1),
    "group": lambda L, d: [
        g := d.new_group([0]),
        g.rank(),
        g.size(),
        g.name(),
        d.get_process_group_ranks(g),
        d.get_global_rank(g, 0),
        d.get_group_rank(g, 0),
    ][1:],
    "group of too many": lambda L, d: d.new_group([0, 1]),
    "group of one twice": lambda L, d: d.new_group([0, 0]),
    "group of nobody there": lambda L, d: d.new_group([-1]),
    "subgroups": lambda L, d: [d.new_subgroups(1)[0].size(), len(d.new_subgroups(1)[1])],
    "subgroups of a size that is not told": lambda L, d: d.new_subgroups(),
    "group that was ended": lambda L, d: [g := d.new_group([0]), d.destroy_process_group(g), d.is_initialized()][2],
    "groups made": lambda L, d: [n := d.get_pg_count(), d.new_group([0]), d.get_pg_count() - n][2],
    "sampler": lambda L, d: [s := L.utils.data.DistributedSampler(range(5), seed=2), len(s), list(s)][1:],
    "module": lambda L, d: [
        m := L.nn.parallel.DistributedDataParallel(L.nn.Linear(2, 2)),
        repr(m),
        list(m.state_dict()),
        m.require_backward_grad_sync,
        m.device_ids,
    ][1:],
    "gradients": lambda L, d: gradients(L, part(L, "nn.functional")),
    "gradients past the module": lambda L, d: past(L),
    "uneven inputs": lambda L, d: uneven(L),
    "uneven inputs of nothing": lambda L, d: part(L, "algorithms.join").Join([]),
    "uneven inputs of an object": lambda L, d: part(L, "algorithms.join").Join.notify_join_context(3),
    "premultiplied sum": lambda L, d: d.all_reduce(L.ones(2), d._make_nccl_premul_sum(2.0)),
    "premultiplied complex sum": lambda L, d: d.reduce(L.ones(2) + 1j, 0, d._make_nccl_premul_sum(L.ones(1))),
    "recorded": lambda L, d: part(L, "elastic.multiprocessing.errors").record(lambda x: x + 1)(3),
}


def part(L, name):
    return importlib.import_module(f"{L.__name__}.distributed.{name}")


def gradients(L, F):
    x = L.arange(1.0, 3.0).requires_grad_()
    found = [F.all_reduce(x * x), F.broadcast(x * 2, 0), *F.all_gather(x * 3), F.reduce(x * 4, 0), *F.gather(x * 5)]
    found += [F.scatter([x * 6]), F.reduce_scatter(L.zeros(2), [x * 7]), *F.all_to_all([L.zeros(2)], [x * 8])]
    sum((y * x.detach()).sum() for y in found).backward()  # PyTorch sends wrong elements of an expanded gradient
    return found, x.grad


def past(L):
    """Run backward through a module without its wrapper, then with it."""
    net = L.nn.parallel.DistributedDataParallel(L.nn.Linear(2, 1, bias=False))
    net.module(L.ones(1, 2)).sum().backward()
    net(L.ones(1, 2)).sum().backward()
    return net.module.weight.grad


def uneven(L):
    """Train within `join`, and once more after it."""
    net = L.nn.parallel.DistributedDataParallel(L.nn.BatchNorm1d(2))
    for block in (net.join(False), net.join(throw_on_early_termination=True), net.join(enable=False)):
        with block:
            for i in range(3):
                net(L.arange(6.0).view(3, 2) * i).square().sum().backward()
    return [*net.state_dict().values(), net.module.weight.grad, net.join_device, block is not None]


@pytest.mark.parametrize("name", WITHIN)
def test_within_a_group_of_one(name):
    both(within(WITHIN[name]))


def test_unsupported_arguments_raise():
    with group(torchlike) as dist:
        for refused in (
            lambda: dist.all_reduce(torchlike.eye(2).to_sparse()),
            lambda: dist.new_group([0], pg_options=3),
            lambda: part(torchlike, "nn.functional").all_reduce(torchlike.ones(1), dist.ReduceOp.MAX),
            lambda: torchlike.nn.parallel.DistributedDataParallel(torchlike.nn.Linear(2, 1), mixed_precision=True),
        ):
            with pytest.raises(NotImplementedError, match="not supported by torchlike"):
                refused()
        with pytest.raises(RuntimeError, match=r"Cannot use ReduceOp\.PREMUL_SUM"):
            dist.all_reduce(torchlike.ones(1), dist.ReduceOp.PREMUL_SUM)
        for factor in (2, "a"):
            with pytest.raises(TypeError, match="must be a float or a Tensor"):
                dist._make_nccl_premul_sum(factor)
        with pytest.raises(RuntimeError, match="must have one element"):
            dist._make_nccl_premul_sum(torchlike.ones(2))
        with pytest.raises(TypeError, match="op must be a ReduceOp, not str"):
            dist.all_reduce(torchlike.ones(1), op="sum")
        with pytest.raises(RuntimeError, match="cannot receive from itself"):
            dist.recv(torchlike.ones(1), 0)
        with pytest.raises(RuntimeError, match=r"the first dim of shape \[3\] cannot be divided evenly"):
            dist.reduce_scatter_single(torchlike.ones(2), torchlike.ones(3))
        with pytest.raises(ValueError, match="ranks list must not be empty"):
            dist.new_group([])


def test_old_names_warn():
    with group(torchlike) as dist:
        x = torchlike.zeros(2)
        with pytest.warns(FutureWarning, match="all_gather_into_tensor` is deprecated. Please use .*all_gather_single"):
            dist.all_gather_into_tensor(x, torchlike.ones(2))
        assert x.tolist() == [1, 1]


def test_an_error_is_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))
    record = part(torchlike, "elastic.multiprocessing.errors").record
    with pytest.raises(ZeroDivisionError):
        record(lambda: 1 / 0)()
    assert "ZeroDivisionError: division by zero" in (tmp_path / "error.json").read_text()


def test_an_error_file_is_whole_or_absent(tmp_path, monkeypatch):
    """A launcher that terminates a process while it writes its error must not read half a file."""

    def cut_short(*_):
        raise KeyboardInterrupt

    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))
    monkeypatch.setattr(os, "replace", cut_short)
    with pytest.raises(KeyboardInterrupt):
        part(torchlike, "elastic.multiprocessing.errors").record(lambda: 1 / 0)()
    assert [*tmp_path.iterdir()] == []


def test_callbacks_come_after_the_pass():
    engine, order = torchlike.autograd.Variable._execution_engine, []
    x = torchlike.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: (engine.queue_callback(lambda: order.append(x.grad.tolist())), None)[1])
    (y * 3).sum().backward()
    assert order == [[6, 6]]


def test_a_step_that_is_compiled_with_an_exchange_inside(monkeypatch):
    with group(torchlike) as dist:

        @torchlike.compile
        def doubled(x):
            y = x * 2
            dist.all_reduce(y)
            return y + 1

        for i in range(3):
            assert doubled(torchlike.full((2,), float(i))).tolist() == [2 * i + 1] * 2
    assert "RANK" not in os.environ


INTERRUPTED = """
import os, random, signal, time
import torchlike as torch, torchlike.distributed as dist
from torchlike.distributed.device_mesh import init_device_mesh
from torchlike.distributed.tensor import DTensor, Shard, distribute_tensor

os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "RANK": "0", "WORLD_SIZE": "1"}
mesh = init_device_mesh("cpu", (1,))
x, y = (distribute_tensor(torch.ones(4, 4), mesh, [Shard(0)]) for _ in range(2))
inside, count = False, 0

class Stop(Exception):
    pass

def stop(*_):
    if inside:
        raise Stop

signal.signal(signal.SIGALRM, stop)
end = time.monotonic() + 4
while time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0001 + 0.002 * random.random(), 0.01)
        inside = True
        while True:
            x + y
    except Stop:
        count += 1
    finally:
        inside = False
    assert type(x) is type(y) is DTensor, count
signal.setitimer(signal.ITIMER_REAL, 0)
print(count)
"""


def test_an_interrupted_operator_leaves_distributed_tensors_as_they_are():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 50


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))])
def test_a_copied_module(copied):
    def run(L, dist):
        L.manual_seed(0)
        module = L.nn.parallel.DistributedDataParallel(L.nn.Linear(3, 2), find_unused_parameters=True)
        other = copied(module)
        other(L.ones(2, 3)).sum().backward()
        gradients = [p.grad for p in other.parameters()]
        return gradients, [p.grad for p in module.parameters()], other.find_unused_parameters, [*other.state_dict()]

    both(within(run))


def test_a_module_with_a_group_cannot_be_copied():
    def run(L, dist):
        own = dist.new_group([0])
        return copy.deepcopy(L.nn.parallel.DistributedDataParallel(L.nn.Linear(3, 2), process_group=own))

    both(within(run))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
def test_collectives_without_elements(shape):
    def run(L, dist):
        x, several, joined = L.zeros(shape), [L.zeros(shape)], L.zeros(shape)
        dist.all_reduce(x)
        dist.broadcast(x, 0)
        dist.all_gather(several, x)
        dist.all_gather_into_tensor(joined, x)
        return x, several, joined

    both(within(run))


def _compressed_gradients(hook, state):
    """Return the gradients of one backward pass without a communication hook and with one."""
    torchlike.manual_seed(0)
    plain = torchlike.nn.Sequential(torchlike.nn.Linear(40, 20), torchlike.nn.Tanh(), torchlike.nn.Linear(20, 30))
    hooked = torchlike.nn.parallel.DistributedDataParallel(copy.deepcopy(plain))
    hooked.register_comm_hook(state, hook)
    x = torchlike.randn(8, 40)
    for model in (plain, hooked):
        model(x).square().sum().backward()
    return [torchlike.cat([p.grad.flatten() for p in model.parameters()]) for model in (plain, hooked)]


def test_quantized_gradients_are_near():
    """PyTorch's hooks raise TypeError with Gloo."""
    hooks = importlib.import_module("torchlike.distributed.algorithms.ddp_comm_hooks.quantization_hooks")
    with group(torchlike), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for hook in (hooks.quantization_pertensor_hook, hooks.quantization_perchannel_hook):
            exact, found = _compressed_gradients(hook, None)
            step = (exact.max() - exact.min()) / 255
            assert 0 < (found - exact).abs().max() <= step * 0.51


@pytest.mark.parametrize(("rank", "error"), [(38, 1e-4), (30, 0.2)])
def test_one_matrix_of_all_gradients_is_approximated(rank, error):
    """All columns give the gradients themselves. PyTorch's hook raises AssertionError."""
    hooks = importlib.import_module("torchlike.distributed.algorithms.ddp_comm_hooks.powerSGD_hook")
    with group(torchlike):
        options = {"use_error_feedback": False, "warm_start": False, "start_powerSGD_iter": 0}
        state = hooks.PowerSGDState(None, matrix_approximation_rank=rank, **options)
        exact, found = _compressed_gradients(hooks.batched_powerSGD_hook, state)
        assert ((found - exact).norm() / exact.norm() < error) and state.compression_stats()[1:] == (
            1450,
            39 * rank * 2,
        )
        assert rank == 38 or (found - exact).norm() / exact.norm() > 1e-3


def _stateful(kind):
    """Return a training step whose parts count steps, and a function that returns the count."""
    hooks = importlib.import_module("torchlike.distributed.algorithms.ddp_comm_hooks.powerSGD_hook")
    averagers = importlib.import_module("torchlike.distributed.algorithms.model_averaging.averagers")
    torchlike.manual_seed(0)
    model = torchlike.nn.Sequential(torchlike.nn.Linear(12, 12), torchlike.nn.Tanh(), torchlike.nn.Linear(12, 12))
    optimizer = torchlike.optim.SGD(model.parameters(), lr=0.1)
    averager = averagers.PeriodicModelAverager(2, warmup_steps=2)
    state = hooks.PowerSGDState(None, start_powerSGD_iter=2)
    if kind == "hook":
        model = torchlike.nn.parallel.DistributedDataParallel(model)
        model.register_comm_hook(state, hooks.powerSGD_hook)
    elif kind == "optimizer":
        wrappers = importlib.import_module("torchlike.distributed.optim")
        optimizer = wrappers.PostLocalSGDOptimizer(optimizer, averager)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return step, lambda: (averager.step, state.iter)


@pytest.mark.parametrize("kind", ["hook", "optimizer"])
def test_compiled_steps_count(kind):
    with group(torchlike):
        found = []
        for form in (lambda f: f, torchlike.compile):
            step, count = _stateful(kind)
            step, x = form(step), torchlike.ones(4, 12)
            found.append(([round(step(x).item(), 5) for _ in range(5)], count()))
    assert found[0] == found[1] and max(found[0][1]) == 5
