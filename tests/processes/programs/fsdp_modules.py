"""fully_shard: arguments, the methods of FSDPModule, checkpoints of activations, and state dicts."""

import copy
import dataclasses
import functools

import torch
import torch.distributed as dist
import torch.distributed.checkpoint.state_dict as S
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import Shard
from torch.utils.checkpoint import checkpoint

from tests.processes.saying import leave, say

dist.init_process_group("gloo")
torch.set_default_dtype(torch.float64)
rank, size = dist.get_rank(), dist.get_world_size()
Options = S.StateDictOptions


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.unused = nn.Linear(4, 8), nn.Linear(8, 4), nn.Linear(2, 2)

    def forward(self, x):
        return {"y": self.b(torch.tanh(self.a(x)))}

    def twice(self, x):
        return self.a(x) * 2


def built(seed=0, inner=True, **options):
    torch.manual_seed(seed)
    net = Net()
    if inner:
        fully_shard(net.a, **options)
    return fully_shard(net, **options)


def run(net, scale=1.0):
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(rank)) * scale
    loss = net(x)["y"].square().sum()
    loss.backward()
    return loss.item()


def gradients(net):
    return [None if p.grad is None else p.grad.to_local().tolist() for p in net.parameters()]


def kinds(net):
    return [type(p).__name__ for p in net.parameters()]


def same(one, other):
    return all(torch.equal(a.full_tensor(), b.full_tensor()) for a, b in zip(one.parameters(), other.parameters()))


# -- arguments
mesh = init_device_mesh("cpu", (1, size), mesh_dim_names=("replicate", "shard"))
say("repr", lambda: built())
say("class", lambda: (isinstance(built(), FSDPModule), isinstance(built(), Net), type(built()).__name__))
for name, make in {
    "container": lambda: fully_shard(nn.ModuleList([nn.Linear(2, 2)])),
    "twice": lambda: fully_shard(fully_shard(nn.Linear(2, 2))),
    "number": lambda: fully_shard(3),
    "names": lambda: fully_shard(nn.Linear(2, 2), mesh=init_device_mesh("cpu", (1, size))),
    "size": lambda: fully_shard(nn.Linear(2, 2), reshard_after_forward=7),
    "uneven": lambda: fully_shard(nn.Linear(3, 2), shard_placement_fn=lambda p: Shard(p.ndim - 1)),
    "placement": lambda: fully_shard(nn.Linear(3, 2), shard_placement_fn=lambda p: 3),
    "scalar": lambda: fully_shard(nn.PReLU(1).apply(lambda m: setattr(m, "weight", nn.Parameter(torch.ones(()))))),
    "copy": lambda: copy.deepcopy(fully_shard(nn.Linear(2, 2))),
}.items():
    say(name, make)
say("placements", lambda: [p.placements for p in built(mesh=mesh).parameters()])
columns = fully_shard(nn.Linear(4, 4), shard_placement_fn=lambda p: Shard(p.ndim - 1))
columns(torch.ones(2, 4) * (rank + 1)).square().sum().backward()
say("columns", lambda: [(p.placements, p.grad.full_tensor().tolist()) for p in columns.parameters()])
plain = nn.Linear(2, 2)
say("ignored", lambda: [type(p).__name__ for p in fully_shard(plain, ignored_params={plain.bias}).parameters()])
say("int", lambda: [(run(net), gradients(net)) for net in [built(reshard_after_forward=size)]])


def tied(together):
    layers = nn.Sequential(*(nn.Linear(4, 4) for _ in range(3)))
    layers[2].weight = layers[0].weight
    for part in [[layers[0], layers[2]]] if together else layers:
        fully_shard(part)
    fully_shard(layers)
    layers(torch.ones(2, 4) * (rank + 1)).square().sum().backward()
    return [p.grad.full_tensor() for p in layers.parameters()]


say("tied together", lambda: tied(True))
say("tied", lambda: tied(False))


