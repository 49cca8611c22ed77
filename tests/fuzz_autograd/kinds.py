"""The kinds of statements and their frequencies.

In a template, single capital letters stand for tensors: `A` any floating tensor, `B` one that `A` can broadcast with,
`C` any tensor, `I` a tensor of integers, `L` a leaf that requires grad, `R` a tensor that requires grad, `G` one with a
gradient node, `P` one that does not require grad, `E` one of the shape and dtype of the first tensor, `N` and `M` new
names, `D` a dim of the first tensor. A line that begins with spaces continues a template.
"""

from tests.fuzz_autograd.templates.combined import COMBINED
from tests.fuzz_autograd.templates.modes import CONTEXTS, TRANSFORMS
from tests.fuzz_autograd.templates.nodes import FUNCTIONS, HOOKS
from tests.fuzz_autograd.templates.passes import BACKWARD, FLAGS, GRAD
from tests.fuzz_autograd.templates.values import COMPUTE, LEAVES, VIEWS
from tests.fuzz_autograd.templates.writes import IN_PLACE


def _listed(text: str) -> list[str]:
    return text.strip().replace("\n  ", " ").split("\n")


# (weight, templates)
KINDS: list[tuple[int, list[str]]] = [
    (14, _listed(LEAVES)),
    (22, _listed(COMPUTE)),
    (14, _listed(VIEWS)),
    (16, _listed(IN_PLACE)),
    (16, _listed(BACKWARD)),
    (8, _listed(GRAD)),
    (8, _listed(FLAGS)),
    (9, _listed(HOOKS)),
    (7, _listed(FUNCTIONS)),
    (9, _listed(CONTEXTS)),
    (5, _listed(TRANSFORMS)),
    (16, _listed(COMBINED)),
]
