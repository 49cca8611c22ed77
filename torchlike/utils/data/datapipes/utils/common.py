"""Checks of the functions of data pipes, lists of files, and streams that close themselves."""

from __future__ import annotations

import fnmatch
import functools
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sized
from importlib.util import find_spec
from io import IOBase
from typing import Any, NoReturn

from torchlike._internal import warn

__all__ = [
    "StreamWrapper",
    "get_file_binaries_from_pathnames",
    "get_file_pathnames_from_root",
    "match_masks",
    "validate_input_col",
    "validate_pathname_binary_tuple",
]

DILL_AVAILABLE = find_spec("dill") is not None
_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def no_length(pipe: Any) -> TypeError:
    """Return the error of the length of a pipe whose source has none."""
    return TypeError(f"{type(pipe).__name__} instance doesn't have valid length")


def length_of(pipe: Any, source: Any) -> int:
    """Return the length of the source of a pipe, or raise the error of a pipe without a length."""
    if isinstance(source, Sized):
        return len(source)
    raise no_length(pipe)


# -- functions ---------------------------------------------------------------------------------------------------------


def validate_input_col(fn: Callable, input_col: Any) -> None:
    """Check that a function can be called with the columns of a sample.

    Args:
      fn: the function. Built-in functions without a signature are not checked.
      input_col: one column, or a list or tuple of columns, each for an argument.

    Raises:
      ValueError: The number of the parameters does not fit, or a parameter can only be given by name.

    >>> validate_input_col(lambda a, b: a + b, [0, 1])
    """
    try:
        parameters = inspect.signature(fn).parameters
    except ValueError:
        return
    given = len(input_col) if isinstance(input_col, list | tuple) else 1
    called = fn.func if isinstance(fn, functools.partial) else fn
    name = getattr(called, "__name__", repr(called))
    by_name = [p for p in parameters.values() if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if by_name:
        raise ValueError(
            f"The function {name} takes {len(by_name)} non-default keyword-only parameters, which is not allowed."
        )
    by_place = [p for p in parameters.values() if p.kind in _BY_PLACE]
    takes_more = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    if len(parameters) < given and not takes_more:
        raise ValueError(f"The function {name} takes {len(parameters)} parameters, but {given} are required.")
    too_few = len(by_place) < given and not takes_more
    if too_few or any(p.default is p.empty for p in by_place[given:]):
        raise ValueError(f"The function {name} takes {len(by_place)} positional parameters, but {given} are required.")


def _is_local_fn(fn: Any) -> bool:
    """Return whether a function, or the class of a callable object, was defined inside a function."""
    if hasattr(fn, "__code__"):
        return bool(fn.__code__.co_flags & inspect.CO_NESTED)
    return "<locals>" in getattr(fn if hasattr(fn, "__qualname__") else type(fn), "__qualname__", "")


def _check_unpickable_fn(fn: Any) -> None:
    """Warn if a function cannot be pickled, and raise TypeError if it is not callable."""
    if not callable(fn):
        raise TypeError(f"A callable function is expected, but {type(fn)} is provided.")
    fn = fn.func if isinstance(fn, functools.partial) else fn
    if DILL_AVAILABLE:
        return
    kind = "Local" if _is_local_fn(fn) else "Lambda" if getattr(fn, "__name__", "") == "<lambda>" else ""
    if kind:
        warn(
            f"{kind} function is not supported by pickle, please use "
            "regular python function or functools.partial instead."
        )


def _deprecation_warning(
    old_class_name: str,
    *,
    deprecation_version: str,
    removal_version: str,
    old_functional_name: str = "",
    old_argument_name: str = "",
    new_class_name: str = "",
    new_functional_name: str = "",
    new_argument_name: str = "",
    deprecate_functional_name_only: bool = False,
) -> None:
    """Warn that a pipe, its functional form or an argument is deprecated."""
    if new_functional_name and not old_functional_name:
        raise ValueError("Old functional API needs to be specified for the deprecation warning.")
    if new_argument_name and not old_argument_name:
        raise ValueError("Old argument name needs to be specified for the deprecation warning.")
    if old_functional_name and old_argument_name:
        raise ValueError("Deprecating warning for functional API and argument should be separated.")
    text = f"`{old_class_name}()`"
    if old_functional_name:
        only = deprecate_functional_name_only
        text += f"{chr(39) + 's' if only else ' and its'} functional API `.{old_functional_name}()` "
        text += "is" if only else "are"
    else:
        text = f"The argument `{old_argument_name}` of {text} is" if old_argument_name else f"{text} is"
    text += f" deprecated since {deprecation_version} and will be removed in {removal_version}."
    text += "\nSee https://github.com/pytorch/data/issues/163 for details."
    instead = [f"`{new_class_name}()`"] * bool(new_class_name)
    instead += [f"`.{new_functional_name}()`"] * bool(new_functional_name)
    if instead:
        text += f"\nPlease use {' or '.join(instead)} instead."
    if new_argument_name:
        text += f"\nPlease use `{old_class_name}({new_argument_name}=)` instead."
    warn(text, FutureWarning)


# -- files -------------------------------------------------------------------------------------------------------------


def match_masks(name: str, masks: str | list[str]) -> bool:
    """Return whether a file name matches one of the patterns. No patterns match every name.

    Args:
      name: the file name.
      masks: a pattern of `fnmatch`, or a list of patterns.

    >>> match_masks("a.txt", ["*.csv", "*.txt"])
    True
    """
    if not masks:
        return True
    return any(fnmatch.fnmatch(name, mask) for mask in ([masks] if isinstance(masks, str) else masks))


def get_file_pathnames_from_root(
    root: str,
    masks: str | list[str],
    recursive: bool = False,
    abspath: bool = False,
    non_deterministic: bool = False,
) -> Iterable[str]:
    """Iterate over the paths of the files in a folder.

    Args:
      root: the folder, or a file.
      masks: a pattern of file names, or a list of patterns.
      recursive: whether to list the folders in the folder too.
      abspath: whether to return absolute paths.
      non_deterministic: whether to keep the order of the file system. By default, names are sorted.

    >>> list(get_file_pathnames_from_root(__file__, "*.csv"))
    []
    """

    def failed(error: OSError) -> NoReturn:
        warn(f"{error.filename} : {error.strerror}")
        raise error

    if os.path.isfile(root):
        path = os.path.abspath(root) if abspath else root
        if match_masks(os.path.basename(path), masks):
            yield path
        return
    for folder, folders, files in os.walk(root, onerror=failed):
        if not non_deterministic:
            files.sort()
            folders.sort()
        for name in files:
            if match_masks(name, masks):
                yield os.path.join(os.path.abspath(folder) if abspath else folder, name)
        if not recursive:
            break


def get_file_binaries_from_pathnames(pathnames: Any, mode: str, encoding: str | None = None) -> Iterator:
    """Open files, and iterate over pairs of a path and its stream.

    Args:
      pathnames: an iterable over paths.
      mode: the mode of `open`. "b" and "t" mean "rb" and "rt".
      encoding: the encoding of text.

    >>> [stream.read(3) for _, stream in get_file_binaries_from_pathnames([__file__], "b")]
    [b'\"\"\"']
    """
    mode = "r" + mode if mode in ("b", "t") else mode
    for path in pathnames if isinstance(pathnames, Iterable) else [pathnames]:
        if not isinstance(path, str):
            raise TypeError(f"Expected string type for pathname, but got {type(path)}")
        yield path, StreamWrapper(open(path, mode, encoding=encoding))  # noqa: SIM115


def validate_pathname_binary_tuple(data: Any) -> None:
    """Check that a sample is a pair of a path and a stream.

    Args:
      data: the sample.

    Raises:
      TypeError: It is not.

    >>> import io
    >>> validate_pathname_binary_tuple(("a.txt", io.StringIO("text")))
    """
    if not isinstance(data, tuple):
        raise TypeError(f"pathname binary data should be tuple type, but it is type {type(data)}")
    if len(data) != 2:
        raise TypeError(f"pathname binary stream tuple length should be 2, but got {len(data)}")
    if not isinstance(data[0], str):
        raise TypeError(f"pathname within the tuple should have string type pathname, but it is type {type(data[0])}")
    if not isinstance(data[1], IOBase | StreamWrapper):
        raise TypeError(
            "binary stream within the tuple should have IOBase or"
            f"its subclasses as type, but it is type {type(data[1])}"
        )


class StreamWrapper:
    """A stream that is closed when nothing refers to it any more.

    Args:
      file_obj: the stream.
      parent_stream: the `StreamWrapper` that the stream reads from.
      name: a name, for the text.

    >>> import io
    >>> stream = StreamWrapper(io.StringIO("text"))
    >>> stream.read()
    'text'
    """

    session_streams: dict[Any, int] = {}
    debug_unclosed_streams: bool = False

    def __init__(self, file_obj: Any, parent_stream: Any = None, name: str | None = None) -> None:
        self.file_obj = file_obj
        self.child_counter = 0
        self.parent_stream = parent_stream
        self.close_on_last_child = False
        self.name = name
        self.closed = False
        if parent_stream is not None:
            if not isinstance(parent_stream, StreamWrapper):
                raise RuntimeError(f"Parent stream should be StreamWrapper, {type(parent_stream)} was given")
            parent_stream.child_counter += 1
        if StreamWrapper.debug_unclosed_streams:
            StreamWrapper.session_streams[self] = 1

    @classmethod
    def close_streams(cls, v: Any, depth: int = 0) -> None:
        """Close all streams in nested dicts, lists and tuples.

        Args:
          v: the structure.
          depth: the depth of the structure in the outermost one. It stops at 10.
        """
        if isinstance(v, StreamWrapper):
            v.close()
        elif isinstance(v, dict | list | tuple) and depth < 10:
            for each in v.values() if isinstance(v, dict) else v:
                cls.close_streams(each, depth + 1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["file_obj"], name)

    def close(self, *args: Any, **kwargs: Any) -> None:
        """Close the stream, and its parent if this is the last child of a parent that closes with it.

        Args:
          *args: arguments of the stream's `close`.
          **kwargs: arguments that are given by name.
        """
        if self.closed:
            return
        if StreamWrapper.debug_unclosed_streams:
            del StreamWrapper.session_streams[self]
        parent = self.__dict__.get("parent_stream")
        if parent is not None:
            parent.child_counter -= 1
            if not parent.child_counter and parent.close_on_last_child:
                parent.close()
        close = getattr(self.file_obj, "close", None)
        if close is not None:
            close(*args, **kwargs)
        self.closed = True

    def autoclose(self) -> None:
        """Close the stream when all its children are closed, or now if there are none."""
        self.close_on_last_child = True
        if self.child_counter == 0:
            self.close()

    def __dir__(self) -> list[str]:
        return list({*self.__dict__, *vars(StreamWrapper), *dir(self.file_obj)})

    def __del__(self) -> None:
        if not self.__dict__.get("closed", True):
            self.close()

    def __iter__(self) -> Iterator:
        yield from self.file_obj

    def __next__(self) -> Any:
        return next(self.file_obj)

    def __repr__(self) -> str:
        return f"StreamWrapper<{'' if self.name is None else self.name + ','}{self.file_obj!r}>"

    def __getstate__(self) -> Any:
        return self.file_obj

    def __setstate__(self, obj: Any) -> None:
        self.__init__(obj)
