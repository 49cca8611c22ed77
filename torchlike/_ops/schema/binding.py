"""Argument binding: maps a call's arguments to a `Call` for the typing rules, and plan inputs to kernel arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._engine import Aval
from torchlike._engine.xla.target import for_cpu
from torchlike._ops.elementwise.float8 import cast
from torchlike._ops.elementwise.truncation import is_float, truncated
from torchlike._ops.schema import declare as d
from torchlike._ops.schema import foreign_errors
from torchlike._ops.schema.rounding import rounding
from torchlike._ops.schema.typing_rules import Call, Typed

if TYPE_CHECKING:
    from typing_extensions import TypeIs


class Run:
    """The function of a plan: it takes flat arrays and numbers and returns the kernel's results.

    This is an object with slots because each new shape creates a plan for every operator. A closure over the same names
    would be a dozen objects. Their garbage collection took a tenth of the time of inference over a hundred input
    lengths.
    """

    __slots__ = (
        "__weakref__",
        "arguments",
        "by_position",
        "compute",
        "converted",
        "count",
        "kept",
        "kernel",
        "name",
        "numbers",
        "output",
        "outputs",
        "pick",
        "real",
        "statics",
        "stored",
        "to",
    )

    arguments: dict[str, tuple[str, Any]]
    by_position: bool  # the kernel's first parameters take the inputs, and all others are static
    compute: _dtypes.dtype | None  # the dtype to which the arrays are cast for the kernel; None: no cast
    converted: Callable[[Any, _dtypes.dtype], Any]
    count: int  # the number of arrays
    kept: frozenset[int]  # the arrays that are not cast
    kernel: Callable
    name: str  # the operator's name, for errors
    numbers: Sequence[_dtypes.dtype]  # the dtype of each runtime number
    output: np.dtype | None  # the dtype of the only result; None: several results, or as the kernel returns it
    outputs: tuple[_dtypes.dtype, ...] | None  # the dtypes of the results; None: as the kernel returns them
    pick: Callable[[tuple], tuple] | None  # puts the inputs into the order of the parameters; None: they are in order
    real: type | None  # the type of the only number, if it is float32 or float64: its conversion is three times as fast
    statics: dict[str, Any]  # the static arguments, without those that are the kernel's defaults
    stored: Callable[[int, Any], Any] | None  # see `Template._stored`
    to: np.dtype | None  # the dtype of `compute`

    def take(self, arguments: dict[str, tuple[str, Any]], op: d.Op) -> Run:
        """Set the mapping from inputs to kernel arguments, and return self."""
        self.arguments = arguments
        self.to = None if self.compute is None else self.compute.numpy
        self.output = self.outputs[0].numpy if self.outputs is not None and len(self.outputs) == 1 else None
        self._place(op)
        default = op.defaults.get
        self.statics = {
            name: what
            for name, (where, what) in arguments.items()
            if where == "static" and what is not default(name, _MISSING)
        }
        return self

    def _place(self, op: d.Op) -> None:
        """Find out whether the kernel can take the inputs by position, and in which order."""
        places: list[int] = []
        self.by_position, self.pick = False, None
        if self.stored is not None or self.kept:
            return
        for name, (where, what) in self.arguments.items():
            if where == "static":
                continue
            if where == "arrays" or len(places) >= op.positional or op.names[len(places)] != name:
                return
            places.append(what if where == "array" else self.count + what)
        self.by_position = True
        if places != [*range(len(places))]:
            self.pick = operator.itemgetter(*places)

    def __call__(self, *flat: Any) -> tuple:
        try:
            if self.real is not None and flat[-1].__class__ is np.float64:
                flat = (*flat[:-1], self.real(flat[-1]))
            elif self.numbers:
                flat = (*flat[: self.count], *map(self.converted, flat[self.count :], self.numbers))
            to, is_cast = self.to, self.by_position
            if is_cast and to is not None:
                for x in flat[: self.count] if self.numbers else flat:
                    if x.dtype is not to:
                        is_cast = False
            if is_cast:
                out = self.kernel(*(flat if self.pick is None else self.pick(flat)), **self.statics)
            else:
                out = self.kernel(**_bound(self.arguments, self._cast(flat), self.count))
            if self.output is None or out.__class__ in _SEVERAL:
                return self._results(out)
            return (out,) if out.dtype is self.output else self._results(out)
        except Exception as error:
            raise foreign_errors.of_kernel(error, self.name, flat) from error.__cause__

    def _cast(self, flat: tuple) -> list:
        """Return the arrays in the dtype in which the kernel computes, and the numbers."""
        count, compute = self.count, self.compute
        stored = self.stored if self.stored is None or for_cpu() else None
        given: list[Any] = [*flat]
        if stored is not None:
            given = [stored(i, x) for i, x in enumerate(given)]
        if compute is not None:
            to, kept = compute.numpy, self.kept
            is_integer = compute.category == _dtypes.INTEGER
            for i, x in enumerate(given[:count]):
                if x.dtype != to and i not in kept:
                    given[i] = truncated(x, compute) if is_integer and is_float(x) else cast_array(x, compute)
        return given

    def _results(self, out: Any) -> tuple:
        """Return the results of the kernel in their dtypes."""
        found = out if out.__class__ is tuple else tuple(out) if isinstance(out, tuple | list) else (out,)
        if self.outputs is None:
            return found
        return tuple([x if x.dtype == dt.numpy else cast_array(x, dt) for x, dt in zip(found, self.outputs)])


def _bound(arguments: dict[str, tuple[str, Any]], given: Sequence, count: int) -> dict[str, Any]:
    """Return the kernel's arguments by name. `count` is the number of arrays, which precede the numbers."""
    bound = {}
    for name, (where, what) in arguments.items():
        if where == "array":
            bound[name] = given[what]
        elif where == "arrays":
            bound[name] = [given[i] for i in what]
        elif where == "number":
            bound[name] = given[count + what]
        else:
            bound[name] = what
    return bound


