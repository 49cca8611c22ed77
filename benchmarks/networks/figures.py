"""Figures of the measured networks: single numbers, ratios over a rival, limits and agreement."""

from collections.abc import Callable, Iterator
from statistics import median

from benchmarks.contenders import COMPILE, JAX, OURS, TORCH, WHOLE
from benchmarks.networks import NETWORKS
from benchmarks.rows import Check

TOLERANCE = 1e-4  # relative, of losses and results; float32 sums in another order
SLOWER = 1.3  # ratio over the committed ratio above which a figure is called slower; machines and their load differ
READ: dict[str, Callable[[dict], float]] = {
    "first step": lambda side: side["first steps"][0],
    "second step": lambda side: side["first steps"][1],
    "second process": lambda side: side["again"][0],
    "step": lambda side: side["step"],
    "compile": lambda side: side["compile"],
    "peak memory": lambda side: side["peak"],
    "inference, first call": lambda side: side["inference"]["first"],
    "inference, later": lambda side: side["inference"]["later"],
}
COMPARED = {  # figures of a short run that are compared with the committed ones, and the sides that have them
    "first step": (OURS, WHOLE),
    "step": (OURS, WHOLE),
    "peak memory": (OURS, WHOLE),
    "inference, first call": (OURS,),
    "inference, later": (OURS,),
}


def figure(network: dict, side: str, what: str) -> float | None:
    """Return a figure of one side of a network, or None if it was not measured."""
    try:
        return READ[what](network["sides"][side])
    except KeyError:
        return None


def over(network: dict, what: str, side: str, rival: str = TORCH) -> float | None:
    """Return a figure divided by the rival's, or None."""
    ours, theirs = figure(network, side, what), figure(network, rival, what)
    return ours / theirs if ours is not None and theirs else None


def every(networks: dict, read: Callable[[dict], float | None]) -> list[float]:
    return [found for network in networks.values() if (found := read(network)) is not None]


def checks(networks: dict) -> Iterator[Check]:
    """Yield the figures with a limit, as far as they were measured."""

    def summary(what: str, read: Callable, typical: float | None, worst: float | None = None) -> Iterator[Check]:
        if found := every(networks, read):
            if typical is not None:
                yield Check(f"{what}, median", median(found), typical)
            if worst is not None:
                yield Check(f"{what}, worst", max(found), worst)

    yield from summary("first training step, cold caches, s", lambda n: figure(n, OURS, "first step"), 1.5, 4.0)
    yield from summary("second process, first step, s", lambda n: figure(n, OURS, "second process"), 0.5)
    for side in (OURS, WHOLE):
        yield from summary(f"step, {side} over {TORCH}", lambda n, side=side: over(n, "step", side), 0.9, 1.15)
    yield from summary(f"step, {WHOLE} over {COMPILE}", lambda n: over(n, "step", WHOLE, COMPILE), 1.0)
    yield from depth(networks)
    yield from summary(f"inference, first call, over {TORCH}", lambda n: over(n, "inference, first call", OURS), 1.5)
    yield from summary(
        f"inference, from the tenth call on, over {TORCH}", lambda n: over(n, "inference, later", OURS), 1.0
    )
    yield from single(networks, "packed_lstm", "first step, s", lambda n: figure(n, OURS, "first step"), 0.5)
    yield from single(networks, "packed_lstm", f"step over {TORCH}", lambda n: over(n, "step", OURS), 2.0)
    yield from summary(f"peak memory over {TORCH}", lambda n: over(n, "peak memory", OURS), 1.3)


def single(networks: dict, name: str, what: str, read: Callable, limit: float) -> Iterator[Check]:
    if (value := read(networks.get(name, {}))) is not None:
        yield Check(f"{NETWORKS[name].title}: {what}", value, limit)


def depth(networks: dict) -> Iterator[Check]:
    """Yield the figures of the deep encoder: its compile time over that of the shallow one, and its step."""
    deep, shallow = networks.get("encoder24", {}), networks.get("encoder6", {})
    for side in (OURS, WHOLE):
        long, short = figure(deep, side, "compile"), figure(shallow, side, "compile")
        if long is not None and short:
            yield Check(f"compile time, 24 layers over 6, {side}", long / short, 1.5)
    for rival, limit in ((TORCH, 0.95), (JAX, 0.5)):
        for side in (OURS, WHOLE):
            if (ratio := over(deep, "step", side, rival)) is not None:
                yield Check(f"step of 24 layers, {side} over {rival}", ratio, limit)


def difference(ours: list[float], theirs: list[float]) -> float:
    """Return the largest relative difference; a NaN on one side only is infinitely far."""
    apart = [
        0.0 if a == b or (a != a and b != b) else abs(a - b) / abs(b) if b else float("inf")
        for a, b in zip(ours, theirs)
    ]
    return max(float("inf") if d != d else d for d in apart)


def agreement(network: dict) -> tuple[float | None, list[str]]:
    """Return the largest difference from PyTorch eager, and a sentence for each wrong result.

    `torch.compile` is not compared: its dropout uses other random numbers.
    """
    sides = network.get("sides", {})
    found, wrong = [], []
    for side in (OURS, WHOLE, JAX):
        for what in ("losses", "inference"):
            ours, theirs = (values(sides.get(name, {}), what) for name in (side, TORCH))
            if ours and theirs:
                found.append(difference(ours, theirs))
                if found[-1] > TOLERANCE:
                    wrong.append(f"{side}, {what}: {shown(ours)} instead of {shown(theirs)}{rounding(sides, what)}")
    return max(found, default=None), wrong


def rounding(sides: dict, what: str) -> str:
    """Return how far PyTorch's losses with one thread are from those with more threads, if that was measured."""
    own = sides[TORCH].get("one thread")
    if what != "losses" or not own:
        return ""
    return f" (PyTorch with one thread differs from itself by {difference(own, sides[TORCH]['losses']):.0e})"


def values(side: dict, what: str) -> list[float]:
    return [side[what]["result"]] if what == "inference" and what in side else side.get(what, [])


def shown(numbers: list[float]) -> str:
    return ", ".join(f"{n:.6g}" for n in numbers)


def slower(networks: dict, committed: dict) -> list[str]:
    """Return a sentence for each figure that is slower, in relation to PyTorch eager, than in the committed record."""
    lines = []
    for name, network in networks.items():
        for what, sides in COMPARED.items():
            for side in sides:
                now, then = over(network, what, side), over(committed.get(name, {}), what, side)
                if now is not None and then is not None and now > SLOWER * then:
                    lines.append(f"{name}: {what}, {side}: {now:.2f} of PyTorch's, was {then:.2f}")
    return lines


def failures(networks: dict) -> list[str]:
    """Return a sentence for each side that failed or ran uncompiled, and for each wrong result."""
    lines = []
    for name, network in networks.items():
        for side, found in network.get("sides", {}).items():
            lines += [f"{name}: {side}: {key}: {found[key]}" for key in found if key.endswith("error")]
            lines += [f"{name}: {side}: uncompiled: {reason}" for reason in found.get("uncompiled", [])]
        lines += [f"{name}: wrong: {sentence}" for sentence in agreement(network)[1]]
    return lines
