"""Differentiable collectives."""

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as F

from tests.processes.saying import leave

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
weights = torch.arange(1.0, 3.0) * (rank + 1)


def show(name, run, count=1):
    inputs = [torch.arange(2.0).add(i + 10 * rank).requires_grad_() for i in range(count)]
    found = run(inputs)
    found = found if isinstance(found, tuple) else (found,)
    sum((x * weights * (i + 1)).sum() for i, x in enumerate(found)).backward()
    print(name, [x.tolist() for x in found], [x.grad.tolist() if x.grad is not None else None for x in inputs])


show("all_reduce", lambda xs: F.all_reduce(xs[0]))
show("broadcast", lambda xs: F.broadcast(xs[0], 0))
show("all_gather", lambda xs: F.all_gather(xs[0]))
show("reduce_scatter", lambda xs: F.reduce_scatter(torch.zeros(2), xs), size)
show("all_to_all", lambda xs: F.all_to_all([torch.zeros(2) for _ in range(size)], xs), size)
show("gather", lambda xs: F.gather(xs[0]))
show("scatter", lambda xs: F.scatter(xs, src=1), size)
x = torch.arange(float(size)).add(10 * rank).requires_grad_()
y = F.all_to_all_single(torch.zeros(size), x)
(y * (rank + 1)).sum().backward()
print("all_to_all_single", y.tolist(), x.grad.tolist())
x = torch.tensor([1.0 + rank], requires_grad=True)
(F.all_reduce(x * x) ** 2).sum().backward()
print("a function of it", x.grad)
leave(dist)
