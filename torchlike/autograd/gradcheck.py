"""`gradcheck` and `gradgradcheck`: compare gradients with finite differences.

All comparisons use real numbers: each complex element of an input or output counts as two numbers, its real and its
imaginary part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import torchlike
from torchlike import _errors as _all_errors
from torchlike._errors.gradients import gradcheck as _errors
from torchlike._errors.warned import warn
from torchlike._tensor.tensor import Tensor
from torchlike.autograd import forward_ad
from torchlike.autograd._jacobians import get_analytical_jacobian as get_analytical_jacobian
from torchlike.autograd._jacobians import get_numerical_jacobian as get_numerical_jacobian
from torchlike.autograd._jacobians import (
    get_numerical_jacobian_wrt_specific_input as get_numerical_jacobian_wrt_specific_input,
)

GradcheckError = _errors.GradcheckError


@dataclass(frozen=True)
class _Options:
    """The options of a check: the comparisons to run and their tolerances."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    undefined: bool
    dtypes: bool
    batched: bool
    forward: bool
    backward: bool
    fast: bool


def gradcheck(
    func: Callable,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the gradients of `func` at `inputs` with central differences.

    Args:
      func: a function from tensors to a tensor or a tuple of tensors.
      inputs: a tensor or a sequence of arguments. The tensors that require grad are perturbed in place. They should be
        float64 or complex128, and must not have overlapping memory.
      eps: the step size of the differences.
      atol, rtol: the tolerances of the comparison.
      raise_exception: whether a mismatch raises an error. Otherwise, False is returned.
      nondet_tol: the tolerance between two backward passes.
      check_undefined_grad: whether to also compute the gradient of each output alone.
      check_grad_dtypes: whether gradients must have the dtypes of their inputs.
      check_batched_grad: whether to compare batched gradients (`is_grads_batched`) with gradients computed singly.
      check_batched_forward_grad: not supported. True raises an error.
      check_forward_ad: whether to check forward mode.
      check_backward_ad: whether to check backward mode.
      fast_mode: whether to compare one random combination of the entries of each Jacobian instead of all entries.
      masked: has no effect. In PyTorch, it affects sparse tensors only.

    Raises:
      GradcheckError: a comparison failed, and `raise_exception` is True.

    >>> import torchlike as torch
    >>> x = torch.linspace(0.1, 1, 3, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(lambda x: x.exp() * x, x)
    True
    """
    _check_modes(check_forward_ad, check_backward_ad, check_batched_grad, check_batched_forward_grad)
    options = _Options(
        eps,
        atol,
        rtol,
        nondet_tol,
        check_undefined_grad,
        check_grad_dtypes,
        check_batched_grad,
        check_forward_ad,
        check_backward_ad,
        fast_mode,
    )
    try:
        with torchlike.enable_grad():
            _check(func, _as_tuple(inputs), options)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_modes(forward: bool, backward: bool, batched: bool, batched_forward: bool) -> None:
    if not (forward or backward):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if batched and not backward:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if batched_forward:
        if not forward:
            raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
        raise _all_errors.arguments.unsupported("gradcheck", "check_batched_forward_grad")


def _check_second_modes(fwd_over_rev: bool, rev_over_rev: bool, asked: dict[str, bool]) -> None:
    if not (fwd_over_rev or rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, is_asked in asked.items():
        if is_asked and not rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")


def _gradients(func: Callable, count: int) -> Callable[..., tuple]:
    """Return a function that computes the gradients of `func`.

    Its arguments are the arguments of `func`, followed by `count` weights of the outputs.
    """

    def gradients(*args: Any) -> tuple:
        args, weights = (args[:-count], args[-count:]) if count else (args, ())
        outputs = _differentiable(func(*args))
        wanted = tuple(x for x in args if isinstance(x, Tensor) and x.requires_grad)
        found = torchlike.autograd.grad(outputs, wanted, weights, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradients


def gradgradcheck(
    func: Callable,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compare the second derivatives of `func` with central differences of the gradients.

    Args:
      func, inputs: see `gradcheck`.
      grad_outputs: the weights of the first gradients. None for random weights.
      eps, atol, rtol: see `gradcheck`.
      gen_non_contig_grad_outputs: whether the random weights are non-contiguous.
      raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad: see `gradcheck`.
      check_fwd_over_rev: whether to check forward mode over backward mode.
      check_rev_over_rev: whether to check backward mode over backward mode.
      fast_mode, masked: see `gradcheck`.
    """
    asked = {"check_undefined_grad": check_undefined_grad, "check_batched_grad": check_batched_grad}
    _check_second_modes(check_fwd_over_rev, check_rev_over_rev, asked)
    given = _as_tuple(inputs)
    if grad_outputs is None:
        weights = _random_weights(func, given, gen_non_contig_grad_outputs)
    else:
        weights = _as_tuple(grad_outputs)
    return gradcheck(
        _gradients(func, len(weights)),
        given + weights,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _random_weights(func: Callable, inputs: tuple, with_gaps: bool) -> tuple:
    found = []
    for out in _differentiable(func(*inputs)):
        shape = (*out.shape, 2) if with_gaps else out.shape
        weight = torchlike.testing.make_tensor(
            shape,
            dtype=out.dtype if out.dtype.is_floating_point or out.dtype.is_complex else torchlike.double,
            device=out.device,
            low=-1,
            high=1,
        )
        found.append((weight[..., 0] if with_gaps else weight).detach()._require_grad())
    return tuple(found)


# -- the function as a function of real numbers ------------------------------------------------------------------------


def _as_tuple(x: Any) -> tuple:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _differentiable(outputs: Any) -> tuple:
    return tuple(o for o in _as_tuple(outputs) if isinstance(o, Tensor) and o.requires_grad)


def _real(x: Any) -> Any:
    """Return the elements as a flat real tensor. A complex element yields its real part, then its imaginary part."""
    return torchlike.view_as_real(x.resolve_conj()).reshape(-1) if x.is_complex() else x.reshape(-1)


def _host(x: Any) -> np.ndarray:
    """Return the elements of `x` as a flat real array on the host. See `_real`."""
    array = x.detach().cpu().numpy() if x.dtype is not torchlike.bfloat16 else x.detach().float().cpu().numpy()
    flat = np.array(array).reshape(-1)
    return flat.astype(np.complex128).view(np.float64) if flat.dtype.kind == "c" else flat.astype(np.float64)


class _Input:
    """An input tensor that can be perturbed in any direction."""

    def __init__(self, place: int, tensor: Any) -> None:
        self.place, self.tensor = place, tensor
        self.at = _host(tensor)
        self.size = self.at.size

    def direction(self, numbers: np.ndarray) -> Any:
        """Return a tensor with the input's shape and dtype from a flat array of real numbers."""
        numbers = np.array(numbers, np.float64)
        if self.tensor.is_complex():
            numbers = numbers.view(np.complex128)
        made = torchlike.from_numpy(numbers.reshape(tuple(self.tensor.shape)))
        return made if made.dtype is self.tensor.dtype else made.to(self.tensor.dtype)

    def move(self, direction: np.ndarray, step: float) -> None:
        """Write `at + step * direction` into the input itself, since `func` may close over it."""
        with torchlike.no_grad():
            self.tensor.data.copy_(self.direction(self.at + step * direction))


class _Checked:
    """The function, its inputs and its outputs."""

    def __init__(self, func: Callable, inputs: tuple, options: _Options) -> None:
        self.func, self.inputs, self.options = func, inputs, options
        self.perturbed = [
            _Input(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad and _is_inexact(x)
        ]
        self.all_outputs = list(_as_tuple(func(*inputs)))
        self.outputs = [(i, o) for i, o in enumerate(self.all_outputs) if o.requires_grad]
        for o in self.all_outputs:
            _host(o)  # flush here, so that later calls run the same program

    def values(self) -> list[np.ndarray]:
        outputs = [o for o in _as_tuple(self.func(*self.inputs)) if isinstance(o, Tensor)]
        for before, after in zip(self.all_outputs, outputs):
            if before.shape != after.shape:
                raise _errors.changed_shape(0, self.options.eps, before.shape, after.shape)
        return [_host(o) for o in outputs]

    def difference(self, perturbed: _Input, direction: np.ndarray) -> list[np.ndarray]:
        """Return the derivatives of all outputs in one direction, by central differences."""
        eps = self.options.eps
        try:
            perturbed.move(direction, eps)
            above = self.values()
            perturbed.move(direction, -eps)
            below = self.values()
        finally:
            perturbed.move(direction, 0.0)
        return [(a - b) / (2 * eps) for a, b in zip(above, below)]

    def tangents(self, perturbed: _Input, direction: np.ndarray) -> list[np.ndarray]:
        """Return the derivatives of all outputs in one direction, by forward mode."""
        with forward_ad.dual_level():
            args = list(self.inputs)
            args[perturbed.place] = forward_ad.make_dual(perturbed.tensor, perturbed.direction(direction))
            outputs = [o for o in _as_tuple(self.func(*args)) if isinstance(o, Tensor)]
            pairs = [forward_ad.unpack_dual(o) for o in outputs]
            if self.options.dtypes and any(t is not None and t.dtype is not p.dtype for p, t in pairs):
                raise _errors.tangent_dtype()
            return [_host(p) * 0 if t is None else _host(t) for p, t in pairs]

    def row(self, output: Any, weight: np.ndarray) -> tuple:
        """Return the gradients of a weighted sum of an output's numbers, as tensors. None stands for zero."""
        flat = _real(output)
        unit = torchlike.from_numpy(weight).to(flat.dtype).to(flat.device)
        found = torchlike.autograd.grad(
            flat,
            [m.tensor for m in self.perturbed],
            unit,
            retain_graph=True,
            allow_unused=True,
        )
        self._check_dtypes(found, self.perturbed)
        return found

    def gradients(self, weights: Sequence[np.ndarray]) -> list[list[np.ndarray]]:
        """Return, for each output, the gradients of a weighted sum of its numbers.

        All gradients are recorded before the first one is read, so they run as one program.
        """
        found = [self.row(output, weight) for (_, output), weight in zip(self.outputs, weights)]
        return [[np.zeros(m.size) if g is None else _host(g) for g, m in zip(row, self.perturbed)] for row in found]

    def _check_dtypes(self, found: Sequence[Any], perturbed: Sequence[_Input]) -> None:
        if self.options.dtypes and any(
            g is not None and g.dtype is not m.tensor.dtype for g, m in zip(found, perturbed)
        ):
            raise _errors.gradient_dtype()

    def rows(self, output: Any, perturbed: Sequence[_Input], weights: np.ndarray) -> list[np.ndarray]:
        """Return, for each input, the gradients (len(weights), size) of weighted sums of an output's numbers."""
        flat = _real(output)
        units = torchlike.from_numpy(np.ascontiguousarray(weights)).to(flat.dtype).to(flat.device)
        found = torchlike.autograd.grad(
            flat,
            [m.tensor for m in perturbed],
            units,
            retain_graph=True,
            allow_unused=True,
            is_grads_batched=True,
        )
        self._check_dtypes(found, perturbed)
        return [
            np.zeros((len(weights), m.size)) if g is None else _host(g).reshape(len(weights), m.size)
            for g, m in zip(found, perturbed)
        ]


def _is_inexact(x: Any) -> bool:
    return x.is_floating_point() or x.is_complex()


# -- comparison --------------------------------------------------------------------------------------------------------


def _check(func: Callable, inputs: tuple, options: _Options) -> None:
    _check_inputs(inputs)
    checked = _Checked(func, inputs, options)
    if not checked.outputs:
        _check_zero(checked)
        return
    compare = _compare_some if options.fast else _compare_all
    compare(checked)
    if options.backward:
        _check_weights(checked)
    if options.batched:
        _check_batched(checked)


def _check_inputs(inputs: tuple) -> None:
    perturbed = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not perturbed:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for i, x in perturbed:
        if x.dtype not in (torchlike.float64, torchlike.complex128):
            warn(_errors.not_double(i))
        if any(stride == 0 and size > 1 for stride, size in zip(x.stride(), x.shape)):
            raise _errors.overlapping(i)


def _check_zero(checked: _Checked) -> None:
    """Check that the outputs do not change with the inputs. No output requires grad."""
    for perturbed in checked.perturbed:
        for direction in np.eye(perturbed.size):
            if any(d.any() for d in checked.difference(perturbed, direction)):
                raise _errors.expected_zero()


def _close(a: np.ndarray, b: np.ndarray, options: _Options, scale: float = 1.0) -> bool:
    return bool(np.allclose(a, b, rtol=options.rtol, atol=options.atol * scale, equal_nan=True))


def _parts(output: Any) -> list[tuple[str, slice]]:
    """Return the slices of an output's real numbers that are compared separately: real and imaginary parts."""
    return [("imag", slice(1, None, 2)), ("real", slice(0, None, 2))] if output.is_complex() else [("", slice(None))]


def _compare_all(checked: _Checked) -> None:
    options = checked.options
    numerical = [np.array([checked.difference(m, d) for d in np.eye(m.size)], object) for m in checked.perturbed]
    for number, output in checked.outputs:
        size = output.numel() * (2 if output.is_complex() else 1)
        expected = [_table(n, number, m.size, size) for n, m in zip(numerical, checked.perturbed)]
        if options.backward:
            rows = checked.rows(output, checked.perturbed, np.eye(size))
            _compare(checked, number, output, expected, [r.T for r in rows], "")
            again = checked.rows(output, checked.perturbed, np.eye(size))
            if any(r.size and np.nanmax(np.abs(r - s), initial=0) > options.nondet_tol for r, s in zip(rows, again)):
                raise _errors.not_reentrant(options.nondet_tol)
        if options.forward:
            found = [[checked.tangents(m, d)[number] for d in np.eye(m.size)] for m in checked.perturbed]
            tables = [np.array(f).reshape(m.size, size) for f, m in zip(found, checked.perturbed)]
            _compare(checked, number, output, expected, tables, "computed with forward mode ")


def _table(found: np.ndarray, number: int, rows: int, columns: int) -> np.ndarray:
    return np.array([row[number] for row in found], np.float64).reshape(rows, columns)


def _compare(checked: _Checked, number: int, output: Any, expected: list, found: list, mode: str) -> None:
    for part, columns in _parts(output):
        for m, n, a in zip(checked.perturbed, expected, found):
            if not _close(a[:, columns], n[:, columns], checked.options):
                seen = [torchlike.tensor(_complex(m, t[:, columns])) for t in (n, a)]
                raise _errors.mismatch(mode, part, number, m.place, *seen)


def _complex(perturbed: _Input, table: np.ndarray) -> np.ndarray:
    """Combine rows of real and imaginary directions into complex rows, as PyTorch prints them."""
    return table[0::2] + 1j * table[1::2] if perturbed.tensor.is_complex() else table


def _compare_some(checked: _Checked) -> None:
    """Compare one random direction of each input with one random combination of each output's numbers."""
    options, random = checked.options, np.random.default_rng(42)
    directions = [_unit(random, m.size) for m in checked.perturbed]
    numerical = [checked.difference(m, d) for m, d in zip(checked.perturbed, directions)]
    tangents = [checked.tangents(m, d) for m, d in zip(checked.perturbed, directions)] if options.forward else []
    weights = [_unit(random, output.numel() * (2 if output.is_complex() else 1)) for _, output in checked.outputs]
    gradients = checked.gradients(weights) if options.backward else [[]] * len(weights)
    for (number, _), weight, gradient in zip(checked.outputs, weights, gradients):
        for i, (m, d) in enumerate(zip(checked.perturbed, directions)):
            expected = float(numerical[i][number] @ weight)
            found = [("", float(gradient[i] @ d))] if options.backward else []
            found += [("computed with forward mode ", float(tangents[i][number] @ weight))] if options.forward else []
            for mode, value in found:
                # The tolerance is for one entry. The error of a combination grows with the number of its terms.
                if not _close(
                    np.array(value), np.array(expected), options, float(np.abs(weight).sum() * np.abs(d).sum())
                ):
                    raise _errors.mismatch(mode, "", number, m.place, expected, value)


def _unit(random: np.random.Generator, size: int) -> np.ndarray:
    numbers = random.uniform(0.1, 1, size) * random.choice([-1.0, 1.0], size)
    return numbers / max(float(np.linalg.norm(numbers)), 1e-300)


def _check_weights(checked: _Checked) -> None:
    """Check that zero weights give zero gradients, and that the gradient of each output can be computed alone."""
    outputs, tensors = [o for _, o in checked.outputs], [m.tensor for m in checked.perturbed]
    zeros = [np.zeros(o.numel() * (2 if o.is_complex() else 1)) for o in outputs]
    if any(np.nan_to_num(g).any() for row in checked.gradients(zeros) for g in row):
        raise _errors.not_multiplied()
    if checked.options.undefined and len(outputs) > 1:
        for output in outputs:
            one = torchlike.ones_like(output)
            torchlike.autograd.grad(output, tensors, one, retain_graph=True, allow_unused=True)


def _check_batched(checked: _Checked) -> None:
    random = np.random.default_rng(0)
    for number, output in checked.outputs:
        size = output.numel() * (2 if output.is_complex() else 1)
        weights = random.standard_normal((2, size))
        together = checked.rows(output, checked.perturbed, weights)
        for row, weight in enumerate(weights):
            apart = checked.row(output, weight)
            for m, a, b in zip(checked.perturbed, together, apart):
                if b is not None and not np.allclose(a[row], _host(b), rtol=1e-5, atol=1e-8, equal_nan=True):
                    raise _errors.batched_mismatch(number, m.place, a[row], _host(b))
