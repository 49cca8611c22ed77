"""Files of exported programs: they run where the source is not, and a hostile file runs nothing."""

import io
import json
import random
import subprocess
import sys
import zipfile
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
import torch as pytorch

import torchlike as torch
from tests.house.source import ROOT
from torchlike.export import Dim, _parsing, export, load, save

nn = torch.nn
Pair = namedtuple("Pair", "first second")

LOADER = """
import sys
import numpy as np
import torchlike as torch
program = torch.export.load(sys.argv[1])
x = torch.load(sys.argv[2])
module = program.module()
torch.save(module(x), sys.argv[3])
import jax
state, call = program.jax()
assert np.array_equal(np.asarray(jax.jit(call)(state, x.numpy())), module(x).detach().numpy())
assert "torch" not in sys.modules and "source" not in sys.modules
"""


def net():
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2)).eval()


def written(program, **options) -> bytes:
    file = io.BytesIO()
    save(program, file, **options)
    return file.getvalue()


def test_a_program_runs_in_a_process_without_its_source(tmp_path):
    source = tmp_path / "source.py"
    source.write_text("import torchlike as torch\nclass Net(torch.nn.Linear):\n    pass\n")
    sys.path.insert(0, str(tmp_path))
    try:
        from source import Net  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    torch.manual_seed(0)
    module = Net(6, 2)
    save(export(module, (torch.randn(2, 6),), dynamic_shapes=({0: Dim("b")},)), tmp_path / "net.pt2")
    x = torch.randn(5, 6)
    torch.save(x, tmp_path / "x.pt")
    source.unlink()
    paths = [str(tmp_path / name) for name in ("net.pt2", "x.pt", "y.pt")]
    subprocess.run([sys.executable, "-c", LOADER, *paths], check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    np.testing.assert_allclose(
        torch.load(paths[2]).detach().numpy(), module(x).detach().numpy(), rtol=1.3e-6, atol=1e-6
    )


def test_containers_and_constants_survive():
    class Mixed(nn.Module):
        def forward(self, pair, names, flag=True):
            a, b = pair
            return Pair(a + names["b"], OrderedDict(sum=(a + b, 3), none=None, text="x", flag=flag))

    x = torch.arange(3.0)
    args = (Pair(x, x), {"b": x}, False)
    program = load(io.BytesIO(written(export(Mixed(), args))))
    found = program.module()(*args)
    assert found.first.tolist() == [0, 2, 4] and found.second["sum"][0].tolist() == [0, 2, 4]
    assert list(found.second)[1:] == ["none", "text", "flag"] and found.second["flag"] is False
    with pytest.raises(ValueError, match="exported for False"):
        program.module()(Pair(x, x), {"b": x}, True)


def test_a_loaded_program_describes_itself():
    before = export(net(), (torch.randn(2, 6),), dynamic_shapes=({0: Dim("b", max=9)},))
    after = load(io.BytesIO(written(before)))
    assert after.graph_signature == before.graph_signature
    assert after.code == before.code and "torch.nn.functional.linear" in after.code
    assert after.range_constraints == {"b": (2, 9)} and after.example_inputs is None
    assert [name for name, _ in after.named_parameters()] == [name for name, _ in before.named_parameters()]
    assert "stablehlo.dot_general" in after.stablehlo()


def test_the_weights_of_the_file_are_a_checkpoint():
    program = export(net(), (torch.randn(2, 6),))
    with zipfile.ZipFile(io.BytesIO(written(program))) as archive:
        weights = pytorch.load(io.BytesIO(archive.read("weights.pt")), weights_only=True)
    assert {name: tuple(t.shape) for name, t in weights["state"].items()}["0.weight"] == (8, 6)


def test_extra_files():
    data = written(export(net(), (torch.randn(2, 6),)), extra_files={"notes.txt": "made on Friday"})
    found = {"notes.txt": ""}
    load(io.BytesIO(data), extra_files=found)
    assert found == {"notes.txt": "made on Friday"}


def test_gradients_where_asked():
    import jax

    program = export(net(), (torch.ones(2, 6),), dynamic_shapes=({0: Dim("b")},))
    state, call = load(io.BytesIO(written(program, vjp_order=1))).jax()
    grads = jax.grad(lambda state: call(state, np.ones((3, 6), np.float32)).sum())(state)
    module = program.module()
    module.zero_grad()
    other = net()
    other.load_state_dict(dict(program.state_dict))
    other(torch.ones(3, 6)).sum().backward()
    for name, parameter in other.named_parameters():
        np.testing.assert_allclose(np.asarray(grads[name]), parameter.grad.numpy(), rtol=1.3e-6, atol=1e-6)


def test_compressed_members_are_refused():
    data, file = written(export(net(), (torch.randn(2, 6),))), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            after.writestr(name, before.read(name))
    with pytest.raises(RuntimeError, match="compressed members"):
        load(file)


@pytest.mark.parametrize("kind", ["torchscript", "not a zip", "empty"])
def test_other_files_are_refused(kind):
    file = io.BytesIO()
    if kind == "torchscript":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("net/constants.pkl", b"")
    elif kind == "not a zip":
        file.write(b"hello")
    with pytest.raises(RuntimeError, match="written by PyTorch" if kind == "torchscript" else "no exported program"):
        load(file)


class Runs:
    def __reduce__(self):
        return (exec, ("raise SystemExit('executed')",))


def changed(data: bytes, rng: random.Random, structure: str = "structure.json") -> bytes:
    """Return a damaged or hostile archive: other bytes, other members, or other contents of the structure."""
    kind = rng.choice(["bytes", "cut", "member", "structure", "pickle"])
    if kind == "bytes":
        made = bytearray(data)
        for _ in range(rng.randint(1, 20)):
            made[rng.randrange(len(made))] = rng.randrange(256)
        return bytes(made)
    if kind == "cut":
        return data[: rng.randrange(len(data))]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    if kind == "pickle":
        file = io.BytesIO()
        pytorch.save(Runs(), file)
        members["weights.pt"] = file.getvalue()
    elif kind == "structure":
        members[structure] = json.dumps(_mutated(json.loads(members[structure]), rng)).encode()
    else:
        part = bytearray(members[name])
        for _ in range(rng.randint(1, 8)):
            part[rng.randrange(len(part))] = rng.randrange(256)
        members[name] = bytes(part[: rng.randrange(len(part))] if rng.random() < 0.3 else part)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def _mutated(structure, rng: random.Random):
    if isinstance(structure, dict) and structure:
        key = rng.choice(sorted(structure))
        if rng.random() < 0.3:
            return {k: v for k, v in structure.items() if k != key}
        return {**structure, key: _mutated(structure[key], rng)}
    if isinstance(structure, list) and structure and rng.random() < 0.8:
        place = rng.randrange(len(structure))
        return [*structure[:place], _mutated(structure[place], rng), *structure[place + 1 :]]
    return rng.choice([None, -1, 10**30, "os.system", [], {}, [["tuple", None, []]], True, "float32"])


ATTACK = """
import sys
import torchlike as torch
for path in sys.argv[1:]:
    try:
        module = torch.export.load(path).module()
    except RuntimeError:
        continue
    try:
        module(torch.ones(2, 6))
    except Exception as error:
        print(type(error).__name__, error, file=sys.stderr)
print("alive")
"""


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 50))])
def test_hostile_archives_run_nothing_and_crash_nothing(seed, tmp_path):
    rng = random.Random(seed)
    data = written(export(net(), (torch.randn(2, 6),), dynamic_shapes=({0: Dim("b")},)))
    files = []
    for i in range(100):
        files.append(tmp_path / f"{i}.pt2")
        files[-1].write_bytes(changed(data, rng))
    done = subprocess.run(
        [sys.executable, "-c", ATTACK, *map(str, files)], cwd=ROOT, capture_output=True, text=True, errors="replace"
    )
    assert done.stdout == "alive\n", f"exit status {done.returncode}: {done.stderr[-1500:]}"


def test_a_program_that_cannot_be_parsed_in_time_is_refused(monkeypatch):
    file = io.BytesIO(written(export(net(), (torch.randn(2, 6),))))
    monkeypatch.setattr(_parsing, "_parsed", set())
    monkeypatch.setattr(_parsing, "SECONDS", 0.01)
    with pytest.raises(RuntimeError, match=r"takes more than 0\.01 seconds"):
        load(file)
    monkeypatch.setattr(_parsing, "SECONDS", 60)
    assert load(file).module()(torch.ones(2, 6)).shape == (2, 2)


def test_an_error_or_a_crash_of_the_parser_refuses_the_file(monkeypatch):
    with pytest.raises(RuntimeError, match=r"the program is damaged: .*Error"):
        _parsing.check_parses([b"ML\xefR" + bytes(100)])
    crashed = subprocess.CompletedProcess([], -11, b"", b"")
    monkeypatch.setattr(_parsing.subprocess, "run", lambda *args, **kwargs: crashed)
    with pytest.raises(RuntimeError, match="exit status -11"):
        _parsing.check_parses([b"anything"])