class Template:
    """The mapping from flat inputs to kernel arguments, shared by plans that differ only in shapes."""

    __slots__ = ("arguments", "arrays", "numbers", "runs")

    def __init__(self) -> None:
        self.arguments: dict[str, tuple[str, Any]] = {}
        self.arrays: list[tuple[str, int]] = []  # parameter name, kind
        self.numbers: list[tuple[type, int]] = []  # number type, kind
        self.runs: dict[tuple, Run] = {}  # the functions of these plans, keyed by dtypes

    def saved(self, op: d.Op) -> tuple[int, ...]:
        if op.gradient.saves is None:
            return tuple(range(len(self.arrays)))
        return tuple([i for i, (name, _) in enumerate(self.arrays) if name in op.gradient.saves])

    def function(self, op: d.Op, typed: Typed, outputs: tuple[_dtypes.dtype, ...] | None) -> Run:
        """Return the function of a plan whose results are cast to `outputs` (None: not cast)."""
        key = (typed.compute, typed.opmath, outputs)
        return self.runs.get(key) or self.runs.setdefault(key, self._run(op, typed, outputs))

    def _run(self, op: d.Op, typed: Typed, outputs: tuple[_dtypes.dtype, ...] | None) -> Run:
        compute = typed.compute
        if compute is not None and op.dtypes.opmath and typed.opmath:
            compute = _dtypes.opmath(compute)
        run = Run()
        run.kernel, run.name, run.compute, run.outputs = op.kernel, op.name, compute, outputs
        run.count = len(self.arrays)
        run.numbers = tuple([_number_dtype(number, kind, compute, typed) for number, kind in self.numbers])
        run.converted = _cast_number if any([dt in _dtypes.FLOAT8 for dt in run.numbers]) else _number
        run.real = run.numbers[0].numpy.type if len(run.numbers) == 1 and run.numbers[0] in _REAL else None
        run.kept = (
            frozenset([i for i, (name, _) in enumerate(self.arrays) if name in op.dtypes.keeps])
            if op.dtypes.keeps
            else _NONE
        )
        half = None if compute is typed.compute else typed.compute
        run.stored = None if half is None else self._stored(op, half)
        return run.take(self.arguments, op)

    def _stored(self, op: d.Op, half: _dtypes.dtype) -> Callable[[int, Any], Any] | None:
        """Return a function that rounds the inputs that PyTorch rounds to half precision before its CPU loop.

        It takes the position of an input (arrays first, then numbers) and the input. Accelerator loops take such inputs
        in float32. Return None if no input is rounded.
        """
        names = [name for name, _ in self.arrays]
        number = {what: name for name, (where, what) in self.arguments.items() if where == "number"}
        names += [number[i] for i in range(len(self.numbers))]
        rounds = [op.rounds(name) for name in names]
        if not any(rounds):
            return None
        step, wide = rounding(half.numpy), _dtypes.opmath(half)
        is_wider = lambda x: x.dtype.kind in "iu" or (x.dtype.kind == "f" and x.dtype.itemsize > 2)
        return lambda i, x: step(cast_array(x, wide)) if rounds[i] and is_wider(x) else x


