"""The style of generated code: comments with source lines, shapes, strides, devices and colors."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import torchlike

from .node import Node

_ABBREVIATIONS = {
    "bfloat16": "bf16",
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2",
    "complex32": "c32",
    "complex64": "c64",
    "complex128": "c128",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "bool": "b8",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}
dtype_abbrs = {getattr(torchlike, name): short for name, short in _ABBREVIATIONS.items() if hasattr(torchlike, name)}

_COLORS = {"dim": "\x1b[2m", "red": "\x1b[31m", "green": "\x1b[32m", "blue": "\x1b[34m"}
_RESET = "\x1b[0m"
_FILE = re.compile(r'File "(?P<file>.+)", line (?P<line>\d+), in (?P<function>.+)')


class Style(NamedTuple):
    """The options of `Graph.python_code`."""

    verbose: bool = False
    include_stride: bool = False
    include_device: bool = False
    colored: bool = False
    expanded_def: bool = False
    additional_meta: Sequence[str] = ()

    def paint(self, text: str, *colors: str) -> str:
        """Return the text with escape sequences for colors, if the style has colors."""
        return "".join(_COLORS[color] for color in colors) + text + _RESET if self.colored else text

    def signature(self, arguments: list[str], returned: str) -> str:
        """Return the line that begins the definition of `forward`, or one line for each argument."""
        if self.expanded_def:
            lines = "".join(f"    {argument},\n" for argument in arguments)
            return f"def forward(\n{lines}){returned}:"
        return f"def forward({', '.join(arguments)}){returned}:"

    def comment(self, node: Node) -> str:
        """Return the comment of a node: its metadata and the source line that made it."""
        meta = node.meta
        named = ", ".join(f"{name}: {meta[name]}" for name in self.additional_meta if name in meta)
        parts = [
            f"{named} #" if named else "",
            f"Annotation: {meta['custom']}" if meta.get("custom") else "",
            f"ac_graph_id: {meta['ac_graph_id']}" if "ac_graph_id" in meta else "",
            _source_line(meta.get("stack_trace")),
        ]
        return "# " + " ".join(filter(None, parts))

    def tensor(self, node: Node) -> str | None:
        """Return the quoted dtype and shape of the tensor that a node computes, or None if it is not known."""
        if not self.verbose:
            return None
        from .passes.shape_prop import TensorMetadata

        value = next((node.meta[key] for key in ("val", "tensor_meta", "example_value") if key in node.meta), None)
        if isinstance(value, TensorMetadata):
            return f'"{dtype_abbrs[value.dtype]}{list(value.shape)}"'
        if not isinstance(value, torchlike.Tensor):
            return None
        stride = [] if value.is_sparse else list(value.stride())
        text = (
            self.paint(dtype_abbrs[value.dtype], "red")
            + self.paint(str(list(value.shape)), "blue")
            + self.paint(str(stride) if self.include_stride else "", "dim", "blue")
            + self.paint(str(value.device) if self.include_device else "", "dim", "green")
        )
        kind = type(value).__name__
        return f'"{text}"' if kind == "Tensor" else f'"{kind}({text})"'


def _source_line(stack: Any) -> str:
    """Return the innermost source line of a formatted stack."""
    lines = str(stack).strip().splitlines() if stack else []
    for place, code in reversed(list(itertools.pairwise(lines))):
        found = _FILE.fullmatch(place.strip())
        if found:
            return "File: {file}:{line} in {function}, code: {code}".format(**found.groupdict(), code=code.strip())
    return "No stacktrace found for following nodes"
