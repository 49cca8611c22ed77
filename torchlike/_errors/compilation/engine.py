"""Errors and warnings of the engine that compiles and runs programs. PyTorch has no such messages."""

from __future__ import annotations

from collections.abc import Sequence


def wrong_results(plan: object, computed: list[str]) -> RuntimeError:
    return RuntimeError(
        f"internal error of torchlike: the operator {plan} computed {', '.join(computed)}, but its rule "
        "declares other results. Please report this with the call that caused it."
    )


def no_xla_here(what: str, is_child: bool) -> RuntimeError:
    why = (
        "a forked process, because the threads of XLA exist only in its parent"
        if is_child
        else "a DataLoader worker process"
    )
    remedy = "do it in the main process" + (
        ", or start the process by the method 'spawn' or 'forkserver'" if is_child else ""
    )
    return RuntimeError(f"{what} needs XLA, which must not run in {why}: {remedy}")


def accelerator_in_child() -> RuntimeError:
    return RuntimeError(
        "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' "
        "start method"
    )


def bad_cache_size(given: str) -> ValueError:
    return ValueError(
        f"TORCHLIKE_CACHE_SIZE is the maximum size of the compiled programs on disk: a number of bytes, optionally "
        f"with one of the units K, M, G, T (powers of 1024); got {given!r}"
    )


def shapes_keep_changing(
    count: int, place: object, what: str, shapes: Sequence[tuple[int, ...]], seconds: float, interpreted: bool, by: str
) -> str:
    remedy = ", or torchlike.set_executor('auto')" if by == "xla" else ""
    cost = "Each new shape is compiled"
    if interpreted:
        cost = "Shapes that occur once are interpreted by NumPy, which is slower than a compiled program"
    return (
        f"{count} programs at {place} differ only in the shapes of their inputs ({seconds:.1f} s of compiles "
        f"so far). {what} had the shapes {', '.join(map(str, shapes))}. {cost}: pad to a few fixed sizes "
        f"(buckets){remedy}. torchlike.explain() shows every program."
    )
