"""Exported programs: modules as programs in StableHLO, which run without their source."""

from torchlike._api.homes import settle as _settle
from torchlike.export._archive import load as load
from torchlike.export._archive import save as save
from torchlike.export._export import export as export
from torchlike.export._program import ExportedProgram as ExportedProgram
from torchlike.export._refused import CustomDecompTable as CustomDecompTable
from torchlike.export._refused import FlatArgsAdapter as FlatArgsAdapter
from torchlike.export._refused import ModuleCallEntry as ModuleCallEntry
from torchlike.export._refused import ModuleCallSignature as ModuleCallSignature
from torchlike.export._refused import UnflattenedModule as UnflattenedModule
from torchlike.export._refused import default_decompositions as default_decompositions
from torchlike.export._refused import draft_export as draft_export
from torchlike.export._refused import register_dataclass as register_dataclass
from torchlike.export._refused import unflatten as unflatten
from torchlike.export._shapes import Dim as Dim
from torchlike.export._shapes import dims as dims
from torchlike.export.dynamic_shapes import AdditionalInputs as AdditionalInputs
from torchlike.export.dynamic_shapes import ShapesCollection as ShapesCollection
from torchlike.export.graph_signature import ExportBackwardSignature as ExportBackwardSignature
from torchlike.export.graph_signature import ExportGraphSignature as ExportGraphSignature

_settle(__name__, globals())
