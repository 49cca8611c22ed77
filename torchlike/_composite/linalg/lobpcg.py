"""Extreme eigenpairs of a symmetric matrix, or of a pair of matrices, by matrix products only (`lobpcg`).

Each step solves the eigenproblem within the span of the current vectors X, of the last step's directions P and of the
preconditioned residuals W (Knyazev 2001, https://doi.org/10.1137/S1064827500366124). `method="ortho"` keeps that basis
orthonormal (Duersch, Shao, Yang and Gu 2018, https://arxiv.org/abs/1704.07458) by the block procedure of Stathopoulos
and Wu 2002 (SVQB, https://doi.org/10.1137/S1064827500370883). `"basic"` uses the basis unchanged. Converged pairs stay
in the basis, but get no further directions (Knyazev's soft locking).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._composite.random.random import randn
from torchlike._composite.ranges import eye
from torchlike._dtypes import float32, float64, modes
from torchlike._tensor import factories
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

_EPSILON = {float32: 1.2e-07, float64: 2.23e-16}
_DEFAULTS = {"ortho_i_max": 3, "ortho_j_max": 3}


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Callable[[LOBPCG], Any] | None = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """Return k eigenvalues E and eigenvectors X with A X = B X diag(E), A symmetric and B symmetric positive definite.

    Args:
      A: (*, m, m), dense or, without leading dims, sparse.
      k: the number of eigenpairs. The default is the number of columns of `X`, or 1.
      B: (*, m, m), the identity by default.
      X: (*, m, n), the initial vectors, sampled by `randn` by default.
      n: the number of vectors in the iteration, k by default. 3n is at most m.
      iK: (m, m) or (*, m, m), a preconditioner.
      niter: the largest number of iterations, 1000 by default; -1 means no limit.
      tol: the relative residual at which a pair has converged. The default is the square root of the dtype's epsilon.
      largest: whether to return the largest eigenvalues (the default) or the smallest.
      method: "ortho" (the default) or "basic".
      tracker: a function that is called with the `LOBPCG` instance after each iteration.
      ortho_iparams: the limits `ortho_i_max` and `ortho_j_max` on the rounds of the orthonormalization.
      ortho_fparams: the tolerances `ortho_tol`, `ortho_tol_drop` and `ortho_tol_replace` of the orthonormalization.
      ortho_bparams: the flag `ortho_use_drop` of the orthonormalization.

    Returns:
      E of shape (*, k), sorted, and X of shape (*, m, k).

    Raises:
      AssertionError: the shapes do not match.
      ValueError: m is smaller than 3n, or a backward pass is run with a sparse or complex A, or with any B.
    """
    settings = (X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams)
    if not (modes.local.grad and (A.requires_grad or (B is not None and B.requires_grad))):
        return _solve(A, k, B, *settings)
    from torchlike._composite.linalg.lobpcg_gradient import Eigenpairs

    symmetric = [None if M is None else (M + M.mT) / 2 for M in (A, B)]
    return Eigenpairs.apply(*symmetric, lambda A, B: _solve(A, k, B, *settings))


_TOLERANCES = ("ortho_tol", "ortho_tol_drop", "ortho_tol_replace")


def _solve(
    A: Tensor,
    k: int | None,
    B: Tensor | None,
    X: Tensor | None,
    n: int | None,
    iK: Tensor | None,
    niter: int | None,
    tol: float | None,
    largest: bool | None,
    method: str | None,
    tracker: Any,
    ortho_iparams: dict | None,
    ortho_fparams: dict | None,
    ortho_bparams: dict | None,
) -> tuple[Tensor, Tensor]:
    _check(A, B)
    m, dtype = A.shape[-1], A.dtype if A.dtype.is_floating_point else float32
    k = k if k is not None else 1 if X is None else X.shape[-1]
    n = X.shape[-1] if X is not None else k if n is None else n
    if m < 3 * n:
        raise _errors.linalg.lobpcg_too_small(m, n)
    method = "ortho" if method is None else method
    iparams: dict[str, Any] = {"m": m, "n": n, "k": k, "niter": 1000 if niter is None else niter}
    fparams: dict[str, Any] = {"tol": _EPSILON[dtype] ** 0.5 if tol is None else tol}
    bparams: dict[str, Any] = {"largest": largest is None or largest}
    if method == "ortho":
        iparams.update(_DEFAULTS | (ortho_iparams or {}))
        fparams.update(dict.fromkeys(_TOLERANCES, fparams["tol"]) | (ortho_fparams or {}))
        bparams.update({"ortho_use_drop": False} | (ortho_bparams or {}))

    def pairs(A: Tensor, B: Tensor | None, X: Tensor | None, iK: Tensor | None) -> tuple[Tensor, Tensor]:
        X = _start(X, (m, n), dtype, A.device)
        worker = LOBPCG(A, B, X, iK, iparams, fparams, bparams, method, tracker)
        worker.run()
        return worker.E[:k], worker.X[:, :k]

    with modes.no_grad():
        if A.ndim == 2:
            return pairs(A, B, X, iK)
        return _for_each_matrix(pairs, (A, B, X, iK), iparams, dtype)


def _start(X: Tensor | None, shape: tuple[int, int], dtype: Any, device: Any) -> Tensor:
    X = randn(*shape, dtype=dtype, device=device) if X is None else X
    if tuple(X.shape) != shape:
        raise _errors.linalg.lobpcg_start(X.shape, shape)
    return X


def _for_each_matrix(pairs: Callable, given: tuple, iparams: dict, dtype: Any) -> tuple[Tensor, Tensor]:
    """Call `pairs` for each matrix of a batch, and stack the results. Tensors of two dims belong to all matrices."""
    batch, m, k, found = tuple(given[0].shape[:-2]), iparams["m"], iparams["k"], []
    flat = [x if x is None or x.ndim == 2 else x.reshape(-1, *x.shape[-2:]) for x in given]
    for i in range(math.prod(batch)):
        iparams["batch_index"] = i
        found.append(pairs(*[x if x is None or x.ndim == 2 else x[i] for x in flat]))
    if not found:
        empty = lambda *shape: factories.empty(*batch, *shape, dtype=dtype, device=given[0].device)
        return empty(k), empty(m, k)
    E, V = (rows["stack"](list(each)) for each in zip(*found))
    return E.reshape(*batch, k), V.reshape(*batch, m, k)


def _check(A: Tensor, B: Tensor | None) -> None:
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")


class LOBPCG:
    """The state of an iteration, which a tracker receives.

    `A`, `B` and `iK` are the arguments. `E`, `X` and `R` are the eigenvalues, vectors and residuals. `S` is the basis
    that the next step searches. `iparams`, `fparams` and `bparams` are the settings. `ivars`, `fvars`, `bvars` and
    `tvars` hold counts (`istep`, `iterations_left`, `converged_count`), norms, flags and tensors (`rerr`). A tracker
    that sets `bvars["force_stop"]` ends the iteration.
    """

    def __init__(
        self,
        A: Tensor,
        B: Tensor | None,
        X: Tensor,
        iK: Tensor | None,
        iparams: dict[str, int],
        fparams: dict[str, float],
        bparams: dict[str, bool],
        method: str,
        tracker: Any,
    ) -> None:
        self.A, self.B, self.iK, self.X = A, B, iK, X
        self.iparams, self.fparams, self.bparams = iparams, fparams, bparams
        self.method, self.tracker = method, tracker
        zeros = lambda *shape: factories.zeros(*shape, dtype=X.dtype, device=X.device)
        m, n = iparams["m"], iparams["n"]
        self.E, self.R, self.S = zeros(n), zeros(m, n), zeros(m, 3 * n)
        self.ivars: dict[str, int] = {"istep": 0}
        self.fvars: dict[str, float] = {}
        self.bvars: dict[str, bool] = {}
        self.tvars: dict[str, Tensor] = {}

    def __str__(self) -> str:
        names = ("iparams", "fparams", "bparams", "ivars", "fvars", "bvars", "tvars", "A", "B", "iK", "X", "E")
        return "LOBPCG:\n" + "".join([f"  {name}={getattr(self, name)}\n" for name in names])

    def run(self) -> None:
        """Iterate until enough pairs have converged, or until a limit is reached."""
        while True:
            self.update()
            if self.tracker is not None:
                self.call_tracker()
            if self.stop_iteration():
                return

    def call_tracker(self) -> None:
        """Call the tracker with this state."""
        self.tracker(self)

    def stop_iteration(self) -> bool:
        """Return whether the iteration is finished."""
        done = self.ivars["iterations_left"] == 0 or self.ivars["converged_count"] >= self.iparams["k"]
        return done or self.bvars.get("force_stop", False)

    def update(self) -> None:
        """Do one step of the iteration."""
        n = self.iparams["n"]
        if self.ivars["istep"] == 0:
            self._begin()
            self.S = self.X
        values, C = self._ritz(self.S)
        self.E, self.X = values[:n], self.S @ C[:, :n]
        self.update_residual()
        active = slice(self.update_converged_count(), n)
        P = self.S @ self._directions(C, active) if self.ivars["istep"] else self.X[:, :0]
        W = _times(self.iK, self.R[:, active])
        kept = rows["cat"]([self.X, P], 1)
        self.S = rows["cat"]([kept, self._orthonormal(W, kept) if self.method == "ortho" else W], 1)
        self.ivars["converged_end"] = self.S.shape[-1]
        self.ivars["iterations_left"] -= 1
        self.ivars["istep"] += 1

    def _begin(self) -> None:
        norm = float(self.X.norm())
        for name, M in (("A_norm", self.A), ("B_norm", self.B)):
            self.fvars[name] = float(_times(M, self.X).norm()) / norm
        self.fvars["X_norm"] = norm
        self.ivars.update(iterations_left=self.iparams["niter"], converged_count=0, converged_end=0)

    def update_residual(self) -> None:
        """Compute R = A X - B X diag(E)."""
        self.R = _times(self.A, self.X) - _times(self.B, self.X) * self.E

    def update_converged_count(self) -> int:
        """Count the leading pairs whose residual is small relative to the norms of A and B.

        The criterion is that of Duersch et al., section 4.3. The count never decreases. A subclass may override this
        method.
        """
        length = lambda x: x.norm(2, 0)
        scale = self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"]
        errors = self.tvars["rerr"] = length(self.R) / (length(self.X) * scale)
        converged = (errors < self.fparams["tol"]).tolist()
        leading = converged.index(False) if False in converged else len(converged)
        self.ivars["converged_count"] = max(leading, self.ivars["converged_count"])
        return self.ivars["converged_count"]

    # -- subspaces -----------------------------------------------------------------------------------------------------

    def _ritz(self, S: Tensor) -> tuple[Tensor, Tensor]:
        """Return the eigenvalues within the span of S, the requested ones first, and their vectors' coefficients."""
        T = None
        if self.method != "ortho" or self.ivars["istep"] == 0:
            T = _whitening(_form(self.B, S), _EPSILON[S.dtype], drop=True)
        M = _form(self.A, S if T is None else S @ T)
        values, C = rows["eigh"]((M + M.mT) / 2)
        if self.bparams["largest"]:
            values, C = values.flip(0), C.flip(1)
        return values, C if T is None else T @ C

    def _directions(self, C: Tensor, active: slice) -> Tensor:
        """Return the coefficients of P: the components of the new vectors outside the span of the old ones."""
        n = self.iparams["n"]
        outside = C[:, active].clone()
        outside[:n] = 0
        if self.method != "ortho":
            return outside
        # Orthonormal coefficients give orthonormal vectors. P must be orthogonal to the new vectors too.
        return rows["qr"](rows["cat"]([C[:, :n], outside], 1))[0][:, n:]

    def _orthonormal(self, U: Tensor, V: Tensor) -> Tensor:
        """Return orthonormal columns that, with the orthonormal V, span the same space as U and V.

        There are fewer columns if those of U are linearly dependent.
        """
        self.fvars = {name: x for name, x in self.fvars.items() if not name.endswith("_rerr")}
        tol, norm = self.fparams["ortho_tol"], Tensor.norm
        BV_norm = norm(_times(self.B, V))
        for i in range(self.iparams["ortho_i_max"]):
            U = U - V @ (V.mT @ _times(self.B, U))
            for j in range(self.iparams["ortho_j_max"]):
                U = self._svqb(U, j)
                self.ivars.update(ortho_i=i, ortho_j=j)
                if not U.numel():
                    return U
                BU = _times(self.B, U)
                identity = eye(U.shape[-1], dtype=U.dtype, device=U.device)
                error = self.fvars[f"ortho_UBUmI_rerr[{i}, {j}]"] = float(
                    norm(U.mT @ BU - identity) / (norm(BU) * norm(U))
                )
                if error < tol:
                    break
            error = self.fvars[f"ortho_VBU_rerr[{i}]"] = float(norm(V.mT @ BU) / (BV_norm * norm(U)))  # type: ignore[possibly-undefined]
            if error < tol:
                break
        return U

    def _svqb(self, U: Tensor, turn: int) -> Tensor:
        """Return U with orthonormalized columns.

        Directions of almost zero length are enlarged or, with `ortho_use_drop`, dropped after the first round.
        """
        uses_drop = self.bparams["ortho_use_drop"]
        tol = self.fparams["ortho_tol_drop" if uses_drop and not turn else "ortho_tol_replace"]
        return U @ _whitening(_form(self.B, U), tol, drop=uses_drop and turn > 0)


