"""What the fuzzer has found, by subject: each a program that once came out otherwise than in PyTorch."""

from tests.fuzz.found import gradients, memory, saved, shapes, views, writes

FOUND = {
    f"{part.__name__.rpartition('.')[2]}: {name}": text
    for part in (gradients, memory, saved, shapes, views, writes)
    for name, text in part.FOUND.items()
}
