"""An independent count of transfers, to check the counters of `torchlike._engine.xla.transfers`.

JAX logs every transfer to a device and between devices. Reads of stand-in devices are not transfers for JAX, because
these devices are CPU devices. Reads are therefore counted at NumPy's functions and at the methods of JAX's arrays.
"""

import contextlib
import os
import sys
import tempfile
from unittest import mock

import jax
import numpy as np

from torchlike._engine.xla import transfers

_READS = ("__array__", "__bool__", "__complex__", "__float__", "__index__", "__int__", "__iter__", "item", "tolist")


class Audit:
    """Transfers of a block: `to_device` and `between` from JAX's log, `to_host` from the spies."""

    def __init__(self) -> None:
        self.to_device = self.between = self.to_host = 0

    def __repr__(self) -> str:
        return f"{self.to_device} {self.between} {self.to_host}"


@contextlib.contextmanager
def audited():
    """Count the transfers of stand-in devices within the block."""
    audit = Audit()
    seen = lambda x: isinstance(x, jax.Array) and not isinstance(x, jax.core.Tracer) and transfers.is_remote(x)

    def spy(function):
        def spying(*args, **kwargs):
            audit.to_host += any(map(seen, args))
            return function(*args, **kwargs)

        return spying

    kind = type(jax.device_put(np.zeros(()), jax.devices("cpu")[0]))
    with contextlib.ExitStack() as stack:
        for owner, names in ((np, ("asarray", "array", "copy", "ascontiguousarray")), (kind, _READS)):
            for name in names:
                if hasattr(owner, name):
                    stack.enter_context(mock.patch.object(owner, name, spy(getattr(owner, name))))
        log = stack.enter_context(_standard_error())
        with jax.transfer_guard("log_explicit"):
            yield audit
        sys.stderr.flush()
        log.seek(0)
        text = log.read()
        audit.to_device = text.count("host-to-device transfer")
        audit.between = text.count("device-to-device transfer")


@contextlib.contextmanager
def _standard_error():
    """Redirect the standard error of the process, including that of C++ code, to a file."""
    before = os.dup(2)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield file
        finally:
            os.dup2(before, 2)
            os.close(before)
