"""Huge pages for XLA's temporaries."""

import os
import subprocess
import sys
from pathlib import Path

from torchlike import _native
from torchlike._engine import heap

PROGRAM = """
import resource, sys
import torchlike
from torchlike._engine import heap

if sys.argv[1] == "pages":
    print(heap._native.pages.use_huge_pages("libjax_common.so"))
    print(heap._native.pages.use_huge_pages("libjax_common.so"), heap._native.pages.use_huge_pages("no such library"))
run = torchlike.compile(lambda x: (x @ x).sin() @ (x + 1))
x = torchlike.ones(3000, 3000) / 3000
print(run(x)[0, 0].item())
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(3):
    run(x)[0, 0].item()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def has_huge_pages_on_request() -> bool:
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return setting.exists() and "[madvise]" in setting.read_text()


def answers(word: str) -> list[str]:
    environment = {**os.environ, "TORCHLIKE_MALLOC": "plain"}
    command = [sys.executable, "-c", PROGRAM, word]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


def test_large_temporaries_have_huge_pages():
    if _native.pages is None or sys.platform != "linux" or not heap._is_glibc():
        assert not heap.use_huge_pages()
        return
    replaced, again, other, result, faults = answers("pages")
    plain_result, plain_faults = answers("plain")
    assert (replaced, again, other) == ("True", "False", "False")
    assert result == plain_result
    assert int(plain_faults) > 10_000
    if has_huge_pages_on_request():
        assert int(faults) < int(plain_faults) / 4
