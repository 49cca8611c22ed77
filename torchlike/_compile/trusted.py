"""Whose code is taken to do only what it says: libraries without state that a step could read or write unseen."""

from __future__ import annotations

import sys

LIBRARIES = frozenset(("torchlike", "torch", "numpy", "jax", "jaxlib", "optax", "einops", "opt_einsum", "ml_dtypes"))
# Of the standard library, what computes. The others keep time, files, processes or state of their own.
COMPUTING = frozenset((
    "_abc", "_bisect", "_collections", "_collections_abc", "_functools", "_heapq", "_operator", "_thread",
    "_typing", "_warnings", "_weakref", "_weakrefset", "abc", "ast", "bisect", "builtins", "cmath", "collections",
    "contextlib", "copy", "copyreg", "dataclasses", "decimal", "dis", "enum", "fractions", "functools", "graphlib",
    "heapq", "importlib", "inspect", "itertools", "keyword", "linecache", "math", "numbers", "opcode", "operator",
    "re", "reprlib", "sre_compile", "statistics", "string", "textwrap", "threading", "tokenize", "types", "typing",
    "typing_extensions", "warnings", "weakref",
))  # fmt: skip


def root_of(module: str | None) -> str:
    """The package that a module belongs to."""
    return (module or "").partition(".")[0]


def is_trusted(module: str | None) -> bool:
    """Whether code of this module keeps nothing that has to be followed."""
    root = root_of(module)
    return root in LIBRARIES or root in sys.stdlib_module_names or root == "" or root.startswith("namedtuple_")


def computes(module: str | None) -> bool:
    """Whether calling into this module does nothing but compute."""
    root = root_of(module)
    return root in LIBRARIES or root in COMPUTING
