"""Exported programs: modules as programs in StableHLO, which run without their source."""

from torchlike.export._archive import load as load
from torchlike.export._archive import save as save
from torchlike.export._export import export as export
from torchlike.export._program import ExportedProgram as ExportedProgram
from torchlike.export._shapes import Dim as Dim
from torchlike.export._shapes import dims as dims
from torchlike.export._signature import ConstantArgument as ConstantArgument
from torchlike.export._signature import ExportGraphSignature as ExportGraphSignature
from torchlike.export._signature import InputKind as InputKind
from torchlike.export._signature import InputSpec as InputSpec
from torchlike.export._signature import OutputKind as OutputKind
from torchlike.export._signature import OutputSpec as OutputSpec
from torchlike.export._signature import TensorArgument as TensorArgument
