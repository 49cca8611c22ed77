"""FullyShardedDataParallel: strategies, policies, mixed precision, accumulation, clipping and state dicts."""

import contextlib
import copy
import functools
import shutil
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.optimizer import load_sharded_optimizer_state_dict
from torch.distributed.fsdp import (
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    MixedPrecision,
    OptimStateKeyType,
    ShardingStrategy,
    StateDictType,
    register_fsdp_forward_method,
)
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import (
    CustomPolicy,
    ModuleWrapPolicy,
    _or_policy,
    enable_wrap,
    lambda_auto_wrap_policy,
    size_based_auto_wrap_policy,
    transformer_auto_wrap_policy,
    wrap,
)

from tests.processes.saying import STEPS, leave, say

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank, size = dist.get_rank(), dist.get_world_size()
cpu = torch.device("cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.middle, self.b = nn.Linear(5, 7), nn.Sequential(nn.Linear(7, 7), nn.Tanh()), nn.Linear(7, 3)
        self.norm = nn.BatchNorm1d(5)

    def forward(self, x):
        return self.b(self.middle(self.a(self.norm(x))))


def built(make=Net, **options):
    torch.manual_seed(0)
    return FSDP(make(), device_id=cpu, use_orig_params=True, **options)


def batch(step):
    generator = torch.Generator().manual_seed(100 * step + rank)
    return torch.randn(6, 5, generator=generator), torch.randint(0, 3, (6,), generator=generator)


def trained(name, net, optimizer, parts=1, steps=STEPS, clips=False):
    for step in range(steps):
        optimizer.zero_grad()
        for part in range(parts):
            x, y = batch(parts * step + part)
            with net.no_sync() if part < parts - 1 else contextlib.nullcontext():
                out = net(x)
                loss = nn.functional.cross_entropy(out.double(), y) / parts
                loss.backward()
        norm = net.clip_grad_norm_(0.5) if clips else torch.zeros(())
        optimizer.step()
        print(name, step, out.dtype, loss.item(), norm.item())
    for key, value in net.state_dict().items():
        print(name, key, value.dtype, value.tolist())
    with whole(net):
        state = FSDP.optim_state_dict(net, optimizer)["state"]
    for key, entries in state.items():
        print(name, key, {entry: value.tolist() for entry, value in entries.items()})


def whole(net):
    """Keep the tensors on their device: PyTorch returns wrong ones if they are on the CPU and are moved to the CPU."""
    kind = StateDictType.FULL_STATE_DICT
    return FSDP.state_dict_type(net, kind, FullStateDictConfig(), FullOptimStateDictConfig(offload_to_cpu=False))


def adam(net):
    return torch.optim.Adam(net.parameters(), lr=0.05)


linear = ModuleWrapPolicy({nn.Linear})
net = built(auto_wrap_policy=linear)
optimizer = adam(net)
trained("full", net, optimizer, parts=2)
torch.set_default_dtype(torch.float32)  # PyTorch does not clip gradients in float64
net = built(auto_wrap_policy=linear)
trained("clipped", net, torch.optim.SGD(net.parameters(), lr=0.1), parts=2, clips=True)
torch.set_default_dtype(torch.float64)
net = built(sharding_strategy=ShardingStrategy.SHARD_GRAD_OP, auto_wrap_policy=linear)
trained("gradients", net, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9), steps=2)
net = built(sharding_strategy=ShardingStrategy.NO_SHARD)
trained("replicated", net, adam(net), steps=2)
half = MixedPrecision(param_dtype=torch.float32, reduce_dtype=torch.float64, buffer_dtype=torch.float32)
net = built(mixed_precision=half)
trained("float32", net, adam(net), steps=3)
torch.set_default_dtype(torch.float32)
net = built(mixed_precision=MixedPrecision(param_dtype=torch.bfloat16), auto_wrap_policy=linear)
say("wrapped", lambda: net)
trained("bfloat16", net, torch.optim.SGD(net.parameters(), lr=0.1), steps=1)
torch.set_default_dtype(torch.float64)
if size == 4:
    shards = [dist.new_group([0, 1]), dist.new_group([2, 3])][rank // 2]
    copies = [dist.new_group([0, 2]), dist.new_group([1, 3])][rank % 2]
    net = built(
        sharding_strategy=ShardingStrategy.HYBRID_SHARD, process_group=(shards, copies), auto_wrap_policy=linear
    )
    trained("hybrid", net, adam(net))

for name, policy in {
    "size": functools.partial(size_based_auto_wrap_policy, min_num_params=30),
    "size of all": functools.partial(size_based_auto_wrap_policy, min_num_params=200),
    "classes": linear,
    "transformer": functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={nn.Sequential}),
    "lambda": functools.partial(lambda_auto_wrap_policy, lambda_fn=lambda m: isinstance(m, nn.BatchNorm1d)),
    "custom": CustomPolicy(
        lambda m: isinstance(m, nn.Linear) and {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP}
    ),
    "one of": functools.partial(
        _or_policy, policies=[functools.partial(size_based_auto_wrap_policy, min_num_params=50)]
    ),
    "wrong": CustomPolicy(lambda m: 3),
}.items():
    say(name, lambda policy=policy: built(auto_wrap_policy=policy))
with enable_wrap(wrapper_cls=FSDP, device_id=cpu):
    say("wrap", lambda: wrap(nn.Linear(2, 2)))
