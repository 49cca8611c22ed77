"""Statements that create tensors."""

from __future__ import annotations

from tests.fuzz.programs import Writer

SHAPES = [(3,), (2, 3), (), (4,), (3, 2), (2, 2), (1, 3), (2, 1, 3), (2, 3, 2), (0,), (0, 3), (1,), (2, 2, 2)]
_FLOAT_VALUES = ["0.5", "-1.0", "2.0", "1.5", "0.0", "-0.25", "3.0", "1.0", "-2.0", "0.75", "1.25", "-0.5"]
_COMPLEX_VALUES = ["1+2j", "-0.5j", "0.5-1j", "2+0j", "-1+1j", "0j"]


def dtype(w: Writer) -> str:
    """Choose a dtype, usually float32."""
    if not w.chance(35):
        return "float32"
    return w.pick(["float64", "int64", "bool", "complex64", "int32", "bfloat16", "int64", "float64", "uint8"])


def create(w: Writer) -> str:
    """Write the creation of a tensor, which may be a leaf that requires grad and may be non-contiguous."""
    kind = dtype(w)
    shape = w.pick(SHAPES)
    count = 1
    for n in shape:
        count *= n
    grad = ", requires_grad=True" if kind.startswith(("float", "complex", "bfloat")) and w.chance(45) else ""
    way = w.number(8)
    if way < 5:
        made = f"torch.tensor({_nested(w, kind, shape)}, dtype=torch.{kind}{grad})"
        if 0 in shape:
            made = f"torch.zeros({shape}, dtype=torch.{kind}{grad})"
    elif way == 5:
        made = f"torch.full({shape}, {_number(w, kind)}, dtype=torch.{kind}{grad})"
    elif way == 6 and kind not in ("bool", "complex64"):
        made = f"torch.arange({count}, dtype=torch.{kind}).reshape({shape})" + (".requires_grad_()" if grad else "")
    elif way == 7 and len(shape) == 2:
        made = f"torch.ones({shape[::-1]}, dtype=torch.{kind}{grad}).t()"
    else:
        made = f"torch.{w.pick(['ones', 'zeros'])}({shape}, dtype=torch.{kind}{grad})"
    return f"{w.fresh()} = {made}"


def _nested(w: Writer, kind: str, shape: tuple[int, ...]) -> str:
    if not shape:
        return _number(w, kind)
    start = w.number(6)
    return _list(kind, shape, iter(range(start, start + 1000)))


def _list(kind: str, shape: tuple[int, ...], numbers) -> str:
    if not shape:
        return _value(kind, next(numbers))
    return "[" + ", ".join(_list(kind, shape[1:], numbers) for _ in range(shape[0])) + "]"


def _number(w: Writer, kind: str) -> str:
    return _value(kind, w.number(12))


def _value(kind: str, n: int) -> str:
    if kind == "bool":
        return str(n % 3 == 0)
    if kind.startswith(("int", "uint")):
        return str((n * 5 + 3) % 7)
    if kind.startswith("complex"):
        return _COMPLEX_VALUES[n % len(_COMPLEX_VALUES)]
    return _FLOAT_VALUES[n % len(_FLOAT_VALUES)]
