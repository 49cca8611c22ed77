"""The command line of ahead-of-time compiling: run a script up to its first training step and compile its programs."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path

from torchlike._api import programs
from torchlike._dtypes.devices import stand_ins
from torchlike._engine.ahead import targets
from torchlike._engine.ahead.lowering import Program, Recorded
from torchlike._engine.ahead.session import Finished, Session, recording
from torchlike._engine.xla.target import compiling_for
from torchlike.aot import report

_READY = "TORCHLIKE_AOT"  # set in the process that runs the script
# With these variables, several processes may compile for a TPU, and libtpu does not look for one and does not complain.
_QUIET_TPU = {
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_ACCELERATOR_TYPE": "v5litepod-1",
    "TPU_WORKER_HOSTNAMES": "localhost",
}
_DESCRIPTION = """\
Run a PyTorch script on torchlike up to the end of its first training step, compile its programs for a chip that this
machine does not have, and print what they need. Nothing runs on the chip. The script's device may be "cuda", "tpu" or
"cpu"; the devices of the target exist for the script."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser("python -m torchlike.aot", description=_DESCRIPTION)
    made.add_argument("--target", required=True, help=targets.names())
    made.add_argument("--steps", type=_positive, default=1, help="stop after this many optimizer steps (default: 1)")
    made.add_argument("--hlo", type=Path, metavar="DIR", help="write the optimized HLO text of each program to DIR")
    made.add_argument("-m", dest="is_module", action="store_true", help="SCRIPT is the name of a module")
    made.add_argument("script", help="the script")
    made.add_argument("args", nargs=argparse.REMAINDER, help="the script's arguments")
    return made


def _positive(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def environment(argv: Sequence[str]) -> dict[str, str]:
    """Return the environment variables that the command needs before JAX is imported. Empty if they are set."""
    given = parser().parse_args(argv)
    try:
        targets.type_of(given.target)
    except ValueError as error:
        parser().error(str(error))
    return variables(given.target)


def variables(target: str) -> dict[str, str]:
    """Return the environment variables with which devices stand in for the chips of a target. Empty if they are set."""
    if _READY in os.environ:
        return {}
    count = prod(map(int, re.findall(r"\d+", target.partition(":")[2])))
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={1 + count}".strip()
    ranks = {} if count == 1 else _of_rank(count)
    # One CPU device runs the work on CPU tensors. Each of the others stands in for a chip.
    return {_READY: "1", **_QUIET_TPU, **ranks, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}


def _of_rank(count: int) -> dict[str, str]:
    """Return the variables that a launcher would set for the first of `count` processes, unless they are set."""
    names = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count)}
    names |= {"MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}
    return {name: os.environ.get(name, value) for name, value in names.items()}


def main(argv: Sequence[str]) -> int:
    """Run the command. Return the exit status: 1 if a program could not be compiled, else 0."""
    given = parser().parse_args(argv)
    try:
        target = targets.find(given.target)
    except (ValueError, targets.Unavailable) as error:
        parser().error(str(error))
    with recording(given.steps, report.progress) as session, compiling_for(target.platform), devices(target):
        _run(given, session)
    programs = _chosen(session.programs, target)
    if not programs:
        print("python -m torchlike.aot: the script ran no program", file=sys.stderr)
        return 1
    print(report.title(target, len(programs)))
    print(*dict.fromkeys(session.notes), sep="\n", end="\n" if session.notes else "")
    failures = 0
    for number, (program, runs) in enumerate(programs, 1):
        report.progress(f"compiling program {number} of {len(programs)}: {program.name}")
        made = _compiled(program, target)
        print(report.section(number, program, runs, made, target), flush=True)
        failures += isinstance(made, str)
        if given.hlo is not None and not isinstance(made, str):
            given.hlo.mkdir(parents=True, exist_ok=True)
            (given.hlo / f"{number:02}.hlo.txt").write_text(made.as_text(), "utf-8")
    return int(failures > 0)


def _run(given: argparse.Namespace, session: Session) -> None:
    """Run the script until it has made the wanted number of steps, or ends."""
    from torchlike.optim.optimizer import register_optimizer_step_post_hook

    handle = register_optimizer_step_post_hook(lambda *_: session.stepped())
    report.progress(f"running {given.script} up to the end of optimizer step {given.steps}")
    try:
        (programs.module if given.is_module else programs.script)(given.script, given.args).run()
    except Finished:
        pass
    except SystemExit as stop:
        if stop.code not in (None, 0):
            raise
    finally:
        handle.remove()


@contextlib.contextmanager
def devices(target: targets.Target) -> Iterator[None]:
    """Make the target's devices available to the script."""
    import jax

    if target.type == "cpu":
        yield
        return
    with stand_ins(target.type, jax.local_devices(backend="cpu")[1 : 1 + len(target.chips)]):
        yield


def _chosen(programs: Sequence[Recorded], target: targets.Target) -> list[tuple[Recorded, int]]:
    """Return the distinct programs of the target's devices, each with the number of its runs.

    If the script does not use these devices, return its programs of the CPU.
    """
    found: dict[tuple, tuple[Recorded, int]] = {}
    for program in [p for p in programs if p.type == target.type] or programs:
        first, runs = found.get(program.key, (program, 0))
        found[program.key] = first, runs + 1
    return [*found.values()]


def _compiled(program: Recorded, target: targets.Target) -> Program | str:
    """Return the compiled program, or the reason why it cannot be compiled: the first line of the error."""
    try:
        return program.lower(target).compile()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
