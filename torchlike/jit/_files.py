"""Files of traced modules: several exported programs over one set of weights."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any

from torchlike.export import _archive
from torchlike.jit import _script

_MARK, _NAMES = "torchlike_script", "names.json"


def save(module: Any, f: Any, extra: Mapping[str, Any] | None) -> None:
    """Write a traced or loaded module."""
    parts = module.named_modules()
    names = {path: [getattr(part, "original_name", type(part).__name__), part.training] for path, part in parts}
    programs = module.programs()
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_MARK, str(len(programs)))
        archive.writestr(_NAMES, json.dumps(names))
        for i, program in enumerate(programs):
            file = io.BytesIO()
            _archive.save(program, file)
            archive.writestr(f"programs/{i}.pt2", file.getvalue())
        for name, content in (extra or {}).items():
            archive.writestr(f"extra/{name}", content)


def load(f: Any, extra: dict[str, Any] | None) -> Any:
    """Read a traced module. No code of the file is run."""
    if isinstance(f, str | os.PathLike) and not os.path.exists(f):
        raise ValueError(f"The provided filename {f} does not exist")
    try:
        with zipfile.ZipFile(f) as archive:
            _archive.check_members(archive, _MARK)
            count = int(archive.read(_MARK))
            programs = [_archive.load(io.BytesIO(archive.read(f"programs/{i}.pt2"))) for i in range(count)]
            kinds = {str(path): (str(kind), bool(mode)) for path, (kind, mode) in _parts(archive).items()}
            for name in extra or {}:
                extra[name] = archive.read(f"extra/{name}")  # type: ignore[index]
        return _script.RecursiveScriptModule(programs, kinds)
    except RuntimeError:
        raise
    except Exception as error:  # a damaged part raises whatever its reader raises
        raise RuntimeError(f"the file is no traced module of torchlike, or it is damaged: {error}") from error


def _parts(archive: zipfile.ZipFile) -> dict:
    found = json.loads(archive.read(_NAMES))
    if "" not in found:
        raise ValueError("the root module has no name")
    return found
