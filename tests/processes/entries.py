"""Functions that child processes run. This module imports nothing that is slow."""

import os
import signal
import sys
import time


def raises(i):
    if i == 1:
        raise ValueError("as it should")
    time.sleep(60)


def exits(i):
    if i == 1:
        sys.exit(3)
    time.sleep(60)


def is_killed(i):
    if i == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def ends(i, seconds):
    time.sleep(i * seconds)


def ranks(x):
    return os.environ["RANK"], os.environ["WORLD_SIZE"], x * int(os.environ["RANK"])


def second_fails(x):
    if os.environ["RANK"] == "1":
        raise ValueError(x)
    time.sleep(60)
