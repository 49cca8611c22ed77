"""Features that depend on the versions of Python, NumPy and JAX.

The tests cover imports, the interpreter, compiled steps, files and caches.
"""

import base64
import io
import json
import os
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import jax
import pytest

import torchlike
from tests.newest.cases import CASES
from torchlike._engine import boundary, stats
from torchlike._engine.interpreter import jaxpr
from torchlike._engine.interpreter.rules import Unsupported
from torchlike._engine.xla import jax_private

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text("utf-8"))
PACKAGE = Path(torchlike.__file__).parent


def _run(program: str, folder: Path, *flags: str) -> str:
    env = {**os.environ, "TORCHLIKE_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, *flags, "-c", program], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_an_import_says_nothing(tmp_path):
    assert _run("import torchlike; torchlike.ones(3).sum().item()", tmp_path, "-W", "error") == ""


# The packages of extras, and the only parts of the library that import them.
EXTRAS = {"tensorboard": "torchlike.utils.tensorboard", "onnx": "torchlike.onnx", "onnx_ir": "torchlike.onnx"}


def test_every_module_is_imported():
    for path in sorted(PACKAGE.rglob("*.py")):
        names = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if "__main__" not in names:
            name = ".".join(names[:-1] if names[-1] == "__init__" else names)
            try:
                import_module(name)
            except ModuleNotFoundError as error:
                assert name.startswith(EXTRAS.get(str(error.name), "nothing")), error


def test_jax_has_every_name():
    assert jax_private.missing() == []


def test_cold_gradients_are_interpreted(monkeypatch):
    """Check that gradients of small programs are interpreted.

    If a new JAX version changed a function that the interpreter supports, the program is compiled instead. This costs
    time and does not change results, so the test only warns.
    """
    plain, refused = jaxpr._function, set()

    def watched(*given):
        try:
            return plain(*given)
        except Unsupported as error:
            refused.add(str(error))
            raise

    monkeypatch.setattr(jaxpr, "_function", watched)
    for name in ("linear", "layer norm", "lstm", "transformer", "ctc loss", "singular vectors", "running", "scattered"):
        CASES[name](torchlike)
    if refused:
        warnings.warn(f"JAX {jax.__version__} has changed: {', '.join(sorted(refused))}", stacklevel=1)


def test_small_work_compiles_nothing():
    boundary()
    before = stats.compiles
    x = torchlike.linspace(0, 1, 7, requires_grad=True)
    (x.sin() * torchlike.softmax(x, 0)).sum().backward()
    assert x.grad.shape == (7,)
    boundary()
    assert stats.compiles == before


def _model():
    torchlike.manual_seed(0)
    model = torchlike.nn.Sequential(torchlike.nn.Linear(4, 3), torchlike.nn.Dropout(0.5), torchlike.nn.Linear(3, 2))
    return model, torchlike.optim.Adam(model.parameters(), 0.01)


@pytest.mark.parametrize("rounds", [1, 6])
def test_a_compiled_step_trains_as_a_plain_one(rounds):
    found = []
    for compiled in (False, True):
        model, optimizer = _model()

        def step(x, y, model=model, optimizer=optimizer):
            optimizer.zero_grad()
            loss = torchlike.nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        run = torchlike.compile(step) if compiled else step
        losses = [run(torchlike.ones(5, 4) * i, torchlike.ones(5, 2)).item() for i in range(rounds)]
        found.append([losses, [p.tolist() for p in model.parameters()]])
    for plain, whole in zip(found[0][0], found[1][0]):
        assert whole == pytest.approx(plain, rel=1e-5)
    for plain, whole in zip(found[0][1], found[1][1]):
        assert torchlike.allclose(torchlike.tensor(whole), torchlike.tensor(plain), 1e-4, 1e-5)


def test_a_compiled_step_runs_without_python():
    seen = []
    weight = torchlike.ones(1000)

    @torchlike.compile
    def step(x):
        weight.add_(x)

    for _ in range(4):
        step(torchlike.ones(1000))
        boundary()
        seen.append(weight._storage.value.array.unsafe_buffer_pointer())
    assert weight[0].item() == 5
    assert len(set(seen[1:])) == 1  # updated in place
    assert "3 replays" in str(torchlike.explain())


PROGRAM = """
import torchlike
with torchlike.set_executor("xla"):
    x = torchlike.linspace(0, 1, 11, requires_grad=True)
    (x.sin() * x).sum().backward()
    print(round(x.grad.sum().item(), 4))
print(*[p.from_disk for p in torchlike.explain().programs])
"""


def test_a_second_process_compiles_nothing(tmp_path):
    first, second = (_run(PROGRAM, tmp_path).split() for _ in range(2))
    assert first[0] == second[0]
    assert set(first[1:]) == {"0"} and set(second[1:]) == {"1"}


def test_a_file_of_pytorchs_is_read():
    content = torchlike.load(io.BytesIO(base64.b64decode(RECORDED["file"])))
    torchlike.manual_seed(0)
    model = torchlike.nn.Sequential(torchlike.nn.Linear(3, 2), torchlike.nn.BatchNorm1d(2))
    assert content["step"] == 7
    assert content["half"].equal(torchlike.arange(3).bfloat16())
    assert content["model"].keys() == model.state_dict().keys()
    for name, tensor in model.state_dict().items():
        assert tensor.equal(content["model"][name]), name


def test_a_file_comes_back(tmp_path):
    model, optimizer = _model()
    model(torchlike.ones(2, 4)).sum().backward()
    optimizer.step()
    torchlike.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "file.pt")
    other, another = _model()
    content = torchlike.load(tmp_path / "file.pt")
    other.load_state_dict(content["model"])
    another.load_state_dict(content["optimizer"])
    assert all(a.equal(b) for a, b in zip(model.parameters(), other.parameters(), strict=True))
    assert str(another.state_dict()) == str(optimizer.state_dict())


def test_arrays_are_exchanged():
    numpy = import_module("numpy")
    x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    t = torchlike.from_numpy(x)
    t.mul_(2)
    assert x.tolist() == t.tolist() == [[0, 2, 4], [6, 8, 10]]
    assert numpy.asarray(torchlike.ones(2)).dtype == numpy.float32
    assert (numpy.float32(2) * torchlike.ones(2)).tolist() == [2, 2]