def _times(M: Tensor | None, x: Tensor) -> Tensor:
    return x if M is None else M @ x


def _form(M: Tensor | None, x: Tensor) -> Tensor:
    return x.mT @ _times(M, x)


def _whitening(G: Tensor, tol: float, drop: bool) -> Tensor:
    """Return T such that T' G T is the identity, where G is a Gram matrix (SVQB).

    Eigenvalues of the scaled G that are less than `tol` times the largest one are raised to that bound, or dropped if
    `drop` is True. Zero vectors are always dropped.
    """
    if not G.numel():
        return G
    d = G.diagonal()
    if not bool((d > 0).all()):
        kept = (d > 0).nonzero()[:, 0]
        T = _whitening(G[kept][:, kept], tol, drop)
        return rows["index_copy"](factories.zeros(len(d), T.shape[-1], dtype=G.dtype, device=G.device), 0, kept, T)
    scale = d.rsqrt()
    values, Z = rows["eigh"](G * scale * scale[:, None])
    least = tol * values[-1].abs()
    if drop:
        kept = (values > least).nonzero()[:, 0]
        values, Z = values[kept], Z[:, kept]
    return scale[:, None] * Z * values.clamp(min=least).rsqrt()


FUNCTIONS = {"lobpcg": lobpcg}
