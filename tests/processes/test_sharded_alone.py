"""Distributed modules in a group of one process: compiled steps, freed parameters, overflow checks, and refusals."""

import copy
import gc
import importlib

import pytest

import torchlike
import torchlike.distributed.checkpoint.state_dict as S
from tests.oracle import both
from tests.processes.test_alone import group, part, within
from torchlike import nn
from torchlike._engine import Value
from torchlike._internal import recompute
from torchlike.distributed.fsdp import (
    CPUOffloadPolicy,
    MixedPrecision,
    MixedPrecisionPolicy,
    StateDictType,
    fully_shard,
)
from torchlike.distributed.fsdp import FullyShardedDataParallel as FSDP
from torchlike.distributed.optim import ZeroRedundancyOptimizer
from torchlike.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


def sharded(**options):
    torchlike.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 33), nn.Tanh(), nn.Linear(33, 31), nn.Tanh(), nn.Linear(31, 4))
    for layer in net:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, **options)
    return fully_shard(net)


def make_net():
    torchlike.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 33), nn.Tanh(), nn.Linear(33, 4))


def fsdp_wrapped():
    return FSDP(make_net())


def replicated(**options):
    torchlike.manual_seed(0)
    return nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(8, 33), nn.BatchNorm1d(33), nn.Tanh(), nn.Linear(33, 4)), **options
    )


MODULES = {
    "replicated": replicated,
    "fully_shard": sharded,
    "mixed": lambda: sharded(mp_policy=MixedPrecisionPolicy(torchlike.bfloat16, torchlike.float32)),
    "fsdp_wrapped": fsdp_wrapped,
}


def losses(net, parts, is_compiled):
    optimizer = torchlike.optim.AdamW(net.parameters(), lr=0.01)

    def step(x):
        total = 0.0
        for i in range(parts):
            if parts > 1:
                net.set_requires_gradient_sync(i == parts - 1)
            loss = net(x[i]).float().square().mean() / parts
            loss.backward()
            total = total + loss.detach()
        optimizer.step()
        optimizer.zero_grad()
        return total

    batches = [torchlike.randn(parts, 5, 8, generator=torchlike.Generator().manual_seed(i)) for i in range(4)]
    found = [step(batches[0]).item()]  # the first forward pass finds the root module
    run = torchlike.compile(step, fullgraph=True) if is_compiled else step
    return found + [run(batch).item() for batch in batches[1:]]


@pytest.mark.parametrize(("name", "parts"), [("replicated", 1), ("fully_shard", 1), ("mixed", 2), ("fsdp_wrapped", 1)])
def test_a_distributed_step_compiles_with_fullgraph(name, parts):
    with group(torchlike):
        expected = losses(MODULES[name](), parts, False)
        assert losses(MODULES[name](), parts, True) == pytest.approx(expected, rel=1e-5)


def parallelized():
    mesh = torchlike.distributed.device_mesh.init_device_mesh("cpu", (1,))
    return parallelize_module(make_net(), mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})


def adam(net):
    return torchlike.optim.Adam(net.parameters(), lr=0.01)


def sgd(net):
    return torchlike.optim.SGD(net.parameters(), lr=0.01)


STEPS = {
    "fully_shard": (sharded, adam),
    "fsdp_wrapped": (fsdp_wrapped, adam),
    "replicated, unused": (lambda: replicated(find_unused_parameters=True), sgd),
    "replicated, static": (lambda: replicated(static_graph=True), sgd),
    "parallelized": (parallelized, adam),
    "optimizer": (
        make_net,
        lambda net: ZeroRedundancyOptimizer(net.parameters(), torchlike.optim.Adam, lr=0.01),
    ),
}


def stepped(name, compiled):
    """Return the losses of steps that drop the gradients first, and the report about the compiled step."""
    net = STEPS[name][0]()
    optimizer = STEPS[name][1](net)

    def step(x):
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    found = [step(torchlike.ones(5, 8)).item()]
    run = torchlike.compile(step) if compiled else step
    found += [run(torchlike.ones(5, 8) + i).item() for i in range(4)]
    return found, run.explained() if compiled else None


