"""The named tuples of functions with several results, such as `torch.return_types.max`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

_NOTHING: Mapping = MappingProxyType({})


class _Results(tuple):
    """A tuple whose items also have names."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()
    n_fields = n_sequence_fields = 0
    n_unnamed_fields = 0

    def __new__(cls, sequence: Any, dict: Any = _NOTHING) -> Any:
        if not isinstance(sequence, Iterable):
            raise TypeError("constructor requires a sequence")
        if not isinstance(dict, Mapping):  # PyTorch's pickles pass a dict, which is always empty
            raise TypeError(f"torch.return_types.{cls.__name__}() takes a dict as second arg, if any")
        made = super().__new__(cls, sequence)
        if len(made) != len(cls._fields):
            counts = f"{len(cls._fields)}-sequence ({len(made)}-sequence given)"
            raise TypeError(f"torch.return_types.{cls.__name__}() takes a {counts}")
        return made

    def __repr__(self) -> str:
        lines = ",\n".join(f"{name}={item!r}" for name, item in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{lines})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self), {})


def _results(name: str, *fields: str) -> type:
    """Return a tuple type with these fields, in this order."""

    def item(place: int) -> property:
        return property(lambda self: self[place])

    space: dict[str, Any] = {field: item(place) for place, field in enumerate(fields)}
    space |= {"__slots__": (), "_fields": fields, "n_fields": len(fields), "n_sequence_fields": len(fields)}
    space |= {"__module__": __name__, "__doc__": f"The named tuple that `{name}` returns: {', '.join(fields)}."}
    return type(name, (_Results,), space)


max = _results("max", "values", "indices")
min = _results("min", "values", "indices")
sort = _results("sort", "values", "indices")
topk = _results("topk", "values", "indices")
kthvalue = _results("kthvalue", "values", "indices")
median = _results("median", "values", "indices")
nanmedian = _results("nanmedian", "values", "indices")
mode = _results("mode", "values", "indices")
cummax = _results("cummax", "values", "indices")
cummin = _results("cummin", "values", "indices")
aminmax = _results("aminmax", "min", "max")
frexp = _results("frexp", "mantissa", "exponent")
linalg_cholesky_ex = _results("linalg_cholesky_ex", "L", "info")
linalg_inv_ex = _results("linalg_inv_ex", "inverse", "info")
linalg_solve_ex = _results("linalg_solve_ex", "result", "info")
linalg_ldl_factor = _results("linalg_ldl_factor", "LD", "pivots")
linalg_ldl_factor_ex = _results("linalg_ldl_factor_ex", "LD", "pivots", "info")
linalg_lu = _results("linalg_lu", "P", "L", "U")
linalg_lu_factor = _results("linalg_lu_factor", "LU", "pivots")
linalg_lu_factor_ex = _results("linalg_lu_factor_ex", "LU", "pivots", "info")
histogram = _results("histogram", "hist", "bin_edges")
histogramdd = _results("histogramdd", "hist", "bin_edges")
lu_unpack = _results("lu_unpack", "P", "L", "U")
geqrf = _results("geqrf", "a", "tau")
triangular_solve = _results("triangular_solve", "solution", "cloned_coefficient")
linalg_lstsq = _results("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_qr = _results("linalg_qr", "Q", "R")
linalg_svd = _results("linalg_svd", "U", "S", "Vh")
linalg_eigh = _results("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_eig = _results("linalg_eig", "eigenvalues", "eigenvectors")
linalg_slogdet = _results("linalg_slogdet", "sign", "logabsdet")
slogdet = _results("slogdet", "sign", "logabsdet")
svd = _results("svd", "U", "S", "V")
qr = _results("qr", "Q", "R")


def _with_out(kinds: list[type[_Results]]) -> list[type[_Results]]:
    """Return the types of calls with `out=`, which have the same fields."""
    return [_results(f"{kind.__name__}_out", *kind._fields) for kind in kinds if kind.__name__ != "histogramdd"]


_kinds = [found for found in [*globals().values()] if isinstance(found, type) and found.__base__ is _Results]
_out_kinds = {kind.__name__.removesuffix("_out"): kind for kind in _with_out(_kinds)}
globals().update((kind.__name__, kind) for kind in _out_kinds.values())
all_return_types = sorted([*_kinds, *_out_kinds.values()], key=lambda kind: kind.__name__)


def of_out(kind: type) -> type:
    """Return the type of the results of a call with `out=`, given the type of the results of a call without it."""
    return _out_kinds.get(kind.__name__, kind) if issubclass(kind, _Results) else kind
