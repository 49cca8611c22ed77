"""How loaders end whose workers fail, hang, or send unusual batches.

As a script, the module prints the results as JSON. Both libraries run it as a script, because PyTorch forks its workers
and because workers of the method "spawn" import the main module.
"""

import importlib
import json
import os
import signal
import sys
import time

library = importlib.import_module(
    sys.argv[1] if __name__ == "__main__" else os.environ.get("ENDS_LIBRARY", "torchlike")
)
data = library.utils.data


class Acting(data.Dataset):
    """A dataset whose fifth sample does something else."""

    def __init__(self, act):
        self.act = act

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return self.act() if i == 5 else library.tensor(i)


class Late(data.Dataset):
    """A dataset whose first sample takes time."""

    def __len__(self):
        return 8

    def __getitem__(self, i):
        if i == 0:
            time.sleep(1)
        return library.tensor(i)


class Overlapping(data.Dataset):
    """Samples whose tensors share memory."""

    def __len__(self):
        return 1

    def __getitem__(self, i):
        x = library.zeros(4, 4)
        return x, x[1:3], x[:2, 0], library.ones(2), x[3], x.t()


class Kinds(data.Dataset):
    """Samples with tensors of many kinds, small and large."""

    def __len__(self):
        return 1

    def __getitem__(self, i):
        large = library.arange(40000) % 7
        return [
            library.ones(2, requires_grad=True),
            library.nn.Parameter(library.ones(3)),
            library.ones(2, dtype=library.bfloat16),
            large.to(library.bfloat16),
            large.reshape(200, 200).t(),
            large.reshape(2, 100, 200).float()[:, ::2],
            large.bool(),
            library.zeros(0, 3),
            library.tensor(3 + 2j),
            library.arange(6.0).expand(2, 6),
        ]


def stop():
    raise StopIteration("the end")


def slept():
    time.sleep(30)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def left():
    os._exit(3)


def numbers(dataset, **options):
    return [batch.tolist() for batch in data.DataLoader(dataset, num_workers=2, **options)]


def error_of(act):
    try:
        act()
    except Exception as error:
        without = lambda e: "".join(c for c in str(e) if not c.isdigit())
        return [type(error).__name__, without(error), without(error.__cause__)]
    return None


def written():
    found = []
    for x, *parts in data.DataLoader(Overlapping(), batch_size=None, num_workers=1):
        parts[0].add_(1)
        parts[1].add_(2)
        found += [t.tolist() for t in (x, *parts)]
    return found


def kinds():
    (sample,) = data.DataLoader(Kinds(), batch_size=None, num_workers=1)
    return [
        [type(t).__name__, str(t.dtype), list(t.shape), t.stride(), t.requires_grad, t.is_leaf]
        + [library.view_as_real(t).tolist() if t.is_complex() else t.float().sum().item()]
        for t in sample
    ]


def epochs():
    """Return whether the processes of persistent workers stay the same, with an epoch that ends early."""
    loader = data.DataLoader(Late(), num_workers=2, persistent_workers=True)
    ids, found = [], []
    for some in (3, 8, 8):
        batches = iter(loader)
        ids.append([process.pid for process in batches._workers])
        found.append([next(batches).item() for _ in range(some)])
    return [ids[0] == ids[1] == ids[2], found]


def deaths():
    """Return the errors for workers that die. PyTorch notices a death in one of several ways, by chance."""
    if library.__name__ == "torch":
        return {}
    return {act.__name__: error_of(lambda act=act: numbers(Acting(act), timeout=20)) for act in (killed, left)}


def results():
    """Return the result of each case, by name."""
    return deaths() | {
        "stop": numbers(Acting(stop), batch_size=None),
        "timeout": error_of(lambda: numbers(Acting(slept), timeout=1)),
        "in order": numbers(Late(), in_order=True),
        "out of order": numbers(Late(), in_order=False),
        "overlapping": written(),
        "kinds": kinds(),
        "epochs": epochs(),
        "spawn": numbers(Late(), multiprocessing_context="spawn"),
        "forkserver": numbers(Late(), multiprocessing_context="forkserver"),
    }


if __name__ == "__main__":
    print(json.dumps(results()))
