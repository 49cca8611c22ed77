"""Interrupts (SIGINT) while a checkpoint is saved and while batches are loaded."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import torchlike
from tests.robust.interrupts import AFTER, Trainer, check_modes
from tests.robust.moments import Moments
from tests.robust.outcome import Difference, Outcome
from tests.robust.training import RECIPES
from torchlike.utils.data import DataLoader, TensorDataset


class Saves:
    """Interrupts of `save`.

    The file must be the old or the new checkpoint, no other file may be left, and training must be able to continue.
    """

    def __init__(self, moments: Moments) -> None:
        self.moments, self.outcome = moments, Outcome(f"save, {moments.name}")
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name) / "checkpoint.pt"
        self._renew()

    def __enter__(self) -> Saves:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def _renew(self) -> None:
        self.trainer = Trainer(RECIPES[-1], compiled=False)
        self.trainer.advance(2)
        self._save()
        self.trainer.advance(1)
        if not self.moments.knows("save"):
            self.moments.measure("save", self._save)

    def _save(self) -> None:
        loop = self.trainer.loop
        torchlike.save(
            {
                "done": loop.done,
                "model": loop.model.state_dict(),
                "optimizer": loop.optimizer.state_dict(),
                "averages": loop.averages,
            },
            self.path,
        )

    def run(self, fraction: float) -> None:
        """Run one trial."""
        self.outcome.trials += 1
        try:
            if not self.trainer.has_room():
                self._renew()
            self.outcome.heard += self._trial(fraction)
        except Exception as error:
            self.outcome.add(f"save at {fraction}", error)
            for stray in self._strays():
                os.unlink(stray)
            self._renew()

    def _trial(self, fraction: float) -> bool:
        before = self._saved()
        heard = self.moments.cut_short("save", self._save, fraction)
        check_modes()
        done = self.trainer.loop.done
        if self._saved() not in ((before, done) if heard else (done,)):
            raise Difference("another checkpoint", f"{self._saved()}, not {before} or {done}")
        if self._strays():
            raise Difference("a file is left behind", str(self._strays()))
        self.trainer.check_after(done, AFTER)
        return heard

    def _saved(self) -> int:
        """Return the number of steps after which the checkpoint was saved, and check every array."""
        found = torchlike.load(self.path)
        wanted = self.trainer.known.together[found["done"]]
        for name, p in found["model"].items():
            if f"parameter {name}" in wanted and not np.allclose(p.numpy(), wanted[f"parameter {name}"], rtol=1e-8):
                raise Difference("a mixed checkpoint", name)
        return found["done"]

    def _strays(self) -> list[Path]:
        return [path for path in self.path.parent.iterdir() if path != self.path]


class Loads:
    """Interrupts of an iteration over a `DataLoader`.

    All batches must be whole and in order, and none may come twice. The next epoch must be complete.
    """

    def __init__(self, moments: Moments, workers: int) -> None:
        self.moments, self.workers = moments, workers
        self.outcome = Outcome(f"DataLoader, {workers} workers, {moments.name}")
        self.data = torchlike.arange(24.0).reshape(12, 2)
        self.wanted = [batch.tolist() for batch in self._loader()]
        self.moments.measure(("load", workers), lambda: self._read(iter(self._loader()), []))

    def _loader(self) -> Any:
        generator = torchlike.Generator().manual_seed(4)
        return DataLoader(_Rows(self.data), 3, shuffle=True, generator=generator, num_workers=self.workers)

    def _read(self, batches: Any, into: list) -> None:
        for batch in batches:
            into.append(batch * 2)

    def run(self, fraction: float) -> None:
        """Run one trial."""
        self.outcome.trials += 1
        try:
            self.outcome.heard += self._trial(fraction)
        except Exception as error:
            self.outcome.add(f"{self.outcome.name} at {fraction}", error)

    def _trial(self, fraction: float) -> bool:
        loader, found = self._loader(), []
        batches: list = []
        heard = self.moments.cut_short(
            ("load", self.workers), lambda: self._read(batches.append(iter(loader)) or batches[0], found), fraction
        )
        check_modes()
        for rest in batches:
            self._read(rest, found)
        places = [self.wanted.index(_half(batch)) for batch in found]  # raises ValueError if there is no such batch
        if places != sorted(set(places)) or (not heard and len(places) != len(self.wanted)):
            raise Difference("batches out of order", str(places))
        if [batch.tolist() for batch in self._loader()] != self.wanted:
            raise Difference("another epoch")
        if self.data.sum().item() != 276:
            raise Difference("the data have changed")
        return heard


def _half(batch: Any) -> list:
    return (batch / 2).tolist()


class _Rows(TensorDataset):
    def __getitem__(self, index: int) -> Any:
        return super().__getitem__(index)[0]
