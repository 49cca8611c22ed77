"""Random operators, placements and meshes. Each line of the output is one case, as JSON.

The environment has the seed and the number of cases. The cases are drawn without the library, so that both libraries
run the same ones.
"""

import json
import os
import random
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

from tests.processes.saying import leave

FLOAT, POSITIVE, INDEX, WHOLE = "float", "positive", "index", "whole"  # a whole tensor is not partial


def case(run, *shapes, kinds=(), alike=0):
    """Describe a case. `alike`: all tensors have one placement, which divides one of so many first dims at most."""
    return run, shapes, kinds or (FLOAT,) * len(shapes), alike


# The functions, the shapes of their tensors, and what the tensors contain.
CASES = {
    "add": case(lambda x, y: x + y, (4, 6), (4, 6)),
    "add broadcast": case(lambda x, y: x + y, (4, 6), (6,)),
    "add column": case(lambda x, y: x + y, (4, 6), (4, 1)),
    "add number": case(lambda x: x + 2, (4, 6)),
    "sub": case(lambda x, y: torch.sub(x, y, alpha=2), (4, 6), (4, 6)),
    "reflected": case(lambda x: 3 - x, (4, 6)),
    "mul": case(lambda x, y: x * y, (4, 6), (4, 6)),
    "mul number": case(lambda x: 3 * x, (4, 6)),
    "mul broadcast": case(lambda x, y: x * y, (2, 4, 6), (4, 1)),
    "div": case(lambda x, y: x / y, (4, 6), (4, 6), kinds=(FLOAT, POSITIVE)),
    "div number": case(lambda x: x / 3, (4, 6)),
    "neg": case(lambda x: -x, (4, 6)),
    "exp": case(lambda x: x.exp(), (4, 6)),
    "tanh": case(torch.tanh, (5, 3)),
    "pow": case(lambda x: x**2, (4, 6)),
    "sqrt": case(lambda x: x.sqrt(), (4, 6), kinds=(POSITIVE,)),
    "relu": case(F.relu, (4, 6)),
    "gelu": case(F.gelu, (4, 6)),
    "silu": case(F.silu, (5, 6)),
    "maximum": case(torch.maximum, (4, 6), (4, 6)),
    "clamp": case(lambda x: x.clamp(-0.5, 0.5), (4, 6)),
    "where": case(lambda x, y: torch.where(x > 0, x, y), (4, 6), (4, 6)),
    "less": case(lambda x, y: x < y, (4, 6), (4, 6)),
    "masked_fill": case(lambda x, y: x.masked_fill(y > 0, 0.5), (4, 6), (4, 6)),
    "addcmul": case(lambda x, y, z: torch.addcmul(x, y, z, value=0.5), (4, 6), (4, 6), (4, 6)),
    "lerp": case(lambda x, y: torch.lerp(x, y, 0.3), (4, 6), (4, 6)),
    "to": case(lambda x: x.to(torch.float64), (4, 6)),
    "clone": case(lambda x: x.clone(), (4, 6)),
    "mm": case(lambda x, y: x @ y, (4, 6), (6, 8)),
    "mv": case(lambda x, y: x @ y, (4, 6), (6,)),
    "bmm": case(torch.bmm, (4, 2, 6), (4, 6, 8)),
    "addmm": case(torch.addmm, (8,), (4, 6), (6, 8)),
    "matmul": case(torch.matmul, (2, 4, 6), (6, 8)),
    "matmul of batches": case(torch.matmul, (2, 4, 4, 6), (2, 4, 6, 8)),
    "linear": case(F.linear, (4, 6), (8, 6)),
    "linear with a bias": case(F.linear, (4, 6), (8, 6), (8,)),
    "linear of three dims": case(F.linear, (2, 4, 6), (8, 6)),
    "linear of three dims with a bias": case(F.linear, (4, 2, 6), (8, 6), (8,)),
    "sum": case(lambda x: x.sum(), (4, 6)),
    "sum dim": case(lambda x: x.sum(1), (4, 6)),
    "sum keepdim": case(lambda x: x.sum(0, keepdim=True), (4, 6)),
    "sum dims": case(lambda x: x.sum((0, 2)), (4, 2, 6)),
    "mean": case(lambda x: x.mean(), (4, 8)),
    "mean dim": case(lambda x: x.mean(-1), (4, 6)),
    "mean uneven": case(lambda x: x.mean(0), (5, 4)),
    "max": case(lambda x: x.max(), (4, 8)),
    "amax": case(lambda x: x.amax(0), (4, 8)),
    "amin": case(lambda x: x.amin((0, 1), keepdim=True), (4, 8)),
    "max dim": case(lambda x: x.max(1)[0], (4, 8)),
    "argmax": case(lambda x: x.argmax(1), (4, 8)),
    "var": case(lambda x: x.var(1), (4, 6)),
    "std": case(lambda x: x.std(), (4, 6)),
    "norm": case(lambda x: x.norm(), (4, 6)),
    "vector norm": case(lambda x: torch.linalg.vector_norm(x, 3), (4, 6)),
    "vector norm dim": case(lambda x: torch.linalg.vector_norm(x, 2, 1), (4, 6)),
    "largest norm": case(lambda x: torch.linalg.vector_norm(x, float("inf")), (4, 8)),
    "all": case(lambda x: (x > -9).all(), (4, 6)),
    "any": case(lambda x: (x > 1).any(), (4, 6)),
    "cumsum": case(lambda x: x.cumsum(1), (4, 6)),
    "softmax": case(lambda x: F.softmax(x, -1), (4, 6)),
    "log_softmax": case(lambda x: F.log_softmax(x, 0), (4, 6)),
    "sort": case(lambda x: x.sort(1)[0], (4, 6)),
    "topk": case(lambda x: x.topk(2, 1)[0], (4, 6)),
    "layer_norm": case(lambda x, w, b: F.layer_norm(x, (6,), w, b), (2, 4, 6), (6,), (6,), kinds=(FLOAT, WHOLE, WHOLE)),
    "layer_norm alone": case(lambda x: F.layer_norm(x, (6,)), (4, 6)),
    "rms_norm": case(lambda x, w: F.rms_norm(x, (6,), w), (2, 4, 6), (6,), kinds=(FLOAT, WHOLE)),
    "view": case(lambda x: x.view(8, 6), (4, 2, 6)),
    "view of columns": case(lambda x: x.view(4, 2, 4), (4, 8)),
    "reshape": case(lambda x: x.reshape(4, 12), (4, 2, 6)),
    "flatten": case(lambda x: x.flatten(1), (4, 2, 4)),
    "unflatten": case(lambda x: x.unflatten(0, (4, 2)), (8, 3)),
    "there and back": case(lambda x: (x.view(8, 6) * 2).view(2, 4, 6), (2, 4, 6)),
    "transpose": case(lambda x: x.transpose(0, 1), (4, 2, 6)),
    "t": case(lambda x: x.t(), (4, 6)),
    "permute": case(lambda x: x.permute(2, 0, 1), (4, 2, 6)),
    "movedim": case(lambda x: x.movedim(0, 2), (4, 2, 6)),
    "unsqueeze": case(lambda x: x.unsqueeze(1), (4, 6)),
    "squeeze": case(lambda x: x.squeeze(1), (4, 1, 6)),
    "expand": case(lambda x: x.expand(3, 4, 6), (4, 6)),
    "expand a dim": case(lambda x: x.expand(4, 6), (4, 1)),
    "split": case(lambda x: x.split(2, 1)[1], (4, 6)),
    "chunk": case(lambda x: x.chunk(2, 0)[1], (4, 6)),
    "unbind": case(lambda x: x.unbind(1)[0], (4, 3)),
    "cat": case(lambda x, y: torch.cat([x, y], 0), (4, 6), (2, 6)),
    "stack": case(lambda x, y: torch.stack([x, y], 1), (4, 6), (4, 6)),
    "select": case(lambda x: x[:, 1], (4, 6)),
    "slice": case(lambda x: x[:, 1:3], (4, 6)),
    "index": case(lambda x, i: x[i], (4, 6), (4,), kinds=(FLOAT, INDEX)),
    "index column": case(lambda x, i: x[:, i], (4, 4), (4,), kinds=(FLOAT, INDEX)),
    "index_select": case(lambda x, i: torch.index_select(x, 0, i), (4, 6), (4,), kinds=(FLOAT, INDEX)),
    "gather": case(lambda x, i: x.gather(1, i), (4, 4), (4, 4), kinds=(FLOAT, INDEX)),
    "embedding": case(lambda i, w: F.embedding(i, w), (2, 4), (4, 6), kinds=(INDEX, FLOAT)),
    "nll_loss": case(lambda x, i: F.nll_loss(x, i), (4, 4), (4,), kinds=(FLOAT, INDEX)),
    "cross_entropy": case(lambda x, i: F.cross_entropy(x, i), (8, 4), (8,), kinds=(FLOAT, INDEX)),
    "cross_entropy sum": case(lambda x, i: F.cross_entropy(x, i, reduction="sum"), (4, 4), (4,), kinds=(FLOAT, INDEX)),
    "mse_loss": case(lambda x, y: F.mse_loss(x, y), (4, 8), (4, 8)),
    "add_": case(lambda x, y: (x * 1).add_(y), (4, 6), (4, 6)),
    "mul_": case(lambda x: (x * 1).mul_(2), (4, 6)),
    "copy_": case(lambda x, y: (x * 0).copy_(y), (4, 6), (4, 6)),
    "zeros_like": case(lambda x: torch.zeros_like(x), (4, 6)),
    "new_zeros": case(lambda x: x.new_zeros(3, 2), (4, 6)),
    "einsum": case(lambda x, y: torch.einsum("bij,bjk->bik", x, y), (4, 2, 6), (4, 6, 8)),
}


