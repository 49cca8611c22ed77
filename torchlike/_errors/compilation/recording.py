"""Messages about functions that are recorded before they run."""

from __future__ import annotations


def observed(what: str, look: str, place: str) -> str:
    return (
        f"{what} is recorded before its tensors have elements, so it must not look at any: {look} at {place}. "
        "Use operators instead, such as torch.where or torch.cond."
    )


def random_numbers(what: str, place: str) -> str:
    return (
        f"{what} draws random numbers at {place}. They are made when it is recorded, and would be the same "
        "whenever it runs."
    )


def left_behind(what: str) -> RuntimeError:
    return RuntimeError(
        f"a tensor that was made inside {what} is used outside: it was a placeholder, and has no "
        "elements. Return it as a result instead"
    )


def abandoned() -> RuntimeError:
    return RuntimeError("a value of an abandoned trace was used; the operator that made it failed earlier")


def impure(what: str, act: str) -> RuntimeError:
    return RuntimeError(f"{what} {act}, which would happen once when it is recorded and never when it runs")


def tracer() -> TypeError:
    return TypeError(
        "from_jax expects an array with elements, got a tracer: inside of a function that JAX transforms "
        "a module is called through torchlike.jax.functional"
    )


def written(what: str, names: list[str]) -> RuntimeError:
    return RuntimeError(
        f"{what} writes to {', '.join(names)}, which a pure function cannot: functional(module, "
        "mutable=True) returns what it writes"
    )


def no_tensors(name: str) -> TypeError:
    return TypeError(f"a function made by torchlike.jax.wrap takes at least one tensor, {name} was given none")


def changed_draws(what: str) -> RuntimeError:
    return RuntimeError(
        f"{what} draws random numbers that NumPy changes, or that nothing uses; as a function of a key "
        "it can only use numbers as they are drawn"
    )
