"""`python -m tests.fuzz_steps`: run many programs, print each difference as a script, and write docs/fuzz_steps.md."""

from tests.fuzz.campaign import Campaign

HEAD = """# Random training steps, beside PyTorch's

Written by `python -m tests.fuzz_steps`: random modules, optimizers, schedulers, hooks, steps and edits between them,
run by PyTorch, and here both as written and with the step (or a part of it) compiled. After each call parameters,
buffers, gradients, the optimizer's state, results and who shares memory with whom are compared. Recorded calls are run
again by NumPy, and in 3 of 100 programs by XLA. What was ever found is kept in `tests/compile` and `tests/optim`.
"""

if __name__ == "__main__":
    Campaign("tests.fuzz_steps", "calls run from a recording", 20_000, HEAD).main()