def by_lbfgs(search):
    torch.manual_seed(0)
    net = fully_shard(nn.Linear(4, 4))
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=4, line_search_fn=search)

    def closure():
        optimizer.zero_grad()
        loss = net(torch.ones(2, 4) * (rank + 1)).square().mean()
        loss.backward()
        return loss

    return optimizer.step(closure).item(), [(p.placements, p.full_tensor()) for p in net.parameters()]


say("lbfgs", lambda: by_lbfgs(None))
say("lbfgs with a search", lambda: by_lbfgs("strong_wolfe"))
inner_first = built()
say("root first", lambda: (inner_first.a(torch.ones(1, 4)), inner_first(torch.ones(1, 4))))

# -- methods
net = built()
print("loss", run(net), gradients(net))
net.zero_grad()
net.set_requires_gradient_sync(False)
print("quiet", run(net), run(net, 2.0), gradients(net), kinds(net))
net.set_requires_gradient_sync(True)
print("loud", run(net, 3.0), gradients(net))
print("added", run(net), gradients(net))
net = built()
net.set_gradient_divide_factor(3.0)
print("divided", run(net), gradients(net))
net = built(inner=False)
net.set_reduce_scatter_unused_params(True)
print("unused", run(net), gradients(net))
net = built(inner=False)
hooked = []
net.set_all_reduce_hook(lambda flat: hooked.append(tuple(flat.shape)))
print("hook", run(net), hooked)
net = built(inner=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net.set_reshard_after_backward(False)
print("kept", run(net), kinds(net))
optimizer.step()
print("stale", run(net), kinds(net))
net.reshard()
print("fresh", run(net), kinds(net))
net = built()
y = net(torch.ones(1, 4))["y"]
print("forward", kinds(net), list(net.state_dict()), kinds(net))
net.set_reshard_after_forward(True)
y = net(torch.ones(1, 4))["y"]
print("freed", kinds(net), net.unshard(), kinds(net), net.a.unshard(async_op=True).wait(), kinds(net))
net.reshard()
print("sharded", kinds(net))
with torch.no_grad():
    print("evaluated", net(torch.ones(1, 4))["y"].tolist(), kinds(net))
register_fsdp_forward_method(net, "twice")
print("method", net.twice(torch.ones(1, 4)).tolist())
net.own = functools.partial(Net.twice, net)
register_fsdp_forward_method(net, "own")
print("method of the instance", net.own(torch.ones(1, 4)).tolist())
net.set_is_last_backward(False)
net.set_modules_to_forward_prefetch([net.a])
net.set_modules_to_backward_prefetch([net.a])
net.set_requires_all_reduce(True)
net.set_unshard_in_backward(True)
say("reset", lambda: net.reset_iter_state())
print("after", run(net))
seen = []
for p in net.parameters():
    p.register_post_accumulate_grad_hook(lambda p: seen.append(type(p.grad).__name__))
print("accumulated", run(net), seen)
frozen = built()
frozen.a.requires_grad_(False)
print("frozen", run(frozen), gradients(frozen))
list_of = [nn.Linear(4, 8), nn.Linear(8, 4)]
torch.manual_seed(3)
[nn.init.normal_(p) for module in list_of for p in module.parameters()]
pair = nn.Sequential(*fully_shard(list_of), nn.Tanh())
fully_shard(pair)
pair(torch.ones(2, 4) * (rank + 1)).square().sum().backward()
print("several", [p.grad.full_tensor().tolist() for p in pair.parameters()])
parts = fully_shard([nn.Linear(2, 2), nn.Linear(2, 2)])
say("no root", lambda: parts[0](torch.ones(1, 2)))
policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32, torch.float16)
net = built(mp_policy=policy)
say("mixed", lambda: (net(torch.ones(1, 4))["y"].dtype, net.b.weight.dtype, net.a.weight.dtype))
say(
    "no cast", lambda: built(mp_policy=MixedPrecisionPolicy(torch.float32, cast_forward_inputs=False))(torch.ones(1, 4))
)


