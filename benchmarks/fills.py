"""Time a million random numbers by each random function, both warm and at the first call, which may compile."""

import time
from contextlib import ExitStack
from statistics import median

from benchmarks import contenders
from benchmarks.contenders import OURS, TORCH
from benchmarks.rival import rival
from benchmarks.rows import Row, over

BOTH = (TORCH, OURS)
LIMIT = 2
WARM = 10  # calls after which everything worth compiling is compiled
EXPRESSIONS = """
L.rand(n)
L.rand(n, dtype=L.float64)
L.randn(n)
L.randn(n, dtype=L.float64)
L.empty(n, 2)[:, 0].normal_()
L.nn.init.trunc_normal_(L.empty(n))
L.randint(100, (n,))
L.empty(n).random_()
L.empty(n, dtype=L.int64).random_()
L.randperm(n)
L.empty(n).bernoulli_(0.3)
L.bernoulli(L.full((n,), 0.3))
L.nn.functional.dropout(L.ones(n), 0.3)
L.empty(n).exponential_()
L.empty(n).geometric_(0.3)
L.empty(n).cauchy_()
L.empty(n).log_normal_()
L.empty(n, dtype=L.float64).log_normal_()
L.multinomial(L.ones(n), 1)
L.multinomial(L.ones(n), 1000)
L.multinomial(L.ones(1000), n, True)
L.poisson(L.full((n,), 3.0))
L.poisson(L.linspace(0, 60, n))
L._standard_gamma(L.full((n,), 0.5))
L._standard_gamma(L.linspace(0.1, 10, n))
L._standard_gamma(L.full((n,), 2.0, dtype=L.float64))
L._sample_dirichlet(L.full((n // 4, 4), 0.7))
L.binomial(L.full((n,), 20.0), L.full((n,), 0.3))
L.binomial(L.full((n,), 100.0), L.full((n,), 0.4))
"""
FILLS = EXPRESSIONS.strip().splitlines()


# -- in the contender's process ----------------------------------------------------------------------------------------


def commands(job):
    torch = contenders.library(job["contender"], job["threads"])
    known = {"L": torch, "n": 10**6}

    def fill(i):
        started = time.perf_counter()
        eval(FILLS[i], known).flatten()[:1].tolist()
        return {"seconds": time.perf_counter() - started}

    return {"fill": fill}


# -- the rows ----------------------------------------------------------------------------------------------------------


def rows(setting):
    found = []
    with ExitStack() as stack:
        rivals = {name: stack.enter_context(rival(setting, task="fills", contender=name)) for name in BOTH}
        for i, fill in enumerate(FILLS):
            first = {name: 1e3 * ask("fill", i)["seconds"] for name, ask in rivals.items()}
            rounds = [
                {name: ask("fill", i)["seconds"] for name, ask in rivals.items()} for _ in range(WARM + setting.rounds)
            ]
            warm = {name: 1e3 * median(seconds[name] for seconds in rounds[WARM:]) for name in BOTH}
            title = f"a million numbers, `{fill}`"
            found.append(Row(title, "ms", warm, over(warm, TORCH, LIMIT)))
            found.append(Row(f"{title}: first call", "ms", first, over(first, TORCH)))
    return found
