"""Write the typing stubs of the names that exist only at run time: `python -m tools.make_stubs`.

Operators are declared by schemas, and the methods of Tensor are made from them at import. Type checkers and
editors read the stubs instead.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torchlike
from torchlike._api import names
from torchlike._ops import REGISTRY

PACKAGE = Path(torchlike.__file__).parent

# The types that the stubs show for the annotations of a schema. Builtins have aliases such as `_float`, because `bool`,
# `float` and `int` are also methods and dtypes.
OF_ROWS = {
    "Array": "_Tensor",
    "Operand": "_Tensor | _Number",
    "Scalar": "_Number",
    "Real": "_float",
    "Arrays": "_Sequence[_Tensor]",
    "Index": "_int",
    "Ints": "_int | _Sequence[_int]",
}
BUILTINS = ("bool", "int", "float", "complex", "str", "tuple", "list", "dict", "object", "None")
KNOWN = {
    **OF_ROWS,
    **{name: f"_{name}" for name in BUILTINS[:-1]},
    "None": "None",
    "Any": "_Any",
    "Tensor": "_Tensor",
    "Sequence": "_Sequence",
    "Number": "_Number",
    "Callable": "_Callable",
    "Dtype": "_dtype",
    "dtype": "_dtype",
}
HEAD = """# Made by `python -m tools.make_stubs`; tests/house/test_stubs.py keeps it fresh.
import builtins as _builtins
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any

from torchlike._dtypes import dtype as _dtype
from torchlike._tensor.tensor import Tensor as _Tensor
"""
HEAD += "".join(f"\n_{name} = _builtins.{name}" for name in BUILTINS[:-1])
HEAD += "\n_Number = _bool | _int | _float | _complex\n"


def stubs() -> dict[Path, str]:
    """Return every stub file and its contents."""
    made = {
        PACKAGE / "_methods.pyi": HEAD + "\n" + methods(),
        PACKAGE / "__init__.pyi": front(),
        PACKAGE / "_composite" / "functional" / "rows.pyi": HEAD + names_of("torchlike._composite.functional.rows"),
    }
    for module in ("fft", "linalg", "special"):
        made[PACKAGE / f"{module}.pyi"] = HEAD + names_of(f"torchlike.{module}")
    return {path: _formatted(text) for path, text in made.items()}


def _formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "stub.pyi", "-"]
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


# -- files -------------------------------------------------------------------------------------------------------------


def methods() -> str:
    """Return a class with the methods that are added to Tensor at import.

    For type checkers, Tensor inherits from this class.
    """
    written = next(
        node
        for node in ast.parse(_source("_tensor/tensor.py")).body
        if isinstance(node, ast.ClassDef) and node.name == "Tensor"
    )
    by_hand = {name for node in written.body for name in _defined(node)} | set(vars(object))
    by_hand -= {f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge")}
    made = [
        (name, each)
        for name, each in sorted(vars(torchlike.Tensor).items())
        if name not in by_hand and (not name.startswith("_") or name.startswith("__"))
    ]
    return "class Methods:\n" + textwrap.indent("".join(_member(name, each) for name, each in made), "    ")


def front() -> str:
    """Return the contents of `torchlike/__init__.pyi`.

    It declares the names that the package imports, its submodules, and the functions made from schemas.
    """
    imports = [
        ast.unparse(node)
        for node in ast.parse(_source("__init__.py")).body
        if isinstance(node, ast.ImportFrom) and node.names[0].asname == node.names[0].name
    ]
    there = [name for name in names.MODULES if (PACKAGE / f"{name}.py").exists() or (PACKAGE / name).is_dir()]
    imports += [f"from torchlike import {name} as {name}" for name in sorted(there) if name != "autograd"]
    imports += [f"from torchlike.{module} import {name} as {name}" for name, module in names._ELSEWHERE.items()]
    listed = "\n".join(sorted(set(imports)))
    taken = {line.rpartition(" ")[2] for line in listed.splitlines()}
    head = HEAD.replace("from torchlike._dtypes", listed + "\nfrom torchlike._dtypes", 1)
    return head + names_of("torchlike", taken, ("_sample_dirichlet", "_standard_gamma"))


def names_of(module: str, taken: Iterable[str] = (), private: Iterable[str] = ()) -> str:
    """Return declarations of a module's public names, except `taken`, and of its names in `private`."""
    found = vars(importlib.import_module(module))
    shown = [name for name in found if name not in taken and (not name.startswith("_") or name in private)]
    return "".join(_name(name, found[name]) for name in sorted(shown))


