"""Linear algebra: products, norms, decompositions, solutions of linear systems."""

from torchlike import _bind, _functions_copies, _functions_factors, _functions_ldl, _functions_linalg, _functions_rank
from torchlike._functions_linalg import LinAlgError as LinAlgError

globals().update(
    _bind.names_in("linalg")
    | _functions_linalg.LINALG
    | _functions_rank.LINALG
    | _functions_factors.LINALG
    | _functions_ldl.LINALG
    | _functions_copies.LINALG
)
del _bind, _functions_copies, _functions_factors, _functions_ldl, _functions_linalg, _functions_rank
