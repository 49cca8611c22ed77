"""The Python code of the README and of docs/ runs, and prints what the pages show.

The blocks of a page run in order, as one program in which `import torch` means torchlike. The words after the language
of a block may say otherwise:

- `own process: REASON`: the block is a program of its own, in an interpreter without PyTorch's module;
- `two processes: REASON`: tests/processes/test_documents.py runs it;
- `not run: REASON`: it cannot run in the tests.
"""

import builtins
import contextlib
import doctest
import io
import os
import subprocess
import sys
import types

import pytest

from tools import pages

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PYTHON = ("python", "py")
RUNS = 3  # with other work on the machine, one of twenty runs counts one more program of the optimizer
MARKS = ("own process", "two processes", "not run")
BLOCKS = {
    page: [block for block in pages.blocks(page.read_text("utf-8")) if block.language in PYTHON]
    for page in pages.pages()
}
NAME = lambda page: page.relative_to(pages.ROOT).as_posix()
TOGETHER = [page for page, found in BLOCKS.items() if any(not block.mark for block in found)]
ALONE = [
    pytest.param(block, id=f"{NAME(page)}:{block.line}")
    for page, found in BLOCKS.items()
    for block in found
    if block.mark.startswith("own process")
]


@pytest.mark.parametrize("page", TOGETHER, ids=NAME)
def test_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)  # where pickles find the classes of the page
    names = vars(main)
    names["__builtins__"] = {**vars(builtins), "__import__": _import}
    for block in BLOCKS[page]:
        if not block.mark:
            _compare(block, _printed(block, names))


def _printed(block, names):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(block.code, "script.py", "exec"), names)
        except Exception as error:
            error.add_note(f"The block begins at line {block.line} of the page.")
            raise
    return printed.getvalue()


def _import(name, *rest):
    top, dot, inner = name.partition(".")
    return builtins.__import__(f"torchlike{dot}{inner}" if top == "torch" else name, *rest)


@pytest.mark.parametrize("block", ALONE)
def test_a_program_runs(block, tmp_path):
    settings = os.environ | {"PYTHONPATH": str(pages.ROOT)}
    (tmp_path / "program.py").write_text(block.code, "utf-8")
    command = [sys.executable, "program.py"]
    for _ in range(RUNS):
        done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=400)
        assert done.returncode == 0, done.stderr
        if _is_shown(block, done.stdout):
            return
    _compare(block, done.stdout)


def _is_shown(block, printed):
    return block.output is None or doctest.OutputChecker().check_output(block.output, printed, FLAGS)


def _compare(block, printed):
    assert _is_shown(block, printed), f"the block printed:\n{printed}"


def test_marks_are_known_and_give_a_reason():
    marks = [block.mark.partition(": ") for found in BLOCKS.values() for block in found if block.mark]
    assert [mark for mark in marks if mark[0] not in MARKS or not mark[2]] == []


def test_two_programs_of_a_page_share_names_and_output_is_compared():
    first, second = pages.blocks(
        "```python\nx = 1\n```\n\ntext\n\n  ```python\n  print(x)\n  ```\n\n```text\n1\n```\n"
    )[:2]
    assert (first.code, first.output, second.code, second.output) == ("x = 1\n", None, "print(x)\n", "1\n")
    with pytest.raises(AssertionError, match="printed"):
        _compare(second, "2\n")
