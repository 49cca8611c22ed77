"""The samples of every family of operators, one file each. A name with samples in two files is an error."""

import importlib
import pkgutil

from tests.ops.sample import Sample


def _collect() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for module in pkgutil.iter_modules(__path__):
        samples = importlib.import_module(f"{__name__}.{module.name}").SAMPLES
        twice = found.keys() & samples.keys()
        if twice:
            raise ValueError(f"{module.name}: samples of {sorted(twice)} stand in another file already")
        found.update(samples)
    return found


SAMPLES = _collect()
