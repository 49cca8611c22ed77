"""Sums, extremes, statistics, and orders."""

from __future__ import annotations

from typing import Any

from torchlike.onnx._calls import BOOL, INT64, Call, Unsupported, dims, translates


def axes_of(c: Call, x: Any) -> list[int]:
    """Return the reduced dims from zero."""
    given, count = c["dim"], len(dims(x))
    if given is None or given == ():
        return list(range(count))
    return [d % count for d in ([given] if isinstance(given, int) else given)] if count else []


def reduced(c: Call, kind: str, x: Any, axes: list[int], keepdim: bool = False) -> Any:
    """Return the reduction of a value over dims."""
    if not axes:
        return x
    return c.op(kind, x, c.b.ints(axes), keepdims=int(keepdim))


def _reduction(c: Call, kind: str, x: Any) -> Any:
    keepdim = c["keepdim"] if "keepdim" in c.arguments else False
    return reduced(c, kind, x, axes_of(c, c["input"]), keepdim)


for _name, _kind in {"sum": "ReduceSum", "mean": "ReduceMean", "amax": "ReduceMax", "amin": "ReduceMin"}.items():
    translates(_name)(lambda c, kind=_kind: _reduction(c, kind, c.value("input")))


@translates("prod")
def _prod(c: Call) -> Any:
    return _reduction(c, "ReduceProd", c.value("input"))


@translates("logsumexp")
def _logsumexp(c: Call) -> Any:
    return _reduction(c, "ReduceLogSumExp", c.value("input"))


@translates("any", "all")
def _any(c: Call) -> Any:
    integers = c.b.cast(c.value("input", BOOL), INT64)
    return c.b.cast(_reduction(c, "ReduceMax" if c.name == "any" else "ReduceMin", integers), BOOL)


@translates("count_nonzero")
def _count_nonzero(c: Call) -> Any:
    return _reduction(c, "ReduceSum", c.b.cast(c.value("input", BOOL), INT64))


@translates("_max_of_all", "_min_of_all")
def _extreme_of_all(c: Call) -> Any:
    kind = "ReduceMax" if c.name == "_max_of_all" else "ReduceMin"
    return reduced(c, kind, c.value("input"), list(range(len(dims(c["input"])))))


@translates("max", "min")
def _extreme(c: Call) -> Any:
    x, axis, keep = c.value("input"), c.axis(), c["keepdim"]
    kind = c.name.capitalize()
    if not dims(x):
        return x, c.scalar(0, INT64)
    return reduced(c, f"Reduce{kind}", x, [axis], keep), c.op(
        f"Arg{kind}", x, dtype=INT64, axis=axis, keepdims=int(keep)
    )


@translates("argmax", "argmin")
def _place_of_extreme(c: Call) -> Any:
    x, keep, axis, kind = c["input"], int(c["keepdim"]), c["dim"], "ArgMax" if c.name == "argmax" else "ArgMin"
    if axis is not None and dims(x):
        return c.op(kind, x, dtype=INT64, axis=axis, keepdims=keep)
    if keep:
        raise Unsupported("keepdim is True and dim is None")
    return c.op(kind, c.op("Reshape", x, c.b.ints([-1])), dtype=INT64, axis=0, keepdims=0)


def squares(c: Call, x: Any, axes: list[int], keepdim: bool, correction: float) -> tuple[Any, Any]:
    """Return the variance and the mean of a value over dims."""
    mean = reduced(c, "ReduceMean", x, axes, True)
    away = c.op("Sub", x, mean)
    total = reduced(c, "ReduceSum", c.op("Mul", away, away), axes, keepdim)
    sizes = [dims(x)[axis] for axis in axes]
    if all(isinstance(n, int) for n in sizes):
        count = 1
        for n in sizes:
            count *= n
        divisor = c.scalar(max(count - correction, 0))
    else:
        product = c.op("ReduceProd", c.b.sizes(sizes), c.b.ints([0]), keepdims=0)
        divisor = c.op("Max", c.op("Sub", c.b.cast(product, c.dtype), c.scalar(correction)), c.scalar(0))
    mean = mean if keepdim else c.op("Squeeze", mean, c.b.ints(axes))
    return c.op("Div", total, divisor), mean


@translates("var", "std", "var_mean", "std_mean")
def _var(c: Call) -> Any:
    x = c.value("input")
    var, mean = squares(c, x, axes_of(c, x), c["keepdim"], c["correction"])
    made = c.op("Sqrt", var) if c.name.startswith("std") else var
    return (made, mean) if c.name.endswith("mean") else made


@translates("vector_norm")
def _vector_norm(c: Call) -> Any:
    kinds = {1: "ReduceL1", 2: "ReduceL2"}
    x, order, keep = c.value("input"), c["ord"], c["keepdim"]
    axes = axes_of(c, x)
    if order in kinds:
        return reduced(c, kinds[order], x, axes, keep)
    if order in (float("inf"), float("-inf")):
        return reduced(c, "ReduceMax" if order > 0 else "ReduceMin", c.op("Abs", x), axes, keep)
    powers = reduced(c, "ReduceSum", c.op("Pow", c.op("Abs", x), c.scalar(order)), axes, keep)
    return c.op("Pow", powers, c.scalar(1 / order))


@translates("normalize")
def _normalize(c: Call) -> Any:
    x, kinds = c.value("input"), {1: "ReduceL1", 2: "ReduceL2"}
    if c["p"] not in kinds:
        raise Unsupported(f"p is {c['p']}")
    norm = reduced(c, kinds[c["p"]], x, axes_of(c, x), True)
    return c.op("Div", x, c.op("Max", norm, c.value("eps")))


@translates("cumsum")
def _cumsum(c: Call) -> Any:
    return c.op("CumSum", c.value("input"), c.scalar(c["dim"], INT64))


@translates("sort", "argsort", "topk", "msort")
def _sort(c: Call) -> Any:
    x, axis = c["input"], c["dim"] if "dim" in c.arguments else 0
    if "stable" in c.arguments and c["stable"]:
        raise Unsupported("stable is True, and ONNX promises no order of equal elements")
    length, largest = dims(x)[axis] if dims(x) else 1, c["descending"] if "descending" in c.arguments else False
    if c.name == "topk":
        length, largest = c["k"], c["largest"]
    values, places = c.b.several(
        "TopK", x, c.b.size(length), dtypes=[x.dtype, INT64], axis=axis, largest=int(largest), sorted=1
    )
    return {"argsort": places, "msort": values}.get(c.name, (values, places))