@pytest.mark.parametrize("name", STEPS)
def test_a_compiled_distributed_step_is_replayed(name):
    with group(torchlike):
        expected, _ = stepped(name, False)
    with group(torchlike):  # the groups of the first run are gone
        found, report = stepped(name, True)
    assert (report.runs, report.uncompiled) == (3, ())
    assert found == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("how", ["assigned", "deleted"])
def test_a_compiled_call_drops_the_gradient_of_a_distributed_tensor(how):
    with group(torchlike) as dist:
        mesh = dist.device_mesh.init_device_mesh("cpu", (1,))
        w = nn.Parameter(dist.tensor.distribute_tensor(torchlike.ones(4), mesh, [dist.tensor.Shard(0)]))

        @torchlike.compile
        def step(x):
            if how == "assigned":
                w.grad = None
            else:
                del w.grad
            return x * 2

        for _ in range(3):
            (w * w).sum().backward()
            step(torchlike.ones(2))
            assert w.grad is None
        assert step.explained().runs == 2


def count_weights():
    """Return the number of arrays with the shape of the second layer's weight."""
    gc.collect()
    return sum(type(x) is Value and x.aval.shape == (31, 33) for x in gc.get_objects())


@pytest.mark.parametrize(("frees", "count"), [(True, 1), (False, 2)])
def test_the_graph_does_not_keep_freed_parameters_alive(frees, count):
    with group(torchlike):
        before = count_weights()
        net = sharded(reshard_after_forward=frees)
        loss = net(torchlike.ones(5, 8)).sum()
        assert loss.item() and count_weights() - before == count
        loss.backward()
        assert count_weights() - before == 2  # the shard and its gradient
        del net, loss
        assert count_weights() == before


def scaled(L, dist):
    net = L.nn.Linear(2, 2, bias=False)
    L.nn.init.ones_(net.weight)
    net = part(L, "fsdp").fully_shard(net)
    scaler = part(L, "fsdp.sharded_grad_scaler").ShardedGradScaler("cpu", init_scale=4.0, growth_interval=1)
    optimizer = L.optim.SGD(net.parameters(), lr=0.5)
    found = []
    for factor in (1.0, float("inf"), 2.0):
        optimizer.zero_grad()
        scaler.scale((net(L.ones(1, 2)) * factor).sum()).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        found.append([scaler.get_scale(), net.weight.full_tensor().detach().tolist()])
    return found


def test_sharded_grad_scaler_skips_a_step_with_overflow():
    both(within(scaled))


def test_unsupported_fsdp_options_raise():
    with group(torchlike):
        net, wrapper = sharded(), fsdp_wrapped()
        optimizer = torchlike.optim.SGD(net.parameters(), lr=1.0)
        for refused in (
            CPUOffloadPolicy,
            lambda: net.set_custom_all_gather(None),
            lambda: net.set_custom_reduce_scatter(None),
            lambda: net.set_post_optim_event(None),
            lambda: net.set_separate_reduce_scatter_group(),
            lambda: net.set_allocate_memory_from_process_group_for_comm(True),
            lambda: net.set_symm_mem_for_comm(),
            lambda: net.set_all_reduce_hook(print, stream=3),
            lambda: MixedPrecision(keep_low_precision_grads=True),
            lambda: wrapper.register_comm_hook(None, print),
            lambda: FSDP.set_state_dict_type(wrapper, StateDictType.LOCAL_STATE_DICT),
            lambda: FSDP.rekey_optim_state_dict({}, None, wrapper, optim_input=[]),
            lambda: FSDP.full_optim_state_dict(wrapper, None, optim_input=[]),
            lambda: FSDP.shard_full_optim_state_dict({}, wrapper, optim_input=[], optim=1),
            lambda: FSDP.shard_full_optim_state_dict({}, wrapper),
            lambda: FSDP.sharded_optim_state_dict(wrapper, optimizer),
            lambda: FSDP.optim_state_dict(wrapper, optimizer, group=3),
            lambda: ZeroRedundancyOptimizer(net.parameters(), torchlike.optim.SGD, overlap_with_ddp=True, lr=1.0),
            lambda: S.StateDictOptions(dsd_fqn_modifiers="x"),
        ):
            with pytest.raises(NotImplementedError, match="not supported by torchlike"):
                refused()
        with pytest.raises(AssertionError, match="does not support deepcopy"):
            copy.deepcopy(net)


