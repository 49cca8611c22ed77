"""The operators of recurrent networks: one direction of one layer over a whole sequence, and one step of a cell."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._ops.linalg.products import rows_times
from torchlike._ops.nn.recurrent import passes
from torchlike._ops.nn.recurrent.steps import STEPS
from torchlike._ops.schema import flops
from torchlike._ops.schema.autocast_policies import Casts, lower
from torchlike._ops.schema.declare import Array, Kept, operator
from torchlike._ops.schema.typing_rules import Call


def _shape(call: Call) -> list:
    states = [s.shape for s in (call.h, call.arguments.get("c")) if s is not None]
    return [(*call.input.shape[:-1], call.h.shape[1]), *states]


def _check(call: Call) -> None:
    _errors.sequences.check_recurrent(call)


def _layer_in(fast: _dtypes.dtype, dtypes: list, args: tuple) -> _dtypes.dtype | None:
    """Return the dtype of a layer's result under autocast on the CPU.

    PyTorch computes a whole LSTM layer by one operator, whose result has the dtype `fast`. It composes the other layers
    of products and element-wise functions of the state; `_cell_in` returns their dtype.
    """
    mode, _, h, *_, batch_sizes, projection, _ = args
    is_whole = mode == "lstm" and batch_sizes is None and projection is None
    return fast if is_whole else _cell_in(fast, dtypes, (mode, None, h))


def _cell_in(fast: _dtypes.dtype, dtypes: list, args: tuple) -> _dtypes.dtype | None:
    mode, _, h, *_ = args
    return fast if mode in ("tanh", "relu") or h.dtype is fast else _dtypes.float32


def is_one_call(mode: str, dtype: _dtypes.dtype, batch_sizes: Any, projection: Any) -> bool:
    """Return whether PyTorch computes all steps by one oneDNN operator, rather than by products step by step."""
    return mode == "lstm" and batch_sizes is None and projection is None and dtype is _dtypes.float32


def _kept(call: Call) -> tuple[str | Kept, ...]:
    given = () if call.by_batch else ("input",)  # with `by_batch`, PyTorch saves a copy
    if is_one_call(call.mode, call.input.dtype, call.batch_sizes, call.projection):
        return *given, "h", "c", "w_ih", "w_hh", "b_ih", "b_hh", "first"
    weights = Kept("w_ih", "T", "input"), Kept("w_hh", "T"), Kept("projection", "T")
    return *[Kept(each, "rows", "w_ih") for each in given], Kept("h", only_for="w_hh"), "c", *weights


def _node(call: Call) -> str:
    if is_one_call(call.mode, call.input.dtype, call.batch_sizes, call.projection):
        return "MkldnnRnnLayerBackward0"
    return "StackBackward0" if call.batch_sizes is None else "CatBackward0"


@operator(
    autocast=Casts(_layer_in, lower),
    where=(),
    shape=_shape,
    check=_check,
    keeps=("batch_sizes",),
    by_hand=passes.PASSES,
    out=False,
    name="_recurrent_layer",
    node=_node,
    numpy=False,
    remembers=_kept,
    flops=flops.recurrent_layer(is_one_call),
)
def _recurrent_layer(
    mode: str,
    input: Array,
    h: Array,
    c: Array | None,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    reverse: bool = False,
    batch_sizes: Array | None = None,
    projection: Array | None = None,
    by_batch: bool = False,
):
    """Run one direction of one recurrent layer: (T, N, I) -> (T, N, H), and the last h (and c).

    With `batch_sizes`, the input is a packed sequence (rows, I), and so is the result.

    `by_batch` means that the input is the transpose of a (N, T, I) array, and that the result will be used in that
    order too. Working in that order avoids the transposes. With `batch_sizes` or `projection`, `by_batch` is ignored.

    Args:
      mode: "lstm", "gru", "tanh" or "relu".
      input: (T, N, I), or (rows, I).
      h: (N, H), the initial state.
      c: (N, H), the initial cell state of an LSTM.
      w_ih: (G, I), where G is H times the number of gates.
      w_hh: (G, H).
      b_ih: (G,).
      b_hh: (G,).
      reverse: whether to run from the last step to the first.
      batch_sizes: (T,), the number of sequences that run in each step, for a packed sequence.
      projection: a matrix that projects h after each step.
      by_batch: whether the batch is the first dim in memory.
    """
    return passes.kernel(
        mode=mode,
        input=input,
        h=h,
        c=c,
        w_ih=w_ih,
        w_hh=w_hh,
        b_ih=b_ih,
        b_hh=b_hh,
        reverse=reverse,
        batch_sizes=batch_sizes,
        projection=projection,
        by_batch=by_batch,
    )


def _cell_shape(call: Call) -> list:
    return [s.shape for s in (call.h, call.arguments.get("c")) if s is not None]


_KEPT_BY_CELL = (
    Kept("input", only_for="w_ih"),
    Kept("h", only_for="w_hh"),
    *[Kept("c", only_for=name) for name in ("input", "h", "w_ih", "w_hh", "b_ih", "b_hh")],  # to scale it by a gate
    Kept("w_ih", "T", "input"),
    Kept("w_hh", "T", "h"),
)
_CELL_NODES = {"tanh": "TanhBackward0", "relu": "ReluBackward0"}  # the modes whose last operation is an activation


def _check_cell(call: Call) -> None:
    _errors.sequences.check_cell(call)


@operator(
    autocast=Casts(_cell_in, lower),
    where=(),
    shape=_cell_shape,
    check=_check_cell,
    out=False,
    name="_recurrent_cell",
    flops=flops.recurrent_cell,
    node=lambda call: _CELL_NODES.get(call.mode, "AddBackward0"),
    remembers=lambda call: _KEPT_BY_CELL + ("result",) * (call.mode in _CELL_NODES),
)
def _recurrent_cell(
    mode: str, input: Array, h: Array, c: Array | None, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None
):
    """Run one step of a recurrent cell: (N, I) and the state, (N, H) each -> the new state."""
    given, recurrent = rows_times(input, w_ih, "nt"), rows_times(h, w_hh, "nt")
    given = given if b_ih is None else given + b_ih
    recurrent = recurrent if b_hh is None else recurrent + b_hh
    return STEPS[mode][0](given, recurrent, (h,) if c is None else (h, c))[0]
