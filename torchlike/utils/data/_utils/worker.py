"""What a data-loading worker knows about itself."""


def get_worker_info() -> None:
    """Information about the data-loading worker process this code runs in; None in the main process.

    Batches are always loaded in the main process here, so the answer is always None.

    >>> get_worker_info() is None
    True
    """
    return None
