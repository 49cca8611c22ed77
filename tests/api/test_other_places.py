"""Modules other than the operators.

Supported functions are compared with PyTorch. Unsupported ones must raise an error that says so.
"""

import importlib
import json
import subprocess
import sys
import typing
from typing import get_args

import pytest
import torch

import torchlike
from tests.house.source import ROOT
from tests.oracle import assert_same, both

FUTURES = {
    "done": lambda F: [(f := F.Future()).done(), f.set_result(3), f.done(), f.wait(), f.value()],
    "then": lambda F: [(f := F.Future()), (g := f.then(lambda x: x.wait() + 1)), f.set_result(3), g.wait()][3],
    "then, afterwards": lambda F: [(f := F.Future()), f.set_result(3), f.then(lambda x: x.wait() + 1).wait()][2],
    "callbacks": lambda F: [
        seen := [],
        (f := F.Future()),
        f.add_done_callback(lambda x: seen.append(x.value())),
        f.set_result(5),
        seen,
    ][4],
    "error": lambda F: [(f := F.Future()), f.set_exception(ValueError("no")), f.wait()],
    "error asked for": lambda F: [(f := F.Future()), f.set_exception(ValueError("no")), f.value()],
    "no error": lambda F: F.Future().set_exception(3),
    "twice": lambda F: [(f := F.Future()), f.set_result(1), f.set_result(2)],
    "collect_all": lambda F: collected(F),
    "device without index": lambda F: F.Future(devices=["cpu"]),
}
INDENTED = ("", "a", "a\n\n b\n", "a\n \nb", "\n\na", "a\r\nb", "a\nb  \nc", "  \n  \n\tb")
PROGRAMS = {
    "nn.common_types": lambda L: [
        str(get_args(getattr(L.nn.common_types, f"_{n}_t")))
        for n in ("size_any", "size_1", "size_2", "size_3_opt", "size_6", "ratio_2", "ratio_any")
    ],
    "functional": lambda L: L.functional.tensordot(*[x.view(2, 2) for x in L.functional.split(L.arange(8.0), 4)]),
    **{f"gradient of conv{d}d": lambda L, d=d: conv_gradients(L, d) for d in (1, 2, 3)},
    "_get_tracing_state": lambda L: L._C._get_tracing_state(),
    "_get_accelerator": lambda L: L._C._get_accelerator(),
    "_parse_to of a dtype": lambda L: parsed(L, L.float32),
    "_parse_to of two": lambda L: parsed(L, "cpu", L.float64, non_blocking=True),
    "_parse_to of a tensor": lambda L: parsed(L, L.ones(2)),
    "_parse_to of a format": lambda L: parsed(L, memory_format=L.channels_last),
    "get_all_start_methods": lambda L: L.multiprocessing.get_all_start_methods(),
    "sharing strategies": lambda L: sharing(L.multiprocessing),
    "current_process": lambda L: L.multiprocessing.current_process().name,
    "is_in_onnx_export": lambda L: L.onnx.is_in_onnx_export(),
    "alias": lambda L: L.ops.aten.alias(L.ones(2)),
    "_to_copy": lambda L: L.ops.aten._to_copy(L.ones(2), dtype=L.float64),
    "_rebuild_tensor_v2": lambda L: L._utils._rebuild_tensor_v2(
        L.arange(6.0).storage(), 1, (2, 2), (2, 1), False, None
    ),
    "sparse.FloatTensor": lambda L: L.sparse.FloatTensor(L.tensor([[0], [1]]), L.tensor([2.0]), (2, 2)).to_dense(),
    "swap_tensors": lambda L: swapped(L),
    "swap_tensors of modules": lambda L: swapped_parameters(L),
    "sdp_kernel": lambda L: attention_switches(L),
    "StreamContext": lambda L: within(L.cuda.StreamContext(None)),
    "custom_op": lambda L: custom(L),
    "custom_op without gradient": lambda L: custom_without_gradient(L),
    "custom_op by name": lambda L: [custom(L), L.ops.testing.twice(L.ones(2))][1],
    "TorchFunctionMode": lambda L: issubclass(type("Mode", (L.overrides.TorchFunctionMode,), {}), object),
    "_addindent": lambda L: [L.nn.modules.module._addindent(text, n) for text in INDENTED for n in (0, 3)],
    "lines of a module": lambda L: repr(L.nn.Sequential(lines(L, "a\n\nb"), L.nn.ModuleList([lines(L, "\n")]))),
    "jit.Final": lambda L: (L.jit.Final is typing.Final, str(L.jit.Final[int])),
    "get_loader_iter": lambda L: isinstance(
        iter(L.utils.data.DataLoader([1])), L.utils.data.dataloader._MultiProcessingDataLoaderIter
    ),
    "schedule": lambda L: actions(L, 14, wait=1, warmup=1, active=2, repeat=2, skip_first=1),
    "schedule without end": lambda L: actions(L, 7, wait=0, warmup=1, active=1),
    "wrong schedule": lambda L: L.profiler.schedule(wait=-1, warmup=0, active=1),
    "Stream": lambda L: [
        repr(s := L.Stream(device="cpu")),
        s.query(),
        s.synchronize(),
        s.device,
        s.device_index,
        s == L.Stream("cpu"),
        s.wait_event(None),
        within(s),
    ],
    "event of a CPU's stream": lambda L: L.Stream(device="cpu").record_event(),
    "other stream than a CPU's": lambda L: L.Stream(device="cpu").wait_stream(L.Stream(device="cpu")),
    "ProfilerActivity": lambda L: [a.name for a in (L.profiler.ProfilerActivity.CPU, L.profiler.ProfilerActivity.CUDA)],
}


