"""Errors and warnings of the engine that compiles and runs programs. PyTorch has no such messages."""

from __future__ import annotations

from collections.abc import Sequence


def wrong_results(plan: object, computed: list[str]) -> RuntimeError:
    return RuntimeError(
        f"internal error of torchlike: the operator {plan} computed {', '.join(computed)}, which is not what its rule "
        "declares. Please report this with the call that led to it."
    )


def bad_cache_size(given: str) -> ValueError:
    return ValueError(
        f"TORCHLIKE_CACHE_SIZE is the most bytes that compiled programs may take on disk, a number with or without one "
        f"of the units K, M, G, T (powers of 1024); got {given!r}"
    )


def shapes_keep_changing(
    count: int, place: object, what: str, shapes: Sequence[tuple[int, ...]], seconds: float, interpreted: bool, by: str
) -> str:
    remedy = ", or torchlike.set_executor('auto')" if by == "xla" else ""
    cost = "A shape costs a compile when it is first met"
    if interpreted:
        cost = "Shapes that come once are interpreted by NumPy, slower than a compiled program"
    return (
        f"{count} programs were made at {place} that differ only in the shapes of their inputs ({seconds:.1f} s of "
        f"compiles so far). {what} had the shapes {', '.join(map(str, shapes))}. {cost}: pad to a few fixed sizes "
        f"(buckets){remedy}. torchlike.explain() shows every program."
    )