_NONE: frozenset[int] = frozenset()
_MISSING = object()
_REAL = (_dtypes.float32, _dtypes.float64)
_SEVERAL = (tuple, list)


def _number(x: Any, to: _dtypes.dtype) -> Any:
    return x.astype(to.numpy) if hasattr(x, "astype") else to.numpy.type(x)


def _cast_number(x: Any, to: _dtypes.dtype) -> Any:
    return cast(x if hasattr(x, "dtype") else np.asarray(x), to)


def cast_array(x: Any, to: _dtypes.dtype) -> Any:
    """Return the array cast to another dtype. A cast from complex to a real dtype but bool takes the real part."""
    if x.dtype.kind == "c" and not to.is_complex:
        x = x != 0 if to.name == "bool" else x.real
    return cast(x, to)


def _number_dtype(number: type, kind: int, compute: Any, typed: Typed) -> _dtypes.dtype:
    if kind == d.INDEX or compute is None:
        return {int: _dtypes.int64, bool: _dtypes.bool_, complex: _dtypes.complex128}.get(number, _dtypes.float64)
    if kind == d.SCALAR and compute.category < _dtypes.FLOATING and number is float:
        return _dtypes.float64
    if number is complex:
        return compute.to_complex()
    return _dtypes.opmath(compute) if kind == d.SCALAR else compute  # PyTorch does not round scalars to half precision


class Form(NamedTuple):
    """The cached binding of arguments of given types, independent of their shapes, dtypes and values."""

    places: tuple[tuple[str, str, Any], ...]  # per argument: parameter, role ("array", "number", "static"), type
    defaults: dict[str, Any]  # the defaults of the other parameters
    arrays: list[tuple[str, int]]
    numbers: list[tuple[type, int]]
    promoted: list[type]
    templates: dict[tuple, Template]  # keyed by the static arguments
    keeps: bool  # templates are cached; False with float or complex static arguments, because 0.0 == -0.0

    def bind(self, op: d.Op, args: tuple, seen: list) -> tuple[Call, Template]:
        """Return what the function `bind` returns, without repeating the work that depends only on types."""
        call = Call(op, {}, [], [], list(self.promoted), [])
        statics = []
        for (name, where, number), value, known in zip(self.places, args, seen):
            shown = value
            if where == "array":
                shown, strides = known
                call.arrays.append(shown)
                call.strides.append(strides)
                if name not in op.dtypes.keeps:
                    call.promoted.append(shown)
            elif where == "number":
                shown = number
            else:
                statics.append(value)
            call.arguments[name] = shown
        call.arguments.update(self.defaults)
        key = tuple(statics)
        template = self.templates.get(key)
        if template is None:
            template = self._template(call)
            if self.keeps and len(self.templates) < MOST_TEMPLATES:
                self.templates[key] = template
        return call, template

    def _template(self, call: Call) -> Template:
        template = Template()
        template.arrays, template.numbers = self.arrays, self.numbers
        arrays, numbers = count(), count()
        for name, where, _ in self.places:
            what = next(arrays) if where == "array" else next(numbers) if where == "number" else call.arguments[name]
            template.arguments[name] = (where, what)
        template.arguments.update((name, ("static", value)) for name, value in self.defaults.items())
        return template


MOST_TEMPLATES = 64
_PLAIN = frozenset((int, bool, float, complex, str, type(None), _dtypes.dtype))