def test_fsdp_with_sync_module_states_keeps_the_state():
    with group(torchlike):
        net = FSDP(nn.BatchNorm1d(2), sync_module_states=True)
        assert net.state_dict()["weight"].tolist() == [1, 1]


def test_a_gather_in_backward_waits_for_the_gradient_of_the_module_before(monkeypatch):
    arrived, wait = [], recompute.behind_a_barrier
    spy = lambda shards, after=None: arrived.append(after) or wait(shards, after)
    monkeypatch.setattr(recompute, "behind_a_barrier", spy)
    with group(torchlike):
        sharded()(torchlike.randn(2, 8)).sum().backward()
    assert [value.aval.shape for (value,) in arrived] == [(2, 4), (2, 4), (2, 31)]


def fsdp_of(L):
    return importlib.import_module(f"{L.__name__}.distributed.fsdp")


def trained_on_two_dims(L, dist):
    parallel = importlib.import_module(f"{L.__name__}.distributed.tensor.parallel")
    mesh = dist.device_mesh.init_device_mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))
    net = L.nn.Sequential(L.nn.Linear(4, 6), L.nn.Tanh(), L.nn.Linear(6, 2))
    for i, p in enumerate(net.parameters()):
        L.nn.init.constant_(p, 0.1 * (i + 1))
    plan = {"0": parallel.ColwiseParallel(), "2": parallel.RowwiseParallel()}
    parallel.parallelize_module(net, mesh["tp"], plan)
    fsdp_of(L).fully_shard(net, mesh=mesh["dp"])
    optimizer = L.optim.AdamW(net.parameters(), lr=0.1)
    for _ in range(2):
        net(L.ones(3, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return [p.full_tensor().detach() for p in net.parameters()]


def test_training_on_a_mesh_of_two_dims_in_one_process():
    both(within(trained_on_two_dims))


def loaded(L, wrap, assign):
    """Load a state after a forward pass, which leaves the root gathered."""
    net, other = [wrap(L.nn.Sequential(L.nn.Linear(3, 2), L.nn.Linear(2, 2))) for _ in range(2)]
    net(L.ones(1, 3))
    net.load_state_dict({name: L.full_like(value, 0.5) for name, value in other.state_dict().items()}, assign=assign)
    net[0].load_state_dict(net[0].state_dict())
    return net(L.ones(1, 3)).detach()


@pytest.mark.parametrize("assign", [False, True])
def test_a_state_loaded_into_gathered_parameters_is_kept(assign):
    both(within(lambda L, dist: loaded(L, fsdp_of(L).fully_shard, assign)))


def test_a_state_loaded_into_gathered_parameters_of_a_wrapper_is_kept():
    with group(torchlike):
        assert loaded(torchlike, FSDP, False).tolist() == [[2.5, 2.5]]


def test_a_parameter_that_was_replaced_by_another_kind_of_tensor_is_refused():
    with group(torchlike):
        net = fully_shard(nn.Linear(3, 2))
        net.load_state_dict({"weight": torchlike.ones(2, 3), "bias": torchlike.ones(2)}, assign=True)
        with pytest.raises(RuntimeError, match="'weight' was replaced by a Tensor, so fully_shard cannot gather it"):
            net(torchlike.ones(1, 3))


def test_an_optimizer_refuses_gathered_parameters():
    with group(torchlike):
        net = fully_shard(nn.Linear(3, 2))
        net(torchlike.ones(1, 3))
        with pytest.raises(
            ValueError, match=r"non-leaf Tensor. It is a parameter that fully_shard gathered: call reshard"
        ):
            torchlike.optim.SGD(net.parameters(), lr=0.1)
        net.reshard()
        torchlike.optim.SGD(net.parameters(), lr=0.1)
