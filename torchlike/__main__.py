"""``python -m torchlike``: run an unchanged PyTorch program, or a prompt, in which ``import torch`` means torchlike."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from torchlike._api import programs

USAGE = """\
usage: python -m torchlike [-i] [--mesh axes] [script.py | -m module | -c code | -] [args]
       python -m torchlike --install-kernel [--user | --sys-prefix | --prefix folder] [--name name]
       python -m torchlike --stubs [folder]
       python -m torchlike --clear-cache
       python -m torchlike --version

Runs a program in which 'import torch' imports torchlike, in this process only: a script, a module, code, or standard
input. Without a program, prompts for statements. Arguments are as for 'python'. Options of Python itself go first, as
in 'python -X dev -m torchlike script.py'.

-i                prompt for statements after the program has ended
--mesh data=8     run over 8 local devices with the results of one; the axes are data, fsdp and model
--install-kernel  install a kernel for Jupyter; --install-kernel --help lists its options
--stubs           write stubs of the package torch to a folder (by default 'typings'), so that editors and type checkers
                  understand such programs
--clear-cache     delete the compiled programs on disk"""


def main(argv: list[str]) -> None:
    """Run the command `argv`: a program with its arguments, or another command of `USAGE`.

    Usage errors exit with status 2.
    """
    if argv[:1] in (["-h"], ["--help"]):
        print(USAGE)
    elif argv in (["-V"], ["--version"]):
        _print_versions()
    elif argv == ["--clear-cache"]:
        _clear_cache()
    elif argv[:1] == ["--stubs"] and len(argv) < 3:
        _write_stubs(argv[1:])
    elif argv[:1] == ["--install-kernel"]:
        _install_kernel(argv[1:])
    else:
        _run(argv)


def _run(argv: list[str]) -> None:
    """Run a program, or the prompt, after the options for programs."""
    stays = False
    while argv and (argv[0] == "-i" or argv[0].partition("=")[0] == "--mesh"):
        stays |= argv[0] == "-i"
        argv = argv[1:] if argv[0] == "-i" else _begin_mesh(argv)
    if argv[:1] in ([], ["-"]) and (stays or (sys.stdin is not None and sys.stdin.isatty())):
        from torchlike._api import prompt

        prompt.start(argv or [""])
    elif stays:
        from torchlike._api import prompt

        prompt.after(_program(argv))
    else:
        _program(argv).run()


def _program(argv: list[str]) -> programs.Program:
    if not argv or argv[0] == "-":
        return programs.standard_input(argv or [""])
    option, rest = argv[0][:2], ([argv[0][2:]] if argv[0][2:] else []) + argv[1:]  # both -m module and -mmodule
    if option in ("-c", "-m") and not rest:
        _give_up(f"{option} requires {'code' if option == '-c' else 'a module name'}")
    if option == "-c":
        return programs.command(rest[0], rest[1:])
    if option == "-m":
        return _named_module(rest[0], rest[1:])
    if argv[0].startswith("-"):
        _give_up(f"unknown option {argv[0]}; options of Python itself go before -m torchlike")
    folder = programs.folder(argv[0], argv[1:])
    if folder is not None:
        return folder
    if not os.path.isfile(argv[0]):
        _give_up(f"can't open {argv[0]!r} from {os.getcwd()!r}: {_why_not(argv[0])}")
    return programs.script(argv[0], argv[1:])


def _begin_mesh(argv: list[str]) -> list[str]:
    """Make the local devices a mesh, and return the arguments without the flag."""
    _, equals, axes = argv[0].partition("=")
    rest = argv[1:] if equals else argv[2:]
    axes = axes if equals else "".join(argv[1:2])
    if not axes:
        _give_up("--mesh requires axes, such as data=8")
    from torchlike._api import one_flag

    try:
        one_flag.begin(one_flag.parse(axes), f"--mesh {axes}", {})
    except (ValueError, RuntimeError) as error:
        _give_up(str(error))
    return rest


def _print_versions() -> None:
    from torchlike._api import prompt

    print(prompt.versions())


def _clear_cache() -> None:
    from torchlike import clear_cache

    removed = clear_cache()
    where = f" from {removed.folder}" if removed.folder else "; JAX's own settings determine the cache folder"
    print(f"removed {removed.programs} compiled programs ({removed.bytes / 2**20:.1f} MiB){where}")


def _write_stubs(argv: list[str]) -> None:
    from torchlike._api import editor_stubs

    folder = Path(argv[0] if argv else "typings")
    print(f"wrote {editor_stubs.write(folder)} stubs to {folder / 'torch'}")


def _install_kernel(argv: list[str]) -> None:
    from torchlike._api import jupyter

    try:
        print(f"installed a kernel in {jupyter.install_kernel(argv)}")
    except (ModuleNotFoundError, OSError, ValueError) as error:
        print(f"python -m torchlike --install-kernel: {error}", file=sys.stderr)
        sys.exit(1)


def _named_module(name: str, args: list[str]) -> programs.Program:
    try:
        return programs.module(name, args)
    except ModuleNotFoundError as error:
        # Only the named module itself is missing. A failed import inside it propagates.
        if not f"{name}.__main__.".startswith(f"{error.name}."):
            raise
        print(f"{sys.executable}: {_why_no_module(name, error.name or name)}", file=sys.stderr)
        sys.exit(1)


def _why_no_module(name: str, missing: str) -> str:
    """Return the message of Python's option `-m` for the module `name` if its part `missing` does not exist."""
    if missing == f"{name}.__main__":
        return f"No module named {missing}; {name!r} is a package and cannot be directly executed"
    if missing == name:
        return f"No module named {name}"
    error = f"ModuleNotFoundError: No module named {missing!r}"
    return f"Error while finding module specification for {name!r} ({error})"


def _why_not(script: str) -> str:
    if os.path.isdir(script):
        return "it is a directory"
    if os.path.exists(script + ".py"):
        return f"no such file; did you mean {script + '.py'!r}?"
    return "no such file"


def _give_up(why: str) -> NoReturn:
    print(f"python -m torchlike: {why}\n\n{USAGE}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