def _types(op: d.Op, args: tuple, seen: list) -> tuple | None:
    """Return the types of the arguments if these alone determine the binding, else None."""
    if op.public.special or d.ARRAYS in op.kinds:
        return None
    types = []
    for value, known in zip(args, seen):
        cls = value.__class__
        if known is not None:
            cls = Aval
        elif not (cls in _PLAIN or (cls is tuple and all([n.__class__ is int for n in value]))):
            return None
        types.append(cls)
    return tuple(types)


def bind(op: d.Op, args: tuple, kwargs: dict, describe: Callable) -> tuple[Call, Template]:
    """Bind a call's arguments to an operator's parameters.

    Raise PyTorch's errors for an argument that has no parameter or an unsupported type.
    """
    seen = [describe(a) for a in args]
    types = None if kwargs else _types(op, args, seen)
    form = op.forms.get(types)
    if form is not None:
        return form.bind(op, args, seen)
    try:
        call, template = _bind_anew(op, args, kwargs, describe)
    except TypeError as error:
        raise _errors.overloads.of_overloads(error, op.public_name, tuple(map(_given, args)), kwargs) from None
    if types is not None:
        given = op.names[: len(args)]
        places = tuple([(name, template.arguments[name][0], call.arguments[name]) for name in given])
        defaults = {name: call.arguments[name] for name in op.names[len(args) :]}
        keeps = not any([where == "static" and x.__class__ in (float, complex) for _, where, x in places])
        op.forms[types] = Form(places, defaults, template.arrays, template.numbers, call.numbers, {}, keeps)
    return call, template


def _bind_anew(op: d.Op, args: tuple, kwargs: dict, describe: Callable) -> tuple[Call, Template]:
    try:
        bound = op.signature.bind(*args, **kwargs)
    except TypeError as error:
        _check_given(op, args, kwargs, describe)
        raise _errors.arguments.bad_arguments(op.public_name, op.signature, args, kwargs, error) from None
    for name, value in bound.arguments.items():
        _check(op, name, value, kwargs, describe)
    for name, other in op.public.requires.items():
        if name in bound.arguments and other not in bound.arguments:
            raise _errors.arguments.no_such_keyword(op.public_name, name)
    template, call = Template(), Call(op, {}, [], [], [], [])
    for name in op.names:
        if name in bound.arguments:
            _take(op, name, bound.arguments[name], call, template, describe)
        else:
            template.arguments[name] = ("static", op.defaults[name])
            call.arguments[name] = op.defaults[name]
    return call, template


def _check(op: d.Op, name: str, value: Any, kwargs: dict, describe: Callable) -> None:
    """Raise PyTorch's error if an argument that is not an array has a wrong type."""
    if name == "dtype" and not isinstance(value, _dtypes.dtype | None):
        raise _errors.arguments.wrong_type(op.public_name, name, None, "torch.dtype", _given(value))
    is_given = value is not None or not op.takes_none(name)
    if is_given and op.kind_of[name] in (d.STATIC, d.INDEX, d.SCALAR):
        _check_static(op, name, value, kwargs, describe(value) is not None)


def _check_given(op: d.Op, args: tuple, kwargs: dict, describe: Callable) -> None:
    """Check the types of the arguments of a call with too few arguments: such errors have precedence."""
    try:
        given = op.signature.bind_partial(*args, **kwargs).arguments
    except TypeError:
        return
    for name, value in given.items():
        _check(op, name, value, kwargs, describe)
        if op.kind_of[name] == d.ARRAY and not describe(value) and not (value is None and name in op.optional):
            raise _no_tensor(op, name, value)


def _no_tensor(op: d.Op, name: str, value: Any) -> TypeError:
    return _errors.arguments.wrong_type(op.public_name, name, op.names.index(name) + 1, "Tensor", _given(value))


def _given(value: Any) -> Any:
    """Return an argument as the user gave it. Lists were converted to tuples."""
    return [*value] if type(value) is tuple else value


def is_whole(n: Any) -> TypeIs[int]:
    return hasattr(n, "__index__") and n.__class__ is not bool


def _are_whole(given: Any) -> bool:
    return all(map(is_whole, given)) if isinstance(given, tuple | list) else is_whole(given)


