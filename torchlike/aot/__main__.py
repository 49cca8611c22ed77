"""``python -m torchlike.aot --target TARGET script.py``."""

import os
import sys

from torchlike.aot.command import environment, main

if __name__ == "__main__":
    needed = environment(sys.argv[1:])
    if needed:  # JAX reads these variables when it is imported, and torchlike has imported it
        os.execve(sys.executable, [sys.executable, "-m", "torchlike.aot", *sys.argv[1:]], {**os.environ, **needed})
    sys.exit(main(sys.argv[1:]))
