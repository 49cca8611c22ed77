"""Hostile files of scripts: nothing but the checked functions runs, and no attribute reaches Python's internals."""

import io
import json
import random
import subprocess
import sys
import types
import zipfile

import pytest

import torchlike
from tests.export.test_files import changed
from tests.house.source import ROOT

# Attributes of frames, code, functions, generators, tracebacks and classes: the usual ways out of a sandbox.
INTERNALS = sorted(
    {
        name
        for kind in (
            types.FrameType,
            types.CodeType,
            types.FunctionType,
            types.GeneratorType,
            types.TracebackType,
            types.MethodType,
            types.ModuleType,
            type,
        )
        for name in dir(kind)
    }
)


class Clip(torchlike.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torchlike.nn.Linear(2, 2)
        self.limit = 3.0

    def forward(self, x):
        while bool(x.abs().max() > self.limit):
            x = x / 2
        return self.inner(x)


def clip() -> bytes:
    file = io.BytesIO()
    torchlike.jit.save(torchlike.jit.script(Clip()), file)
    return file.getvalue()


def forged(change) -> bytes:
    """Return the file of a scripted module whose description was changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(clip())) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "script.json":
                document = json.loads(content)
                change(document)
                content = json.dumps(document).encode()
            new.writestr(name, content)
    return made.getvalue()


def function(source, names=None):
    name = source.split("(")[0].removeprefix("def ")
    return {"name": name, "source": source, "names": names or {}, "kinds": {}, "defaults": []}


def running(body, attributes=(), names=None, functions=(), classes=()):
    """Return a change: forward has this body, and the names of the file's own attributes are these, too."""

    def change(document):
        kinds = document["functions"][0]["kinds"]
        forward = {**function(f"def forward(self, x):\n    {body}", names), "kinds": kinds}
        document["functions"][:] = [forward, *functions]
        document["classes"][0]["members"] = {"forward": ["method", 0]}
        document["classes"] += classes
        document["modules"][0]["attributes"].update({name: {"literal": 1} for name in attributes})

    return change


EXIT = {"name": "C", "module": False, "base": None, "members": {"__enter__": ["method", 1], "__exit__": ["method", 2]}}
ENTER = function("def __enter__(self):\n    return self")
RELU, LAYER = {"f": {"library": "torch.nn.functional.relu"}}, {"L": {"library": "torch.nn.modules.linear.Linear"}}
RAISE = {"C": {"class": 1}, "E": {"builtin": "RuntimeError"}}
ESCAPES = {
    "generator": running("g = (y for y in [x])\n    return g.gi_frame", ["gi_frame"]),
    "code of a generator": running("g = (y for y in [x])\n    return g.gi_code", ["gi_code"]),
    "traceback": running(
        "with C():\n        raise E('x')\n    return x",
        ["tb_frame"],
        RAISE,
        [ENTER, function("def __exit__(self, a, b, tb):\n    return tb.tb_frame")],
        [EXIT],
    ),
    "class of an error": running(
        "with C():\n        raise E('x')\n    return x",
        ["mro"],
        RAISE,
        [ENTER, function("def __exit__(self, a, b, tb):\n    return a.mro()")],
        [EXIT],
    ),
    "attribute of a function": running("return f.func", ["func"], RELU),
    "write to a function": running("f.limit = 1\n    return x", (), RELU),
    "write to a layer's class": running("L.forward = 1\n    return x", (), LAYER),
    "write in a loop": running("for L.forward in [1]:\n        pass\n    return x", (), LAYER),
    "write by with": running("with self as L.limit:\n        pass\n    return x", (), LAYER),
    "deletion": running("del L.forward\n    return x", (), LAYER),
    "hooks": running("self.register_forward_hook(f)\n    return x", ["register_forward_hook"], RELU),
    "file of a module": running("self.save('a')\n    return x", ["save"]),
    "numpy": running("return x.numpy()", ["numpy"]),
    "private attribute": running("return self._modules", ()),
    "getattr": running("return getattr(f, 'func')", ["func"], {**RELU, "getattr": {"builtin": "getattr"}}),
    "guard as an argument": lambda d: d["functions"][0].update(source="def forward(self, __read__):\n    return self"),
}


@pytest.mark.parametrize("name", ESCAPES)
def test_no_attribute_leads_outside(name):
    forward, relu = torchlike.nn.Linear.forward, torchlike.nn.functional.relu
    with pytest.raises(RuntimeError, match=r"script|damaged"):
        torchlike.jit.load(io.BytesIO(forged(ESCAPES[name])))(torchlike.ones(1, 2))
    assert torchlike.nn.Linear.forward is forward and not hasattr(relu, "limit")


def test_a_file_without_change_is_loaded():
    x = torchlike.full((1, 2), 8.0)
    loaded = torchlike.jit.load(io.BytesIO(forged(lambda document: None)))
    assert torchlike.equal(loaded(x), loaded.inner(x / 4))


TEMPLATES = (
    "return x.{a}",
    "return self.{a}",
    "return self.inner.{a}",
    "return (y for y in [x]).{a}",
    "return [x].{a}",
    "return 'x'.{a}",
    "return (1).{a}",
    "return x.{a}.{b}",
    "return x.abs.{a}",
    "return self.forward.{a}.{b}",
    "return '{{0.{a}}}'.format(x)",
    "return f'{{x.{a}}}'",
    "y = x.{a}\n    return y.{b}(x)",
    "self.{a} = x\n    return self.{a}",
    "x.abs.{a} = x\n    return x",
    "return getattr(self.inner, '{a}')",
    "return x.{a}(lambda: 1)",
    "import {a}",
    "return __import__('os').system('{a}')",
    "return {a}",
)


def attacked(rng: random.Random) -> bytes:
    """Return a file with a random source, whose attributes are declared as its own, or a damaged file."""
    if rng.random() < 0.4:
        return changed(clip(), rng, "script.json")
    names = [rng.choice(INTERNALS) for _ in range(2)]
    body = rng.choice(TEMPLATES).format(a=names[0], b=names[1])
    own = [name for name in names if rng.random() < 0.7]
    return forged(running(body, own, {"getattr": {"builtin": "getattr"}}))


ATTACK = """
import sys
import torchlike as torch
paths, x = sys.argv[1:], torch.ones(1, 2)
torch.nn.Linear(2, 2)(x).tolist()  # what is imported late is imported before the files are opened
bad, files = [], set(paths)
watched = ("os.system", "os.exec", "subprocess.Popen", "socket.connect", "os.remove", "os.rename", "shutil.rmtree")
def watch(event, args):
    if event in watched or (event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")):
        bad.append((event, args[:1]))
sys.addaudithook(watch)
for path in paths:
    try:
        module = torch.jit.load(path)
    except RuntimeError:
        continue
    try:
        found = module(x)
    except Exception as error:
        continue
    kind = type(found).__name__
    if kind in ("frame", "code", "function", "module", "type", "traceback", "method"):
        bad.append((path, kind))
print("alive", bad)
"""


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 50))])
def test_hostile_scripts_run_nothing_and_crash_nothing(seed, tmp_path):
    rng = random.Random(seed)
    files = []
    for i in range(100):
        files.append(tmp_path / f"{i}.pt")
        files[-1].write_bytes(attacked(rng))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ATTACK, *map(str, files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.stdout == "alive []\n", f"exit status {done.returncode}: {done.stderr[-1500:]}"