def lines(L, text):
    return type("Lines", (L.nn.Module,), {"extra_repr": lambda self: text})()


def actions(L, count, **cycle):
    action = L.profiler.schedule(**cycle)
    return [action(i).name for i in range(count)]


def parsed(L, *args, **kwargs):
    return L._C._nn._parse_to(*args, **kwargs)[:3]


def plain(x):
    return x + 1


def within(block):
    with block:
        return 3


def collected(F):
    a, b = F.Future(), F.Future()
    both_done = F.collect_all([a, b])
    a.set_result(1)
    before = both_done.done()
    b.set_result(2)
    return before, [f.wait() for f in both_done.wait()], F.wait_all([a, b]), F.collect_all([]).wait()


def conv_gradients(library, dims):
    """Return the gradients of a convolution by input and by weight, and a second gradient."""
    options = {"stride": 2, "padding": 1, "dilation": 2, "groups": 2}
    x = library.arange(2.0 * 4 * 7**dims, dtype=library.float64).sin().view(2, 4, *[7] * dims)
    weight = library.arange(6.0 * 2 * 2**dims, dtype=library.float64).cos().view(6, 2, *[2] * dims).requires_grad_()
    out = getattr(library.nn.functional, f"conv{dims}d")(x, weight, **options)
    given = library.ones_like(out).cumsum(-1).requires_grad_()
    by_input = getattr(library.nn.grad, f"conv{dims}d_input")(x.shape, weight, given, **options)
    by_weight = getattr(library.nn.grad, f"conv{dims}d_weight")(x, weight.shape, given.detach(), **options)
    second = library.autograd.grad(by_input.square().sum(), (weight, given))
    return [x.contiguous() for x in (by_input, by_weight, *second)]  # the memory order differs between the libraries


def sharing(module):
    before = module.get_sharing_strategy()
    module.set_sharing_strategy("file_system")
    after = module.get_sharing_strategy()
    module.set_sharing_strategy(before)
    return before, after, sorted(module.get_all_sharing_strategies())


def swapped(L):
    a, b = L.ones(2), L.zeros(3, requires_grad=True)
    held = a
    L.utils.swap_tensors(a, b)
    return held, held is a, a.requires_grad, b.tolist()


def swapped_parameters(L):
    layer = L.nn.Linear(2, 2)
    weight = layer.weight
    L.utils.swap_tensors(weight, L.nn.Parameter(L.ones(2, 2)))
    layer(L.ones(1, 2)).sum().backward()
    return layer.weight, weight.grad