say("no wrap", lambda: wrap(nn.Linear(2, 2)))
net = built(auto_wrap_policy=linear)
say("parts", lambda: (net.a, net.module.norm, net.check_is_root(), net.a.check_is_root(), len(FSDP.fsdp_modules(net))))
say("buffers", lambda: [name for name, _ in net.named_buffers()])
say("names", lambda: [name for name, _ in net.named_parameters()])
say("kind", lambda: FSDP.get_state_dict_type(net))
with FSDP.state_dict_type(
    net, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True), FullOptimStateDictConfig(rank0_only=True)
):
    say("kind inside", lambda: FSDP.get_state_dict_type(net))
    say("on the first", lambda: list(net.state_dict()))
with FSDP.summon_full_params(net):
    say("summoned", lambda: [(name, tuple(p.shape)) for name, p in net.named_parameters()])
    with torch.no_grad():
        net.module.a.module.weight.fill_(1.5)
say("written", lambda: net.state_dict()["a.weight"])
saved = {name: value + 1 for name, value in net.state_dict().items() if "num" not in name}
say("loaded", lambda: net.load_state_dict(saved, strict=False))
say("as loaded", lambda: all(torch.equal(value, net.state_dict()[name]) for name, value in saved.items()))
optimizer = adam(net)
net(batch(0)[0]).pow(3).sum().backward()
optimizer.step()
with whole(net):
    kept = FSDP.optim_state_dict(net, optimizer)
say("kept", lambda: (kept["param_groups"], {key: list(value) for key, value in kept["state"].items()}))
optimizer.step()
optimizer.load_state_dict(FSDP.optim_state_dict_to_load(net, optimizer, copy.deepcopy(kept)))
with whole(net):
    again = FSDP.optim_state_dict(net, optimizer)["state"]
say(
    "same", lambda: all(torch.equal(x, again[key][name]) for key, xs in kept["state"].items() for name, x in xs.items())
)
optimizer.step()
first_only = FullOptimStateDictConfig(offload_to_cpu=False, rank0_only=True)
with FSDP.state_dict_type(net, StateDictType.FULL_STATE_DICT, FullStateDictConfig(), first_only):
    given = FSDP.optim_state_dict_to_load(net, optimizer, copy.deepcopy(kept) if rank == 0 else None)
    optimizer.load_state_dict(given)
with whole(net):
    again = FSDP.optim_state_dict(net, optimizer)["state"]
    say("no state", lambda: FSDP.optim_state_dict_to_load(net, optimizer, {"param_groups": []}))
say(
    "from the first",
    lambda: all(torch.equal(x, again[key][name]) for key, xs in kept["state"].items() for name, x in xs.items()),
)
plain = Net()
numbered = FSDP.rekey_optim_state_dict(kept, OptimStateKeyType.PARAM_ID, plain)
say("numbers", lambda: ([*numbered["state"]], numbered["param_groups"]))
named = FSDP.rekey_optim_state_dict(numbered, OptimStateKeyType.PARAM_NAME, plain, optim=adam(plain))
say("names again", lambda: ([*named["state"]], named["param_groups"][0]["params"]))
say("unchanged", lambda: FSDP.rekey_optim_state_dict(named, OptimStateKeyType.PARAM_NAME, plain) is named)
say("mixed", lambda: FSDP.rekey_optim_state_dict({"state": {0: 1, "a": 2}}, OptimStateKeyType.PARAM_ID, plain))
register_fsdp_forward_method(net, "no method")  # does nothing, because it is for `fully_shard`

folder = [tempfile.mkdtemp() if rank == 0 else None]
dist.broadcast_object_list(folder)
with FSDP.state_dict_type(net, StateDictType.SHARDED_STATE_DICT):
    dcp.save({"model": net.state_dict(), "optimizer": FSDP.optim_state_dict(net, optimizer)}, checkpoint_id=folder[0])
    optimizer.step()
    reader = dcp.FileSystemReader(folder[0])
    loaded = load_sharded_optimizer_state_dict(net.state_dict(), "optimizer", reader)
    say("loaded state", lambda: (list(loaded), [*loaded["optimizer"]["state"]], loaded["optimizer"]["param_groups"]))
    optimizer.load_state_dict(FSDP.optim_state_dict_to_load(net, optimizer, loaded["optimizer"]))
with whole(net):
    again = FSDP.optim_state_dict(net, optimizer)["state"]
say(
    "from shards",
    lambda: all(torch.equal(x, again[key][name]) for key, xs in kept["state"].items() for name, x in xs.items()),
)
dist.barrier()
if rank == 0:
    shutil.rmtree(folder[0])
net = built(lambda: Net().float(), auto_wrap_policy=linear)
net(batch(0)[0].float()).pow(3).sum().backward()
say("norm", lambda: [round(net.clip_grad_norm_(1.0, kind).item(), 4) for kind in (1.0, 2.0, float("inf"))])
say("inside", lambda: net.a.clip_grad_norm_(1.0))
say("without groups", lambda: FSDP(nn.Linear(2, 2), sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_id=cpu))
say("twice", lambda: FSDP(FSDP(nn.Linear(2, 2), device_id=cpu), auto_wrap_policy=linear, device_id=cpu))
say("offload", lambda: type(FSDP(nn.Linear(2, 2), cpu_offload=CPUOffload(True), device_id=cpu)))
say("a device by name", lambda: next(FSDP(nn.Linear(2, 2), device_id="cpu").parameters()).device)
say("an index", lambda: FSDP(nn.Linear(2, 2), device_id=0))
frozen = nn.Linear(2, 2).requires_grad_(False)
net = FSDP(nn.Sequential(nn.Linear(2, 2), frozen), device_id=cpu, ignored_states=[frozen.bias], use_orig_params=True)
say("ignored", lambda: [(type(p), p.requires_grad) for p in (frozen.bias,)])
net(torch.ones(1, 2)).sum().backward()
say("frozen", lambda: [p.grad is None for p in frozen.parameters()])
leave(dist)
