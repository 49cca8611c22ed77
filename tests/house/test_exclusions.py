"""Tests that all skips are in one table, and that the table only shrinks."""

import ast

from tests.exclusions import CEILING, EXCLUDED
from tests.house.source import ROOT, sources

LEAVES_OUT = {"skip", "skipif", "xfail", "importorskip", "skipTest", "exclude"}
THE_TABLE = "tests/exclusions.py"


def test_the_table_does_not_grow():
    assert len(EXCLUDED) == CEILING, "a row that goes takes the ceiling down with it; none may be added"


def test_an_exclusion_names_a_test_and_says_why():
    for node, reason in EXCLUDED.items():
        path, _, name = node.partition("::")
        assert name.partition("[")[0].split("::")[-1] in (ROOT / path).read_text("utf-8")
        assert all(len(text.split()) > 3 for text in reason)


def test_no_test_leaves_anything_out_by_itself():
    found = [
        f"{source}:{node.lineno} {node.attr}"
        for source in sources("tests")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr in LEAVES_OUT and _is_pytest(node.value)
    ]
    assert found == []


def _is_pytest(node: ast.expr) -> bool:
    return ast.unparse(node) in ("pytest", "pytest.mark", "unittest", "self")
