"""How programs say what came of each step, errors too, and how they leave."""


def say(name, run):
    try:
        found = run()
    except Exception as error:
        found = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    print(name, found, flush=True)


def leave(dist):
    """Leave once everybody is done. After a barrier Gloo may close a connection that another still reads; and
    PyTorch's barrier raises the error of a collective before it whose thread has not yet put it away."""
    store, rank, size = dist.group.WORLD.get_group_store(), dist.get_rank(), dist.get_world_size()
    store.set(f"done {rank}", "yes")
    store.wait([f"done {other}" for other in range(size)])
    store.set(f"left {rank}", "yes")
    if rank == 0:  # whose store it is
        store.wait([f"left {other}" for other in range(size)])
    dist.destroy_process_group()
