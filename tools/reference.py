"""The public names of each page of the API reference, and the reStructuredText that documents them.

docs/conf.py uses this module. It needs no Sphinx, so that the tests can check which names the reference has.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

# The namespaces, each with those that are documented on its page as well.
PAGES: dict[str, tuple[str, ...]] = {
    "torchlike": (),
    "torchlike.Tensor": (),
    "torchlike.nn": ("torchlike.nn.parameter", "torchlike.nn.parallel", "torchlike.nn.attention"),
    "torchlike.nn.functional": (),
    "torchlike.nn.init": (),
    "torchlike.nn.utils": (
        "torchlike.nn.utils.rnn",
        "torchlike.nn.utils.parametrize",
        "torchlike.nn.utils.parametrizations",
        "torchlike.nn.utils.prune",
    ),
    "torchlike.optim": ("torchlike.optim.swa_utils",),
    "torchlike.optim.lr_scheduler": (),
    "torchlike.utils.data": ("torchlike.utils.data.distributed",),
    "torchlike.linalg": (),
    "torchlike.fft": (),
    "torchlike.special": (),
    "torchlike.sparse": (),
    "torchlike.nested": (),
    "torchlike.amp": (),
    "torchlike.autograd": (
        "torchlike.autograd.functional",
        "torchlike.autograd.forward_ad",
        "torchlike.autograd.graph",
    ),
    "torchlike.func": (),
    "torchlike.export": ("torchlike.export.graph_signature",),
    "torchlike.onnx": ("torchlike.onnx.testing", "torchlike.onnx.verification", "torchlike.onnx.errors"),
    "torchlike.distributions": (),
    "torchlike.distributed": (
        "torchlike.distributed.tensor",
        "torchlike.distributed.fsdp",
        "torchlike.distributed.checkpoint",
    ),
    "torchlike.jax": (),
    "torchlike.aot": (),
    "torchlike.compiler": (),
    "torchlike.cuda": ("torchlike.accelerator",),
    "torchlike.utils": ("torchlike.utils.checkpoint", "torchlike.serialization", "torchlike.random"),
}


# Names that modules import for their own code. tests/house/test_site.py finds them: PyTorch does not have them.
INTERNAL = (
    *("PyTorchFileReader", "Preserved", "adopt", "as_matrix", "host_arrays", "multi_tensor_update", "norm_except_dim"),
    *("of_array", "power_iterations", "spectral_dim", "warn"),
)
CLASSES = ("autoclass", "autoexception")


class Name(NamedTuple):
    """A documented name: its namespace, the name in it, and the autodoc directive that documents it."""

    space: str
    name: str
    directive: str

    @property
    def path(self) -> str:
        return f"{self.space}.{self.name}"


def find(space: str) -> Any:
    """Return the module or class with a dotted name."""
    try:
        return importlib.import_module(space)
    except ModuleNotFoundError:
        outer, _, name = space.rpartition(".")
        return getattr(find(outer), name)


def names(space: str) -> list[Name]:
    """Return the documented names of a namespace, in alphabetical order without regard to case."""
    owner = find(space)
    directive, get = (_of_class, inspect.getattr_static) if isinstance(owner, type) else (_of_module, getattr)
    every = getattr(owner, "__all__", None) or dir(owner)
    public = [name for name in every if not name.startswith("_")]
    listed = [Name(space, name, directive(space, get(owner, name))) for name in public]
    return sorted((each for each in listed if each.directive), key=lambda each: (each.name.lower(), each.name))


def _of_class(space: str, value: Any) -> str:
    if isinstance(value, property):
        return "autoproperty"
    return "automethod" if isinstance(value, (types.FunctionType, classmethod, staticmethod)) else ""


def _of_module(space: str, value: Any) -> str:
    """Return the directive for a name of a module, or an empty string for a name that only its code uses."""
    home = str(getattr(value, "__module__", ""))
    is_class = isinstance(value, type)
    if not is_class and not isinstance(value, types.FunctionType):
        return ""
    # A class of another public module has its entry there. Functions of `torchlike` exist in several namespaces.
    own = f"{home}.".startswith((f"{space}.", "torchlike._")) or (home == "torchlike" and not is_class)
    own = own or home.startswith(f"{space.rpartition('.')[0]}._")
    if not own or value.__name__ in INTERNAL:
        return ""
    if is_class:
        return "autoexception" if issubclass(value, BaseException) else "autoclass"
    return "autofunction"


@functools.cache
def _entries() -> dict[int, str]:
    """Return the path under which each class has its one entry, preferably not on the page of `torchlike`."""
    spaces = [space for page, more in PAGES.items() for space in (page, *more)]
    found: dict[int, str] = {}
    for space in (*spaces[1:], spaces[0]):
        for each in names(space):
            if each.directive in CLASSES:
                found.setdefault(id(getattr(find(space), each.name)), each.path)
    return found


def text(page: str) -> str:
    """Return the reStructuredText of a page: for each namespace a table of summaries and an entry for each name."""
    return "\n".join(line for space in (page, *PAGES[page]) for line in _lines(space, space != page))


def _lines(space: str, has_heading: bool) -> Iterator[str]:
    listed = names(space)
    if has_heading:
        yield from (space, "-" * len(space), "")
    entries = {each.path: _path_of_entry(each) for each in listed}
    yield from (".. autosummary::", "   :nosignatures:", "", *(f"   ~{path}" for path in entries.values()), "")
    for each in listed:
        if entries[each.path] == each.path:
            yield f".. {each.directive}:: {each.path}"
            if each.directive == "autoclass" and each.path != "torchlike.Tensor":
                yield from ("   :members:", "   :member-order: bysource")
            yield ""


def _path_of_entry(name: Name) -> str:
    return _entries()[id(getattr(find(name.space), name.name))] if name.directive in CLASSES else name.path


_CODE = re.compile(r"(:[a-z]+:`[^`]+`|``.+?``|`[^`]+`)", re.DOTALL)
_MARKUP = re.compile(r"([\\*|]|(?<=\w)_\b)")


def as_rst(lines: list[str]) -> list[str]:
    """Return a docstring as reStructuredText. Outside of code, `*`, `|` and `name_` mean themselves.

    Examples, directives such as `.. math::` with their bodies, and roles such as :math:`x` stay as they are.
    """
    made: list[str] = []
    directive = None  # the indentation of the directive whose body the next paragraph may be
    for paragraph in re.split(r"(\n\s*\n)", "\n".join(lines)):
        words = paragraph.strip("\n")
        indent = len(words) - len(words.lstrip())
        if words.strip():
            is_body = directive is not None and indent > directive
            directive = indent if words.lstrip().startswith(".. ") else directive if is_body else None
        kept = directive is not None or words.lstrip().startswith(">>>")
        made.append(paragraph if kept else _escaped(paragraph))
    return "".join(made).split("\n")


def _escaped(paragraph: str) -> str:
    parts = _CODE.split(paragraph)
    for n, part in enumerate(parts):
        if n % 2 == 0:
            parts[n] = _MARKUP.sub(r"\\\1", part)
        elif not part.startswith(":"):  # a literal ends where no letter follows
            parts[n] = f"``{part.strip('`')}``" + ("\\ " if re.match(r"\w", parts[n + 1]) else "")
    return "".join(parts)
