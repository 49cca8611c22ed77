"""Helpers of the programs: print the result or error of each step, and leave the group."""

import os

STEPS = int(os.environ.get("TRAINING_STEPS", "2"))  # the number of steps of programs that train


def say(name, run):
    try:
        found = run()
    except Exception as error:
        found = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    print(name, found, flush=True)


def leave(dist):
    """Destroy the group after all processes have finished.

    A barrier is not enough. After it, Gloo may close a connection that another process still reads, and PyTorch's
    barrier raises the error of an earlier collective whose thread has not yet cleared it.
    """
    store, rank, size = dist.group.WORLD.get_group_store(), dist.get_rank(), dist.get_world_size()
    store.set(f"done {rank}", "yes")
    store.wait([f"done {other}" for other in range(size)])
    store.set(f"left {rank}", "yes")
    if rank == 0:  # rank 0 runs the store
        store.wait([f"left {other}" for other in range(size)])
    dist.destroy_process_group()
