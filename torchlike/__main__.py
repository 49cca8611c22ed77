"""``python -m torchlike script.py args``: run an unchanged PyTorch program on torchlike."""

import os
import sys
from pathlib import Path

from torchlike._api import editor_stubs
from torchlike._api.import_hook import run_module, run_script

USAGE = """\
usage: python -m torchlike [--mesh axes] script.py [args]
       python -m torchlike [--mesh axes] -m module [args]
       python -m torchlike --clear-cache
       python -m torchlike --stubs [folder]

Runs a program in which 'import torch' imports torchlike, in this process only. --mesh data=8 runs it over 8 local
devices with the results of one device; the axes are data, fsdp and model. --clear-cache deletes the compiled programs
on disk. --stubs writes stubs of the package torch to a folder (by default 'typings'), so that editors and type checkers
understand such programs."""


def main(argv: list[str]) -> None:
    """Run the command `argv`: a script, `-m module`, `--clear-cache` or `--stubs`. Usage errors exit with status 2."""
    if not argv or argv[0] in ("-h", "--help"):
        print(USAGE)
        sys.exit(0 if argv else 2)
    if argv[0] == "--mesh" or argv[0].startswith("--mesh="):
        argv = _begin_mesh(argv)
    if argv[0] == "-m":
        _run_named_module(argv[1:])
    elif argv == ["--clear-cache"]:
        _clear_cache()
    elif argv[0] == "--stubs" and len(argv) < 3:
        folder = Path(argv[1] if argv[1:] else "typings")
        print(f"wrote {editor_stubs.write(folder)} stubs to {folder / 'torch'}")
    elif argv[0].startswith("-"):
        _give_up(f"unknown option {argv[0]}; options of Python itself go before -m torchlike")
    elif not os.path.isfile(argv[0]):
        _give_up(f"can't open {argv[0]!r} from {os.getcwd()!r}: {_why_not(argv[0])}")
    else:
        run_script(argv[0], argv[1:])


def _begin_mesh(argv: list[str]) -> list[str]:
    """Make the local devices a mesh, and return the arguments without the flag."""
    _, equals, axes = argv[0].partition("=")
    rest = argv[1:] if equals else argv[2:]
    axes = axes if equals else "".join(argv[1:2])
    if not axes or not rest:
        _give_up("--mesh requires axes, such as data=8, and a script")
    from torchlike._api import one_flag

    try:
        one_flag.begin(one_flag.parse(axes), f"--mesh {axes}", {})
    except (ValueError, RuntimeError) as error:
        _give_up(str(error))
    return rest


def _clear_cache() -> None:
    from torchlike import clear_cache

    removed = clear_cache()
    where = f" from {removed.folder}" if removed.folder else "; JAX's own settings determine the cache folder"
    print(f"removed {removed.programs} compiled programs ({removed.bytes / 2**20:.1f} MiB){where}")


def _run_named_module(argv: list[str]) -> None:
    if not argv:
        _give_up("-m requires a module name")
    try:
        run_module(argv[0], argv[1:])
    except ModuleNotFoundError as error:
        # Report a usage error only if the named module itself is missing. A failed import inside it propagates.
        if not f"{argv[0]}.__main__.".startswith(f"{error.name}."):
            raise
        _give_up(f"no module named {error.name!r} on sys.path")


def _why_not(script: str) -> str:
    if os.path.isdir(script):
        return "it is a directory"
    if os.path.exists(script + ".py"):
        return f"no such file; did you mean {script + '.py'!r}?"
    return "no such file"


def _give_up(why: str) -> None:
    print(f"python -m torchlike: {why}\n\n{USAGE}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
