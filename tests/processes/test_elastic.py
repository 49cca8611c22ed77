"""Parts of `torch.distributed.elastic` and of the rendezvous, in one process."""

import importlib
import os
import queue

import pytest

from tests.oracle import both


def module(torch, name):
    return importlib.import_module(f"{torch.__name__}.distributed.{name}")


def parameters(torch, **options):
    return module(torch, "elastic.rendezvous").RendezvousParameters("mine", "localhost:0", "run", 1, 2, **options)


@pytest.mark.parametrize("value", [True, 1, 0, 2, "yes", "F", "maybe", None, 1.5, [], "1", "x", "12"])
def test_options_of_a_rendezvous(value):
    both(lambda torch: parameters(torch, key=value).get_as_bool("key"))
    if not isinstance(value, list):
        both(lambda torch: parameters(torch, key=value).get_as_int("key", 3))


@pytest.mark.parametrize("given", [("", "", "", 1, 1), ("a", "", "", 0, 1), ("a", "", "", 3, 1)])
def test_invalid_options_of_a_rendezvous(given):
    both(lambda torch: module(torch, "elastic.rendezvous").RendezvousParameters(*given))


def handlers(torch):
    names = module(torch, "elastic.rendezvous")

    class Handler(names.RendezvousHandler):
        def get_backend(self):
            return "mine"

        def next_rendezvous(self):
            store = torch.distributed.HashStore()
            info = names.RendezvousStoreInfo.build(0, store, "here", 3)
            return names.RendezvousInfo(store, 0, 1, info)

        def is_closed(self):
            return False

        def set_closed(self):
            pass

        def num_nodes_waiting(self):
            return 0

        def get_run_id(self):
            return "run"

        def shutdown(self):
            return True

    return names, Handler


def test_a_registered_handler():
    def met(torch):
        names, handler = handlers(torch)
        registry = names.RendezvousHandlerRegistry()
        make = lambda params: handler()
        registry.register("mine", make)
        registry.register("mine", make)
        found = registry.create_handler(parameters(torch))
        info = found.next_rendezvous()
        return info.rank, info.world_size, repr(info.bootstrap_store_info), found.use_agent_store

    both(met)


@pytest.mark.parametrize("name", ["", "other", "mine"])
def test_errors_of_the_registry(name):
    def registered(torch):
        names, handler = handlers(torch)
        registry = names.RendezvousHandlerRegistry()
        registry.register(name, lambda params: handler())
        return registry.create_handler(names.RendezvousParameters(name, "", "", 1, 1)).get_run_id()

    both(registered)


def test_an_unknown_backend():
    both(
        lambda torch: module(torch, "elastic.rendezvous").RendezvousHandlerRegistry().create_handler(parameters(torch))
    )


def test_backends_of_pytorch_are_refused():
    import torchlike

    registry = module(torchlike, "elastic.rendezvous.registry")
    given = module(torchlike, "elastic.rendezvous").RendezvousParameters("c10d", "", "run", 1, 1)
    with pytest.raises(NotImplementedError, match="start the run 'run' with torchrun"):
        registry.get_rendezvous_handler(given)


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_a_cycling_iterator(epochs):
    both(lambda torch: list(module(torch, "elastic.utils.data").CyclingIterator(epochs, lambda e: iter([e, 9]), 1)))


@pytest.mark.parametrize(("start", "count"), [(0, 2), (3, 2), (3, 4), (9, 2), (10, 2)])
def test_an_elastic_sampler(start, count):
    def sampled(torch):
        kind = module(torch, "elastic.utils.data").ElasticDistributedSampler
        samplers = [kind(list(range(10)), count, rank, start) for rank in range(count)]
        for sampler in samplers:
            sampler.set_epoch(3)
        return [(list(sampler), len(sampler)) for sampler in samplers]

    both(sampled)