def _is_real(given: Any) -> bool:
    return type(given) in (float, int, bool)


# For each annotation, the test that an argument other than a tensor must pass.
ASKED: dict[str, Callable[[Any], bool]] = {
    "Scalar": lambda given: type(given) in _dtypes.SCALAR_CATEGORY,
    "int": is_whole,
    "Index": is_whole,
    "Dims": _are_whole,
    "tuple | int": _are_whole,
    "tuple | int | str": lambda given: given.__class__ is str or _are_whole(given),
    "bool": lambda given: given.__class__ is bool,
    "str": lambda given: given.__class__ is str,
    "float": _is_real,
    "Real": _is_real,
}

# The type names that errors show for annotations.
CALLED = {
    "tuple | int | str": "tuple of ints",
    "Dims": "tuple of ints",
    "Index": "int",
    "Scalar": "Number",
    "Real": "float",
    "tuple | int": "tuple of ints",
}


def _check_static(op: d.Op, name: str, value: Any, kwargs: dict, is_tensor: bool) -> None:
    """Raise PyTorch's error if the operator does not accept a static argument of this type."""
    kind = str(op.signature.parameters[name].annotation).removesuffix(" | None")
    kind = kind if kind in ASKED else kind.split(" |")[0].strip()
    asked = ASKED.get(kind)
    if not is_tensor and (asked is None or asked(value)):
        return
    position = None if name in kwargs else op.names.index(name) + 1
    if kind == "tuple | int" and isinstance(value, tuple):
        place = next(i for i, n in enumerate(value) if not is_whole(n))
        raise _errors.arguments.wrong_element(op.public_name, name, position, place, value[place])
    wanted = CALLED.get(kind, kind)
    raise _errors.arguments.wrong_type(op.public_name, name, position, wanted, _given(value))


def _take(op: d.Op, name: str, value: Any, call: Call, template: Template, describe: Callable) -> None:
    """Add one argument to the call and to the template. Raise PyTorch's error if its type is wrong."""
    kind = op.kind_of[name]

    def take_array(tensor: Any) -> int:
        aval_, strides = describe(tensor)
        call.arrays.append(aval_)
        call.strides.append(strides)
        if name not in op.dtypes.keeps:
            call.promoted.append(aval_)
        template.arrays.append((name, kind))
        return len(template.arrays) - 1

    if kind == d.ARRAYS:
        if not isinstance(value, tuple | list) or not all(describe(t) for t in value):
            raise _errors.arguments.wrong_type(
                op.public_name, name, op.names.index(name) + 1, "tuple of Tensors", value
            )
        template.arguments[name] = ("arrays", [take_array(t) for t in value])
        call.arguments[name] = [describe(t)[0] for t in value]
    elif kind in (d.ARRAY, d.OPERAND) and describe(value):
        template.arguments[name] = ("array", take_array(value))
        call.arguments[name] = call.arrays[-1]
    elif kind == d.ARRAY and not (value is None and name in op.optional):
        raise _no_tensor(op, name, value)
    elif is_runtime_number(op, name, kind, value):
        number = int if kind == d.INDEX else type(value)
        if kind == d.OPERAND:
            call.numbers.append(number)
        template.arguments[name] = ("number", len(template.numbers))
        template.numbers.append((number, kind))
        call.arguments[name] = number
    else:
        if kind == d.OPERAND and type(value) in _dtypes.SCALAR_CATEGORY:
            call.numbers.append(type(value))
        elif kind == d.OPERAND and not (value is None and name in op.optional):
            raise _no_tensor(op, name, value)
        template.arguments[name] = ("static", value)
        call.arguments[name] = value


def is_runtime_number(op: d.Op, name: str, kind: int, value: Any) -> bool:
    """Return whether this argument is a number that the compiled program takes as an input."""
    if kind == d.INDEX:
        return isinstance(value, Varying)
    if kind not in (d.OPERAND, d.SCALAR) or type(value) not in _dtypes.SCALAR_CATEGORY:
        return False
    return value not in op.public.special.get(name, ())


class Varying(int):
    """An index that varied between calls, so it is a runtime input."""
