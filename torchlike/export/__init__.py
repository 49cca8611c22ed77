"""Exported programs: modules as programs in StableHLO, which run without their source."""

from torchlike._api.homes import settle as _settle
from torchlike.export._archive import load as load
from torchlike.export._archive import save as save
from torchlike.export._export import export as export
from torchlike.export._program import ExportedProgram as ExportedProgram
from torchlike.export._shapes import Dim as Dim
from torchlike.export._shapes import dims as dims
from torchlike.export.graph_signature import ExportGraphSignature as ExportGraphSignature

_settle(__name__, globals())
