"""Rules for files: their length, their names and their contents."""

import ast
import re
import statistics
from collections import defaultdict
from pathlib import Path

import torch

from tests.house.source import ROOT, SOURCES, code_lines, sources, text_files

THEIR_ROOT = Path(torch.__file__).parent
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef

MOST_LINES_OF_A_FILE = 600
MEDIAN_LINES_OF_A_FILE = 150
MEDIAN_LINES_OF_A_FUNCTION = 8
LINES_WORTH_SHARING = 5


def every_source():
    return [source for top in SOURCES for source in sources(top)]


def functions(source):
    return [node for node in ast.walk(source.tree) if isinstance(node, FUNCTION)]


def test_no_file_is_over_the_cap():
    assert [source.path for source in every_source() if code_lines(source.tree) > MOST_LINES_OF_A_FILE] == []


def test_the_median_file_and_function_are_short():
    package = sources("torchlike")
    files = [code_lines(source.tree) for source in package if code_lines(source.tree)]
    bodies = [code_lines(node) for source in package for node in functions(source)]
    assert statistics.median(files) <= MEDIAN_LINES_OF_A_FILE
    assert statistics.median(bodies) <= MEDIAN_LINES_OF_A_FUNCTION


def test_no_file_of_leftovers():
    leftovers = {"utils", "util", "helpers", "misc", "common"}
    found = [source.path for source in every_source() if source.path.stem in leftovers]
    # PyTorch's own layout has a few such names, and programs import from them.
    assert [path for path in found if not THEIR_ROOT.joinpath(*path.parts[1:]).is_file()] == []


def test_no_path_of_one_machine():
    machine = re.compile(r"(?<![\w.$}/-])/(?:work|home|root|Users|tmp|opt|mnt)/\w|[A-Z]:\\\\?Users\\")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in text_files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if machine.search(line)
    ]
    assert found == []


def test_no_function_is_written_twice():
    places = defaultdict(list)
    for source in every_source():
        for node in functions(source):
            if source.path.parts[0] == "examples":
                continue  # the files are independent, as user scripts are
            if code_lines(node) > LINES_WORTH_SHARING:
                places[_formula(node)].append(f"{source}:{node.lineno} {node.name}")
    assert [where for where in places.values() if len(where) > 1] == []


def _formula(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the function's syntax tree without its name and docstring."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return ast.dump(node.args) + "".join(ast.dump(statement) for statement in body)


def test_nothing_is_commented_out():
    code = re.compile(r"^\s*# *(import \w+$|from [\w.]+ import|return\b.*\)$|def \w+\(.*:$|print\(|assert .*==)")
    found = [
        f"{source}:{number}: {line.strip()}"
        for source in every_source()
        for number, line in enumerate((ROOT / source.path).read_text("utf-8").splitlines(), 1)
        if code.match(line)
    ]
    assert found == []
