"""The public names of `nn`, `optim`, `utils.data` and `amp` document every argument and have an example that runs.

A name that a namespace imports for its own use is documented where it belongs.
"""

import doctest
import enum
import importlib
import inspect
import re
import sys
import typing
from typing import Any

import pytest

import torchlike
from torchlike._ops import REGISTRY

NAMESPACES = (
    "nn",
    "nn.functional",
    "nn.attention",
    "nn.attention.bias",
    "nn.attention.flex_attention",
    "nn.grad",
    "nn.init",
    "nn.modules.lazy",
    "nn.modules.module",
    "nn.modules.utils",
    "nn.parallel",
    "nn.utils",
    "nn.utils.rnn",
    "nn.utils.parametrize",
    "nn.utils.memory_format",
    "nn.utils.parametrizations",
    "nn.utils.prune",
    "nn.utils.stateless",
    "optim",
    "optim.lr_scheduler",
    "optim.swa_utils",
    "utils.data",
    "amp",
)
# Functions of the library that these modules import for their own use.
IMPORTED = {
    "MemoryFormat",
    "Tensor",
    "as_matrix",
    "current",
    "grad",
    "host_arrays",
    "multi_tensor_update",
    "norm_except_dim",
    "of_array",
    "power_iterations",
    "spectral_dim",
    "warn",
}
# Classes that forward their arguments, and the arguments of `RNNBase` that they do not forward.
FORWARDING = {
    "torchlike.nn.RNN": {"mode", "proj_size"},
    "torchlike.nn.LSTM": {"mode"},
    "torchlike.nn.GRU": {"mode", "proj_size"},
}
# An example would need several processes, or set a flag of the process.
WITHOUT_EXAMPLE = {
    "torchlike.nn.modules.module.register_module_backward_hook",
    "torchlike.nn.modules.module.register_module_full_backward_hook",
    "torchlike.nn.parallel.DistributedDataParallel",
}
# Methods whose arguments their class documents.
WITHOUT_ARGUMENTS = {"forward", "rule"}


def public() -> dict[str, object]:
    """Return the public classes and functions of the namespaces, each under its first name."""
    found: dict[str, object] = {}
    seen: set[int] = set()
    for namespace in NAMESPACES:
        module = importlib.import_module(f"torchlike.{namespace}")
        offered = {name: getattr(module, name) for name in getattr(module, "__all__", vars(module))}
        for name, value in sorted(offered.items()):
            ours = callable(value) and str(getattr(value, "__module__", None)).startswith("torchlike")
            if ours and not name.startswith("_") and name not in IMPORTED and id(value) not in seen:
                seen.add(id(value))
                found[f"torchlike.{namespace}.{name}"] = value
    return found


PUBLIC = public()


def parameters(name: str) -> set[str]:
    """Return the names of the arguments, with the stars of `*args` and `**kwargs`."""
    value: Any = PUBLIC[name]
    if inspect.isclass(value) and value.__init__ is torchlike.nn.Module.__init__ and value is not torchlike.nn.Module:
        return set()  # a layer without arguments
    if typing.is_typeddict(value) or (inspect.isclass(value) and issubclass(value, enum.Enum)):
        return set()
    given = inspect.signature(torchlike.nn.RNNBase if name in FORWARDING else value).parameters.values()
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return {stars.get(p.kind, "") + p.name for p in given} - FORWARDING.get(name, set())


def documented(text: str) -> set[str]:
    """Return the arguments that the entries of the section "Args:" document."""
    section = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)
    entries = re.findall(r"^  ([*\w]+(?:, [*\w]+)*)(?: \([^\n]*?\))?: ", section[1], re.MULTILINE) if section else []
    return {name for entry in entries for name in entry.split(", ")}


def methods() -> dict[str, Any]:
    """Return the public methods that the public classes and their bases define, except those of `Tensor`."""
    bases = {base for value in PUBLIC.values() if inspect.isclass(value) for base in value.__mro__}
    found = {}
    for base in bases - set(torchlike.Tensor.__mro__):
        for name, value in vars(base).items():
            method = value.__func__ if isinstance(value, classmethod) else value
            ours = inspect.isfunction(method) and method.__module__.startswith("torchlike")
            if ours and not name.startswith("_") and name not in WITHOUT_ARGUMENTS:
                found[f"{base.__module__}.{base.__qualname__}.{name}"] = method
    return found


def docstring(name: str) -> str:
    return inspect.cleandoc(PUBLIC[name].__doc__ or "")


def collected() -> set[str]:
    """Return the docstrings whose examples run: those that pytest collects, and those of the operators."""
    modules = {getattr(value, "__module__", "") for value in PUBLIC.values()}
    finder = doctest.DocTestFinder(recurse=True)
    found = [test.docstring for name in modules for test in finder.find(sys.modules[name])]
    return {inspect.cleandoc(text) for text in [*found, *(op.doc for op in REGISTRY.values())]}


def test_the_namespaces_have_names():
    assert len(PUBLIC) > 400
    assert set(FORWARDING) <= set(PUBLIC)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_documents_its_arguments_and_has_an_example(name):
    text = docstring(name)
    assert sorted(parameters(name) - documented(text)) == [], "arguments without documentation"
    more = {"nonlinearity"} if name == "torchlike.nn.RNN" else set()
    assert sorted(documented(text) - parameters(name) - more) == [], "documentation of arguments that do not exist"
    assert ">>>" in text or name in WITHOUT_EXAMPLE, "no example"


def test_the_methods_document_their_arguments():
    lacking = {}
    for name, method in methods().items():
        given = {p.name for p in list(inspect.signature(method).parameters.values())[1:]} - {"args", "kwargs"}
        told = {argument.lstrip("*") for argument in documented(inspect.getdoc(method) or "")}
        if given - told or not inspect.getdoc(method):
            lacking[name] = sorted(given - told)
    assert lacking == {}


def test_the_examples_run():
    known = collected()
    assert [name for name in PUBLIC if ">>>" in docstring(name) and docstring(name) not in known] == []