def placement(draw, shape, kind):
    """Draw a placement. Partial ones are rarer."""
    choices = [Replicate(), *[Shard(dim) for dim in range(len(shape))] * 2]
    if kind in (FLOAT, POSITIVE):
        choices += [Partial("sum"), Partial("avg")][: 1 + (draw.random() < 0.5)]
    return draw.choice(choices)


def made(draw, shape, kind, mesh, placements):
    """Return a distributed tensor with random elements. The processes have different terms of a partial one."""
    count = 1
    for n in shape:
        count *= n
    if kind == INDEX:
        numbers = [draw.randrange(4) for _ in range(count)]
    else:
        numbers = [round(draw.uniform(0.2 if kind == POSITIVE else -2, 2), 3) for _ in range(count)]
    whole = torch.tensor(numbers).view(shape)
    partial = [isinstance(each, Partial) for each in placements]
    if not any(partial):
        return distribute_tensor(whole, mesh, placements).requires_grad_(kind != INDEX)
    base = [Replicate() if is_partial else each for is_partial, each in zip(partial, placements)]
    local = distribute_tensor(whole, mesh, base).to_local()
    term = local * (1 + 0.25 * sum(p * (i + 1) for i, p in enumerate(mesh.get_coordinate())))
    found = DTensor.from_local(term, mesh, placements, shape=whole.shape, stride=whole.stride())
    return found.requires_grad_()


