"""Linear algebra: products, norms, decompositions and solvers of linear systems."""

from torchlike._api import glossary, names
from torchlike._composite.linalg import factors, ldl, least_squares, linalg
from torchlike._composite.linalg.linalg import LinAlgError as LinAlgError
from torchlike._composite.views import copies
from torchlike._tensor import binding

globals().update(
    binding.names_in("linalg") | linalg.LINALG | least_squares.LINALG | factors.LINALG | ldl.LINALG | copies.LINALG
)
names.settle(__name__, vars())
glossary.complete_all(vars().values())
del binding, copies, factors, glossary, ldl, least_squares, linalg, names
