"""Time the requests of `examples/serve.py` with and without batches.

    python -m benchmarks.serving

Writes `benchmarks/SERVING.md`. The extra `serve` must be installed.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from tqdm import tqdm

from benchmarks.report import processor

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "benchmarks" / "SERVING.md"
CLIENTS = (1, 4, 16, 64)
BATCHES = (1, 32)
SECONDS = 6.0  # of requests per row, after as many seconds of warm-up divided by three
START = 120.0  # seconds that the server may take until it answers
IMAGE = [[8.0] * 8] * 8
INTRODUCTION = """# Serving

Written by `python -m benchmarks.serving`: requests to `examples/serve.py`, which answers with an exported network over
HTTP. Each client sends one request after another. Clients and server share the machine. Times are in milliseconds.

| most images of a batch | clients | requests per second | median | 95th percentile |
|--:|--:|--:|--:|--:|
"""


def ours(*args: str) -> subprocess.Popen:
    """Start a script of `examples` under torchlike."""
    command = [sys.executable, "-m", "torchlike", str(ROOT / "examples" / args[0]), *args[1:]]
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=settings, stdout=subprocess.DEVNULL, start_new_session=True)


def stop(server: subprocess.Popen) -> None:
    """Stop a server and its child processes."""
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def free_port() -> int:
    """Return a port that no server uses."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def connected(port: int) -> Iterator[http.client.HTTPConnection]:
    """Return a context with a connection to the server."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        yield connection
    finally:
        connection.close()


def ask(connection: http.client.HTTPConnection, image: list) -> int:
    """Return the digit that the server reads in an image of 8x8 numbers."""
    body = json.dumps({"image": image})
    connection.request("POST", "/predict", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"the server answered {answer.status}: {text[:200]!r}")
    return json.loads(text)["digit"]


def wait_for(port: int, server: subprocess.Popen) -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + START
    while True:
        try:
            with connected(port) as connection:
                ask(connection, IMAGE)
            return
        except (OSError, RuntimeError):
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def latencies(port: int, clients: int, seconds: float) -> list[float]:
    """Return the sorted seconds of all requests that some clients send within a time."""
    deadline = time.monotonic() + seconds

    def run(_: int) -> list[float]:
        found = []
        with connected(port) as connection:
            while time.monotonic() < deadline:
                began = time.perf_counter()
                ask(connection, IMAGE)
                found.append(time.perf_counter() - began)
        return found

    with ThreadPoolExecutor(clients) as pool:
        return sorted(chain.from_iterable(pool.map(run, range(clients))))


def main() -> None:
    """Start the servers, send the requests, and write the table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        weights, model = str(Path(folder) / "digits.pt"), str(Path(folder) / "digits.pt2")
        for args in (("digits_cnn.py", "--epochs", "2", "--save", weights), ("serve.py", model, "--export", weights)):
            if ours(*args).wait():
                raise RuntimeError(f"{args[0]} failed")
        for batch in BATCHES:
            port = free_port()
            server = ours("serve.py", model, "--port", str(port), "--batch", str(batch))
            try:
                wait_for(port, server)
                for clients in tqdm(CLIENTS, desc=f"batches of {batch}"):
                    latencies(port, clients, SECONDS / 3)
                    found = latencies(port, clients, SECONDS)
                    middle, late = 1e3 * found[len(found) // 2], 1e3 * found[int(len(found) * 0.95)]
                    rows.append(f"| {batch} | {clients} | {len(found) / SECONDS:.0f} | {middle:.1f} | {late:.1f} |")
            finally:
                stop(server)
    TABLE.write_text(INTRODUCTION + "\n".join(rows) + f"\n\n{processor()}, {os.cpu_count()} cores.\n", encoding="utf-8")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
