"""The public names of `nn`, `optim`, `utils.data` and `amp` document every argument and have an example.

A name that a namespace re-exports from another package is documented there.
"""

import importlib
import inspect
import re
from pathlib import Path

import pytest

NAMESPACES = (
    "nn",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "nn.utils.rnn",
    "nn.utils.parametrize",
    "nn.utils.parametrizations",
    "nn.utils.prune",
    "optim",
    "optim.lr_scheduler",
    "optim.swa_utils",
    "utils.data",
    "amp",
)
# Names that the modules import for their own use. They are no part of these namespaces in PyTorch.
IMPORTED = {
    "Average",
    "AverageLists",
    "Optimizer",
    "Pooled",
    "Size",
    "Tensor",
    "as_matrix",
    "current",
    "host_arrays",
    "multi_tensor_update",
    "norm_except_dim",
    "of_array",
    "power_iterations",
    "spectral_dim",
    "warn",
}
# Abstract classes, which have no example of their own.
ABSTRACT = {"torchlike.utils.data.Sampler"}


def public() -> dict[str, object]:
    """Return the public classes and functions of the namespaces, each under its first name."""
    found: dict[str, object] = {}
    seen: set[int] = set()
    for namespace in NAMESPACES:
        module = importlib.import_module(f"torchlike.{namespace}")
        for name, value in sorted(vars(module).items()):
            ours = (getattr(value, "__module__", None) or "").startswith("torchlike")
            known = name.startswith("_") or (name in IMPORTED and namespace != "optim") or name in ("current", "warn")
            if callable(value) and not inspect.ismodule(value) and ours and not known and id(value) not in seen:
                seen.add(id(value))
                found[f"torchlike.{namespace}.{name}"] = value
    return found


PUBLIC = public()


def arguments_of(text: str) -> set[str]:
    """Return the names that the entries of the section "Args:" document."""
    section = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)
    entries = re.findall(r"^  (\*{0,2}\w+(?:, \*{0,2}\w+)*):", section[1], re.MULTILINE) if section else []
    return {name.lstrip("*") for entry in entries for name in entry.split(", ")}


def missing(name: str) -> list[str]:
    """Return what the documentation of a public name lacks: arguments, or an example."""
    value = PUBLIC[name]
    text = inspect.cleandoc(value.__doc__ or "")
    if not text:
        return ["a docstring"]
    given = [p for p in inspect.signature(value).parameters if p != "self"]
    lacks = [p for p in given if p not in arguments_of(text)]
    return lacks + (["an example"] if ">>>" not in text and name not in ABSTRACT else [])


def test_the_namespaces_are_not_empty():
    assert len(PUBLIC) > 400
    assert {n for n in ABSTRACT if n not in PUBLIC} == set()


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_documents_its_arguments(name):
    assert missing(name) == []
