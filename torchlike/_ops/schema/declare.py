"""Operator declarations: each is a kernel over arrays plus the properties that cannot be derived from the kernel.

The annotation of a kernel's parameter gives its kind:

=================  ======================================================================================
``Array``          a tensor (``Array | None``: an optional one)
``Operand``        a tensor or a Python number, both included in type promotion; a number is a runtime input
``Scalar``         a Python number excluded from promotion; a runtime input (if omitted, its static default)
``Real``           a ``Scalar`` that must not be complex
``Arrays``         a sequence of tensors
``Index``          an int; static until it varies between calls, then a runtime input
anything else      a static argument: part of the program's cache key
=================  ======================================================================================
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from torchlike._dtypes import float32, modes
from torchlike._ops.schema import out_rules, typing_rules
from torchlike._ops.schema.autocast_policies import Casts
from torchlike._ops.schema.namespace import constant as constant
from torchlike._ops.schema.namespace import namespace as namespace
from torchlike._ops.schema.out_rules import EXACT as EXACT
from torchlike._ops.schema.out_rules import Into as Into

# Annotations are read as text and are never evaluated for type checks, so these names can all be `Any`.
Array = Operand = Scalar = Real = Arrays = Index = Any
# The default of a parameter that may be left out, but for which None cannot be given. Its annotation has no None.
OMITTED: Any = None
ARRAY, OPERAND, SCALAR, ARRAYS, INDEX, STATIC = range(6)
# The annotations that users see in place of the internal ones.
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
_NEVER_NONE = ("int", "Array", "Scalar")  # annotations of parameters with the default `OMITTED`
_KINDS = {"Array": ARRAY, "Operand": OPERAND, "Scalar": SCALAR, "Real": SCALAR, "Arrays": ARRAYS, "Index": INDEX}

HOST = 1 << 20  # `Op.host` of an operator that XLA runs on one thread, or runs slowly
HOST_REDUCES = 4  # `Op.host` of an operator that reads its operand once
REGISTRY: dict[str, Op] = {}


def in_float32(call: Any) -> int:
    """Return `Op.host` of an operator whose kernel for NumPy in float32 was measured beside two threads of XLA."""
    return 2 if call.arrays[0].dtype is float32 else 0


@dataclass(frozen=True)
class Kept:
    """A tensor that PyTorch saves for backward.

    Attributes:
      name: the array parameter.
      seen: the view of it that is saved: "T" (transposed), "rows" (as a matrix), "matrices" (with one batch dim), "row"
        or "column" (of a vector), or "" for the parameter itself. "rows" of a matrix, and "matrices" of at most three
        dims, are the parameter itself; "batch" (with one batch dim) and "view" (of the same shape) are always views.
      only_for: the parameter for whose gradient it is saved, or "" for all.
    """

    name: str
    seen: str = ""
    only_for: str = ""


def each_for_itself(*names: str) -> tuple[Kept, ...]:
    """Return tensors of which PyTorch saves each for its own gradient alone."""
    return tuple([Kept(name, only_for=name) for name in names])


UNSQUEEZED = Kept("result", "unsqueezed")  # PyTorch uses the result with the reduced dims kept
ONCE = Kept("result", "once")  # the result may be overwritten before the gradient is differentiated


@dataclass(eq=False)
class GradientRules:
    """The gradient of an operator, and how PyTorch differentiates it."""

    saves: tuple[str, ...] | None = None  # the array parameters whose values the gradient needs; None: all
    # The tensors that PyTorch saves for backward, or a function of a call that returns them. They must not be
    # overwritten before the backward pass. Each word names some tensors:
    #   "inputs": the saved inputs on which the gradient depends; "all": all saved inputs;
    #   the name of an array parameter: this parameter;
    #   "result": the only result; "first": the first of several results; "others": the results after the first;
    #   "results": all results; "positions": positions of the chosen elements, which are not a result;
    #   a `Kept`: a view of a parameter, or a parameter that is saved for some gradients only.
    # `UNSQUEEZED` and `ONCE` describe how the result is used if the gradient itself is differentiated.
    remembers: tuple[str | Kept, ...] | Callable[[Any], tuple[str | Kept, ...]] = ("inputs",)
    # True if the gradient uses the saved values only to select elements, so it has no derivative with respect to them.
    # It may be a function of a plan.
    chooses: bool | Callable[[Any], bool] = False
    # The array parameters with respect to which the derivative of the gradient is always zero, or a function of a plan
    # that returns them. In PyTorch such a gradient still requires grad.
    vanishing: tuple[str, ...] | Callable[[Any], tuple[str, ...]] = ()
    # lasts(plan, order) returns whether the gradient of this order has a derivative with respect to the first input in
    # PyTorch even if it does not depend on it. `plan` is the operator's plan.
    lasts: Callable[[Any, int], bool] | None = None
    # PyTorch computes all gradients in one operator, which takes all saved inputs: if one of these requires grad, all
    # gradients do.
    fused: bool = False
    residuals: bool = False  # the forward saves residuals for backward, which then does not recompute the forward
    by_hand: Any = None  # the passes with residuals as `by_hand.Passes`, if they are not derived from the kernel
    # The name of the gradient node, or node(call) if overloads differ. A `Nodes` if PyTorch records several nodes.
    node: str | Callable[[Any], str] = ""
    # The arguments to which PyTorch's node has gradient edges, in PyTorch's order, if they are not simply all arrays in
    # the order of the parameters. May be edges(has_array), where has_array(name) returns whether an argument is an
    # array.
    edges: tuple[str, ...] | Callable[[Callable[[str], bool]], tuple[str, ...]] = ()
    differentiable: bool = True
    # The array parameters that must not require grad, each with the name of PyTorch's function in the error. The name
    # may be a function of the first operand's number of dims.
    without_gradient: dict[str, str | Callable[[int], str]] = field(default_factory=dict)
    once: bool = False  # the gradient is not differentiable in PyTorch
    # PyTorch's name of the gradient operator if that has no derivative with respect to the saved values. It may be a
    # function of a plan.
    underivable: str | Callable[[Any], str] = ""
    # PyTorch's name of the operator if it has no derivative: a backward pass that reaches its node raises.
    refused: str = ""
    refuses_complex: str = ""  # PyTorch's name of the operator, if it has no gradient for complex results


@dataclass(eq=False)
class ViewRules:
    """The geometry of an operator that returns a view of its first operand."""

    geometry: Callable | None = None  # geometry(shape, strides, **statics) -> (shape, strides)
    offset: Callable | None = None  # offset(tensor, *statics) -> the result's offset from the input, in elements
    result: Callable | None = None  # for views with another dtype: result(call) -> dtype
    inverse: Callable | None = None  # for views without a linear inverse: inverse(base, new) -> base with `new` written
    # For views of the same memory whose elements are conjugated ("conj") or negated ("neg") when read.
    pending: str = ""


@dataclass(eq=False)
class DtypeRules:
    """The dtypes that an operator accepts, computes in and rounds to."""

    keeps: tuple[str, ...] = ()  # the array parameters excluded from promotion (masks, indices)
    opmath: bool = True  # compute half precision in float32 and round once; else see rounding.py
    loop: str = ""  # PyTorch's name of the inner loop, for errors about dtypes; default: NAME_cpu
    takes: tuple[Any, ...] = ()  # the dtypes, categories or EMPTY that the loop supports; (): `check` decides, or all
    float8: tuple[Any, ...] = ()  # the supported 8-bit dtypes
    # If an element-wise operator computes in half precision, its operands of other dtypes, including numbers and 0-d
    # tensors, are rounded to half precision first. Other numbers are not rounded.
    exact: tuple[str, ...] = ()  # the operands that are not rounded
    rounded: tuple[str, ...] = ()  # the other parameters that are rounded


@dataclass(eq=False)
class ExecutionRules:
    """How an operator runs, and what it costs."""

    # The leading arrays whose channels-last format the results get: their number, or a slice of the arrays. "order":
    # the results have the memory order of the first array, as element-wise results have.
    formats: int | slice | str | Callable[[Any], int] = 0
    host: int | Callable[[Any], int] = 0  # the number of XLA threads that NumPy equals in speed on large arrays
    flops: Callable | None = None  # flops(products) -> operations of matrix products (see flops.py); None: no product
    numpy: bool = True  # the kernel runs on NumPy arrays; else the interpreter uses its jaxpr or an executable


@dataclass(eq=False)
class PublicRules:
    """The public names and call signatures of an operator."""

    aliases: tuple[str, ...] = ()
    where: tuple[str, ...] = ("torch", "Tensor")  # the namespaces that expose the operator
    # The name of PyTorch's own operator in errors about arguments. No method calls such an operator.
    in_errors: str = ""
    inplace: bool = False  # has an in-place variant, name + "_"
    # Whether an in-place call accepts an operand that partly overlaps the target. Default: if it is not pointwise.
    overlaps: bool | None = None
    # The rule for `out=`, or a function of the first operand that returns it. True: the default rule of such operators.
    # False: the operator has no `out=`.
    out: bool | Into | Callable[[Any], Into] = True
    special: dict[str, tuple] = field(default_factory=dict)  # numbers that select another formula, so they are static
    of_numbers: bool = False  # PyTorch accepts numbers for all operands; the result is a tensor
    overloads: bool | None = None  # PyTorch has several signatures; default: True if a parameter is an `Operand`
    old_orders: tuple[tuple[str, ...], ...] = ()  # the parameter orders of PyTorch's deprecated overloads
    requires: dict[str, str] = field(default_factory=dict)  # parameters that can be given only with another one
    autocast: Casts | None = None  # the casting policies of mixed precision
    uncast: Callable | None = None  # the public function without autocasting, set if there is an `autocast` policy


@dataclass(eq=False)
class Op:
    """An operator schema. All other properties of an operator are derived from it.

    `declare` distributes its options to the groups by name.
    """

    name: str
    kernel: Callable
    family: str
    typing: Callable  # computes the dtypes and shapes of the results from the inputs (see typing_rules.py)
    shape: Callable | None = None  # shape(call) -> result shapes, if the family's rule does not determine them
    check: Callable | None = None  # check(call) raises PyTorch's errors; runs once for each new signature
    fits: Callable | None = None  # fits(call) raises the error of an in-place call if `input` lacks the result's shape
    guard: Callable | None = None  # guard(*args) checks concrete values at every call; tensors are passed as Values
    sparse: Callable | None = None  # the implementation for sparse operands, set at import; None: an error
    gradient: GradientRules = field(default_factory=GradientRules)
    view: ViewRules = field(default_factory=ViewRules)
    dtypes: DtypeRules = field(default_factory=DtypeRules)
    execution: ExecutionRules = field(default_factory=ExecutionRules)
    public: PublicRules = field(default_factory=PublicRules)
    plans: dict = field(default_factory=dict, repr=False)
    forms: dict = field(default_factory=dict, repr=False)  # keyed by the types of the arguments (see `binding.py`)
    varying: dict = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.signature = inspect.signature(self.kernel)
        parameters = self.signature.parameters.values()
        self.names = tuple(p.name for p in parameters)
        self.kinds = tuple(_kind(p) for p in parameters)
        self.kind_of = dict(zip(self.names, self.kinds))
        public, gradient = self.public, self.gradient
        public.overloads = OPERAND in self.kinds if public.overloads is None else public.overloads
        self.optional = frozenset(p.name for p in parameters if "None" in str(p.annotation))
        self.positional = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
        self.defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        public.overlaps = self.family != "pointwise" if public.overlaps is None else public.overlaps
        gradient.node = gradient.node or self.name.title().replace("_", "") + "Backward0"
        self.dtypes.loop = self.dtypes.loop or self.name + "_cpu"
        self.doc = clean(self.kernel.__doc__ or "")
        if public.out is True:
            public.out = out_rules.of_row(self)
        place = public.where[0] if public.where else ""
        named = f"{place}_{self.name}" if place in ("linalg", "special", "fft") else self.name
        self.called = public.in_errors or named
        self.public_name = self.called.lstrip("_")  # in errors

    @functools.cached_property
    def shown(self) -> Callable:
        """The kernel with public annotations, from which `inspect` reads the source and the signature."""
        kernel: Any = self.kernel
        made = types.FunctionType(
            kernel.__code__, kernel.__globals__, kernel.__name__, kernel.__defaults__, kernel.__closure__
        )
        made.__kwdefaults__, made.__doc__ = kernel.__kwdefaults__, self.doc
        made.__annotations__ = {name: _shown(str(kind)) for name, kind in kernel.__annotations__.items()}
        return made

    @property
    def signature_with_out(self) -> inspect.Signature:
        """The public signature of an operator with `out=`."""
        kinds = self.shown.__annotations__
        given = [p.replace(annotation=kinds.get(p.name, p.annotation)) for p in self.signature.parameters.values()]
        return inspect.Signature([*given, _OUT])

    def takes_none(self, name: str) -> bool:
        """Return whether the kernel accepts None for this parameter."""
        return name in self.optional or (
            self.defaults.get(name, name) is None and self.signature.parameters[name].annotation not in _NEVER_NONE
        )

    def rounds(self, name: str) -> bool:
        """Return whether an argument of another dtype is rounded first if the computation is in half precision."""
        return name in self.dtypes.rounded or (
            self.family == "pointwise"
            and self.kind_of[name] in (OPERAND, ARRAY)
            and name not in self.dtypes.exact + self.dtypes.keeps
        )


_OUT = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None")


def clean(doc: str) -> str:
    """Return a docstring without the margin of its lines, as `inspect.cleandoc` does, but faster.

    The last line of a docstring with a margin has no text.
    """
    margin = doc[doc.rfind("\n") :]
    return doc.replace(margin, "\n").rstrip() if margin.isspace() else doc


@functools.cache
def _shown(annotation: str) -> str:
    return re.sub(r"\w+", lambda word: _SHOWN.get(word[0], word[0]), annotation).replace("None | None", "None")


def _kind(parameter: inspect.Parameter) -> int:
    return _KINDS.get(str(parameter.annotation).split(" |")[0].strip(), STATIC)


_GROUPS: dict[str, Any] = {each.name: each.default_factory for each in fields(Op) if is_dataclass(each.default_factory)}
_GROUP_OF = {each.name: group for group, made in _GROUPS.items() for each in fields(made)}


def _op(name: str, kernel: Callable, family: str, typing: Callable, options: dict[str, Any]) -> Op:
    """Return a schema. Each option is a field of `Op` or of one of its groups."""
    groups: dict[str, dict[str, Any]] = {group: {} for group in _GROUPS}
    rest = {}
    for key, value in options.items():
        (groups[_GROUP_OF[key]] if key in _GROUP_OF else rest)[key] = value
    return Op(
        name, kernel, family, typing, **rest, **{group: _GROUPS[group](**given) for group, given in groups.items()}
    )


def declare(family: str, typing: Callable, **options: Any) -> Callable[[Callable], Op]:
    """Return a decorator that registers a kernel as an operator and returns its schema.

    Raises:
      ValueError: an operator of the same name or alias is already registered.
    """

    def decorate(kernel: Callable) -> Op:
        name = options.pop("name", kernel.__name__)
        op = _op(name, kernel, family, typing, options)
        for each in (name, *op.public.aliases):
            if each in REGISTRY:
                raise ValueError(f"operator {each!r} is declared twice")
            REGISTRY[each] = op
        return op

    return decorate


def pointwise(kernel: Callable | None = None, *, promote: Callable = typing_rules.common, **options: Any) -> Any:
    """Declare an element-wise operator, with broadcasting, type promotion and (by default) an in-place variant."""
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
    """Declare an operator that reduces dims, with parameters `dim` and `keepdim`.

    `promote` maps the input's dtype to the dtypes of the computation and the result. `of_requested` does the same for
    an explicit `dtype=`.
    """
    rule = functools.partial(typing_rules.reduction, promote=promote, of_requested=of_requested)
    made = declare("reduction", rule, **options)
    return made if kernel is None else made(kernel)


def view(**options: Any) -> Any:
    """Declare an operator whose result shares its input's storage.

    `geometry` returns the shape and strides of the result.
    """
    options.setdefault("saves", ())
    return declare("view", typing_rules.view, opmath=False, out=False, **options)


def operator(kernel: Callable | None = None, *, promote: Callable | None = typing_rules.common, **options: Any) -> Any:
    """Declare any other operator. Without `shape`, one abstract trace of the kernel determines the result shapes."""
    made = declare("operator", functools.partial(typing_rules.general, promote=promote), **options)
    return made if kernel is None else made(kernel)


def forget_plans() -> None:
    """Clear all cached plans, which depend on the default dtype."""
    for op in REGISTRY.values():
        op.plans.clear()
        op.varying.clear()


modes.on_default_dtype_change.append(forget_plans)
