"""Run a script by `runpy.run_path` and record its error: `python -m torchlike.distributed.launcher.run_path script`."""

from __future__ import annotations

import runpy
import sys

from torchlike.distributed.elastic.multiprocessing.errors import record


@record
def run_script_path(training_script: str, *training_script_args: str) -> None:
    """Run the script as `__main__`, with its arguments in `sys.argv`."""
    sys.argv[:] = [training_script, *training_script_args]
    runpy.run_path(training_script, run_name="__main__")


if __name__ == "__main__":
    run_script_path(*sys.argv[1:])