def loaded(gather, assign):
    """Load a state into parameters that are gathered. It must reach the shards."""
    net, state = built(), {name: value * 2 for name, value in built().state_dict().items()}
    gather(net)
    net.load_state_dict(state, assign=assign)
    net.reshard()
    return [torch.equal(p.full_tensor(), state[name].full_tensor()) for name, p in net.named_parameters()], run(net)


for name, gather in {"forward": run, "unshard": lambda net: (net.unshard(), net.a.unshard())}.items():
    say(f"loaded after {name}", lambda: [loaded(gather, assign) for assign in (False, True)])  # noqa: B023


# -- the same layer twice, checkpoints of activations
class Chain(nn.Module):
    def __init__(self, use_reentrant, outside):
        super().__init__()
        self.layer, self.use_reentrant, self.outside = nn.Sequential(nn.Linear(4, 4), nn.Tanh()), use_reentrant, outside
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        run = functools.partial(checkpoint, use_reentrant=self.use_reentrant) if self.outside else lambda f, x: f(x)
        return run(self.layer, run(self.layer, self.inner(x)))


class Checkpointed(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return checkpoint(self.module, x, use_reentrant=False)


for name, use_reentrant, outside in (("shared", False, False), ("outside", False, True)):
    torch.manual_seed(1)
    net = Chain(use_reentrant, outside)
    fully_shard(net.layer)
    fully_shard(net)
    net(torch.ones(2, 4) * (rank + 1)).sum().backward()
    print(name, gradients(net), kinds(net))
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 4), Checkpointed(nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))))
fully_shard(net[1])
fully_shard(net)
net(torch.ones(2, 4) * (rank + 1)).square().sum().backward()
print("within", gradients(net), kinds(net))
# -- two passes forward before two passes backward
net = built()
one, two = net(torch.ones(1, 4) * rank)["y"].sum(), net(torch.ones(1, 4) * (rank + 2))["y"].square().sum()
one.backward()
two.backward()
print("passes", gradients(net))

# -- state dicts
net = built()
optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
run(net)
optimizer.step()


def described(x):
    if isinstance(x, torch.Tensor):
        return type(x).__name__, tuple(x.shape), getattr(x, "placements", None)
    if isinstance(x, dict):
        return {key: described(value) for key, value in x.items()}
    return x


full = Options(full_state_dict=True)
say("model", lambda: described(S.get_model_state_dict(net)))
say("full model", lambda: described(S.get_model_state_dict(net, options=full)))
say("on the first", lambda: list(S.get_model_state_dict(net, options=Options(full_state_dict=True, cpu_offload=True))))
say("one module", lambda: list(S.get_model_state_dict(net, submodules={net.a})))
bare = Options(keep_submodule_prefixes=False)
say("bare", lambda: list(S.get_model_state_dict(net, submodules={net.a}, options=bare)))
say("optimizer", lambda: described(S.get_optimizer_state_dict(net, optimizer)))
say("full optimizer", lambda: described(S.get_optimizer_state_dict(net, optimizer, options=full)))
sent = Options(broadcast_from_rank0=True)
say("sent without full", lambda: S.get_model_state_dict(net, options=sent))
say("sent without full by optimizer", lambda: S.get_optimizer_state_dict(net, optimizer, options=sent))
say("nothing for the model", lambda: S.set_model_state_dict(net, {}))
say("nothing for the model, not strict", lambda: S.set_model_state_dict(net, {}, options=Options(strict=False)))
say("nothing for the optimizer", lambda: S.set_optimizer_state_dict(net, optimizer, {}))
say("no optimizer", lambda: (S.get_state_dict(net, [])[1], S.get_optimizer_state_dict(net, [])))
model, state = S.get_model_state_dict(net, options=full), S.get_optimizer_state_dict(net, optimizer, options=full)
for name, options, is_given in (
    ("from all", full, True),
    ("from the first", Options(full_state_dict=True, broadcast_from_rank0=True), rank == 0),
):
    other = built(seed=1)
    second = torch.optim.AdamW(other.parameters(), lr=0.3)
    say(name, lambda o=other, w=options, g=is_given: S.set_model_state_dict(o, dict(model) if g else {}, options=w))
    given = copy.deepcopy(state) if is_given else {}
    if not options.broadcast_from_rank0:
        say(
            "lacks",
            lambda o=other, s=second, w=options: S.set_optimizer_state_dict(o, s, copy.deepcopy(state), options=w),
        )
    S.set_optimizer_state_dict(other, second, given, options=dataclasses.replace(options, strict=False))
    moments = [
        torch.equal(second.state[q]["exp_avg"].full_tensor(), optimizer.state[p]["exp_avg"].full_tensor())
        for p, q in zip(net.parameters(), other.parameters())
        if p in optimizer.state
    ]
    say("equal", lambda o=other, m=moments, s=second: (same(net, o), m, s.param_groups[0]["lr"]))
