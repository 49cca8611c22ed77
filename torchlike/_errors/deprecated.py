"""PyTorch's warnings about deprecated functions. Each is given once per process."""

from __future__ import annotations

from torchlike._errors.warned import once

_WINDOW = "A window was not provided. A rectangular window will be applied"
_ONES = (
    "To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
_SOON = "will be removed in a future PyTorch release."
_TEXTS = {
    "qr": f"torch.qr is deprecated in favor of torch.linalg.qr and {_SOON}\n"
    "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\n"
    "should be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    "cholesky": f"torch.cholesky is deprecated in favor of torch.linalg.cholesky and {_SOON}\n"
    "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
    "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
    "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
    "lu": f"torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and {_SOON}\n"
    "LU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
    "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
    "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
    "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
    "lu_solve": f"torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand {_SOON}\n"
    "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
    "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
    "triangular_solve": f"torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand {_SOON}\n"
    "torch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
    "X = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).",
    "chain_matmul": f"torch.chain_matmul is deprecated and {_SOON} Use torch.linalg.multi_dot instead, which accepts a "
    "list of two or more tensors rather than multiple parameters.",
    "cross": "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly "
    "or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a "
    "future release.",
    "stft window": f"{_WINDOW},which is known to cause spectral leakage. Other windows such as torch.hann_window or "
    f"torch.hamming_window are recommended to reduce spectral leakage.{_ONES}",
    "istft window": f"{_WINDOW}.Please provide the same window used by stft to make the inversion lossless.{_ONES}",
    "stft of reals": "stft with return_complex=False is deprecated. In a future pytorch release, stft will return "
    "complex tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call "
    "torch.view_as_real on the complex output to recover the old return format.",
    "byte condition": "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
    "future version of PyTorch. Use a boolean condition instead.",
    "list of arrays": "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
    "the list to a single numpy.ndarray with numpy.array() before converting to a tensor.",
}
VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


def say(name: str) -> None:
    """Warn, once per process, that a function or argument is deprecated."""
    once(_TEXTS[name])
