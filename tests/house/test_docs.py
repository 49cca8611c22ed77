"""Docstrings of operators: a row is no function, so pytest's own doctest collection does not see them."""

import doctest

import pytest

import torchlike
from torchlike._ops import REGISTRY

ROWS = {op.name: op for op in REGISTRY.values()}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_an_operator_says_in_a_sentence_what_it_does(name):
    first = ROWS[name].doc.partition("\n\n")[0]
    assert first.rstrip().endswith((".", ":", ")")), f"{first!r} is no sentence"


@pytest.mark.parametrize("name", sorted(name for name, op in ROWS.items() if ">>>" in op.doc))
def test_an_operators_example_runs(name):
    example = doctest.DocTestParser().get_doctest(ROWS[name].doc, {"torchlike": torchlike}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report: list[str] = []
    runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)
