"""XLA's compiler is called once ahead, in a thread of its own."""

from __future__ import annotations

import subprocess
import sys

import torchlike as torch
from torchlike._core import first_compile

SCRIPT = """
import threading
import jax._src.compiler as compiler

seen, inner = [], compiler.compile_or_get_cached
compiler.compile_or_get_cached = lambda *a, **k: (seen.append(threading.current_thread().name), inner(*a, **k))[1]
import torchlike as torch

p = torch.nn.Parameter(torch.ones(2))
assert not seen and threading.active_count() == 1
optimizers = [torch.optim.SGD([p], lr=0.1) for _ in range(2)]
for t in threading.enumerate():
    if t is not threading.main_thread():
        t.join()
print(seen)
"""


def test_an_optimizer_has_the_compiler_set_up_once():
    out = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    assert out.strip() == '["torchlike\'s first compile"]'


def test_what_cannot_be_compiled_is_silent(monkeypatch):
    def fail(*_):
        raise RuntimeError("no such device")

    monkeypatch.setattr(first_compile, "to_jax", fail)
    first_compile._compile(torch.device("cpu"))
