"""Scripted functions and modules as objects, and the files of scripts."""

import copy
import io
import json
import pickle
import warnings
import zipfile

import pytest
import torch

import torchlike
from torchlike.jit import _allowed

pytestmark = pytest.mark.filterwarnings("ignore")


def net(L):
    class Net(L.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc, self.n = L.nn.Linear(3, 2), 2

        @L.jit.export
        def twice(self, x):
            return x * self.n

        def forward(self, x):
            if bool(x.sum() > 0):
                return self.fc(x)
            return self.twice(self.fc(x))

    L.manual_seed(0)
    return Net().eval()


def loaded(L, made):
    file = io.BytesIO()
    L.jit.save(made, file)
    file.seek(0)
    return L.jit.load(file)


def told(action):
    """Return what an action returns, or the class and the first line of its error."""
    try:
        return action()
    except Exception as error:
        return type(error).__name__, str(error).strip().splitlines()[0]


def _set(made, name, value):
    setattr(made, name, value)
    return getattr(made, name)


OBSERVED = {
    "class": lambda L, m, s: (type(s).__name__, isinstance(s, L.jit.ScriptModule), isinstance(s, L.nn.Module)),
    "repr": lambda L, m, s: repr(s),
    "original_name": lambda L, m, s: (s.original_name, s.fc.original_name, type(s.fc).__name__),
    "state": lambda L, m, s: ([*s.state_dict()], [n for n, _ in s.named_modules()], s.training),
    "shares": lambda L, m, s: (s.fc.weight is m.fc.weight, s.n),
    "method": lambda L, m, s: s.twice(L.ones(2)).tolist(),
    "mode": lambda L, m, s: (s.train().training, s.fc.training, m.training),
    "attribute": lambda L, m, s: (_set(s, "n", 5), m.n, s.twice(L.ones(1)).tolist()),
    "other attribute": lambda L, m, s: told(lambda: _set(s, "n", "a"))[0],
    "pickle": lambda L, m, s: told(lambda: pickle.dumps(s))[0],
    "copy": lambda L, m, s: copy.deepcopy(s).fc.weight is m.fc.weight,
    "again": lambda L, m, s: (L.jit.script(s) is s, type(L.jit.trace(s, L.ones(1, 3))).__name__.endswith("Module")),
    "frozen": lambda L, m, s: (len([*L.jit.freeze(s).parameters()]), hasattr(L.jit.freeze(s), "n")),
    "preserved": lambda L, m, s: L.jit.freeze(s, ["n", "twice"]).n,
    "not preserved": lambda L, m, s: told(lambda: L.jit.freeze(s, ["zzz"])),
    "training": lambda L, m, s: told(lambda: L.jit.freeze(s.train())),
    "not scripted": lambda L, m, s: told(lambda: L.jit.freeze(m)),
    "optimized": lambda L, m, s: [*L.jit.optimize_for_inference(s).parameters()],
    "loaded": lambda L, m, s: (repr(loaded(L, s)), [*loaded(L, s).state_dict()], loaded(L, s).training),
    "loaded twice": lambda L, m, s: loaded(L, loaded(L, s)).twice(L.ones(2)).tolist(),
    "number": lambda L, m, s: told(lambda: L.jit.script(3)),
    "module class": lambda L, m, s: told(lambda: L.jit.script(L.nn.Module))[0],
}


@pytest.mark.parametrize("observe", OBSERVED.values(), ids=OBSERVED)
def test_script_programs_equal_pytorchs(observe):
    ends = []
    for L in (torch, torchlike):
        module = net(L)
        ends.append(observe(L, module, L.jit.script(module)))
    assert ends[0] == ends[1]


def test_gradients_of_a_loaded_script():
    ends = []
    for L in (torch, torchlike):
        made = loaded(L, L.jit.script(net(L)))
        (made(L.ones(1, 3)).sum() + made(-L.ones(1, 3)).sum()).backward()
        ends.append([p.grad.tolist() for p in made.parameters()])
    assert ends[0] == ends[1]


def test_a_frozen_module_shares_its_weights():
    for L in (torch, torchlike):
        module, x = net(L), L.ones(1, 3)
        for made in (L.jit.script(module), L.jit.trace(module, x)):
            frozen = L.jit.freeze(made)
            assert frozen(x).tolist() == made(x).tolist() and not frozen(x).requires_grad
            with L.no_grad():
                module.fc.weight.add_(1.0)
            assert frozen(x).tolist() == made(x).tolist() == loaded(L, frozen)(x).tolist()


def test_functions():
    def first(x, n: int = 2):
        return x * n

    ends = []
    for L in (torch, torchlike):
        made = L.jit.script(first)
        ends.append((made.name, str(made.schema), isinstance(made, L.jit.ScriptFunction), L.jit.script(made) is made))
    assert ends[0] == ends[1]
    assert torchlike.jit.script(first).code == "def first(x, n=None):\n    return x * n\n"


def test_script_methods():
    def made(L):
        class Net(L.jit.ScriptModule):
            def __init__(self):
                super().__init__()
                self.w, self.k = L.nn.Parameter(L.ones(3)), 2

            @L.jit.script_method
            def forward(self, x):
                if bool(x.sum() > 0):
                    return self.w * x * self.k
                return self.w

        return Net()

    ends = [
        [each(s * L.ones(3)).tolist() for each in (made(L), loaded(L, made(L))) for s in (1, -1)]
        for L in (torch, torchlike)
    ]
    assert ends[0] == ends[1]


def test_script_classes():
    def made(L):
        class Counter:
            def __init__(self, n: int):
                self.n = n

            def add(self, m: int) -> int:
                self.n += m
                return self.n

        if L is torch:
            Counter = L.jit.script(Counter)

        def count(n: int):
            counter = Counter(n)
            counter.add(3)
            return counter.n

        return L.jit.script(count)

    ends = [[each(4) for each in (made(L), loaded(L, made(L)))] for L in (torchlike,)]
    assert ends == [[7, 7]]


def test_the_line_is_shown():
    def bad(x):
        y = x + 1
        return y.unknown()

    texts = []
    for L in (torch, torchlike):
        with pytest.raises(RuntimeError) as caught:
            L.jit.script(bad)
        texts.append(str(caught.value).strip().replace("'Tensor (inferred)'", "'Tensor'"))
    assert texts[0] == texts[1] and "~~~~~~~~~ <--- HERE" in texts[0]


def test_a_script_inside_a_trace_keeps_its_control_flow():
    def choose(x):
        if bool(x.sum() > 0):
            return x
        return -x

    for L in (torch, torchlike):
        scripted = L.jit.script(choose)
        traced = L.jit.trace(lambda x, scripted=scripted: scripted(x) * 2, L.ones(2))
        assert traced(-L.ones(3)).tolist() == [2.0] * 3


def test_trace_module():
    for L in (torch, torchlike):
        traced = L.jit.trace_module(net(L), {"forward": L.ones(1, 3)})
        assert traced(L.ones(4, 3)).shape == (4, 2) and repr(traced.fc).startswith(("RecursiveScript", "Linear"))


def test_a_check_with_other_results_raises():
    for L in (torch, torchlike):
        f = lambda x: x * 2 if x.sum() > 0 else x
        with pytest.raises(L.jit.TracingCheckError, match="Graphs differed across invocations"):
            L.jit.trace(f, L.ones(2), check_inputs=[(-L.ones(2),)])
        L.jit.trace(f, L.ones(2), check_inputs=[(L.ones(3),)])


def test_random_numbers_are_reported_by_the_check():
    for L in (torch, torchlike):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            L.jit.trace(lambda x: x * x.clone().uniform_(), L.ones(3))
        texts = [str(w.message) for w in seen if w.category is L.jit.TracerWarning]
        assert [text.split(".")[0] for text in texts] == ["Trace had nondeterministic nodes", "Output nr 1"]


# -- hostile files -----------------------------------------------------------------------------------------------------


def forged(change):
    """Return a file of a scripted function whose description was changed."""

    def f(x):
        return x.abs()

    file, made = io.BytesIO(), io.BytesIO()
    torchlike.jit.save(torchlike.jit.script(f), file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "script.json":
                document = json.loads(content)
                change(document)
                content = json.dumps(document)
            new.writestr(name, content)
    made.seek(0)
    return made


def _body(text, **names):
    def change(document):
        document["functions"][0]["source"] = f"def f(x):\n    {text}"
        document["functions"][0]["names"].update(names)

    return change


def _with_attribute(text, name):
    """Return a change that also declares an attribute of this name, so that the file names it."""

    def change(document):
        _body(text)(document)
        document["tuples"].append({"name": "T", "fields": [name], "defaults": {}})

    return change


HOSTILE = {
    "frame": _with_attribute("return (y for y in x).gi_frame", "gi_frame"),
    "generator": _body("return sum(y for y in x)", sum={"builtin": "sum"}),
    "memory": _with_attribute("return x._value", "_value"),
    "storage": _with_attribute("return x._storage", "_storage"),
    "dump": _with_attribute("return x.dump('a')", "dump"),
    "traceback": _with_attribute("return x.tb_frame", "tb_frame"),
    "import": _body("import os"),
    "dunder attribute": _body("return x.__class__"),
    "private attribute": _body("return [x][0]._storage"),
    "lambda": _body("return (lambda: x)()"),
    "inner function": _body("def g(): return x"),
    "class": _body("class A: pass"),
    "numpy": _body("return x.numpy().tofile('a')"),
    "register_hook": _body("return x.register_hook(x)"),
    "format": _body("return '{0.__class__}'.format(x)"),
    "format of a name": _body("y = '{0.real}'\n    return y.format(x)"),
    "getattr": _body("return getattr(x, '__class__')", getattr={"builtin": "getattr"}),
    "computed getattr": _body("return getattr(x, '__' + 'class__')", getattr={"builtin": "getattr"}),
    "renamed getattr": _body("return g(x, '__' + 'class__')", g={"builtin": "getattr"}),
    "getattr as a value": _body("return [getattr][0](x, '__class__')", getattr={"builtin": "getattr"}),
    "eval": _body("return e('1')", e={"builtin": "eval"}),
    "load": _body("return load('a')", load={"library": "torch.load"}),
    "save": _body("return save(x, 'a')", save={"library": "torch.save"}),
    "hub": _body("return h('a')", h={"library": "torch.hub.load"}),
    "os": _body("return s('a')", s={"library": "os.system"}),
    "module": _body("return m", m={"library": "math"}),
    "dunder name": _body("return __builtins__"),
    "second statement": lambda d: d["functions"][0].update(source="def f(x):\n    return x\nprint(1)"),
    "default": lambda d: d["functions"][0].update(source="def f(x=print(1)):\n    return x"),
    "decorator": lambda d: d["functions"][0].update(source="@print\ndef f(x):\n    return x"),
    "kind": lambda d: d.update(root={"pickle": "x"}),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused(change, capsys):
    with pytest.raises(RuntimeError, match="damaged"):
        torchlike.jit.load(forged(change))
    assert capsys.readouterr().out == ""


def test_functions_of_saved_scripts_are_public():
    spaces = ["torch", *_allowed._SPACES]
    found = [(space, name) for space in spaces for name in dir(_allowed._module(space)) if _is_allowed(space, name)]
    theirs = {space: eval(space) for space in spaces}
    known = [each for each in found if hasattr(theirs[each[0]], each[1]) or hasattr(torch.Tensor, each[1])]
    assert known == found
    assert not {"load", "save", "compile", "from_file", "hub"} & {name for _, name in found}


def _is_allowed(space, name):
    try:
        return _allowed.library(f"{space}.{name}") is not None
    except ValueError:
        return False


def test_a_forged_file_without_change_is_loaded():
    made = torchlike.jit.load(forged(lambda document: None))
    assert made(-torchlike.ones(2)).tolist() == [1.0, 1.0]


def test_the_source_of_a_library_module_is_refused_by_name():
    with pytest.raises(NotImplementedError, match=r"ScriptModule\.code of Linear"):
        print(torchlike.jit.script(torchlike.nn.Linear(3, 2)).code)
