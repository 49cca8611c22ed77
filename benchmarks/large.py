"""Benchmarks of reductions, products, sorts and indexing on ten million elements, warm, against PyTorch on one thread.

`python -m benchmarks.large` writes `LARGE.md` and `LARGE.json` next to this file. With arguments, it only runs the
expressions that contain one of the arguments.
"""

import contextlib
import os
import sys
import time
from functools import partial

from benchmarks.turns import compared, write

WARM = 3  # calls of torchlike before the timing; afterwards nothing is left to compile
# The names are defined in `inputs`: a vector x and a matrix t of ten million numbers each, integers i and k (k has only
# ten different values), indices j, a mask m, complex numbers z, and smaller tensors.
EXPRESSIONS = """
x.sum()
t.sum(0)
t.sum(1)
i.sum()
x.mean()
t.mean(1)
x.prod()
t.prod(1)
x.nansum()
x.nanmean()
x.std()
t.std(1)
t.var(0)
L.var_mean(t, 1)
x.norm()
x.norm(1)
x.norm(3)
t.norm(dim=1)
L.linalg.vector_norm(x, float("inf"))
x.amax()
t.amax(0)
t.amax(1)
x.max()
x.min()
t.max(1)
t.min(0)
x.argmax()
t.argmax(1)
t.argmin(0)
L.aminmax(x)
m.any()
m.all()
t.gt(0.5).all(1)
x.count_nonzero()
t.logsumexp(1)
t.softmax(1)
t.log_softmax(1)
x.median()
t.median(1)
x.nanmedian()
t.quantile(0.3, dim=1)
k.mode()
x.kthvalue(1000)
x.cumsum(0)
t.cumsum(1)
t.cumsum(0)
t.cumprod(1)
x.cummax(0)
t.cummax(1)
t.cummin(0)
x.logcumsumexp(0)
x.diff()
t.trace()
x.histc(100)
L.bincount(k)
x.dot(x)
L.vdot(z, z)
t.mv(v)
t @ w
L.bmm(b, b)
L.einsum("bij,bjk->bik", b, b)
L.addmm(s, t, w)
L.outer(v, v)
t * t
x % 0.3
L.fmod(x, 0.3)
x // 0.3
i % 7
x.sort()
t.sort(1)
t.sort(0)
i.sort()
x.argsort()
t.argsort(1)
x.msort()
x.topk(10)
t.topk(10, 1)
t.kthvalue(100, 1)
i.unique()
k.unique(return_counts=True)
k.unique_consecutive()
L.searchsorted(edges, x)
L.bucketize(x, edges)
L.isin(k, few)
x[j]
x[m]
x[::2].clone()
t[rows]
x.index_select(0, j)
t.index_select(1, rows)
x.gather(0, j)
t.gather(1, tj)
x.take(j)
L.take_along_dim(t, tj, 1)
x.scatter(0, j, x)
x.scatter_add(0, j, x)
x.scatter_reduce(0, j, x, "amax")
x.index_add(0, j, x)
x.index_copy(0, j, x)
t.index_fill(0, rows, 0.0)
x.index_put((j,), x)
x.index_put((j,), x, accumulate=True)
x.put(j, x)
x.masked_fill(m, 0.0)
x.masked_select(m)
x.masked_scatter(m, x)
m.nonzero()
L.where(m, x, -x)
x.flip(0)
t.flip(1)
x.roll(1000)
t.t().contiguous()
t.tril()
L.cat((x, x))
L.stack((x, x), 1)
L.repeat_interleave(v, 3162)
L.nn.functional.embedding(rows, t)
L.nn.functional.one_hot(k[:1000000], 10)
"""
ROWS = EXPRESSIONS.strip().splitlines()
ABOUT = """
# Ten million elements

Written by `python -m benchmarks.large`: one thread each, in turns, medians, once hot. `x` is a vector
of 10^7 float32 numbers, `t` a table of 3162 x 3162; `i` and `k` are integers below 10^6 and 10, `j`
indices, `m` a mask.
"""


def inputs(library) -> dict:
    """Return the same tensors in either library, from one seed."""
    library.manual_seed(0)
    n, side = 10**7, 3162
    known = {"L": library, "x": library.rand(n), "t": library.rand(side, side), "z": library.randn(n // 2) * (1 + 1j)}
    known |= {"v": library.rand(side), "w": library.rand(side, 32), "s": library.rand(side, 32)}
    known |= {"b": library.rand(1000, 100, 100), "i": library.randint(0, 10**6, (n,)), "m": library.rand(n) < 0.5}
    known |= {"k": library.randint(0, 10, (n,)), "j": library.randint(0, n, (n,)), "few": library.tensor([3, 7, 9])}
    known |= {"rows": library.randperm(side), "tj": library.randint(0, side, (side, side))}
    return known | {"edges": library.linspace(0, 1, 1001)}


def tensors(result) -> list:
    return list(result) if isinstance(result, tuple | list) else [result]


def seconds(expression, known: dict) -> float:
    started = time.perf_counter()
    held = [t.numpy() for t in tensors(eval(expression, known))]
    took = time.perf_counter() - started
    del held
    return took


def main(wanted: list[str]) -> None:
    with contextlib.suppress(AttributeError):  # a platform without CPU affinity
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])  # before the libraries count the cores
    import torch

    import torchlike

    torch.set_num_threads(1)
    theirs, ours = inputs(torch), inputs(torchlike)
    found = []
    for expression in ROWS:
        if not wanted or any(w in expression for w in wanted):
            code = compile(expression, expression, "eval")
            found.append(compared(expression, partial(seconds, code, theirs), partial(seconds, code, ours), WARM))
            print({k: v if isinstance(v, str) else round(v, 2) for k, v in found[-1].items()}, flush=True)
    if not wanted:
        write("LARGE", ABOUT, found)


if __name__ == "__main__":
    main(sys.argv[1:])
