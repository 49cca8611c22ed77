"""Files of exported programs.

A file is a zip archive. It holds the program in StableHLO as `jax.export` serializes it, the parameters, buffers and
constants as `torch.save` writes them, and the structure of inputs and results as JSON. Loading runs no code: weights
are read with `weights_only=True`, and nothing is unpickled.
"""

from __future__ import annotations

import collections
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import jax
import numpy as np

import torchlike
from torchlike._engine.report import log
from torchlike._engine.xla.jax_private import gradient_read
from torchlike.export import graph_signature as signatures
from torchlike.export._listing import Listing, NotPlainError, from_text, to_text
from torchlike.export._parsing import check_parses, note_parsed
from torchlike.export._program import ExportedProgram
from torchlike.export._record import TENSOR
from torchlike.export._saved import Input, Saved
from torchlike.export._shapes import Dim, Sizes
from torchlike.utils import _pytree as pytree

VERSION = 1
_OPERATORS = "operators.json"
_FORMAT, _PROGRAM, _STRUCTURE, _WEIGHTS = "torchlike_export", "program.stablehlo", "structure.json", "weights.pt"
_PLAIN = (bool, int, float, str, type(None))
_KINDS: dict[str, type] = {"list": list, "tuple": tuple, "dict": dict, "OrderedDict": collections.OrderedDict}


def save(
    ep: ExportedProgram,
    f: Any,
    *,
    extra_files: Mapping[str, Any] | None = None,
    opset_version: Mapping[str, int] | None = None,
    pickle_protocol: int = 2,
    vjp_order: int = 0,
) -> None:
    """Write an exported program to a file.

    Args:
      ep: the program.
      f: a path, or a file that is open for writing bytes.
      extra_files: further files of the archive: names to strings or bytes.
      opset_version: must be None.
      pickle_protocol: has no effect, because nothing is pickled.
      vjp_order: how many times the loaded program can be differentiated; not an argument of PyTorch.

    Raises:
      ValueError: an input or a result has a container or a constant that the file cannot hold.
    """
    if opset_version:
        raise NotImplementedError("torchlike does not support export.save(opset_version=...)")
    saved = ep._saved
    weights = io.BytesIO()
    constants = {name: torchlike.from_numpy(np.array(array)) for name, array in saved.constants.items()}
    torchlike.save({"state": dict(ep.state_dict), "constants": constants}, weights)
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_FORMAT, str(VERSION))
        archive.writestr(_STRUCTURE, json.dumps(_structure(ep, saved), indent=1))
        archive.writestr(_PROGRAM, bytes(saved.exported.serialize(vjp_order=vjp_order)))
        archive.writestr(_WEIGHTS, weights.getvalue())
        note_parsed([saved.exported.mlir_module_serialized])
        if saved.listing is not None:
            _write_operators(archive, saved.listing)
        for name, content in (extra_files or {}).items():
            archive.writestr(f"extra/{name}", content)


def _write_operators(archive: zipfile.ZipFile, listing: Listing) -> None:
    """Write the operators, which are only needed to convert the program. A program with other arguments has none."""
    try:
        archive.writestr(_OPERATORS, to_text(listing))
    except NotPlainError as error:
        log.logger.debug("the file of an exported program does not list its operators", exc_info=error)


