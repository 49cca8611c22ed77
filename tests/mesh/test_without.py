"""Without a mesh, programs have the same keys, and no code of the mesh runs in a step."""

import sys
from pathlib import Path

import torchlike
from torchlike import nn
from torchlike._engine.programs import programs
from torchlike._engine.xla import constraints, layout, mesh
from torchlike._mesh import spreading
from torchlike.nn import functional as F

FILES = {str(Path(module.__file__)) for module in (constraints, layout, mesh, spreading)}


def _steps():
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torchlike.optim.AdamW(model.parameters())
    x, y = torchlike.randn(6, 4), torchlike.randint(0, 2, (6,))

    def step():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step, torchlike.compile(step)


def test_no_code_of_the_mesh_runs_in_a_step():
    for step in _steps():
        for _ in range(4):  # compiling asks once whether there is a mesh
            step().item()
        called = _called_by(step)
        assert called
        assert [code.co_qualname for code in called if code.co_filename in FILES] == []


def _called_by(step) -> list:
    """Return the code objects of the functions that two steps call."""
    called: list = []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code) if event == "call" else None)
    try:
        for _ in range(2):
            step().item()
    finally:
        sys.setprofile(None)
    return called


def test_the_keys_of_programs_have_no_layout():
    torchlike._engine.trace.flush.forget_programs()
    for step in _steps():
        for _ in range(4):
            step().item()
    keys = list(programs._held)
    assert len(keys) > 2
    assert not any(isinstance(part, layout.Layout) or part is None for key in keys for part in key)
