"""Measure interactive latency: the first result of an expression over new shapes, and an eager print."""

import time
from statistics import median

from benchmarks import contenders
from benchmarks.contenders import OURS, TORCH
from benchmarks.expressions import expressions, names
from benchmarks.rival import rival
from benchmarks.rows import Check, Row, over

BOTH = (TORCH, OURS)
MILLISECOND = 1e-3


# -- in the contender's process ----------------------------------------------------------------------------------------


def commands(job):
    torch = contenders.library(job["contender"], job["threads"])
    known = names(torch)

    def first():
        return {"seconds": [answer(torch, code, known) for code, _ in compiled()]}

    def printed(count):
        x = known["a"]
        started = time.perf_counter()
        for _ in range(count):
            repr((x * 2 + 1).sum(1)[:5])
        return {"seconds": (time.perf_counter() - started) / count}

    return {"first": first, "printed": printed}


def compiled():
    return [(compile(text, "<prompt>", "eval"), slow) for text, slow in expressions()]


def answer(torch, code, known):
    """Return the seconds until the first numbers of a result can be read."""
    started = time.perf_counter()
    found = eval(code, known)
    tensor = found if torch.is_tensor(found) else found[0]
    tensor.flatten()[:3].tolist()
    return time.perf_counter() - started


# -- the rows ----------------------------------------------------------------------------------------------------------


def rows(setting):
    texts = expressions()
    runs = {name: [asked(setting, name) for _ in range(setting.repeats)] for name in BOTH}
    taken = {name: [median(seconds) for seconds in zip(*runs[name])] for name in BOTH}
    known = [i for i, (_, slow) in enumerate(texts) if not slow]
    middle = {name: 1e3 * median(taken[name][i] for i in known) for name in BOTH}
    slowest = max(known, key=lambda i: taken[OURS][i])
    limit = max(1.0, 5 * middle[TORCH])
    title = f"first answer of {len(known)} expressions, fresh shapes"
    return [
        Row(f"{title}: median", "ms", middle, [Check("ms", middle[OURS], limit), *over(middle, TORCH)]),
        one(f"{title}: slowest, `{texts[slowest][0]}`", taken, slowest, 20),
        *(one(f"first answer, may take longer: `{text}`", taken, i) for i, (text, slow) in enumerate(texts) if slow),
        repeated(setting),
    ]


def one(title, taken, i, limit=None):
    figures = {name: 1e3 * taken[name][i] for name in BOTH}
    return Row(title, "ms", figures, [Check("ms", figures[OURS], limit)] if limit else over(figures, TORCH))


def asked(setting, name):
    with rival(setting, task="prompt", contender=name) as ask:
        return ask("first")["seconds"]


def repeated(setting):
    with rival(setting, task="prompt", contender=TORCH) as torch, rival(setting, task="prompt", contender=OURS) as ours:
        for ask in (torch, ours):
            ask("printed", 30)
        rounds = [(torch("printed", 100)["seconds"], ours("printed", 100)["seconds"]) for _ in range(setting.rounds)]
    figures = {name: 1e3 * median(seconds) for name, seconds in zip(BOTH, zip(*rounds))}
    return Row("one expression again and again, printed each time", "ms", figures, over(figures, TORCH, 5))
