"""The parent's side of a worker process: start it with clean caches, send commands, stop it."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

ROOT = Path(__file__).parent.parent


class Failed(Exception):
    """An error raised if a worker ends early. The message is the end of the worker's stderr."""


@dataclass(frozen=True)
class Setting:
    """The settings of the whole run."""

    device: str = "cpu"
    threads: int = 2
    rounds: int = 9
    repeats: int = 3  # repetitions of measurements that need a new process each


@contextmanager
def rival(setting, caches=None, program=("-m", "benchmarks.worker"), patience=None, **job):
    """Yield a function that sends a command to a new worker and returns its reply.

    Workers can share the folder `caches`. A reply that takes longer than `patience` seconds ends the worker.
    """
    job |= {"device": setting.device, "threads": setting.threads}
    with tempfile.TemporaryDirectory() as fresh, open(f"{fresh}/stderr", "w+") as errors:
        process = subprocess.Popen(
            [sys.executable, *program, json.dumps(job)],
            cwd=ROOT,
            env=environment(setting, caches or fresh),
            text=True,
            bufsize=1,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )

        def answer():
            with within(patience, process) as ended:
                line = process.stdout.readline()
            if line:
                return json.loads(line)
            raise Failed(f"no reply within {patience:g} s" if ended else last_line(errors))

        def ask(*command):
            with suppress(BrokenPipeError):  # the missing reply reports the failure
                print(json.dumps(command), file=process.stdin)
            return answer()

        try:
            answer()
            yield ask
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):
                    stream.close()


@contextmanager
def within(patience, process):
    """Kill the process after `patience` seconds, or never. Yield a list that is empty unless this happened."""
    ended = []
    timer = Timer(patience, lambda: (ended.append(True), process.kill())) if patience else None
    if timer:
        timer.start()
    try:
        yield ended
    finally:
        if timer:
            timer.cancel()


def environment(setting, caches):
    """Return the environment of a worker: its thread count, one device, and `caches` as the only compilation cache."""
    threads = {name: str(setting.threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    folders = {"TORCHLIKE_CACHE_DIR": f"{caches}/torchlike", "TORCHINDUCTOR_CACHE_DIR": f"{caches}/inductor"}
    inherited = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    return inherited | threads | folders | platform(setting)


def platform(setting):
    """Return the platform that JAX uses. Processes share one GPU, so none may allocate all its memory at the start."""
    return {"JAX_PLATFORMS": "cpu"} if setting.device == "cpu" else {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}


def last_line(errors):
    errors.seek(0)
    lines = [line.strip() for line in errors if line.strip()]
    return lines[-1] if lines else "ended without a word"
