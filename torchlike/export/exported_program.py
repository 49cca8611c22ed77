"""Exported programs and the descriptions of calls of their submodules."""

from ._program import ExportedProgram as ExportedProgram
from ._refused import ModuleCallEntry as ModuleCallEntry
from ._refused import ModuleCallSignature as ModuleCallSignature
from ._refused import default_decompositions as default_decompositions

__all__ = ["ExportedProgram", "ModuleCallEntry", "ModuleCallSignature", "default_decompositions"]
