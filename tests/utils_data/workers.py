"""The results of loaders with workers.

As a script, the module prints the results as JSON. PyTorch's results come from a separate process, because PyTorch
forks its workers.
"""

import importlib
import json
import random
import sys

import numpy as np


def results(library):
    """Return the result of each case, by name."""
    data = library.utils.data

    class Drawn(data.Dataset):
        """A dataset whose samples contain their worker and its random numbers."""

        def __init__(self, count=8):
            self.count, self.offset = count, 0

        def __len__(self):
            return self.count

        def __getitem__(self, i):
            worker = data.get_worker_info()
            drawn = [random.random(), float(library.rand(())), float(np.random.rand())]
            return [i + self.offset, worker.id, worker.num_workers, worker.seed - library.initial_seed(), *drawn]

    class Failing(Drawn):
        def __getitem__(self, i):
            if i == 3:
                raise KeyError("three")
            return i

    class Stream(data.IterableDataset):
        def __init__(self):
            self.begin = 0

        def __iter__(self):
            worker = data.get_worker_info()
            for i in range((5, 2, 3)[worker.id]):
                yield [worker.id, self.begin + i, float(library.rand(()))]

    def moved(i):
        data.get_worker_info().dataset.offset = 100 * i
        random.random()

    def begun(i):
        data.get_worker_info().dataset.begin = 10 * i

    def refused(i):
        raise ValueError(f"worker {i}")

    def fixed(i):
        data.get_worker_info().id = 7

    def loaded(dataset, epochs=2, **options):
        library.manual_seed(0)
        random.seed(0)
        np.random.seed(0)
        loader = data.DataLoader(dataset, **{"collate_fn": list, **options})
        found = []
        for _ in range(epochs):
            try:
                found.append([batch.tolist() if hasattr(batch, "tolist") else batch for batch in loader])
            except Exception as error:
                found.append([type(error).__name__, str(error).splitlines()[0], str(error).splitlines()[-1]])
            found.append([float(library.rand(())), random.random(), float(np.random.rand())])
        return [found, loader.prefetch_factor, data.get_worker_info() is None, getattr(dataset, "offset", None)]

    gen = lambda: library.Generator().manual_seed(3)
    weights = library.arange(1.0, 9.0)
    return {
        "shuffled": loaded(Drawn(), batch_size=3, shuffle=True, num_workers=2),
        "one": loaded(Drawn(), batch_size=3, num_workers=1, generator=gen()),
        "more workers than batches": loaded(Drawn(3), batch_size=2, num_workers=3),
        "persistent": loaded(Drawn(), epochs=3, batch_size=2, num_workers=2, persistent_workers=True, shuffle=True),
        "set up": loaded(Drawn(), batch_size=2, num_workers=2, worker_init_fn=moved),
        "set up, persistent": loaded(Drawn(), num_workers=2, worker_init_fn=moved, persistent_workers=True),
        "set up wrongly": loaded(Drawn(), num_workers=2, worker_init_fn=refused),
        "what is fixed": loaded(Drawn(), num_workers=1, worker_init_fn=fixed),
        "weighted": loaded(
            Drawn(),
            batch_size=2,
            num_workers=2,
            sampler=data.WeightedRandomSampler(weights, 9, generator=gen()),
            prefetch_factor=1,
        ),
        "stream": loaded(Stream(), batch_size=2, num_workers=3),
        "stream, full batches": loaded(Stream(), batch_size=2, num_workers=2, drop_last=True),
        "stream, single samples": loaded(Stream(), batch_size=None, num_workers=3, worker_init_fn=begun),
        "stream, persistent": loaded(Stream(), batch_size=2, num_workers=2, persistent_workers=True),
        "failing": loaded(Failing(), batch_size=2, num_workers=2),
        "failing, persistent": loaded(Failing(), batch_size=2, num_workers=2, persistent_workers=True),
        "collated": loaded(
            data.TensorDataset(library.arange(10), library.arange(10.0)),
            batch_size=4,
            num_workers=2,
            collate_fn=lambda rows: library.stack([row[1] for row in rows]),
            shuffle=True,
            timeout=60,
        ),
    }


if __name__ == "__main__":
    print(json.dumps(results(importlib.import_module(sys.argv[1]))))
