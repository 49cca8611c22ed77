"""`torchlike.compile` and the functions of `torchlike.compiler`."""

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
_UNCOMPILED = ("eager", "aot_eager")
MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
RECOMPILE_LIMIT = 8
_default_backend: str | Callable = "inductor"
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
    """Compile a function or module to one XLA executable for each signature of its arguments.

    The first or the second call with a signature is captured (see `dynamic`). While it runs, torchlike observes which
    state it reads and writes: parameters, buffers, optimizer state, gradients and random numbers. Later calls run the
    executable without running the Python code. Guards check the Python values that the call depends on; if one has
    changed, the call is captured again. A training step, from the forward pass to `optimizer.step()` and
    `scheduler.step()`, becomes one executable that overwrites its state in place. If the result of a call is
    differentiated later, the call becomes one operator, and its gradient becomes a second operator.

    A call that cannot be captured (it reads an element, prints, or counts in Python) runs uncompiled. Its operators are
    still fused into programs, which end where the engine flushes. `torchlike.explain()` shows the reasons.

    Args:
      model: a function or module. If it is None, a decorator is returned.
      fullgraph: raise if a call cannot be captured, with the reason and, if it is known, the line.
      dynamic: whether a new signature is captured only at its second call; the first call runs uncompiled. None means
        False for the first two signatures, such as those of training and evaluation, and True after them. With
        `fullgraph` or deterministic algorithms, the number is `recompile_limit` instead of two.
      backend: "inductor", "openxla" and "cudagraphs" mean XLA. "eager" and "aot_eager" turn compilation off.
      mode: one of PyTorch's modes. All have the same effect, since XLA has one way to compile.
      name: the name in `torchlike.explain()`; by default the function's own name.
      recompile_limit: the maximum number of recordings per signature, 8 by default. Older ones are dropped.
      disable: return `model` unchanged.
      verify_every: capture every n-th compiled call again, and raise if the new recording differs from the old one. An
        extension of torchlike, for debugging.
      options: not supported; it must be None.
      isolate_recompiles: not supported; it must be False.
      shapes_spec: not supported; it must be None.

    Raises:
      NotImplementedError: `options`, `shapes_spec`, `isolate_recompiles`, or a backend that is a function.

    >>> import torchlike as torch
    >>> f = torch.compile(lambda x: torch.sin(x) ** 2 + torch.cos(x) ** 2)
    >>> f(torch.ones(3))
    tensor([1.0000, 1.0000, 1.0000])
    """
    backend = _default_backend if backend is None else backend
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
    made = Compiled(model, fullgraph, dynamic, limit, verify_every, is_off=backend in _UNCOMPILED)
    made.options = given
    _all.add(made)
    if isinstance(model, Module):
        from torchlike._compile.module import OptimizedModule

        return OptimizedModule(model, made)
    return made


def again(model: Module, options: dict) -> Any:
    """Compile a copied or unpickled module with the options of the original."""
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
    is_function = backend is not None and not isinstance(backend, str)
    for argument, is_given in (
        ("options", options),
        ("shapes_spec", spec is not None),
        ("isolate_recompiles", isolate),
        ("a function as backend", is_function),
    ):
        if is_given:
            raise _errors.arguments.unsupported("compile", argument)


def reset() -> None:
    """Drop all recordings. The next call of each compiled function is captured again."""
    for made in list(_all):
        made.forget()


def _release() -> None:
    for made in list(_all):
        made.release()


programs.when_cleared.append(_release)


def is_compiling() -> bool:
    """Return whether the calling code is being captured.

    >>> import torchlike as torch
    >>> torch.compiler.is_compiling()
    False
    """
    return current().capture is not None


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Return a function that is never part of a captured graph. A call that reaches it runs uncompiled.

    For a module, `forward` is replaced and the module itself is returned. Compiled functions that `fn` calls still run
    compiled, even if `recursive` is True. The results are the same.

    Args:
      fn: a function or module. If it is None, a decorator is returned.
      recursive: has no effect on the results.
      reason: the reason that `torchlike.explain()` shows.

    >>> import torchlike as torch
    >>> @torch.compiler.disable
    ... def plus_one(x):
    ...     return x + 1
    >>> plus_one(torch.ones(2))
    tensor([2., 2.])
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    if isinstance(fn, Module):
        fn.forward = disable(fn.forward, reason=reason)
        return fn

    @functools.wraps(fn)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        graph_break(reason or f"{getattr(fn, '__qualname__', fn)} is excluded from compilation")
        return fn(*args, **kwargs)

    return disabled


def graph_break(msg: str = "graph_break() is called") -> None:
    """Stop the capture of the current call, if there is one. The call then runs uncompiled."""
    if current().capture is not None:
        current().capture.stop(msg)


def allow_in_graph(fn: Any) -> Any:
    """Return the function itself: operators of every function can be captured.

    Args:
      fn: a function.
    """
    return fn


def assume_constant_result(fn: Any) -> Any:
    """Return the function itself: guards detect when the values that it reads change.

    Args:
      fn: a function.
    """
    return fn


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Do nothing: executables do not depend on the addresses of tensors."""


def mark_static(t: Any, index: Any = None) -> None:
    """Do nothing: every shape is static and has its own program."""


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """Do nothing: every shape has its own program. The mark is only a hint in PyTorch too."""


def mark_dynamic(t: Any, index: Any, **options: Any) -> None:
    """Raise: PyTorch promises one program for all sizes, and torchlike compiles one per shape."""
    raise _errors.arguments.cannot(
        "_dynamo.mark_dynamic", "every shape has its own program; use maybe_mark_dynamic, which allows this"
    )


def cudagraph_mark_step_begin() -> None:
    """Do nothing: later calls never overwrite the results of earlier compiled calls."""


def set_default_backend(backend: str | Callable | None) -> None:
    """Set the backend of calls of `compile` that name none.

    Args:
      backend: a backend of `compile`. None means "inductor".

    >>> import torchlike as torch
    >>> torch.compiler.set_default_backend("eager")
    >>> torch.compiler.get_default_backend()
    'eager'
    >>> torch.compiler.set_default_backend(None)
    """
    global _default_backend
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"backend must be a string or callable, got {type(backend)}")
    _default_backend = "inductor" if backend is None else backend


def get_default_backend() -> str | Callable:
    """Return the backend of calls of `compile` that name none."""
    return _default_backend


def list_backends(exclude_tags: tuple = ("debug", "experimental")) -> list[str]:
    """Return the names that `compile(backend=)` accepts, by default without those that PyTorch tags "debug".

    Args:
      exclude_tags: the tags of backends to leave out.
    """
    return sorted(b for b in BACKENDS if b not in _UNCOMPILED or "debug" not in (exclude_tags or ()))


class set_stance:
    """Set how compiled functions run: from now on, within a `with` block, or in the calls of a decorated function.

    "default": compile. "force_eager": run all calls uncompiled. "eager_on_recompile": run calls without a valid
    recording uncompiled. "fail_on_recompile": raise for such calls.

    Args:
      stance_name: "default", "force_eager", "eager_on_recompile" or "fail_on_recompile".
      skip_guard_eval_unsafe: not supported; it must be False.
      force_backend: not supported; it must be None.
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