def test_synchronization_by_a_store():
    def synchronized(torch):
        store = module(torch, "elastic.utils.store")
        shared = torch.distributed.HashStore()
        found = store.synchronize(shared, b"x", 0, 1, "key", timeout=3)
        store.barrier(shared, 1, "barrier", rank=0)
        with store.store_timeout(shared, 7):
            inside = shared.timeout
        return found, inside, store.get_all(shared, 0, "key", 1), shared.timeout

    both(synchronized)


@pytest.mark.parametrize("options", [{}, {"rank": 0}, {"rank": 1}, {"rank_tracing_decoder": str}])
def test_a_barrier_that_times_out(options):
    def waited(torch):
        shared = torch.distributed.HashStore()
        module(torch, "elastic.utils.store").barrier(shared, 2, "key", 0.05, trace_timeout=0.05, **options)

    both(waited)


def test_metrics(capsys):
    printed = []

    def published(torch):
        metrics = module(torch, "elastic.metrics")

        class Handler(metrics.MetricHandler):
            def emit(self, metric_data):
                printed.append((metric_data.group_name, metric_data.name.replace(torch.__name__, "")))

        metrics.configure(Handler(), "mine")

        @metrics.prof(group="mine")
        def add(a, b=1):
            return a / b

        metrics.put_metric("count", 3, "mine")
        metrics.put_metric("count", 3)
        metrics.getStream("mine").add_value("value", 1)
        found = add(1), printed[:]
        printed.clear()
        with pytest.raises(ZeroDivisionError):
            add(1, 0)
        return found, printed[:], printed.clear(), metrics.MetricsConfig().params

    both(published)


def test_events():
    def recorded(torch):
        events = module(torch, "elastic.events")
        event = events.Event("name", events.EventSource.WORKER, 3, {"a": 1})
        rendezvous = events.RdzvEvent("name", "run", "text", "host", 1, events.NodeState.FAILED)
        events.record(event)
        texts = str(event), str(rendezvous)
        again = events.Event.deserialize(texts[0]), events.RdzvEvent.deserialize(texts[1])
        return texts, again[0] == event, again[1] == rendezvous, f"{events.NodeState.INIT}"

    both(recorded)


def test_an_unknown_destination():
    both(lambda torch: module(torch, "elastic.events").get_logging_handler("nowhere"))


def test_timers():
    def expired(torch):
        timer = module(torch, "elastic.timer")
        requests = queue.Queue()
        server = timer.LocalTimerServer(requests, max_interval=0.01)
        client = timer.LocalTimerClient(requests)
        with timer.expires(after=-5, scope="block", client=client):
            server.register_timers([requests.get()])
            inside = [(r.worker_id == os.getpid(), r.scope_id) for r in server.get_expired_timers(1e12)[os.getpid()]]
        server.register_timers([requests.get()])
        equal = timer.TimerRequest(1, "a", 2.0) == timer.TimerRequest(1, "a", 2.0)
        return inside, server.get_expired_timers(1e12), equal

    both(expired)


def test_a_timer_without_a_client():
    def started(torch):
        with module(torch, "elastic.timer").expires(after=1):
            pass

    both(started)


def test_macros_and_variables():
    both(lambda torch: module(torch, "elastic.utils").macros.substitute(["--r=${local_rank}", 3, "${other}"], "1"))
    both(lambda torch: module(torch, "elastic.utils").get_env_variable_or_raise("NO_SUCH_VARIABLE"))
    both(lambda torch: module(torch, "elastic.utils.process_state").is_uninterruptible_state("D+"))
    both(lambda torch: module(torch, "elastic.utils.process_state").read_proc_state(os.getpid()))


def test_a_store_of_the_launcher():
    def shared(torch):
        store = module(torch, "elastic.utils.distributed").create_c10d_store(True, "localhost", timeout=5)
        store.set("a", "b")
        return store.get("a")

    both(shared)
    both(lambda torch: module(torch, "elastic.utils.distributed").create_c10d_store(True, "localhost", world_size=2))


URLS = [
    ("tcp://localhost:1", 0, -1),
    ("tcp://localhost", 0, 1),
    ("tcp://localhost:1", -1, 1),
    ("tcp://localhost:1?rank=0", 0, 1),
    ("file://", 0, 1),
    ("other://x", 0, 1),
    (3, 0, 1),
    ("env://", "a", 1),
    ("env://", 0, 1.5),
]


