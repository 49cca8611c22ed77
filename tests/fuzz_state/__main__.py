"""`python -m tests.fuzz_state`: run many programs, print each difference as a script, and write docs/fuzz_state.md."""

from tests.fuzz.campaign import Campaign
from tests.fuzz_state.programs import PIECES

HEAD = f"""# Random programs of Python state around compiled functions

Written by `python -m tests.fuzz_state`. In each generated program a function reads and changes Python state of
{len(PIECES)} kinds (containers, classes, closures, caches, modules, the environment, ...), and the program changes some
of it between calls. Each program runs with and without `torchlike.compile`. The results and the state must be
equal after every call.
"""

if __name__ == "__main__":
    Campaign("tests.fuzz_state", "calls", 5_000, HEAD).main()
