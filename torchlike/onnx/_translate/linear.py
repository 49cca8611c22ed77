"""Products of matrices."""

from __future__ import annotations

from typing import Any

from torchlike.onnx._calls import Call, dims, translates


@translates("linear")
def _linear(c: Call) -> Any:
    x, weight, bias = c.value("input"), c.value("weight"), c.optional("bias")
    if len(dims(x)) == 2 and len(dims(weight)) == 2:
        return c.op("Gemm", x, weight, *([] if bias is None else [bias]), transB=1)
    if len(dims(weight)) == 2:
        weight = c.op("Transpose", weight, perm=[1, 0])
    made = c.op("MatMul", x, weight)
    return made if bias is None else c.op("Add", made, bias)


@translates("matmul", "mm", "bmm", "mv", "dot")
def _matmul(c: Call) -> Any:
    first, second = (name for name, (where, _) in c.arguments.items() if where == "array")
    return c.op("MatMul", c.value(first), c.value(second))


@translates("addmm")
def _addmm(c: Call) -> Any:
    factors: dict[str, Any] = {"alpha": float(c.number("alpha")), "beta": float(c.number("beta"))}
    if c.dtype.is_floating_point() and len(dims(c["input"])) <= 2:
        return c.op("Gemm", c.value("mat1"), c.value("mat2"), c.value("input"), **factors)
    return _added(c, c.op("MatMul", c.value("mat1"), c.value("mat2")))


def _added(c: Call, product: Any) -> Any:
    """Return beta * input + alpha * product."""
    made = []
    for value, name in ((c.value("input"), "beta"), (product, "alpha")):
        made.append(value if c[name] == 1 else c.op("Mul", value, c.scalar(c[name])))
    return c.op("Add", *made)


@translates("baddbmm")
def _baddbmm(c: Call) -> Any:
    return _added(c, c.op("MatMul", c.value("batch1"), c.value("batch2")))


@translates("addmv")
def _addmv(c: Call) -> Any:
    return _added(c, c.op("MatMul", c.value("mat"), c.value("vec")))


@translates("outer")
def _outer(c: Call) -> Any:
    column = c.op("Unsqueeze", c.value("input"), c.b.ints([1]))
    return c.op("Mul", column, c.value("vec2"))


@translates("einsum")
def _einsum(c: Call) -> Any:
    return c.op("Einsum", *(c.b.cast(x, c.dtype) for x in c["operands"]), equation=c["equation"])


@translates("bilinear")
def _bilinear(c: Call) -> Any:
    parts = c.value("input1"), c.value("weight"), c.value("input2")
    made = c.op("Einsum", *parts, equation="...i,oij,...j->...o")
    return made if c["bias"] is None else c.op("Add", made, c.value("bias"))


@translates("inner")
def _inner(c: Call) -> Any:
    first, second = c.value("input"), c.value("other")
    if not dims(c["input"]) or not dims(c["other"]):
        return c.op("Mul", first, second)
    return c.op("Einsum", first, second, equation=_equation(dims(c["input"]), dims(c["other"]), ((-1,), (-1,))))


@translates("tensordot")
def _tensordot(c: Call) -> Any:
    return c.op("Einsum", c.value("a"), c.value("b"), equation=_equation(dims(c["a"]), dims(c["b"]), c["dims"]))


def _equation(first: tuple, second: tuple, axes: Any) -> str:
    """Return the equation of a contraction over the given dims of two arrays."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    left, right = [next(letters) for _ in first], [next(letters) for _ in second]
    for i, j in zip(*axes):
        right[j] = left[i]
    shared = set(left) & set(right)
    out = [x for x in (*left, *right) if x not in shared]
    return f"{''.join(left)},{''.join(right)}->{''.join(out)}"


@translates("vdot", "vecdot")
def _vecdot(c: Call) -> Any:
    if c.name == "vdot":
        return c.op("MatMul", c.value("input"), c.value("other"))
    product = c.op("Mul", c.value("x"), c.value("y"))
    return c.op("ReduceSum", product, c.b.ints([c["dim"] if c["dim"] < 0 else c["dim"] - c.rank - 1]), keepdims=0)


@translates("addr")
def _addr(c: Call) -> Any:
    column = c.op("Unsqueeze", c.value("vec1"), c.b.ints([1]))
    return _added(c, c.op("Mul", column, c.value("vec2")))


@translates("addbmm")
def _addbmm(c: Call) -> Any:
    return _added(c, c.op("ReduceSum", c.op("MatMul", c.value("batch1"), c.value("batch2")), c.b.ints([0]), keepdims=0))


@translates("trace")
def _trace(c: Call) -> Any:
    x = c.value("input")
    eye = c.op("EyeLike", x)
    return c.op("ReduceSum", c.op("Mul", x, eye), keepdims=0)


@translates("det")
def _det(c: Call) -> Any:
    return c.op("Det", c.value("A"))
