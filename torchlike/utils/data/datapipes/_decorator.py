"""Decorators of data pipes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

from torchlike.utils.data.datapipes._typing import _DataPipeMeta
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe, no_frames


class functional_datapipe:
    """A class decorator that makes the constructor of a pipe a method of all pipes.

    Args:
      name: the name of the method.
      enable_df_api_tracing: must be False. There are no data frames.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> @functional_datapipe("twice_each")
    ... class Twice(IterDataPipe):
    ...     def __init__(self, source):
    ...         self.source = source
    ...     def __iter__(self):
    ...         for x in self.source:
    ...             yield 2 * x
    >>> list(IterableWrapper([1, 2]).twice_each())
    [2, 4]
    """

    name: str

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        if enable_df_api_tracing:
            raise no_frames()
        self.name = name
        self.enable_df_api_tracing = enable_df_api_tracing

    def __call__(self, cls: Any) -> Any:
        if issubclass(cls, IterDataPipe):
            IterDataPipe.register_datapipe_as_function(self.name, cls)
        elif issubclass(cls, MapDataPipe):
            MapDataPipe.register_datapipe_as_function(self.name, cls)
        return cls


class _Switches:
    """Settings of the process."""

    determinism = False
    validation = True


class guaranteed_datapipes_determinism:
    """A context manager in which non-deterministic pipes raise TypeError. It begins with the constructor.

    >>> with guaranteed_datapipes_determinism():
    ...     pass
    """

    prev: bool

    def __init__(self) -> None:
        self.prev, _Switches.determinism = _Switches.determinism, True

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _Switches.determinism = self.prev


class non_deterministic:
    """A class decorator that marks pipes as non-deterministic.

    Args:
      arg: the class, or a function of the constructor's arguments that returns whether the pipe is not deterministic.

    Raises:
      TypeError: The class is not an `IterDataPipe`. When the pipe is made, determinism is guaranteed.

    >>> @non_deterministic
    ... class Pipe(IterDataPipe):
    ...     def __iter__(self):
    ...         yield 1
    >>> list(Pipe())
    [1]
    """

    cls: type[IterDataPipe] | None = None
    deterministic_fn: Callable[..., bool]

    def __init__(self, arg: Any) -> None:
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError(
                    f"Only `IterDataPipe` can be decorated with `non_deterministic`, but {arg.__name__} is found"
                )
            self.cls = arg
        elif callable(arg):
            self.deterministic_fn = arg  # type: ignore[assignment]
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.cls is None:
            if not (isinstance(args[0], type) and issubclass(args[0], IterDataPipe)):
                raise TypeError(f"Only `IterDataPipe` can be decorated, but {args[0].__name__} is found")
            self.cls = args[0]
            return self.deterministic_wrapper_fn
        if _Switches.determinism:
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic, but you set 'guaranteed_datapipes_determinism'. "
                "You can turn off determinism for this DataPipe if that is acceptable for your application"
            )
        return self.cls(*args, **kwargs)

    def deterministic_wrapper_fn(self, *args: Any, **kwargs: Any) -> IterDataPipe:
        """Make a pipe whose arguments decide whether it is deterministic.

        Args:
          *args: the arguments of the constructor.
          **kwargs: its arguments that are given by name.
        """
        found = self.deterministic_fn(*args, **kwargs)
        if not isinstance(found, bool):
            raise TypeError(
                "deterministic_fn of `non_deterministic` decorator is required to return a boolean value, "
                f"but {type(found)} is found"
            )
        kind: Any = self.cls
        if _Switches.determinism and found:
            raise TypeError(
                f"{kind.__name__} is non-deterministic with the inputs, but you set "
                "'guaranteed_datapipes_determinism'. You can turn off determinism for this DataPipe if that is "
                "acceptable for your application"
            )
        return kind(*args, **kwargs)


def argument_validation(f: Callable) -> Callable:
    """Decorate a function so that arguments annotated as `IterDataPipe` must be pipes.

    Args:
      f: the function.

    As in PyTorch, the types of the elements cannot be compared: an argument that is a pipe raises AttributeError.

    >>> @argument_validation
    ... def length(pipe: IterDataPipe):
    ...     return len(pipe)
    >>> length([1])
    Traceback (most recent call last):
    TypeError: Expected argument 'pipe' as a IterDataPipe, but found <class 'list'>
    """
    signature, hints = inspect.signature(f), get_type_hints(f)

    @functools.wraps(f)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            hint: Any = hints.get(name)
            if not isinstance(hint, _DataPipeMeta):
                continue
            if not isinstance(value, IterDataPipe):
                raise TypeError(f"Expected argument '{name}' as a IterDataPipe, but found {type(value)}")
            if not value.type.issubtype(hint.type):  # type: ignore[attr-defined]
                raise TypeError(
                    f"Expected type of argument '{name}' as a subtype of hint {hint.type}, but found {value.type}"  # type: ignore[attr-defined]
                )
        return f(*args, **kwargs)

    return checked


class runtime_validation_disabled:
    """A context manager in which `runtime_validation` has no effect. It begins with the constructor.

    >>> with runtime_validation_disabled():
    ...     pass
    """

    prev: bool

    def __init__(self) -> None:
        self.prev, _Switches.validation = _Switches.validation, False

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _Switches.validation = self.prev


def runtime_validation(f: Callable) -> Callable:
    """Decorate the `__iter__` of a pipe so that its elements are compared with the type of the pipe.

    Args:
      f: the method.

    As in PyTorch, pipes have no attribute `type`: iteration raises AttributeError unless validation is disabled.

    Raises:
      TypeError: The function has another name than `__iter__`.

    >>> runtime_validation(len)
    Traceback (most recent call last):
    TypeError: Can not decorate function len with 'runtime_validation'
    """
    if f.__name__ != "__iter__":
        raise TypeError(f"Can not decorate function {f.__name__} with 'runtime_validation'")

    @functools.wraps(f)
    def checked(self: Any) -> Iterator:
        for element in f(self):
            if _Switches.validation and not self.type.issubtype_of_instance(element):
                raise RuntimeError(
                    f"Expected an instance as subtype of {self.type}, but found {element}({type(element)})"
                )
            yield element

    return checked
