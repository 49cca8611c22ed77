"""Shared test configuration: one compilation cache, small thread pools, the table of exclusions."""

import gc
import os
import sys
import zlib

import pytest


def pytest_configure(config: pytest.Config) -> None:
    # Compiles by XLA dominate the time of a run, so all processes of all runs share one cache, next to pytest's own.
    # torchlike reads this variable on import, which no test module has done yet.
    cache = getattr(config, "cache", None)  # pytest may run without a cache directory
    if cache is not None:
        os.environ.setdefault("TORCHLIKE_CACHE_DIR", str(cache.mkdir("torchlike")))
    # PyTorch's thread pool becomes very slow when it shares two cores with XLA's.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("TORCHLIKE_LOG", "quiet")  # a slow machine waits long for compiles
    _take_a_share_of_the_cores()


def _take_a_share_of_the_cores() -> None:
    """Pin each test process to its own cores. XLA starts a thread for each visible core, and threads that compete
    for cores spend most of their time searching for work."""
    worker, workers = os.environ.get("PYTEST_XDIST_WORKER"), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    if worker is None or not hasattr(os, "sched_setaffinity"):
        return
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) >= workers:
        os.sched_setaffinity(0, cores[int(worker.removeprefix("gw")) :: workers])


def pytest_collection_finish() -> None:
    # The collected tests are 3.5 million objects. Each full garbage collection would take two seconds to visit them.
    gc.collect()
    gc.freeze()


_tests_run = 0


def pytest_runtest_teardown() -> None:
    # Thousands of compiled programs in one process exhaust the memory mappings that Linux allows.
    global _tests_run
    _tests_run += 1
    run = sys.modules.get("torchlike._engine.trace.flush")
    if run is not None:
        run.ledger.groups.clear()  # the warning about changing shapes must not depend on earlier tests
        if _tests_run % 200 == 0:
            run.forget_programs()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    from tests.exclusions import EXCLUDED
    from tests.gate import thin

    thin(items)
    for item in items:
        reason = EXCLUDED.get(item.nodeid) or EXCLUDED.get(item.nodeid.partition("[")[0])
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason.why))
        if item.get_closest_marker("gpu") and not _has_gpu():
            item.add_marker(pytest.mark.skip(reason="no CUDA device that JAX can use"))


def _has_gpu() -> bool:
    import jax

    try:
        return bool(jax.devices("gpu"))
    except RuntimeError:
        return False


@pytest.fixture(autouse=True)
def _names_of_a_docstring(request, doctest_namespace) -> None:
    """Make the example of a docstring read as a session that began with ``import torchlike``."""
    if isinstance(request.node, pytest.DoctestItem):
        import torchlike

        doctest_namespace["torchlike"] = torchlike


@pytest.fixture(autouse=True)
def _both_executors_differentiate(request, monkeypatch):
    """Compile training graphs at once in half of the tests, chosen by name.

    By default small training graphs, and those whose compile takes long, are interpreted when they first occur. Half of
    the tests compile them at once, as other graphs are, so that both executors are compared with PyTorch.
    """
    costs = sys.modules.get("torchlike._engine.interpreter.costs")
    name = request.node.nodeid
    if costs is not None and not name.startswith("tests/engine/") and zlib.crc32(name.encode()) % 2:
        monkeypatch.setattr(costs, "FEW", 0)
        monkeypatch.setattr(costs, "RUNS", float("inf"))
        monkeypatch.setattr(costs, "LONG", float("inf"))


@pytest.fixture(autouse=True)
def _background_compiles_do_not_leak():
    """Wait for the compiles that earlier tests began, so that no test counts those of another."""
    background = sys.modules.get("torchlike._engine.xla.background")
    if background is not None:
        background.wait_for_all()


@pytest.fixture(autouse=True)
def _settings_do_not_leak():
    """Check that a test that changes the default dtype or the grad mode restores it."""
    before = _settings()
    yield
    after = _settings()
    if before is None or after == before:
        return
    modes = sys.modules["torchlike._dtypes.modes"]
    modes.set_default_dtype(before[0])
    modes.set_grad_enabled(before[1])
    pytest.fail(f"the test left other settings behind: {after}, not {before}")


def _settings():
    modes = sys.modules.get("torchlike._dtypes.modes")
    return modes and (modes.get_default_dtype(), modes.is_grad_enabled())
