"""Small parts of `torch.distributed`: optimizers, collectives on objects, divided saved tensors."""

import copy

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import collective_utils
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import PostLocalSGDState, post_localSGD_hook
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.optim import PostLocalSGDOptimizer, _apply_optimizer_in_backward, _get_in_backward_optimizers
from torch.distributed.optim.named_optimizer import _NamedOptimizer
from torch.distributed.tensor.parallel.input_reshard import input_reshard
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data.datapipes.iter import IterableWrapper

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (size,))
loss_of = lambda model, x: (model(x) ** 2).mean()


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))


def near(x):
    return torch.round(x.detach(), decimals=2) + 0.0


def parameters(model):
    return [near(p) for p in model.parameters()]


def attempt(what, function, *args):
    try:
        print(what, function(*args))
    except Exception as error:
        print(what, type(error).__name__, str(error).splitlines()[0])


torch.manual_seed(1 + rank)
x = torch.randn(6, 4)

# Named optimizers.
for options in ({"lr": 0.1, "momentum": 0.5}, {"lr": 0.1, "momentum": 0.9, "nesterov": True}):
    model = network()
    named = _NamedOptimizer(model.named_parameters(), torch.optim.SGD, **options)
    for _ in range(3):
        model.zero_grad()
        loss_of(model, x).backward()
        named.step()
    state = named.state_dict()
    print("named", sorted(state["state"]), [g["params"] for g in state["param_groups"]], parameters(model))
    other = network()
    second = _NamedOptimizer(other.named_parameters(), torch.optim.SGD, **options)
    attempt("loaded too early", second.load_state_dict, copy.deepcopy(state))
    second.init_state()
    second.load_state_dict(copy.deepcopy(state))
    other.zero_grad()
    loss_of(other, x).backward()
    second.step()
    print("resumed", parameters(other))
    attempt("wrong names", second.load_state_dict, {**state, "state": {"a": {}, **state["state"]}})
    attempt("unknown", second.add_param_group, {"params": [nn.Parameter(torch.ones(2))], "lr": 0.5})

# Optimizers that step in the backward pass.
model = network()
_apply_optimizer_in_backward(torch.optim.SGD, model.parameters(), {"lr": 0.1})
for _ in range(3):
    loss_of(model, x).backward()
print("in backward", parameters(model), len(_get_in_backward_optimizers(model)), [p.grad for p in model.parameters()])
model = network()
_apply_optimizer_in_backward(torch.optim.Adam, model[0].parameters(), {"lr": 0.1})
_apply_optimizer_in_backward(torch.optim.SGD, model.parameters(), {"lr": 0.01}, register_hook=False)
loss_of(model, x).backward()
print("not registered", parameters(model), [p.grad is None for p in model.parameters()])
print([type(o).__name__ for o in _get_in_backward_optimizers(model)])

# Local steps, with averages of parameters.
model = DistributedDataParallel(network())
model.register_comm_hook(PostLocalSGDState(None, dist.new_subgroups(1)[0], start_localSGD_iter=2), post_localSGD_hook)
optimizer = PostLocalSGDOptimizer(
    torch.optim.SGD(model.parameters(), lr=0.1), PeriodicModelAverager(period=2, warmup_steps=2)
)
for step in range(5):
    optimizer.zero_grad()
    loss_of(model, x).backward()
    optimizer.step()
    print("local", step, parameters(model))
print("local state", sorted(optimizer.state_dict()), optimizer.state_dict()["step"])

# Saved tensors that are divided over the processes.
torch.manual_seed(2)
common = torch.randn(4, 4)
plain, divided = network(), input_reshard(network(), mesh, 0)
for each in (plain, divided):
    each(common).sum().backward()
print("divided", [near(p.grad) for p in divided.parameters()])
print(all(torch.allclose(p.grad, q.grad) for p, q in zip(plain.parameters(), divided.parameters())))
print("not divided", input_reshard(plain, mesh) is plain)


# Collectives on objects, whose errors reach every process.
def failing():
    raise ValueError(f"process {rank} fails")


pg = dist.group.WORLD
attempt("sent", lambda: collective_utils.broadcast(lambda: {"rank": rank}, rank=1, pg=pg))
attempt("sent data", lambda: collective_utils.broadcast({"own": rank}, rank=0, pg=pg))
attempt("failed", lambda: collective_utils.broadcast(failing, rank=1, pg=pg, stage_name="reading"))
attempt("reported", lambda: collective_utils.broadcast(None, success=False, rank=0, pg=pg, stage_name="reading"))
attempt("gathered", lambda: collective_utils.all_gather(lambda: rank * 2, pg=pg))

# Data pipes, shuffled by the same seed in all processes and divided.
torch.manual_seed(5 + rank)
pipe = IterableWrapper(range(10)).shuffle().sharding_filter()
for _ in range(2):
    print("shuffled", list(torch.utils.data.DataLoader(pipe, batch_size=2)))

leave(dist)
