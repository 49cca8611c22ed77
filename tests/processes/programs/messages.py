"""Point-to-point messages of tensors and objects, groups, and stores."""

import datetime

import torch
import torch.distributed as dist

from tests.processes.saying import leave

dist.init_process_group(timeout=datetime.timedelta(seconds=60))
rank, size = dist.get_rank(), dist.get_world_size()
after, before = (rank + 1) % size, (rank - 1) % size

x = torch.full((2, 2), float(rank))
if rank % 2:
    print("from", dist.recv(x, before), x)
    dist.send(torch.arange(4.0).view(2, 2) + rank, before, tag=3)
else:
    dist.send(x + 10, after)
    print("from", dist.recv(x, tag=3), x)
received = torch.zeros(3)
works = dist.batch_isend_irecv(
    [dist.P2POp(dist.isend, torch.full((3,), float(rank)), after), dist.P2POp(dist.irecv, received, before)]
)
for work in works:
    work.wait()
print("ring", received)
early, late = torch.zeros(1), torch.zeros(1)
if rank == 0:
    dist.send(torch.tensor([1.0]), 1, tag=1)
    dist.send(torch.tensor([2.0]), 1, tag=2)
else:
    second = dist.irecv(late, 0, tag=2)
    first = dist.irecv(early, 0, tag=1)
    second.wait(), first.wait()
    print("tags", early, late, first.source_rank() in (0, -1))

gathered = [None] * size
dist.all_gather_object(gathered, {"rank": rank, "x": torch.arange(rank + 1.0)})
print("objects", gathered)
told = ["a", {"b": 2}, torch.ones(2)] if rank == 0 else [None] * 3
dist.broadcast_object_list(told, 0)
print("told", told)
place = [None]
dist.scatter_object_list(place, [f"for {i}" for i in range(size)] if rank == 0 else None, 0)
print("place", place)
heard = [None] * size if rank == 1 else None
dist.gather_object((rank, "here"), heard, dst=1)
print("heard", heard)
if rank == 0:
    dist.send_object_list(["x", 3], 1)
else:
    got = [None, None]
    print("got", dist.recv_object_list(got, 0), got)

store = dist.PrefixStore("mine", dist.group.WORLD.get_group_store())
store.set(f"key {rank}", f"of {rank}")
print("store", store.get(f"key {after}"), store.check(["nothing"]))
dist.barrier()
store.add("count", rank)
dist.barrier()
print("count", store.add("count", 0))
leave(dist)
