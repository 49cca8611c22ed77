"""Benchmarks of changing shapes: a growing context, inference over a hundred lengths, training on fifty lengths."""

import time
from dataclasses import replace
from statistics import median

import numpy as np

from benchmarks import contenders
from benchmarks.contenders import OURS, TORCH
from benchmarks.models import SPECS
from benchmarks.rival import rival
from benchmarks.rows import Row, over

BOTH = (TORCH, OURS)
TOKENS, BATCH, LONGEST = 64, 8, 100
SMALL = replace(SPECS["gpt4"], sizes=SPECS["gpt4"].sizes | {"time": LONGEST})


# -- in the contender's process ----------------------------------------------------------------------------------------


def commands(job):
    torch = contenders.library(job["contender"], job["threads"])
    return {name: timed(make(torch)) for name, make in {"generate": generate, "infer": infer, "train": train}.items()}


def timed(run):
    def answer():
        started = time.perf_counter()
        run()
        return {"seconds": time.perf_counter() - started}

    return answer


def generate(torch):
    """Generate 64 tokens, each sampled after a forward pass over all previous tokens."""
    model = seeded(torch, SPECS["gpt6"])

    def run():
        torch.manual_seed(1)
        tokens = torch.zeros(1, 1, dtype=torch.int64)
        with torch.no_grad():
            for _ in range(TOKENS):
                chances = torch.softmax(model(tokens)[:, -1], -1)
                tokens = torch.cat([tokens, torch.multinomial(chances, 1)], 1)
        return tokens.tolist()

    return run


def infer(torch):
    model = seeded(torch, SMALL)
    texts = [torch.from_numpy(text) for text in batches(range(1, LONGEST + 1))]

    def run():
        with torch.no_grad():
            return [model(text).argmax(-1).tolist() for text in texts]

    return run


def train(torch):
    """Train three passes over batches of fifty lengths."""
    from benchmarks import models_torch

    model = seeded(torch, SMALL).train()
    optimizer = models_torch.optimizer_of(torch, SMALL, model)
    texts = [torch.from_numpy(text) for text in batches(range(2, LONGEST + 1, 2))]

    def run():
        for text in texts * 3:
            found = model(text[:, :-1])
            loss = torch.nn.functional.cross_entropy(found.flatten(0, 1), text[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss.item()

    return run


def batches(lengths):
    rng = np.random.default_rng(0)
    return [rng.integers(SMALL.sizes["vocabulary"], size=(BATCH, n)) for n in rng.permutation(list(lengths))]


def seeded(torch, spec):
    from benchmarks import models_torch

    torch.manual_seed(0)
    return models_torch.build(torch, spec).eval()


# -- the rows ----------------------------------------------------------------------------------------------------------


def rows(setting):
    small = "4 layers, D 64"
    return [
        row(setting, "generate", f"{TOKENS} tokens of growing context, {SPECS['gpt6'].title.split(', T')[0]}", 1.3),
        row(setting, "infer", f"inference over {LONGEST} lengths, GPT {small}, batch {BATCH}", 1.5),
        row(setting, "train", f"training on {LONGEST // 2} lengths, three passes, GPT {small}, batch {BATCH}", None),
    ]


def row(setting, what, title, limit):
    """Return a row of the table.

    Each figure is the first run of a new process with empty caches, so no shape has occurred before.
    """
    figures = {name: median(once(setting, what, name) for _ in range(setting.repeats)) for name in BOTH}
    return Row(title, "s", figures, over(figures, TORCH, limit))


def once(setting, what, name):
    with rival(setting, task="lengths", contender=name) as ask:
        return ask(what)["seconds"]