def attention_switches(L):
    kernels = L.backends.cuda
    seen = [kernels.flash_sdp_enabled(), kernels.math_sdp_enabled(), kernels.mem_efficient_sdp_enabled()]
    kernels.enable_flash_sdp(False)
    seen.append(kernels.flash_sdp_enabled())
    kernels.enable_flash_sdp(True)
    return seen


made_in = set()


def custom(L):
    @L.library.custom_op("testing::twice", mutates_args=())
    def twice(x: L.Tensor) -> L.Tensor:
        return x * 2

    @twice.register_fake
    def _(x):
        return L.empty_like(x)

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    twice.register_autograd(lambda ctx, grad: grad * ctx.saved_tensors[0], setup_context=keep)
    x = L.tensor([1.0, 3.0], requires_grad=True)
    twice(x).sum().backward()
    return twice(L.ones(2)), x.grad


def custom_without_gradient(L):
    @L.library.custom_op("testing::thrice", mutates_args=())
    def thrice(x: L.Tensor) -> L.Tensor:
        return x * 3

    return thrice(L.ones(2, requires_grad=True)).sum().backward()


@pytest.mark.parametrize("name", FUTURES)
def test_futures(name):
    both(lambda library: FUTURES[name](library.futures))


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_equal_pytorchs(name):
    for module in ("futures", "multiprocessing", "onnx", "profiler", "library", "overrides", "utils.data"):
        importlib.import_module(f"torch.{module}")
    both(PROGRAMS[name])


def test_a_failed_callback_is_the_error_of_its_future():
    done = torchlike.futures.Future()
    later = done.then(lambda _: 1 / 0)
    done.set_result(1)
    with pytest.raises(ZeroDivisionError):
        later.wait()
    with pytest.raises(RuntimeError, match="no result yet"):
        torchlike.Future().value()


# -- torch.distributed -------------------------------------------------------------------------------------------------

ABSENT = (
    "shrink_group",
    "rpc.init_rpc",
)


@pytest.mark.parametrize("name", ABSENT)
def test_distributed_names_refuse_by_name(name):
    found = torchlike.distributed
    for word in name.split("."):
        found = getattr(found, word)
    with pytest.raises(NotImplementedError, match=rf"^torch\.distributed\.{name} is not supported .* fully_shard"):
        found()


def test_distributed_optimizer_has_no_instances():
    dist = torchlike.distributed
    optim = importlib.import_module("torchlike.distributed.optim")
    assert not isinstance(torchlike.ones(1), optim.DistributedOptimizer)
    assert "does not have" in repr(optim.DistributedOptimizer)
    with pytest.raises(AttributeError):
        dist.no_such_name


def test_every_name_of_a_module_for_distributed_is_one_of_pytorchs():
    for name in [n for n in sys.modules if n.startswith("torchlike.distributed.")]:
        theirs = "torch" + name.removeprefix("torchlike")
        try:
            module = importlib.import_module(theirs)
        except (ImportError, AttributeError):  # PyTorch itself raises this on some systems
            continue
        ours = [n for n, found in vars(sys.modules[name]).items() if type(found).__name__ == "Absent"]
        assert [n for n in ours if not hasattr(module, n)] == [], theirs


# -- multiprocessing ---------------------------------------------------------------------------------------------------


def send(i, queue, x):
    queue.put((i, x * 2))


def fail(i):
    if i == 1:
        raise ValueError("as it should")


def test_tensors_are_copied_to_processes():
    mp = torchlike.multiprocessing
    queue, x = mp.get_context("spawn").SimpleQueue(), torchlike.arange(3.0)
    context = mp.spawn(send, (queue, x), nprocs=1, join=False)
    number, found = queue.get()
    while not context.join():
        pass
    assert number == 0
    assert_same(found, torch.arange(3.0) * 2)


def test_an_error_in_a_process_is_raised():
    with pytest.raises(torchlike.multiprocessing.ProcessRaisedException, match="as it should") as caught:
        torchlike.multiprocessing.start_processes(fail, nprocs=2)
    assert caught.value.error_index == 1


# -- TorchScript -------------------------------------------------------------------------------------------------------


