"""Doctests that pytest's own collection does not find.

These are the doctests of operators, whose declarations are not functions, and of classes whose `__module__` is the
module that exports them.
"""

import doctest

import pytest

import torchlike
from torchlike._ops import REGISTRY

MOVED = {
    name: found
    for name, found in vars(torchlike).items()
    if isinstance(found, type) and found.__module__ == "torchlike" and ">>>" in (found.__doc__ or "")
}
ROWS = {op.name: op for op in REGISTRY.values()}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_an_operator_says_in_a_sentence_what_it_does(name):
    first = ROWS[name].doc.partition("\n\n")[0]
    assert first.rstrip().endswith((".", ":", ")")), f"{first!r} is no sentence"


@pytest.mark.parametrize("name", sorted(name for name, op in ROWS.items() if ">>>" in op.doc))
def test_an_operators_example_runs(name):
    _run(name, ROWS[name].doc, {})


@pytest.mark.parametrize("name", sorted(MOVED))
def test_a_classes_example_runs(name):
    _run(name, MOVED[name].__doc__, vars(torchlike))


def _run(name, text, names):
    example = doctest.DocTestParser().get_doctest(text, {**names, "torchlike": torchlike}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report: list[str] = []
    runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)
