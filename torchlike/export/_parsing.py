"""The first parse of programs from a file, in a separate process.

MLIR's parser does not end on some damaged programs, and a crash in it would end the user's process. The separate
process runs this file, which imports neither JAX nor torchlike. It takes 0.3 s.
"""

import hashlib
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

SECONDS = 60  # the time limit; a program is parsed in a fraction of a second
_SIZE = 8  # the number of bytes of a length
_NEEDED = ("jaxlib", "numpy", "ml_dtypes")  # the packages that the separate process imports
_parsed: set[bytes] = set()  # the digests of the programs that this process has checked or written


def check_parses(programs: Iterable[bytes]) -> None:
    """Raise `RuntimeError` if a program in StableHLO is damaged, or if parsing all of them takes over a minute.

    If the path of the interpreter (`sys.executable`) is not known, nothing is checked.
    """
    unknown = [program for program in programs if _digest(program) not in _parsed]
    if not sys.executable or not unknown:
        return
    given = b"".join([len(program).to_bytes(_SIZE) + program for program in unknown])
    # Not the whole import path of this process: it may contain the working directory, whose files are not trusted.
    folders = dict.fromkeys([str(Path(sys.modules[name].__file__ or "").parents[1]) for name in _NEEDED])
    command = [sys.executable, "-I", "-S", __file__, *folders]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"the program is damaged: parsing it takes more than {SECONDS} seconds") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").split("\n")
        said = next((line for line in reversed(lines) if line.strip()), f"exit status {done.returncode}")
        raise RuntimeError(f"the program is damaged: {said}")
    note_parsed(unknown)


def note_parsed(programs: Iterable[bytes]) -> None:
    """Record that programs need no check, for example because this process has written them."""
    _parsed.update(map(_digest, programs))


def _digest(program: bytes) -> bytes:
    return hashlib.sha256(program).digest()


def _given() -> Iterator[bytes]:
    """Yield the programs on standard input."""
    while size := sys.stdin.buffer.read(_SIZE):
        yield sys.stdin.buffer.read(int.from_bytes(size))


def _main() -> None:
    sys.path.extend(sys.argv[1:])
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    for program in _given():
        with ir.Context() as context:
            stablehlo.deserialize_portable_artifact(context, program)


if __name__ == "__main__":
    _main()
