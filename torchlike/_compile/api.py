"""`torchlike.compile`, and what `torchlike.compiler` says and changes of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from torchlike import _errors
from torchlike._compile.compiled import Compiled, stance
from torchlike._dtypes.recorder import current
from torchlike._engine.programs import programs
from torchlike.nn import Module

BACKENDS = ("inductor", "eager", "aot_eager", "cudagraphs", "openxla")
_RECORDED = ("eager", "aot_eager")
MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
RECOMPILE_LIMIT = 8
_all: WeakSet[Compiled] = WeakSet()


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable | None = None,
    mode: str | None = None,
    options: dict | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
    verify_every: int = 0,
) -> Any:
    """Run a function or module as one XLA executable for each signature of its arguments.

    The first call of a signature is recorded whole; what it reads and writes (parameters, buffers, optimizer state,
    gradients, random numbers) is found by watching. Later calls run the executable, and Python runs no more, while the
    Python values that the call depends on are as they were; a change makes a new recording. A training step, from the
    forward pass to `optimizer.step()` and `scheduler.step()`, is one executable that overwrites its state in place. A
    module, or a function whose result is differentiated outside, becomes one operator, with one more as its gradient.

    What cannot be recorded whole (a look at an element, a print, a counter in Python) runs as it would without
    `compile`, in fused programs cut where the engine cuts them; `torchlike.explain()` says where and why.

    Args:
      model: a function or module; without one, a decorator is returned.
      fullgraph: raise instead where a call cannot be recorded whole, naming the line.
      dynamic: True compiles a signature when it comes for the second time (until then its calls are recorded and, while
        cold, interpreted); None does so after `recompile_limit` signatures; False compiles every one at once.
      backend: "inductor" and "openxla" mean XLA, "cudagraphs" too; "eager" and "aot_eager" leave the calls recorded.
      mode: one of PyTorch's; XLA has one way to compile, so all mean the same.
      name: what `torchlike.explain()` calls it, in place of the function's own name.
      recompile_limit: recordings that are kept of one function, 8 by default.
      disable: return `model` as it is.
      verify_every: record every n-th compiled call anew, and raise where the recording differs from the one there is.
        torchlike's own; for debugging.

    Raises:
      NotImplementedError: `options`, `shapes_spec`, `isolate_recompiles`, or a backend that is a function.

    >>> import torchlike as torch
    >>> f = torch.compile(lambda x: torch.sin(x) ** 2 + torch.cos(x) ** 2)
    >>> f(torch.ones(3))
    tensor([1.0000, 1.0000, 1.0000])
    """
    given = dict(
        fullgraph=fullgraph,
        dynamic=dynamic,
        backend=backend,
        mode=mode,
        options=options,
        name=name,
        disable=disable,
        recompile_limit=recompile_limit,
        isolate_recompiles=isolate_recompiles,
        shapes_spec=shapes_spec,
        verify_every=verify_every,
    )
    if model is None:
        return functools.partial(compile, **given)
    _check(model, backend, mode, options, dynamic, isolate_recompiles, shapes_spec)
    if disable:
        return model
    limit = RECOMPILE_LIMIT if recompile_limit is None else recompile_limit
    made = Compiled(model, fullgraph, dynamic, limit, verify_every, is_off=backend in _RECORDED)
    made.options = given
    _all.add(made)
    if isinstance(model, Module):
        from torchlike._compile.module import OptimizedModule

        return OptimizedModule(model, made)
    return made


def again(model: Module, options: dict) -> Any:
    """A copy, or what a pickle holds: compiled as the original was."""
    return compile(model, **options)


def _check(model: Any, backend: Any, mode: Any, options: Any, dynamic: Any, isolate: bool, spec: Any) -> None:
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if dynamic is not None and not isinstance(dynamic, bool):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if isinstance(backend, str) and backend not in BACKENDS:
        raise _errors.compiling.InvalidBackend(backend)
    own = backend is not None and not isinstance(backend, str)
    for argument, is_given in (
        ("options", options),
        ("shapes_spec", spec is not None),
        ("isolate_recompiles", isolate),
        ("a function as backend", own),
    ):
        if is_given:
            raise _errors.arguments.unsupported("compile", argument)


def reset() -> None:
    """Forget every recording; the next call of each compiled function is recorded anew."""
    for made in list(_all):
        made.forget()


def _release() -> None:
    for made in list(_all):
        made.release()


programs.when_cleared.append(_release)


def is_compiling() -> bool:
    """Whether the code that asks is being recorded for a compiled call."""
    return current().capture is not None


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """A function that is never part of a compiled call: a call that meets it is not recorded whole.

    What it calls and is compiled itself runs compiled, `recursive` or not: the results are the same.
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    if isinstance(fn, Module):
        fn.forward = disable(fn.forward, reason=reason)
        return fn

    @functools.wraps(fn)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        graph_break(reason or f"{getattr(fn, '__qualname__', fn)} is not to be compiled")
        return fn(*args, **kwargs)

    return disabled


def graph_break(msg: str = "graph_break() is called") -> None:
    """End the recording of a compiled call here."""
    if current().capture is not None:
        current().capture.stop(msg)


def allow_in_graph(fn: Any) -> Any:
    """The function itself: whatever it records is part of a compiled call."""
    return fn


def assume_constant_result(fn: Any) -> Any:
    """The function itself: what it returns is a constant of a recording, made anew when what it reads changes."""
    return fn


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Nothing: no program remembers where a tensor lies."""


def mark_static(t: Any, index: Any = None) -> None:
    """Nothing: every shape has a program of its own."""


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """Nothing: a wish, which PyTorch need not grant either. Every shape has a program of its own."""


def mark_dynamic(t: Any, index: Any, **options: Any) -> None:
    """Refused: PyTorch promises one program for all sizes then."""
    raise _errors.arguments.cannot(
        "_dynamo.mark_dynamic", "every shape has a program of its own; maybe_mark_dynamic says that this is all right"
    )


def cudagraph_mark_step_begin() -> None:
    """Nothing: results of compiled calls are never overwritten by later calls."""


def list_backends(exclude_tags: tuple = ("debug", "experimental")) -> list[str]:
    """The names that `compile(backend=)` takes, without those that PyTorch tags "debug" unless asked for."""
    return sorted(b for b in BACKENDS if b not in _RECORDED or "debug" not in (exclude_tags or ()))


class set_stance:
    """How compiled functions behave, from now on or within a `with` block.

    "default"; "force_eager": as if they were not compiled; "eager_on_recompile": no new recordings, such calls run as
    written; "fail_on_recompile": such calls raise.
    """

    def __init__(
        self, stance_name: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        if stance_name not in ("default", "force_eager", "eager_on_recompile", "fail_on_recompile"):
            raise RuntimeError(f"Invalid stance: {stance_name}")
        for name, given in (("skip_guard_eval_unsafe", skip_guard_eval_unsafe), ("force_backend", force_backend)):
            if given:
                raise _errors.arguments.unsupported("set_stance", name)
        self._name, self._before = stance_name, stance.name
        stance.name = stance_name

    def __enter__(self) -> None:
        stance.name = self._name

    def __exit__(self, *_: object) -> None:
        stance.name = self._before

    def __call__(self, fn: Callable) -> Callable:
        stance.name = self._before

        @functools.wraps(fn)
        def run(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self._name):
                return fn(*args, **kwargs)

        return run
