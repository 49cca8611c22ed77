"""The process of one worker of a `DataLoader`."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal

from torchlike._internal import compute_with_numpy
from torchlike.multiprocessing._channel import Channel, Closed
from torchlike.utils.data import _errors as errors
from torchlike.utils.data._utils.worker import FAILED, Fetching, Job, WorkerInfo, place, seed

_PATIENCE = 5  # seconds between two checks of whether the main process still exists


def run(number: int, job: Job, channel: Channel) -> None:
    """Fetch the batches that the main process asks for, until it closes the channel.

    A request is a pair of the number of the batch and its index. At the start of another epoch, the number is None and
    the index is the seed of the random data pipes. An answer is the number of the batch, the kind of the answer, and
    the batch or its error.
    """
    _drop_handlers()
    gc.freeze()  # the objects of the main process are not collected here: their pages stay shared
    compute_with_numpy()
    seed(job.base_seed, number)
    place.is_process = True
    place.info = WorkerInfo(number, job.count, job.base_seed + number, job.dataset)
    with contextlib.suppress(Closed):
        _serve(Fetching(job, number), channel, job.parent)


def handled() -> set[int]:
    """Return the signals whose handlers are Python functions."""
    return {number for number in signal.valid_signals() if callable(signal.getsignal(number))}


def _drop_handlers() -> None:
    """Replace the signal handlers that the main process has set, and unblock their signals.

    Ctrl-C interrupts all processes of a terminal. The main process decides whether the workers go on. A handler that
    does nothing is better than ignoring the signal, which programs that the dataset starts would inherit.
    """
    for number in handled():
        signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())


def _serve(fetching: Fetching, channel: Channel, parent: int) -> None:
    while True:
        _wait(channel, parent)
        answer = fetching.respond(channel.receive())
        try:
            channel.send(answer)
        except Closed:
            raise
        except Exception as error:  # the batch, or the class of its error, cannot be pickled
            number, kind, data = answer
            channel.send((number, FAILED, errors.sendable(data if kind == FAILED else fetching.failed(error))))
        del answer  # frees the segments of the batch


def _wait(channel: Channel, parent: int) -> None:
    """Wait for a request. Raise `Closed` if the main process has ended.

    The channel of a main process that was killed stays open while another child of it holds a copy.
    """
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    while not poll.poll(_PATIENCE * 1000):
        if os.getppid() != parent:
            raise Closed