def test_a_trace_shares_the_parameters_and_calls_three_times():
    layer, calls = torchlike.nn.Linear(2, 2), []
    assert torchlike.jit.trace(layer, torchlike.ones(1, 2)).weight is layer.weight
    torchlike.jit.trace(lambda x: (calls.append(tuple(x.shape)), x + 1)[1], torchlike.ones(2))
    assert calls == [(2,)] * 3  # the second and third calls are PyTorch's check
    assert not isinstance(layer, torchlike.jit.ScriptModule) and not isinstance(plain, torchlike.jit.ScriptFunction)
    assert torchlike.jit._overload_method(plain)(2) == torchlike.jit.script_method(plain)(2) == 3


def test_a_script_function_has_no_constructor():
    with pytest.raises(NotImplementedError, match=r"^torch\.jit\.ScriptFunction is not supported .* state dict"):
        torchlike.jit.ScriptFunction("file", "file")


# -- profiler ----------------------------------------------------------------------------------------------------------


def test_a_profile_times_programs_and_regions(tmp_path):
    x = torchlike.randn(8, 8)
    with torchlike.profiler.profile(record_shapes=True) as prof:
        for _ in range(3):
            with torchlike.profiler.record_function("product"):
                y = x @ x
        y.sum().item()
    found = {each.key: each for each in prof.key_averages()}
    assert found["product"].count == 3 and found["product"].is_user_annotation
    programs = [each for key, each in found.items() if "matmul" in key and not key.startswith("building ")]
    assert any(key.startswith("building ") and "matmul" in key for key in found)
    assert [each.count for each in programs] == [3] and __file__ in programs[0].stack[0]
    assert programs[0].input_shapes == [[8, 8]]
    assert 0 < programs[0].cpu_time_total <= found["product"].cpu_time_total
    assert found["product"].self_cpu_time_total < found["product"].cpu_time_total
    longest = max(found.values(), key=lambda each: each.cpu_time_total)
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=1)
    assert longest.key[:20] in table and "# of Calls" in table and "Self CPU time total" in table
    assert len(table.splitlines()) == len(prof.key_averages().table().splitlines()) - len(found) + 1
    prof.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert sum(event["name"] == "product" for event in events) == 3


def test_a_compiled_step_is_timed():
    step = torchlike.compile(lambda x: (x * 2).sum())
    for _ in range(3):
        step(torchlike.ones(4))
    with torchlike.profiler.profile() as prof:
        step(torchlike.ones(4))
    assert [each.count for each in prof.key_averages()] == [1]


def test_a_schedule_chooses_steps(tmp_path):
    ready = []
    handler = torchlike.profiler.tensorboard_trace_handler(str(tmp_path), "me")

    def on_trace_ready(prof):
        ready.append(sorted({e.name for e in prof.events() if e.kind == "region"}))
        handler(prof)

    schedule = torchlike.profiler.schedule(wait=1, warmup=1, active=2)
    with torchlike.profiler.profile(schedule=schedule, on_trace_ready=on_trace_ready) as prof:
        for _ in range(8):
            torchlike.ones(2).sum().item()
            prof.step()
    assert ready == [["ProfilerStep#2", "ProfilerStep#3"], ["ProfilerStep#6", "ProfilerStep#7"]]
    assert len(list(tmp_path.glob("me.*.pt.trace.json"))) == 2


def test_older_profiles():
    with torchlike.autograd.profiler.profile() as prof:
        torchlike.autograd.profiler.record_function("work")(lambda: torchlike.ones(2).sum().item())()
    assert "work" in prof.table() and prof.total_average().count == len(prof.events()) > 1
    assert isinstance(prof.key_averages(), torchlike.autograd.profiler.EventList)


@pytest.mark.parametrize("name", ["profile_memory", "with_flops", "with_modules"])
def test_profile_refuses_unsupported_options(name):
    with pytest.raises(NotImplementedError, match=name):
        torchlike.profiler.profile(**{name: True})


# -- other modules -----------------------------------------------------------------------------------------------------

