"""Functions that run in several processes, started by `mp.spawn` and by `elastic_launch`, beside PyTorch."""

import multiprocessing
import re

import pytest
import torch.distributed.launcher.api
import torch.multiprocessing

import torchlike.distributed.launcher.api
from tests.processes import entries
from tests.processes.launchers import quiet

LIBRARIES = (torch, torchlike)


@pytest.fixture(autouse=True, scope="module")
def _server():
    """Import both libraries once, in the server of the start method "forkserver"."""
    multiprocessing.set_forkserver_preload(["torch", "torchlike"])


def start(library, fn, *args, **options):
    return library.multiprocessing.start_processes(fn, args, start_method="forkserver", **options)


def plain(text):
    return re.sub(r'  File ".*", line \d+, in _(wrap|run)\n', "", text)


@pytest.mark.parametrize(
    ("fn", "kind"),
    [
        (entries.raises, "ProcessRaisedException"),
        (entries.exits, "ProcessExitedException"),
        (entries.is_killed, "ProcessExitedException"),
    ],
)
def test_a_process_that_fails(fn, kind):
    found = []
    for library in LIBRARIES:
        with pytest.raises(getattr(library.multiprocessing, kind)) as raised:
            start(library, fn, nprocs=2)
        error = raised.value
        assert error.error_pid > 0
        more = (getattr(error, name, None) for name in ("exit_code", "signal_name"))
        rebuilt, args = error.__reduce__()
        assert rebuilt is type(error) and args[0] == error.msg
        found.append((plain(error.msg), str(error) == error.msg, error.error_index, *more, len(args)))
    assert found[0] == found[1]


def test_join_with_a_timeout():
    found = []
    for library in LIBRARIES:
        context = start(library, entries.ends, 0.5, nprocs=2, join=False, daemon=True)
        assert len(set(context.pids())) == 2 and all(process.daemon for process in context.processes)
        steps = [context.join(timeout=0)]
        while not (done := context.join(timeout=10, grace_period=1)):
            pass
        found.append((steps, done, context.join()))
    assert found[0] == found[1] == ([False], True, True)


def test_a_grace_period():
    for library in LIBRARIES:
        context = start(library, entries.exits, nprocs=2, join=False)
        with pytest.raises(library.multiprocessing.ProcessExitedException, match="exit code 3"):
            while not context.join(grace_period=0.1):
                pass
        assert context.processes[0].exitcode == -15


def test_warnings():
    found = []
    for library in LIBRARIES:
        mp = library.multiprocessing
        with pytest.warns(UserWarning) as renamed:
            mp.SpawnContext([], [])
        with pytest.warns(FutureWarning) as unsupported:
            mp.spawn(print, nprocs=0, start_method="fork")
        found.append([str(caught[0].message) for caught in (renamed, unsupported)])
    assert found[0] == found[1]


# -- elastic_launch ----------------------------------------------------------------------------------------------------


def launch(library, fn, *args, **options):
    api = library.distributed.launcher.api
    config = api.LaunchConfig(
        1, 1, 2, None, "run", rdzv_backend="c10d", rdzv_endpoint="localhost:0", start_method="forkserver", **options
    )
    with quiet(library):
        return api.elastic_launch(config, fn)(*args)


def test_a_function_returns_a_result_from_each_process():
    found = [launch(library, entries.ranks, "x", monitor_interval=0.02) for library in LIBRARIES]
    assert found[0] == found[1] == {0: ("0", "2", ""), 1: ("1", "2", "x")}


def test_a_function_that_fails(capfd):
    found = []
    for library in LIBRARIES:
        error = library.distributed.elastic.multiprocessing.errors.ChildFailedError
        with pytest.raises(error) as raised:
            launch(library, entries.second_fails, "bad", max_restarts=0, monitor_interval=0.02)
        rank, failure = raised.value.get_first_failure()
        found.append((raised.value.name, rank, failure.local_rank, failure.exitcode, failure.message["message"]))
    assert found[0] == found[1] == ("second_fails", 1, 1, 1, "ValueError: bad")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"rdzv_backend": "etcd"}, "etcd"),
        ({"event_log_handler": "console"}, "event_log_handler"),
        ({"metrics_cfg": {"a": "b"}}, "metrics_cfg"),
        ({"numa_options": "node"}, "numa_options"),
        ({"max_nodes": 3}, "nnodes=1:3"),
    ],
)
def test_a_setting_that_is_not_supported_is_named(options, named):
    api = torchlike.distributed.launcher.api
    config = api.LaunchConfig(
        **{"min_nodes": 1, "max_nodes": 1, "nproc_per_node": 1, "rdzv_backend": "c10d", **options}
    )
    with pytest.raises(NotImplementedError, match=named):
        api.elastic_launch(config, entries.ranks)("x")
