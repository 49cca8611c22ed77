"""Print how many programs behave as in PyTorch: `python -m tests.jit [name ...]`.

With `-v`, print the differences. With `--write`, write the table of docs/torchscript.md.
"""

import sys
from collections import Counter
from pathlib import Path

from tests.jit.compared import DIFFERENT, all_programs, compared

PAGE = Path(__file__).parents[2] / "docs" / "torchscript.md"
BEGIN, END = "<!-- the table of tests.jit -->", "<!-- the end of the table -->"
GROUPS = {
    "traced": "functions and modules that are traced",
    "traced_more": "further functions and modules that are traced",
    "control": "scripted functions with control flow",
    "values": "scripted functions of lists, dicts, strings and numbers",
    "modules": "scripted modules",
    "more": "further functions and modules that are scripted",
    "last": "a last set of functions and modules that are scripted",
    "refused": "functions that TorchScript refuses",
}


def table() -> str:
    """Return the table of the programs, which tests/jit/test_programs.py compares."""
    names = [name for name, _, _ in all_programs()]
    counts, others = (Counter(name.partition(".")[0] for name in each) for each in (names, DIFFERENT))
    rows = [f"| {GROUPS[group]} | {n} | {n - others[group]} |" for group, n in counts.items()]
    rows.append(f"| all | {len(names)} | {len(names) - len(DIFFERENT)} |")
    listed = [f"- `{name}`: {reason}." for name, reason in DIFFERENT.items()]
    return "\n".join(["| programs | | equal |", "|---|---|---|", *rows, "", "The others:", "", *listed])


def written(page: str) -> str:
    """Return the text of the page with the table of now."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


def main(arguments: list[str]) -> None:
    if "--write" in arguments:
        PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
        return
    names = [each for each in arguments if each != "-v"]
    chosen = [each for each in all_programs() if not names or any(name in each[0] for name in names)]
    others = []
    for name, run, program in chosen:
        due, found = compared(run, program)
        if due != found:
            others.append(name)
            if "-v" in arguments:
                print(f"{name}\n  PyTorch:   {str(due)[:600]}\n  torchlike: {str(found)[:600]}")
    print(f"{len(chosen) - len(others)} of {len(chosen)} are equal. Others: {', '.join(others) or 'none'}")


if __name__ == "__main__":
    main(sys.argv[1:])
