"""Messages about functions that are recorded before they run."""

from __future__ import annotations


def observed(what: str, look: str, place: str) -> str:
    return (
        f"{what} is captured before its tensors have elements, so it must not read them: {look} at {place}. "
        "Use operators instead, such as torch.where or torch.cond."
    )


def random_numbers(what: str, place: str) -> str:
    return (
        f"{what} samples random numbers at {place}. They are generated once, when it is captured, and would be the "
        "same in every run."
    )


def left_behind(what: str) -> RuntimeError:
    return RuntimeError(
        f"a tensor that was created inside {what} is used outside: it is a placeholder without elements. "
        "Return it as a result instead"
    )


def abandoned() -> RuntimeError:
    return RuntimeError("a value of an abandoned trace was used; the operator that computes it failed earlier")


def impure(what: str, act: str) -> RuntimeError:
    return RuntimeError(f"{what} {act}, which would happen once, during the capture, and not in each run")


def tracer() -> TypeError:
    return TypeError(
        "from_jax expects an array with elements, got a tracer: inside a function that JAX transforms, "
        "call the module through torchlike.jax.functional"
    )


def written(what: str, names: list[str]) -> RuntimeError:
    return RuntimeError(
        f"{what} writes to {', '.join(names)}, which a pure function cannot do: functional(module, "
        "mutable=True) returns the new values"
    )


def no_tensors(name: str) -> TypeError:
    return TypeError(f"a function made by torchlike.jax.wrap takes at least one tensor, but {name} got none")


def changed_draws(what: str) -> RuntimeError:
    return RuntimeError(
        f"{what} samples random numbers that NumPy changes or that no operator uses; as a function of a key, "
        "it can only use the numbers unchanged"
    )
