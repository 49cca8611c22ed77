"""`torchlike.install()` and `%load_ext torchlike`: `import torch` in a process that Python itself has started."""

import importlib.util
import sys
import textwrap

import pytest

from tests.api.entered import PYTHON, ended
from torchlike.__main__ import main
from torchlike._api import jupyter

# A library that imports torch, and loads C++ extensions of PyTorch as torchvision does.
LIBRARY = """
import importlib.metadata
import torch
from torch import nn

version = importlib.metadata.version("torch")
try:
    torch.ops.load_library("extension.so")
    extension = True
except (ImportError, OSError):
    extension = False

class Layer(nn.Linear):
    pass
"""
CHILDREN = """
import multiprocessing
import torchlike
torchlike.install()
import torch

def work(pipe):
    import torch
    pipe.send((torch.__name__, torch.ones(2).sum().item()))

if __name__ == "__main__":
    for method in ("spawn", "forkserver", "fork"):
        context = multiprocessing.get_context(method)
        ours, theirs = context.Pipe()
        child = context.Process(target=work, args=(theirs,))
        child.start()
        print(method, ours.recv())
        child.join()
"""


@pytest.fixture
def said(tmp_path):
    """Return a function that runs a program by Python, next to a library that imports torch, and returns its output."""
    (tmp_path / "library.py").write_text(LIBRARY)

    def run(source, status=0):
        (tmp_path / "program.py").write_text(textwrap.dedent(source))
        found = ended([*PYTHON, "program.py"], tmp_path)
        assert found.status == status, found.stderr
        return found.stdout + found.stderr

    return run


def test_torch_is_torchlike_from_then_on(said):
    found = said("""
        import torchlike
        print(torchlike.install(), torchlike.install())
        import torch, library, torch.nn.functional as F
        import sys
        print(torch is torchlike, library.torch is torch, F is torchlike.nn.functional)
        print(library.version == torch.__version__, library.extension, library.Layer(1, 2), type(torch.ones(1)))
        print(sum("TorchFinder" in type(finder).__name__ for finder in sys.meta_path))
    """)
    assert found.splitlines() == [
        "None None",
        "True True True",
        "True False Layer(in_features=1, out_features=2, bias=True) <class 'torch.Tensor'>",
        "1",
    ]


def test_processes_that_multiprocessing_starts(said):
    assert said(CHILDREN).splitlines() == [f"{method} ('torch', 2.0)" for method in ("spawn", "forkserver", "fork")]


def test_the_fork_server_does_not_import_the_program(said):
    """From Python 3.13 on, the server would import it before a child installs the hook."""
    found = said("""
        import torchlike, multiprocessing.spawn
        torchlike.install()
        data = [multiprocessing.spawn.get_preparation_data(name) for name in ("ignore", "Process-1")]
        print(["init_main_from_path" in each for each in data])
    """)
    assert found == "[False, True]\n"


@pytest.mark.parametrize("imported", ["before", "after"])
def test_processes_that_loky_starts(said, tmp_path, imported):
    """loky, which joblib uses by default, prepares new processes in a module of its own."""
    folder = tmp_path / "loky" / "backend"
    folder.mkdir(parents=True)
    source = "def get_preparation_data(name, init_main_module=True):\n    return {'main': init_main_module}\n"
    (folder / "spawn.py").write_text(source)
    statements = ["import torchlike; torchlike.install()", "import loky.backend.spawn"]
    found = said(
        "\n".join(statements if imported == "after" else statements[::-1])
        + """
from multiprocessing.reduction import ForkingPickler
data = loky.backend.spawn.get_preparation_data("LokyProcess-1", False)
print(data["main"], sorted(data), ForkingPickler.dumps(data) is not None)
"""
    )
    assert found == "False ['import_hook', 'main'] True\n"


def test_pytorch_that_is_already_imported(said):
    found = said("import torch, torchlike\ntorchlike.install()", status=1).splitlines()[-1]
    assert found.startswith("ImportError: PyTorch is already imported in this process")
    assert "restart the kernel" in found and "before the first import of torch" in found


def test_the_extension_of_ipython(said):
    found = said("""
        import importlib, sys
        extension = importlib.import_module("torchlike")
        print("IPython" in sys.modules, hasattr(extension, "unload_ipython_extension"))
        print(extension.load_ipython_extension(None))
        import torch
        a = torch.ones(2)
        importlib.reload(extension)  # as %reload_ext does
        extension.load_ipython_extension(None)
        print(torch is extension, isinstance(a, torch.Tensor), a + torch.ones(2), torch.__name__)
    """)
    assert found == "False False\nNone\nTrue True tensor([2., 2.]) torch\n"


def test_completion_finds_what_is_imported_later(said):
    found = said("""
        import torchlike, rlcompleter
        complete = rlcompleter.Completer({"torch": torchlike}).complete
        print([complete("torch." + name, 0) for name in ("optim", "save", "compile", "vma")])
    """)
    assert found == "['torch.optim', 'torch.save(', 'torch.compile(', 'torch.vmap(']\n"


def test_a_kernel_requires_ipykernel(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as stopped:
        main(["--install-kernel"])
    assert stopped.value.code == 1
    assert f"requires ipykernel; install it with: {sys.executable} -m pip install ipykernel" in capsys.readouterr().err


def test_the_kernel_is_ipykernel_under_torchlike():
    found = jupyter.specification("PyTorch programs", "data=2")
    assert found["display_name"] == "PyTorch programs"
    assert found["argv"][:4] == [sys.executable, "-m", "torchlike", "--mesh"]
    assert found["argv"][4:] == ["data=2", "-m", "ipykernel_launcher", "-f", "{connection_file}"]


@pytest.mark.parametrize(
    "options, status, sentence",
    [
        (["--mesh", "data=x"], 1, "must be a positive number"),
        (["--user", "--prefix", "x"], 2, "not allowed with argument --user"),
        (["more"], 2, "unrecognized arguments: more"),
    ],
)
def test_wrong_options_of_the_kernel(options, status, sentence, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--install-kernel", *options])
    assert stopped.value.code == status
    assert sentence in capsys.readouterr().err