def _source(file: str) -> str:
    return (PACKAGE / file).read_text("utf-8")


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    return [target.id for target in getattr(node, "targets", []) if isinstance(target, ast.Name)]


# -- lines -------------------------------------------------------------------------------------------------------------


def _name(name: str, value: Any) -> str:
    if inspect.ismodule(value):
        return ""
    ours = inspect.isclass(value) and value.__module__.split(".")[0] == "torchlike"
    if ours and hasattr(sys.modules.get(value.__module__), value.__name__):
        return f"from {value.__module__} import {value.__name__} as {name}\n"
    if inspect.isclass(value):
        base = value.__mro__[1]
        return f"{name}: _Any\n" if base is object else f"class {name}({base.__name__}): ...\n"
    if callable(value):
        return _function(name, value)
    kind = KNOWN.get(type(value).__name__, "_Any") if value is not None else "None"
    return f"{name}: {kind}\n"


def _member(name: str, value: Any) -> str:
    if isinstance(value, property):
        return "@property\n" + _function(name, value.fget, "self") if value.fget else ""
    return _function(name, value, "self") if callable(value) else ""


def _function(name: str, value: Callable, itself: str = "") -> str:
    row = REGISTRY.get(name.strip("_"))
    if row is not None and inspect.unwrap(value) is not row.shown:
        row = None
    signature = inspect.signature(value) if row is None else row.signature
    parameters = list(signature.parameters.values())
    if itself and name.endswith("_") and not name.startswith("__"):
        parameters = _twin(name, parameters)
    shown = [_parameter(p, itself if i == 0 else "") for i, p in enumerate(parameters)]
    keyword = next((i for i, p in enumerate(parameters) if p.kind is p.KEYWORD_ONLY), None)
    if keyword is not None and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        shown.insert(keyword, "*")
    if row is not None and row.public.out and not itself and row.family != "view" and not name.endswith("_"):
        shown += ["*"] * (keyword is None) + ["out: _Any = ..."]
    doc = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\\", "\\\\")
    body = f'"""{doc}"""\n...\n' if doc else "...\n"
    comment = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
    return f"def {name}({', '.join(shown)}) -> {_result(name, value, row)}:{comment}\n" + textwrap.indent(body, "    ")


def _twin(name: str, parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the parameters of an in-place method: those of the method without the underscore, if it exists."""
    plain = getattr(torchlike.Tensor, name[:-1], None)
    return parameters if plain is None else list(inspect.signature(plain).parameters.values())


def _parameter(p: inspect.Parameter, itself: str) -> str:
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    default = "" if p.default is p.empty else " = ..."
    return itself or f"{star}{p.name}: {_type(p.annotation)}{default}"


def _result(name: str, value: Callable, row: Any) -> str:
    if name.startswith("__") or (name.endswith("_") and row is None):
        return "_Tensor"
    if hasattr(torchlike.return_types, name):
        return "_Any"
    if row is None or name.endswith("_"):
        return _type(inspect.signature(value).return_annotation) if row is None else "_Tensor"
    tree = ast.parse(textwrap.dedent(inspect.getsource(row.kernel)))
    several = any(isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) for node in ast.walk(tree))
    return "_tuple[_Tensor, ...]" if several else "_Tensor"


def _type(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return "_Any"
    tree = ast.parse(annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "Any"), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if node.id not in KNOWN:
                return "_Any"
            node.id = KNOWN[node.id]
        elif isinstance(node, ast.Attribute):
            return "_Any"
    return ast.unparse(tree)


def main() -> None:
    for path, text in stubs().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
