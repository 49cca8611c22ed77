"""The differences between an ONNX model and its exported program."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import torchlike
from torchlike.onnx import _checks, _program

_BINS = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 1000000.0)
_SMALL = 1e-7


@dataclasses.dataclass
class VerificationInfo:
    """The differences of one result.

    Attributes:
      name: the name of the output.
      max_abs_diff, max_rel_diff: the largest absolute and relative difference.
      abs_diff_hist, rel_diff_hist: the counts and the edges of a histogram of the differences.
      expected_dtype, actual_dtype: the dtypes.
    """

    name: str
    max_abs_diff: float
    max_rel_diff: float
    abs_diff_hist: tuple[torchlike.Tensor, torchlike.Tensor]
    rel_diff_hist: tuple[torchlike.Tensor, torchlike.Tensor]
    expected_dtype: torchlike.dtype
    actual_dtype: torchlike.dtype

    @classmethod
    def from_tensors(cls, name: str, expected: Any, actual: Any) -> VerificationInfo:
        """Return the differences of two tensors or numbers.

        Args:
          name: the name of the output.
          expected, actual: the tensors.
        """
        expected, actual = (torchlike.as_tensor(x).detach().cpu() for x in (expected, actual))
        if expected.numel() and actual.numel():
            wide = (
                x.double() if not x.is_complex() else torchlike.view_as_real(x).double() for x in (expected, actual)
            )
            first, second = wide
            away = (first - second).abs()
            relative = away / (first.abs() + _SMALL)
        else:
            away = relative = torchlike.tensor(math.inf)
        bins = torchlike.tensor(_BINS)
        counts = [tuple(torchlike.histogram(x.float(), bins=bins)) for x in (away, relative)]
        most = (float(away.max()), float(relative.max()))
        return cls(name, *most, counts[0], counts[1], expected.dtype, actual.dtype)

    def asdict(self) -> dict[str, Any]:
        """Return the attributes as a dict of plain objects."""
        histograms = {n: [part.tolist() for part in getattr(self, n)] for n in ("abs_diff_hist", "rel_diff_hist")}
        dtypes = {n: str(getattr(self, n)) for n in ("expected_dtype", "actual_dtype")}
        own = {n: getattr(self, n) for n in ("name", "max_abs_diff", "max_rel_diff")}
        return {**own, **histograms, **dtypes}


def verify_onnx_program(
    onnx_program: _program.ONNXProgram,
    args: tuple[Any, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    compare_intermediates: bool = False,
) -> list[VerificationInfo]:
    """Return the differences between the results of ONNX Runtime and of the exported program.

    Args:
      onnx_program: the ONNX program.
      args, kwargs: the inputs. None: the example inputs.
      compare_intermediates: not supported; must be False.

    >>> import torchlike as torch
    >>> from torchlike.onnx.verification import verify_onnx_program
    >>> program = torch.onnx.export(torch.nn.ReLU().eval(), (torch.ones(2),))
    >>> [(found.name, found.max_abs_diff) for found in verify_onnx_program(program)]
    [('relu', 0.0)]
    """
    if compare_intermediates:
        raise NotImplementedError("torchlike does not support verify_onnx_program(compare_intermediates=True)")
    wanted, found = _checks.results(onnx_program, args, kwargs)
    names = [value.name for value in onnx_program.model.graph.outputs]
    return [VerificationInfo.from_tensors(*each) for each in zip(names, wanted, found)]