@pytest.mark.parametrize("given", URLS)
def test_urls_of_a_rendezvous(given):
    both(lambda torch: [found[1:] for found in module(torch, "rendezvous").rendezvous(*given)])


def test_a_registered_scheme():
    def met(torch):
        names = module(torch, "rendezvous")

        def handler(url, **options):
            yield torch.distributed.HashStore(), url, len(options)

        scheme = f"scheme{len(names._rendezvous_handlers if hasattr(names, '_rendezvous_handlers') else 'abc')}"
        names.register_rendezvous_handler(scheme, handler)
        found = next(torch.distributed.rendezvous(f"{scheme}://host?a=1", 2, 3))[1]
        with pytest.raises(RuntimeError, match="already registered"):
            names.register_rendezvous_handler(scheme, handler)
        return found.partition("://")[2]

    both(met)


@pytest.mark.parametrize("text", ["gloo", "cpu:gloo,cuda:nccl", "cpu:gloo:x", "cpu:a,cpu:b", "NCCL", "mine"])
def test_the_configuration_of_backends(text):
    def configured(torch):
        found = torch.distributed.distributed_c10d.BackendConfig(text)
        return repr(found), found.get_device_backend_map()

    both(configured)


def test_the_level_of_debugging(monkeypatch):
    def levels(torch):
        dist = torch.distributed
        monkeypatch.delenv("TORCH_DISTRIBUTED_DEBUG", raising=False)
        before = dist.get_debug_level()
        dist.set_debug_level(dist.DebugLevel.INFO)
        inside = dist.get_debug_level()
        monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "DETAIL")
        dist.set_debug_level_from_env()
        last = dist.get_debug_level()
        dist.set_debug_level(before)
        return str(before), repr(inside), last == dist.DebugLevel.DETAIL, [*dist.DebugLevel.__members__]

    both(levels)


def test_a_level_that_does_not_exist(monkeypatch):
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "MORE")
    both(lambda torch: torch.distributed.set_debug_level_from_env())


OPTIONS = """AllreduceCoalescedOptions AllreduceOptions AllToAllOptions BarrierOptions BroadcastOptions GatherOptions
ReduceOptions ReduceScatterOptions ScatterOptions"""


@pytest.mark.parametrize("name", OPTIONS.split())
def test_options_of_collectives(name):
    def told(torch):
        made = getattr(torch.distributed, name)()
        return {each: getattr(made, each) for each in dir(made) if not each.startswith("_") and each != "reduceOp"}

    both(told)


def test_deprecated_operators():
    both(lambda torch: torch.distributed.reduce_op.SUM == torch.distributed.ReduceOp.SUM)


@pytest.mark.parametrize("ranks", [[0], [0, 1, 2], [0, 2, 4, 5], [1, 3, 5, 9, 10, 11], [3, 7], [2, 4, 5], [1, 1]])
def test_ranges_of_ranks(ranks):
    both(lambda torch: module(torch, "collective_utils")._summarize_ranks(ranks))


def test_collectives_on_objects_alone():
    def fails():
        raise ValueError("as it should")

    both(lambda torch: module(torch, "collective_utils").broadcast(lambda: 3))
    both(lambda torch: module(torch, "collective_utils").all_gather("x"))
    both(lambda torch: module(torch, "collective_utils").broadcast(fails, stage_name="first"))
    both(lambda torch: module(torch, "collective_utils").all_gather(fails))
    both(lambda torch: module(torch, "collective_utils").broadcast(1, success=False))
    both(lambda torch: module(torch, "collective_utils").broadcast(None, success=False))


@pytest.mark.parametrize("name", ["_fsdp_wrapped_module.a._checkpoint_wrapped_module.b", "a.b"])
def test_names_without_wrappers(name):
    both(lambda torch: module(torch, "fsdp._common_utils").clean_tensor_name(name))