def numbers(x):
    return [round(float(n), 6) for n in x.detach().flatten().to(torch.float64).tolist()]


def result(name, run, tensors):
    found = run(*tensors)
    said = {"placements": str(found.placements), "shape": list(found.shape), "dtype": str(found.dtype)}
    said["stride"] = list(found.stride())
    said["local"] = list(found.to_local().shape)
    whole = found.full_tensor()
    said["value"] = numbers(whole)
    if found.requires_grad:
        weights = torch.arange(1.0, whole.numel() + 1).view(whole.shape).to(whole.dtype) / whole.numel()
        (whole * weights).sum().backward()
        said["gradients"] = [None if x.grad is None else numbers(x.grad.full_tensor()) for x in tensors]
    return said


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=30))
    size = dist.get_world_size()
    meshes = [init_device_mesh("cpu", (size,))]
    if size == 4:
        meshes.append(init_device_mesh("cpu", (2, 2)))
    draw = random.Random(int(os.environ.get("CASES_SEED", "0")))
    names = sorted(CASES, key=lambda _: draw.random())
    for number in range(int(os.environ.get("CASES_COUNT", "150"))):
        name = names[number % len(names)]
        run, shapes, kinds, alike = CASES[name]
        mesh = meshes[draw.randrange(len(meshes))]
        placements = [[placement(draw, s, k) for _ in range(mesh.ndim)] for s, k in zip(shapes, kinds)]
        if alike:
            same = [draw.choice([Replicate(), *map(Shard, range(alike))]) for _ in range(mesh.ndim)]
            placements = [same] * len(shapes)
        ops = {each.reduce_op for p in placements for each in p if isinstance(each, Partial)}
        tensors, said = None, {"name": name, "mesh": str(tuple(mesh.shape)), "inputs": str(placements)}
        if len(ops) > 1:
            placements = [[Partial("sum") if isinstance(e, Partial) else e for e in p] for p in placements]
        tensors = [made(draw, s, k, mesh, p) for s, k, p in zip(shapes, kinds, placements)]
        try:
            said |= result(name, run, tensors)
        except Exception as error:
            said["error"] = f"{type(error).__name__}: {str(error)[:300]}"
        print(json.dumps(said), flush=True)
    leave(dist)


main()
