"""Files of traced modules, which are exported programs over one set of weights, and of scripted modules."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import torchlike
from torchlike._engine.report import log
from torchlike.export import _archive
from torchlike.jit import _retraced, _script
from torchlike.jit import _scripted as _scripted_objects
from torchlike.jit._collected import Collected
from torchlike.jit._restored import Restored

_MARK, _NAMES, _SCRIPT, _WEIGHTS = "torchlike_script", "names.json", "script.json", "weights.pt"


def save(module: Any, f: Any, extra: Mapping[str, Any] | None) -> None:
    """Write a traced or loaded module."""
    try:
        programs = module.programs()
    except RuntimeError as error:
        if not _save_source(module, f, extra, error):
            raise
        return
    if not any(program.range_constraints for program in programs) and _save_source(module, f, extra, None):
        return  # the source takes other sizes
    parts = module.named_modules()
    names = {path: [getattr(part, "original_name", type(part).__name__), part.training] for path, part in parts}
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_MARK, str(len(programs)))
        archive.writestr(_NAMES, json.dumps(names))
        for i, program in enumerate(programs):
            archive.writestr(f"programs/{i}.pt2", _with_gradient(program))
        _write_extra(archive, extra)


def _with_gradient(program: Any) -> bytes:
    """Return the file of a program, with its gradient if JAX can trace it."""
    for order in (1, 0):
        file = io.BytesIO()
        try:
            _archive.save(program, file, vjp_order=order)
            break
        except Exception as error:  # a kernel refuses symbolic sizes in its gradient
            if not order:
                raise
            log.logger.debug("a traced module is saved without its gradient", exc_info=error)
    return file.getvalue()


def _write_extra(archive: zipfile.ZipFile, extra: Mapping[str, Any] | None) -> None:
    for name, content in (extra or {}).items():
        archive.writestr(f"extra/{name}", content)


def _save_source(module: Any, f: Any, extra: Mapping[str, Any] | None, refusal: RuntimeError | None) -> bool:
    """Write the source of a trace, for which `torch.export` has no program. Return False if it cannot be saved."""
    if not isinstance(module, _script.TopLevelTracedModule):
        return False
    collected = Collected()
    try:
        document = _retraced.document(collected, module)
    except (RuntimeError, OSError) as error:
        if refusal is not None:
            refusal.add_note(f"Its source cannot be saved instead: {error}")
        return False
    _write(document, collected, f, extra)
    return True


def save_script(
    scripted: Any, f: Any, extra: Mapping[str, Any] | None, decisions: Mapping[tuple, Any] | None = None
) -> None:
    """Write a scripted function or module: its sources, its constants and its tensors.

    `decisions` are the conditions that the compiler decides (see `Checks`): only one branch of them is written.
    """
    collected = Collected(decisions)
    _write(collected.document(scripted), collected, f, extra)


def _write(document: dict, collected: Collected, f: Any, extra: Mapping[str, Any] | None) -> None:
    weights = io.BytesIO()
    torchlike.save([tensor.detach() for tensor in collected.tensors], weights)
    kinds = [[isinstance(t, torchlike.nn.Parameter), t.requires_grad] for t in collected.tensors]
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_MARK, "0")
        archive.writestr(_SCRIPT, json.dumps({**document, "tensors": kinds}))
        archive.writestr(_WEIGHTS, weights.getvalue())
        _write_extra(archive, extra)


def _scripted(archive: zipfile.ZipFile) -> Any:
    """Return the scripted function or module of a file."""
    document = json.loads(archive.read(_SCRIPT))
    tensors = torchlike.load(io.BytesIO(archive.read(_WEIGHTS)), weights_only=True)
    for i, (is_parameter, learns) in enumerate(document["tensors"]):
        tensors[i] = torchlike.nn.Parameter(tensors[i], learns) if is_parameter else tensors[i].requires_grad_(learns)
    restored = Restored(document, tensors)
    if "trace" in document:
        return _retraced.restored(restored)
    found = restored.value(document["root"])
    if not isinstance(found, torchlike.nn.Module):
        function = _scripted_objects.FunctionModule(found)
        return _scripted_objects.Scripted(function, {"forward": restored.signature(found, False)})
    methods = {name: getattr(type(found), name) for name in dir(type(found))}
    typed = {name: method for name, method in methods.items() if hasattr(method, "_script_kinds")}
    return _scripted_objects.Scripted(found, {n: restored.signature(f, True) for n, f in typed.items()})


def load(f: Any, extra: dict[str, Any] | None) -> Any:
    """Read a traced or scripted module.

    The code of a scripted module is compiled only if it has the form that `_restored` checks.
    """
    if isinstance(f, str | os.PathLike) and not os.path.exists(f):
        raise ValueError(f"The provided filename {f} does not exist")
    try:
        with zipfile.ZipFile(f) as archive:
            _archive.check_members(archive, _MARK)
            for name in extra or {}:
                extra[name] = archive.read(f"extra/{name}")  # type: ignore[index]
            if _SCRIPT in archive.namelist():
                return _scripted(archive)
            count = int(archive.read(_MARK))
            programs = [_archive.load(io.BytesIO(archive.read(f"programs/{i}.pt2"))) for i in range(count)]
            kinds = {str(path): (str(kind), bool(mode)) for path, (kind, mode) in _parts(archive).items()}
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
