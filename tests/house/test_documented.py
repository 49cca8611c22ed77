"""Tests that the docstrings of public functions, methods and classes describe every argument, and that examples run."""

import doctest
import enum
import importlib
import inspect
import re
import sys
from types import ModuleType

import pytest

import torchlike
from torchlike._ops import REGISTRY

MODULES = (
    "",
    "accelerator",
    "ao.nn.quantized",
    "ao.quantization",
    "autograd",
    "backends.cuda",
    "compiler",
    "cuda",
    "distributed",
    "distributed.checkpoint",
    "distributed.fsdp",
    "distributed.tensor",
    "distributions",
    "export",
    "fft",
    "func",
    "fx",
    "hub",
    "jit",
    "library",
    "linalg",
    "multiprocessing",
    "nn.utils.parametrizations",
    "nn.utils.rnn",
    "onnx",
    "optim.swa_utils",
    "profiler",
    "random",
    "sparse",
    "special",
    "testing",
    "utils",
    "utils.checkpoint",
)
SECTION = re.compile(r"^Args:\n((?:(?:  .*)?\n?)*)", re.M)
ENTRY = re.compile(r"^  ([*\w]+(?:, [*\w]+)*)(?: \([^\n]*?\))?: ?\S", re.M)


def _public():
    found = {f"Tensor.{name}": inspect.getattr_static(torchlike.Tensor, name) for name in dir(torchlike.Tensor)}
    for module in MODULES:
        place = importlib.import_module(f"torchlike.{module}".rstrip("."))
        found |= {f"{module or 'torch'}.{name}": getattr(place, name) for name in dir(place) if name[0] != "_"}
    found = {name: getattr(each, "__func__", each) for name, each in found.items()}
    return {name: each for name, each in found.items() if _is_documentable(name, each)}


def _is_documentable(name, found):
    if name.partition(".")[2].startswith("_") or isinstance(found, ModuleType) or not callable(found):
        return False
    is_plain = isinstance(found, type) and issubclass(found, BaseException | enum.Enum)
    return not is_plain and str(getattr(found, "__module__", "torchlike")).startswith("torchlike")


def _example(text):
    """Return the lines of a docstring from the first example on."""
    text = inspect.cleandoc(text or "")
    return text[text.index(">>>") :] if ">>>" in text else ""


def _run_elsewhere():
    """Return the examples that other tests run: those of operators, and those that pytest finds in their modules."""
    texts = [op.doc for op in REGISTRY.values()]
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "torchlike":
            found = [each for each in vars(module).values() if getattr(each, "__globals__", None) is vars(module)]
            found += [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == name]
            texts += [each.__doc__ for each in found]
    return set(map(_example, texts))


PUBLIC = _public()
EXAMPLES = {text: name for name, found in PUBLIC.items() if (text := _example(found.__doc__))}


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_argument_is_documented(name):
    assert not _undocumented(PUBLIC[name])


@pytest.mark.parametrize("name", sorted(EXAMPLES[text] for text in EXAMPLES.keys() - _run_elsewhere()))
def test_an_example_runs(name):
    found = PUBLIC[name]
    names = {"torchlike": torchlike, found.__name__: found}
    example = doctest.DocTestParser().get_doctest(inspect.cleandoc(found.__doc__), names, name, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)


def _undocumented(found):
    doc = inspect.cleandoc(found.__doc__ or "")
    if not doc:
        return ["a docstring"]
    section = SECTION.search(doc)
    named = set() if section is None else {n.strip("*") for each in ENTRY.findall(section[1]) for n in each.split(", ")}
    return [name for name in inspect.signature(found).parameters if not _is_plain(name) and name not in named]


def _is_plain(name):
    """Return whether a parameter needs no entry."""
    return name in ("self", "cls") or name.startswith("_")