REFUSED = {
    "utils.cpp_extension.load": lambda L: L.utils.cpp_extension.load("name", ["a.cpp"]),
    "utils.cpp_extension.CUDAExtension": lambda L: L.utils.cpp_extension.CUDAExtension("name", []),
    "utils.cpp_extension.BuildExtension": lambda L: L.utils.cpp_extension.BuildExtension(),
    "overrides.TorchFunctionMode": lambda L: within(L.overrides.TorchFunctionMode()),
    "hub.load of a repository": lambda L: L.hub.load("owner/name", "model"),
    "hub.list of a repository": lambda L: L.hub.list("owner/name"),
    "autograd.profiler.emit_nvtx": lambda L: L.autograd.profiler.emit_nvtx(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_name(name):
    with pytest.raises(NotImplementedError, match=rf"^torch\.{name}.* is not supported by torchlike; "):
        REFUSED[name](torchlike)


def test_hub_of_a_folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(
        'def model(n, scale=1):\n    "Makes."\n    return n * scale\n\n_hidden = print\n'
    )
    assert torchlike.hub.list(str(tmp_path), source="local") == ["model"]
    assert [L.hub.load(str(tmp_path), "model", 2, scale=3, source="local") for L in (torch, torchlike)] == [6, 6]
    assert torchlike.hub.help(str(tmp_path), "model", source="local") == "Makes."
    with pytest.raises(RuntimeError, match="Cannot find callable none in hubconf"):
        torchlike.hub.load(str(tmp_path), "none", source="local")


def test_configuration():
    assert "jax" in torchlike.__config__.show() and "threads" in torchlike.__config__.parallel_info()


def test_collect_env_prints_versions_and_settings(monkeypatch, capsys):
    monkeypatch.setenv("JAX_ENABLE_CHECKS", "0")
    monkeypatch.setenv("SECRET", "not to be told")
    torchlike.utils.collect_env.main()
    said = capsys.readouterr().out
    wanted = ("torchlike 0.1.0", "jax: ", "jaxlib: ", "Python 3.", "CUDA available: ", "cpu:0", "JAX_ENABLE_CHECKS=0")
    assert [each for each in wanted if each not in said] == [] and "not to be told" not in said


def test_collect_env_runs_as_a_module():
    command = [sys.executable, "-W", "error", "-m", "torchlike.utils.collect_env"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert "cpu:0" in done.stdout and done.stderr == ""


NVTX = {
    "range_push": lambda nvtx: nvtx.range_push("a"),
    "range_pop": lambda nvtx: nvtx.range_pop(),
    "mark": lambda nvtx: nvtx.mark("a"),
    "range": lambda nvtx: within(nvtx.range("a {}", 3)),
    "range of a function": lambda nvtx: nvtx.range("a")(plain)(3),
    "range_start": lambda nvtx: nvtx.range_start("a"),
    "range_end": lambda nvtx: nvtx.range_end("a"),
}


@pytest.mark.parametrize("name", NVTX)
def test_ranges_of_nvtx_are_refused(name):
    # The expected message is that of PyTorch's CPU build. A CUDA build has these functions even without a GPU.
    with pytest.raises(RuntimeError, match=r"^NVTX functions not installed. Are you sure you have a CUDA build\?$"):
        NVTX[name](torchlike.cuda.nvtx)


def test_benchmark_timer():
    timer = torchlike.utils.benchmark.Timer("x * 2", globals={"x": torchlike.ones(3)}, label="double")
    found = timer.timeit(5)
    assert found.number_per_run == 5 and found.mean == found.median > 0 and repr(found).startswith("double\n")
    assert len(timer.blocked_autorange(min_run_time=0.01).times) > 1
    with pytest.raises(NotImplementedError, match="num_threads"):
        torchlike.utils.benchmark.Timer("1", num_threads=4)


def test_tensors_at_which_a_graph_ends_do_not_swap():
    def under(library):
        a, b = library.ones(2, requires_grad=True), library.ones(2)
        kept = (a * 2).sum()
        try:
            library.utils.swap_tensors(a, b)
        except RuntimeError:
            return kept, a.requires_grad
        return "no error"

    both(under)