def load(
    f: Any, *, extra_files: dict[str, Any] | None = None, expected_opset_version: Mapping[str, int] | None = None
) -> ExportedProgram:
    """Read an exported program from a file. The file may be of any origin: no code is run.

    Args:
      f: a path, or a file that is open for reading bytes.
      extra_files: a dict whose keys are names of further files; their contents are stored in it as strings.
      expected_opset_version: must be None.

    Raises:
      RuntimeError: the file is no exported program of torchlike, or it is damaged.

    >>> import io
    >>> import torchlike as torch
    >>> file = io.BytesIO()
    >>> torch.export.save(torch.export.export(torch.nn.ReLU(), (torch.ones(2),)), file)
    >>> _ = file.seek(0)
    >>> torch.export.load(file).module()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    if expected_opset_version:
        raise NotImplementedError("torchlike does not support export.load(expected_opset_version=...)")
    try:
        with zipfile.ZipFile(f) as archive:
            check_members(archive, _FORMAT)
            structure = json.loads(archive.read(_STRUCTURE))
            weights = torchlike.load(io.BytesIO(archive.read(_WEIGHTS)), weights_only=True)
            exported = gradient_read(jax.export.deserialize(bytearray(archive.read(_PROGRAM))))
            check_parses([one.mlir_module_serialized for one in _with_gradients(exported)])
            exported.mlir_module()  # parses the program in this process, which raises if it is damaged
            listing = from_text(archive.read(_OPERATORS)) if _OPERATORS in archive.namelist() else None
            for name in extra_files or {}:
                extra_files[name] = archive.read(f"extra/{name}").decode()  # type: ignore[index]
        return _program(structure, weights, exported, listing)
    except RuntimeError:
        raise
    except Exception as error:  # a damaged part raises whatever its reader raises
        raise RuntimeError(f"the file is no exported program of torchlike, or it is damaged: {error}") from error


def _with_gradients(exported: Any) -> Iterator[Any]:
    """Yield a program, its gradient, the gradient of that, and so on."""
    while True:
        yield exported
        if not exported.has_vjp():
            return
        exported = exported.vjp()


def check_members(archive: zipfile.ZipFile, mark: str) -> None:
    """Raise `RuntimeError` if an archive lacks the member `mark`, or has compressed members.

    `save` compresses none, so a small file cannot expand to more memory than the machine has.
    """
    names = set(archive.namelist())
    if mark not in names and any(name.endswith(("archive_format", "constants.pkl")) for name in names):
        raise RuntimeError(
            "the file was written by PyTorch. torchlike runs programs in StableHLO: load the state dict into the "
            "module's source, and export it with torchlike.export"
        )
    if mark not in names:
        raise RuntimeError("the file is no exported program of torchlike")
    if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
        raise RuntimeError("the file has compressed members, which torchlike does not write")


# -- to JSON -----------------------------------------------------------------------------------------------------------


def _structure(ep: ExportedProgram, saved: Saved) -> dict:
    return {
        "inputs": _spec(saved.in_spec),
        "outputs": _spec(saved.out_spec),
        "leaves": [_leaf(leaf) for leaf in saved.leaves],
        "results": [_leaf(leaf) for leaf in saved.results],
        "written": saved.written,
        "names": saved.names,
        "dims": {name: [dim.min, dim.max, saved.sizes.given[name]] for name, dim in saved.sizes.dims.items()},
        "shapes": [list(shape) for shape in saved.sizes.shapes],
        "parameters": ep._parameters,
        "code": ep.code,
        "signature": _signature(ep.graph_signature),
    }


def _spec(spec: Any) -> Any:
    if spec.is_leaf():
        return None
    children = [_spec(child) for child in spec.children_specs]
    name = next((name for name, kind in _KINDS.items() if kind is spec.type), None)
    if name is not None:
        return [name, _keys(spec.context), children]
    if isinstance(spec.context, type) and hasattr(spec.context, "_fields"):
        return ["namedtuple", [spec.context.__name__, *spec.context._fields], children]
    keys = spec.context if isinstance(spec.context, list | tuple) else None
    if keys is not None and len(keys) == len(children) and all(isinstance(key, str) for key in keys):
        return ["dict", list(keys), children]  # a registered mapping, such as the outputs of transformers
    raise ValueError(f"export.save does not know how to write the container {spec.type.__name__}")


def _keys(context: Any) -> Any:
    if context is None:
        return None
    if not all(isinstance(key, str | int) for key in context):
        raise ValueError("export.save writes only dicts whose keys are strings or ints")
    return list(context)


def _leaf(leaf: Any) -> Any:
    if leaf is TENSOR:
        return {"tensor": None}
    if isinstance(leaf, torchlike.Tensor | Input):
        return {"tensor": [list(leaf.shape), str(leaf.dtype).removeprefix("torch.")]}
    if not isinstance(leaf, _PLAIN):
        raise ValueError(f"export.save does not know how to write an input or result of type {type(leaf).__name__}")
    return {"value": leaf}


def _signature(signature: Any) -> dict:
    def plain(spec: Any) -> dict:
        made = {**asdict(spec), "kind": spec.kind.name}
        made["arg"].pop("value", None)
        return made

    return {"inputs": [*map(plain, signature.input_specs)], "outputs": [*map(plain, signature.output_specs)]}


# -- from JSON ---------------------------------------------------------------------------------------------------------


def _program(structure: dict, weights: dict, exported: Any, listing: Listing | None) -> ExportedProgram:
    dims = {name: Dim(name, min=least, max=most) for name, (least, most, _) in structure["dims"].items()}
    given = {name: size for name, (_, _, size) in structure["dims"].items()}
    sizes = Sizes(dims, [tuple(shape) for shape in structure["shapes"]], given)
    leaves = [_read_leaf(leaf) for leaf in structure["leaves"]]
    results = [TENSOR if "tensor" in leaf else leaf["value"] for leaf in structure["results"]]
    in_spec, out_spec = _read_spec(structure["inputs"]), _read_spec(structure["outputs"])
    names = [str(name) for name in structure["names"]]
    if len(names) != len(leaves):
        raise ValueError("the names do not fit the inputs")
    constants = {name: tensor.numpy() for name, tensor in weights["constants"].items()}
    saved = Saved(
        exported, in_spec, out_spec, leaves, results, list(structure["written"]), names, sizes, constants, listing
    )
    signature = _read_signature(structure["signature"], leaves)
    state = dict(weights["state"])
    parameters = list(structure["parameters"])
    _check(saved, state, parameters)
    return ExportedProgram(saved, state, parameters, None, signature, str(structure["code"]))


def _check(saved: Saved, state: dict, parameters: list) -> None:
    """Raise if the program's inputs are not those that the structure describes."""
    names, shapes = {*parameters, *saved.written}, saved.sizes.shapes
    if not all(isinstance(name, str) and name in state for name in names):
        raise ValueError("the parameters and buffers have no values")
    if len(shapes) != sum(isinstance(leaf, Input) for leaf in saved.leaves):
        raise ValueError("the shapes do not fit the inputs")
    if not all(type(n) is int or n in saved.sizes.dims for shape in shapes for n in shape):
        raise ValueError("a shape contains neither numbers nor dims")
    tensors = [*state.values(), *saved.constants.values()]
    count = len(tensors) + sum(isinstance(leaf, Input) for leaf in saved.leaves)
    wanted = saved.exported.in_avals
    if count != len(wanted) or any(tuple(t.shape) != tuple(a.shape) for t, a in zip(tensors, wanted)):
        raise ValueError("the weights do not fit the program")
    if len(saved.exported.out_avals) != sum(leaf is TENSOR for leaf in saved.results) + len(saved.written):
        raise ValueError("the results do not fit the program")


