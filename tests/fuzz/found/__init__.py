"""Regressions found by the fuzzer, by subject. Each program once gave a result that differed from PyTorch's."""

from tests.fuzz.found import gradients, memory, saved, shapes, views, writes

FOUND = {
    f"{part.__name__.rpartition('.')[2]}: {name}": text
    for part in (gradients, memory, saved, shapes, views, writes)
    for name, text in part.FOUND.items()
}
