"""A printer of pickle files that constructs none of their objects: `python -m torch.utils.show_pickle FILE`."""

from __future__ import annotations

import fnmatch
import pickle
import pprint
import struct
import sys
import zipfile
from typing import IO, Any

__all__ = ["FakeObject", "FakeClass", "DumpUnpickler", "main"]


class FakeObject:
    """An object of a pickle file.

    Args:
      module: the module of its class.
      name: the name of its class.
      args: the arguments of its construction.
    """

    def __init__(self, module: str, name: str, args: tuple) -> None:
        self.module, self.name, self.args = module, name, args
        self.state: Any = None

    def __repr__(self) -> str:
        state = "" if self.state is None else f"(state={self.state!r})"
        return f"{self.module}.{self.name}{self.args!r}{state}"

    def __setstate__(self, state: Any) -> None:
        self.state = state


class FakeClass:
    """A class or function of a pickle file.

    Args:
      module: its module.
      name: its name.
    """

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name
        self.__new__ = self.fake_new  # type: ignore[method-assign, assignment]

    def __repr__(self) -> str:
        return f"{self.module}.{self.name}"

    def __call__(self, *args: Any) -> FakeObject:
        return FakeObject(self.module, self.name, args)

    def fake_new(self, *args: Any) -> FakeObject:
        """Return an object of this class.

        Args:
          args: the class and the arguments of the construction.
        """
        return FakeObject(self.module, self.name, args[1:])


_PythonUnpickler: Any = vars(pickle)["_Unpickler"]  # the reader in Python, whose methods may be replaced


class DumpUnpickler(_PythonUnpickler):
    """A reader of pickle files that makes objects of type `FakeObject`.

    Args:
      file: the file.
      catch_invalid_utf8: whether a string that is not valid becomes an object with the error.
      kwargs: options of `pickle.Unpickler`.
    """

    dispatch = dict(_PythonUnpickler.dispatch)

    def __init__(self, file: IO[bytes], *, catch_invalid_utf8: bool = False, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.catch_invalid_utf8 = catch_invalid_utf8

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in of a class.

        Args:
          module: its module.
          name: its name.
        """
        return FakeClass(module, name)

    def persistent_load(self, pid: Any) -> FakeObject:
        """Return the stand-in of an object that is stored elsewhere.

        Args:
          pid: the identifier of the object.
        """
        return FakeObject("pers", "obj", (pid,))

    def load_binunicode(self) -> None:
        """Read a string."""
        (length,) = struct.unpack("<I", self.read(4))
        if length > sys.maxsize:
            raise Exception("String too long.")
        content: Any = self.read(length)
        try:
            content = str(content, "utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            if not self.catch_invalid_utf8:
                raise
            content = FakeObject("builtin", "UnicodeDecodeError", (str(error),))
        self.append(content)

    dispatch[pickle.BINUNICODE[0]] = load_binunicode

    @classmethod
    def dump(cls, in_stream: IO[bytes], out_stream: Any) -> Any:
        """Print the content of a pickle file, and return it.

        Args:
          in_stream: the file.
          out_stream: the text file that is written, by default the standard output.
        """
        value = cls(in_stream).load()
        pprint.pprint(value, stream=out_stream)
        return value


_USAGE = """usage: show_pickle PICKLE_FILE
  PICKLE_FILE can be any of:
    path to a pickle file
    file.zip@member.pkl
    file.zip@*/pattern.*
      (shell glob pattern for members)
      (only first match will be shown)
"""


def main(argv: list[str], output_stream: Any = None) -> int | None:
    """Print a pickle file, or a member of a zip file.

    Args:
      argv: the name of the program, and the path, which may be followed by "@" and a pattern of members.
      output_stream: the text file that is written, by default the standard output.

    Returns:
      2 if the number of arguments is wrong, else None.
    """
    if len(argv) != 2:
        if output_stream is not None:
            raise Exception("Pass argv of length 2.")
        sys.stderr.write(_USAGE)
        return 2
    path, at, member = argv[1].partition("@")
    if not at:
        with open(path, "rb") as file:
            DumpUnpickler.dump(file, output_stream)
        return None
    with zipfile.ZipFile(path) as archive:
        names = [info.filename for info in archive.infolist() if fnmatch.fnmatch(info.filename, member)]
        if "*" in member and not names:
            raise Exception(f"Could not find member matching {member} in {path}")
        with archive.open(names[0] if "*" in member else member) as file:
            DumpUnpickler.dump(file, output_stream)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv))