shuffled = copy.deepcopy(state)
shuffled["param_groups"][0]["params"].sort(reverse=True)
S.set_optimizer_state_dict(net, optimizer, shuffled, options=dataclasses.replace(full, strict=False))
say(
    "in another order",
    lambda: {
        name: p.shape == optimizer.state[p]["exp_avg"].shape
        for name, p in net.named_parameters()
        if p in optimizer.state
    },
)
other = built(seed=1)
say("shards", lambda: (S.set_model_state_dict(other, S.get_model_state_dict(net)), same(net, other)))
say("strict", lambda: other.load_state_dict(net.state_dict()))
lacking = {key: value for key, value in model.items() if "a." not in key}
say("lacking", lambda: S.set_model_state_dict(other, lacking, options=Options(full_state_dict=True, strict=False)))
say("more", lambda: S.set_model_state_dict(other, {**model, "x": torch.ones(1)}, options=full))
say("not full", lambda: S.set_model_state_dict(other, model, options=Options(broadcast_from_rank0=True)))
with torch.device("meta"):
    empty = Net()
fully_shard(empty.a)
fully_shard(empty)
say("meta", lambda: [(p.is_meta, p.to_local().shape) for p in empty.parameters()])
first = Options(full_state_dict=True, broadcast_from_rank0=True)
say("filled", lambda: S.set_model_state_dict(empty, dict(model) if rank == 0 else {}, options=first))
say("as filled", lambda: ([p.device.type for p in empty.parameters()], same(net, empty)))
print("filled", run(empty))
with torch.device("meta"):
    empty = nn.Sequential(nn.LayerNorm(5), nn.BatchNorm1d(5))
fully_shard(empty).to_empty(device="cpu")
[module.reset_parameters() for module in empty]
say("to empty", lambda: [(type(p).__name__, p.placements, p.full_tensor().tolist()) for p in empty.parameters()])
print("to empty", empty(torch.ones(2, 5)).tolist())


def scaled(dtype):
    """Train for a step with a GradScaler, after the module has been converted."""
    torch.manual_seed(0)
    module = fully_shard(nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))).to(dtype)
    optimizer, scaler = torch.optim.SGD(module.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=8.0)
    found = []
    for factor in (1.0, float("inf") if rank else 1.0):  # the second gradient overflows, and its step is left out
        optimizer.zero_grad()
        scaler.scale(module(torch.ones(2, 3, dtype=dtype)).pow(2).mean() * factor).backward()
        scaler.step(optimizer)
        scaler.update()
        found.append([(p.dtype, (p.full_tensor() * 100).round().tolist()) for p in module.parameters()])
    return found, scaler.get_scale()


say("scaled", lambda: scaled(torch.float32))
say("scaled in float64", lambda: scaled(torch.float64))
say("no submodules", lambda: sorted(S.get_model_state_dict(net, submodules=set())))
leave(dist)
