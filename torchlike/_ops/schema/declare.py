"""One declaration for each operator: a kernel over arrays, and what cannot be derived from it.

A kernel's annotations say what its parameters are:

=================  ======================================================================================
``Array``          a tensor (``Array | None``: an optional one)
``Operand``        a tensor or a Python number that takes part in type promotion; a number is a runtime input
``Scalar``         a Python number that takes no part in promotion; a runtime input (omitted: its default, static)
``Real``           such a number that must not be complex
``Arrays``         a sequence of tensors
``Index``          an int; static until it is seen to vary, then a runtime input
anything else      static: part of the program's key
=================  ======================================================================================
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torchlike._dtypes import modes
from torchlike._ops.schema import out_rules, typing_rules
from torchlike._ops.schema.casts import Casts
from torchlike._ops.schema.namespace import constant as constant
from torchlike._ops.schema.namespace import namespace as namespace
from torchlike._ops.schema.out_rules import EXACT as EXACT
from torchlike._ops.schema.out_rules import Into as Into

# Annotations are read as text (kernels are never called with checked types), so these are plain names.
Array = Operand = Scalar = Real = Arrays = Index = Any
ARRAY, OPERAND, SCALAR, ARRAYS, INDEX, STATIC = range(6)
# How these annotations read to users.
_SHOWN = {
    "Array": "Tensor",
    "Operand": "Tensor | Number",
    "Scalar": "Number",
    "Real": "float",
    "Arrays": "Sequence[Tensor]",
    "Index": "int",
    "Dims": "int | Sequence[int] | None",
    "tuple": "Sequence[int]",
}
_KINDS = {"Array": ARRAY, "Operand": OPERAND, "Scalar": SCALAR, "Real": SCALAR, "Arrays": ARRAYS, "Index": INDEX}

HOST = 1 << 20  # `host` of a row for whose work XLA has one thread, or none that is quick
HOST_REDUCES = 4  # of a row that reads its operand once
REGISTRY: dict[str, Op] = {}


@dataclass(eq=False)
class Op:
    """A row of the registry: everything else about an operator is derived from it."""

    name: str
    kernel: Callable
    family: str
    typing: Callable  # how dtypes and shapes of the results follow from the inputs (see _rules)
    shape: Callable | None = None  # shape(call) -> result shapes, where the family's rule does not say
    check: Callable | None = None  # check(call) raises PyTorch's errors; runs once for each new signature
    fits: Callable | None = None  # fits(call): PyTorch's errors in place, where `input` has not the result's shape
    guard: Callable | None = None  # guard(*args): checks of values at hand, at every call; tensors come as Values
    saves: tuple[str, ...] | None = None  # the array parameters whose values the gradient needs; None is all
    remembers: tuple[str, ...] | Callable[[Any], tuple[str, ...]] = (
        "inputs",
    )  # (perhaps of a call) what PyTorch keeps for backward, so must not be overwritten until then:
    # "inputs" (of the saved ones those on which the gradient depends), "all" (saved ones), an array parameter's name,
    # "result" (the only), "first" (of several), "others", "results" (all). A parameter of which PyTorch keeps a view:
    # "weight.T" (transposed), "input.rows" (as a matrix); one kept for the gradient of another: "weight.T>input".
    # Of a gradient to be differentiated: "result.unsqueezed" (that keeps all dims), "result.once" (nothing is kept)
    # Whether (perhaps of a plan) its gradient uses what it saved only to choose, so has no derivative by that.
    chooses: bool | Callable[[Any], bool] = False
    # The array parameters (perhaps of a plan) by which its gradient has a derivative that is always zero. In PyTorch
    # such a gradient requires grad.
    vanishing: tuple[str, ...] | Callable[[Any], tuple[str, ...]] = ()
    fused: bool = False  # whether PyTorch computes all its gradients by one operator: if one has a derivative, all have
    residuals: bool = False  # the forward keeps what backward needs, instead of being repeated in it
    node: str | Callable[[Any], str] = ""  # the name of its gradient node, or node(call) where overloads differ
    # The arguments to which PyTorch's node has edges, in its order, where those are not all arrays as they come; or
    # edges(has_array), which asks by name whether an argument is an array:
    edges: tuple[str, ...] | Callable[[Callable[[str], bool]], tuple[str, ...]] = ()
    aliases: tuple[str, ...] = ()
    where: tuple[str, ...] = ("torch", "Tensor")  # the places whose attribute it is
    inplace: bool = False  # has an in-place twin, name + "_"
    # What it asks of `out=` (perhaps of its first operand); True: what such rows ask. False: it takes none.
    out: bool | Into | Callable[[Any], Into] = True
    differentiable: bool = True
    # The array parameters that must not require grad, each with the name of PyTorch's function in the error. The name
    # may be a function of the first operand's number of dims.
    without_gradient: dict[str, str | Callable[[int], str]] = field(default_factory=dict)
    once: bool = False  # whether it is one of PyTorch's functions whose gradient has no derivative
    # PyTorch's name of its gradient (perhaps of a plan), which by what it saved has none
    underivable: str | Callable[[Any], str] = ""
    refuses_complex: str = ""  # PyTorch's name of an operator that has no gradient where its results are complex
    special: dict[str, tuple] = field(default_factory=dict)  # numbers that select another formula, so are static
    of_numbers: bool = False  # whether PyTorch takes numbers for all operands; the result is a tensor
    overloads: bool | None = None  # whether PyTorch has several signatures: where a number stands for a tensor, mostly
    old_orders: tuple[tuple[str, ...], ...] = ()  # the parameters in the orders of PyTorch's old overloads
    keeps: tuple[str, ...] = ()  # the array parameters that take no part in promotion (masks, indices)
    formats: int | Callable[[Any], int] = 0  # how many leading arrays' channels-last order the results take over
    host: int | Callable[[Any], int] = 0  # on large arrays NumPy is as fast as so many of XLA's threads: not compiled
    flops: Callable | None = None  # flops(products) -> operations of matrix products (see _flops.py); None: no product
    sparse: Callable | None = None  # what it is of sparse operands (set by `_sparse/_rules.py`); None: refused
    autocast: Casts | None = None  # what mixed precision makes of its operands
    uncast: Callable | None = None  # its caller that casts nothing (set by `_dispatch`, of rows with `autocast`)
    numpy: bool = True  # whether the kernel runs on NumPy arrays; else the interpreter compiles it by itself
    opmath: bool = True  # compute half precision in float32 and round once; else see _steps.py
    loop: str = ""  # PyTorch's name of its inner loop, which errors say where that lacks a dtype; mostly NAME_cpu
    takes: tuple[Any, ...] = ()  # dtypes, whole categories or EMPTY: what the loop has (none: its check says, or all)
    float8: tuple[Any, ...] = ()  # the dtypes of eight bits that it takes
    # Beside half precision an element-wise operator's operands are rounded to it first, numbers and 0-d tensors too,
    exact: tuple[str, ...] = ()  # but for these,
    rounded: tuple[str, ...] = ()  # and its other numbers are not, but for these
    geometry: Callable | None = None  # views: geometry(shape, strides, **statics) -> (shape, strides)
    offset: Callable | None = None  # views: offset(tensor, *statics) -> elements from the input's first to the result's
    result: Callable | None = None  # views of another element type: result(call) -> dtype
    inverse: Callable | None = None  # views that no linear map undoes: inverse(base, new) -> base with `new` seen in it
    pending: str = ""  # views of the same memory whose elements are conjugated ("conj") or negated ("neg") when read
    plans: dict = field(default_factory=dict, repr=False)
    forms: dict = field(default_factory=dict, repr=False)  # by the types of its arguments (see `_binding.py`)
    varying: dict = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        parameters = inspect.signature(self.kernel).parameters.values()
        self.signature = inspect.signature(self.kernel)
        self.names = tuple(p.name for p in parameters)
        self.kinds = tuple(_kind(p) for p in parameters)
        self.kind_of = dict(zip(self.names, self.kinds))
        self.overloads = OPERAND in self.kinds if self.overloads is None else self.overloads
        self.optional = frozenset(p.name for p in parameters if "None" in str(p.annotation))
        self.positional = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
        self.defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self.node = self.node or self.name.title().replace("_", "") + "Backward0"
        self.loop = self.loop or self.name + "_cpu"
        self.doc = inspect.getdoc(self.kernel) or ""
        if self.out is True:
            self.out = out_rules.of_row(self)
        place = self.where[0] if self.where else ""
        self.called = f"{place}_{self.name}" if place in ("linalg", "special", "fft") else self.name  # in errors

    @functools.cached_property
    def shown(self) -> Callable:
        """The kernel with the annotations that users see: `inspect` finds its source and its signature by it."""
        kernel: Any = self.kernel
        made = types.FunctionType(
            kernel.__code__, kernel.__globals__, kernel.__name__, kernel.__defaults__, kernel.__closure__
        )
        made.__kwdefaults__, made.__doc__ = kernel.__kwdefaults__, kernel.__doc__
        made.__annotations__ = {name: _shown(str(kind)) for name, kind in kernel.__annotations__.items()}
        return made

    def takes_none(self, name: str) -> bool:
        """Whether None is an argument that the kernel has a meaning for."""
        return name in self.optional or self.defaults.get(name, name) is None

    def rounds(self, name: str) -> bool:
        """Whether among tensors of half precision an argument that is not of their dtype is rounded to it first."""
        return name in self.rounded or (
            self.family == "pointwise"
            and self.kind_of[name] in (OPERAND, ARRAY)
            and name not in self.exact + self.keeps
        )


@functools.cache
def _shown(annotation: str) -> str:
    return re.sub(r"\w+", lambda word: _SHOWN.get(word[0], word[0]), annotation).replace("None | None", "None")


def _kind(parameter: inspect.Parameter) -> int:
    return _KINDS.get(str(parameter.annotation).split(" |")[0].strip(), STATIC)


def declare(family: str, typing: Callable, **options: Any) -> Callable[[Callable], Op]:
    """The decorator that turns a kernel into a row; a second row of one name is an error."""

    def decorate(kernel: Callable) -> Op:
        name = options.pop("name", kernel.__name__)
        op = Op(name, kernel, family, typing, **options)
        for each in (name, *op.aliases):
            if each in REGISTRY:
                raise ValueError(f"operator {each!r} is declared twice")
            REGISTRY[each] = op
        return op

    return decorate


def pointwise(kernel: Callable | None = None, *, promote: Callable = typing_rules.common, **options: Any) -> Any:
    """An element-wise operator: broadcasting, promotion, memory order kept, an in-place twin."""
    options.setdefault("inplace", True)
    made = declare("pointwise", functools.partial(typing_rules.pointwise, promote=promote), **options)
    return made if kernel is None else made(kernel)


def reduction(
    kernel: Callable | None = None,
    *,
    promote: Callable = typing_rules.common,
    of_requested: Callable | None = None,
    **options: Any,
) -> Any:
    """An operator with parameters `dim` and `keepdim` that reduces dims; `of_requested`: as `promote`, of `dtype=`."""
    rule = functools.partial(typing_rules.reduction, promote=promote, of_requested=of_requested)
    made = declare("reduction", rule, **options)
    return made if kernel is None else made(kernel)


def view(**options: Any) -> Any:
    """An operator whose result shares its input's storage; `geometry` gives shape and strides of the result."""
    options.setdefault("saves", ())
    return declare("view", typing_rules.view, opmath=False, out=False, **options)


def operator(kernel: Callable | None = None, *, promote: Callable | None = typing_rules.common, **options: Any) -> Any:
    """Any other operator; without `shape`, shapes are found by tracing the kernel once."""
    made = declare("operator", functools.partial(typing_rules.general, promote=promote), **options)
    return made if kernel is None else made(kernel)


def forget_plans() -> None:
    """Drop every plan: they depend on the default dtype."""
    for op in REGISTRY.values():
        op.plans.clear()
        op.varying.clear()


modes.on_default_dtype_change.append(forget_plans)