def _read_leaf(leaf: dict) -> Any:
    if "tensor" not in leaf:
        return leaf["value"]
    shape, name = leaf["tensor"]
    dtype = getattr(torchlike, name)
    if not isinstance(dtype, torchlike.dtype):
        raise ValueError(f"{name!r} is no dtype")
    return Input(tuple(shape), dtype)


def _read_spec(spec: Any) -> Any:
    if spec is None:
        return pytree.LeafSpec()
    name, context, children = spec
    if name == "namedtuple":
        kind, context = pytree.kind_of(_named(context)), _named(context).__class__
    else:
        kind = _KINDS[name]
        if (context is None) != (name in ("list", "tuple")) or (context and len(context) != len(children)):
            raise ValueError(f"a {name} has the context {context!r}")
    return pytree.TreeSpec(kind, context, [_read_spec(child) for child in children])


def _named(names: list) -> Any:
    name, *fields = names
    return collections.namedtuple(name, fields)(*fields)


def _read_signature(given: dict, leaves: list) -> Any:
    def read(spec: dict, kinds: Any, kind: Any) -> Any:
        arg = signatures.TensorArgument(spec["arg"]["name"])
        return kind(**{**spec, "kind": kinds[spec["kind"]], "arg": arg})

    inputs = [read(spec, signatures.InputKind, signatures.InputSpec) for spec in given["inputs"]]
    outputs = [read(spec, signatures.OutputKind, signatures.OutputSpec) for spec in given["outputs"]]
    users = [spec for spec in inputs if spec.kind is signatures.InputKind.USER_INPUT]
    for spec, leaf in zip(users, leaves):
        if not isinstance(leaf, Input):
            spec.arg = signatures.ConstantArgument(spec.arg.name, leaf)
    return signatures.ExportGraphSignature(inputs, outputs)
