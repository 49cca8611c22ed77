"""The arguments, errors, reports and caches of `torchlike.compile`."""

import copy
import cProfile
import gc
import json
import pickle
import time

import jax
import pytest
import torch

import torchlike
from torchlike._dtypes.devices import stand_ins
from torchlike._dynamo import OptimizedModule, exc
from torchlike._engine.xla import disk_cache


@pytest.fixture(autouse=True)
def checks_of_distributions():
    """Restore the argument checks of distributions, which PyTorch's compiler disables for the whole process."""
    yield
    torch.distributions.Distribution.set_default_validate_args(True)


REFUSED = [
    {"mode": "fast"},
    {"mode": "default", "options": {"a": 1}},
    {"dynamic": 3},
    {"backend": "no_such_backend"},
]


@pytest.mark.parametrize("options", REFUSED, ids=str)
def test_bad_options_are_refused_in_pytorch_s_words(options):
    said = []
    for library in (torch, torchlike):
        with pytest.raises(Exception) as error:
            library.compile(library.nn.ReLU(), **options)
        said.append((type(error.value).__name__, str(error.value)))
    assert said[0] == said[1]


def test_compile_of_a_number_raises_pytorchs_error():
    said = []
    for library in (torch, torchlike):
        with pytest.raises(AssertionError) as error:
            library.compile(3)
        said.append(str(error.value).replace("torch.", "torchlike."))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["options", "shapes_spec", "isolate_recompiles"])
def test_compile_refuses_unsupported_arguments(name):
    with pytest.raises(NotImplementedError, match=name):
        torchlike.compile(torchlike.nn.ReLU(), **{name: {"a": 1}})
    with pytest.raises(NotImplementedError, match="backend"):
        torchlike.compile(torchlike.nn.ReLU(), backend=lambda graph, inputs: graph)


def test_a_compiled_module_is_the_module_inside():
    model = torchlike.nn.Sequential(torchlike.nn.Linear(2, 3), torchlike.nn.Dropout())
    compiled = torchlike.compile(model)
    assert isinstance(compiled, OptimizedModule)
    theirs = torch.compile(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout()))
    assert list(compiled.state_dict()) == list(theirs.state_dict())
    assert repr(compiled) == repr(theirs)
    assert compiled[0] is model[0]
    assert compiled.eval() is compiled
    assert not model[1].training
    compiled.note = 3
    assert model.note == 3
    del compiled.note
    assert not hasattr(model, "note")


def test_hooks_and_copies_of_a_compiled_module():
    compiled = torchlike.compile(torchlike.nn.Linear(2, 2), fullgraph=True)
    compiled.register_forward_hook(lambda module, args, out: out * 0 + 7)
    assert compiled(torchlike.ones(1, 2)).tolist() == [[7.0, 7.0]]
    for other in (copy.deepcopy(torchlike.compile(torchlike.nn.Linear(2, 2))), pickle.loads(pickle.dumps(compiled))):
        assert isinstance(other, OptimizedModule)
        assert other(torchlike.ones(1, 2)).shape == (1, 2)
        assert other.weight is not compiled.weight


def test_a_module_compiles_its_own_calls():
    model = torchlike.nn.Linear(2, 2)
    plain = model(torchlike.ones(1, 2))
    model.compile(fullgraph=True)
    for _ in range(2):
        assert model(torchlike.ones(1, 2)).tolist() == plain.tolist()
    assert model._compiled_call_impl.kept


def test_a_look_is_refused_with_its_line_where_the_whole_is_asked_for():
    @torchlike.compile(fullgraph=True)
    def f(x):
        y = x * 2
        return y if y.sum() > 0 else -y

    with pytest.raises(exc.Unsupported, match=r"test_api\.py:\d+"):
        f(torchlike.ones(2))


@pytest.mark.parametrize("impure", [lambda x: print("seen") or x * 2, lambda x: x * next(iter([1.0])) + time_now()])
def test_fullgraph_refuses_side_effects_with_their_line(impure):
    with pytest.raises(exc.Unsupported, match=r"test_api\.py:\d+ calls"):
        torchlike.compile(impure, fullgraph=True)(torchlike.ones(2))


def time_now():
    import time

    return time.time() * 0


def test_disabled_parts_break_the_recording():
    @torchlike.compiler.disable
    def plain(x):
        return x + 1

    compiled = torchlike.compile(lambda x: plain(x * 2))
    assert compiled(torchlike.ones(2)).tolist() == [3.0, 3.0]
    assert not compiled.kept
    with pytest.raises(exc.Unsupported):
        torchlike.compile(lambda x: plain(x * 2), fullgraph=True)(torchlike.ones(2))


def test_a_program_knows_whether_it_is_being_compiled():
    seen = []
    f = torchlike.compile(lambda x: x * (2.0 if torchlike.compiler.is_compiling() else 3.0))
    seen.append(f(torchlike.ones(1)).item())
    assert seen == [2.0]
    assert not torchlike.compiler.is_compiling()


def test_stances():
    f = torchlike.compile(lambda x: x * 2)
    one = torchlike.ones(2)
    with torchlike.compiler.set_stance("force_eager"):
        f(one)
        assert not f.kept
    with torchlike.compiler.set_stance("fail_on_recompile"), pytest.raises(exc.RecompileError):
        f(one)
    f(one)
    with torchlike.compiler.set_stance("fail_on_recompile"):
        assert f(one).tolist() == [2.0, 2.0]
    with torchlike.compiler.set_stance("eager_on_recompile"):
        assert f(torchlike.ones(3)).tolist() == [2.0] * 3
    assert len(f.kept) == 1


def test_reset_forgets_every_recording():
    f = torchlike.compile(lambda x: x * 2)
    f(torchlike.ones(2))
    assert f.kept
    torchlike._dynamo.reset()
    assert not f.kept


def test_later_signatures_are_captured_at_their_second_call():
    f = torchlike.compile(lambda x: x * 2)
    captured = []
    for size in (1, 2, 3, 4, 3, 3):
        assert f(torchlike.ones(size)).tolist() == [2.0] * size
        captured.append(f.explained().recordings)
    assert captured == [1, 2, 2, 2, 3, 3]


def test_dynamic_waits_for_the_second_call_of_a_signature():
    f = torchlike.compile(lambda x: x * 2, dynamic=True)
    f(torchlike.ones(2))
    assert not f.kept
    f(torchlike.ones(2))
    assert len(f.kept) == 1


def test_eager_backends_record_nothing_whole():
    f = torchlike.compile(lambda x: x * 2, backend="eager")
    assert f(torchlike.ones(2)).tolist() == [2.0, 2.0]
    assert not f.kept
    assert torchlike.compile(f, disable=True) is f


def test_the_second_derivative_is_refused_in_pytorch_s_words():
    f = torchlike.compile(lambda x: (x**3).sum())
    x = torchlike.ones(2, requires_grad=True)
    (g,) = torchlike.autograd.grad(f(x), x)
    assert g.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="does not currently support double backward"):
        torchlike.autograd.grad(f(x), x, create_graph=True)


def test_an_index_out_of_range_is_refused_at_a_later_call_too():
    table = torchlike.nn.Embedding(4, 2)
    f = torchlike.compile(lambda i: torchlike.nn.functional.embedding(i[:, 1:], table.weight).sum())
    f(torchlike.tensor([[9, 0, 3]]))
    f(torchlike.tensor([[9, 1, 2]]))
    with pytest.raises(IndexError):
        f(torchlike.tensor([[0, 1, 4]]))
    assert f(torchlike.tensor([[9, 1, 2]])).requires_grad


def test_verification_finds_what_is_not_followed():
    w = torchlike.zeros(2)
    f = torchlike.compile(lambda x: w.add_(x).sum() * 2, verify_every=2)
    assert [f(torchlike.ones(2)).item() for _ in range(6)] == [4.0 * i for i in range(1, 7)]
    f.kept[next(iter(f.kept))][0].replay._scalars[:] = [(3.0,)]
    with pytest.raises(RuntimeError, match="verify_every"):
        [f(torchlike.ones(2)) for _ in range(2)]


def test_xla_s_analyses():
    f = torchlike.compile(lambda x: x @ x)
    with pytest.raises(RuntimeError, match="no captured graph yet"):
        f.cost()
    f(torchlike.ones(64, 64))
    assert f.cost()["flops"] >= 2 * 64**3
    assert f.memory().argument_size_in_bytes >= 64 * 64 * 4
    assert f.hlo().startswith("HloModule")
    model = torchlike.compile(torchlike.nn.Linear(4, 4))
    model(torchlike.ones(1, 4))
    assert model.cost()["flops"] > 0


def test_explain_names_compiled_functions_and_why_calls_were_not_whole():
    def named(x):
        return x.sum().item()

    compiled = torchlike.compile(named)
    compiled(torchlike.ones(2))
    found = [f for f in torchlike.explain().functions if "explain_names" in f.name and f.reasons]
    assert len(found) == 1
    assert "the elements of a tensor are needed" in found[0].reasons[0]
    assert "compiled functions" in str(torchlike.explain())
    other = torchlike.compile(lambda x: x * 2, name="doubling")
    other(torchlike.ones(2))
    assert "doubling" in [f.name for f in torchlike.explain().functions]


def test_state_in_use_elsewhere_is_not_overwritten():
    w = torchlike.zeros(3)
    f = torchlike.compile(lambda x: w.add_(x).sum())
    f(torchlike.ones(3))
    pending = w * 10  # recorded, not yet run
    shown = w.numpy().copy()
    f(torchlike.ones(3))
    assert pending.tolist() == [10.0] * 3
    assert shown.tolist() == [1.0] * 3
    assert w.tolist() == [2.0] * 3


def test_a_profiled_call_is_recorded_and_profiled_further():
    profiler = cProfile.Profile()

    def double(x):
        return x * 2

    function = torchlike.compile(double, fullgraph=True)
    profiler.enable()
    try:
        assert function(torchlike.ones(2)).tolist() == [2.0, 2.0]
        json.dumps([1])
    finally:
        profiler.disable()
    seen = {entry.code.co_name for entry in profiler.getstats() if not isinstance(entry.code, str)}
    assert "dumps" in seen  # profiled after the capture
    assert function(torchlike.ones(2)).tolist() == [2.0, 2.0]


def test_collecting_garbage_is_none_of_the_call_s_doing():
    def step(x):
        kept = [[i] for i in range(5000)]  # enough objects to start a garbage collection
        return x * len(kept)

    told = []

    def others(phase, info):
        told.append((phase, time.perf_counter()))

    gc.callbacks.append(others)
    try:
        found = torchlike.compile(step, fullgraph=True)(torchlike.ones(2))
    finally:
        gc.callbacks.remove(others)
    assert found.tolist() == [5000, 5000]
    assert gc.isenabled()


def test_calls_made_by_jaxs_compiler_are_not_side_effects(monkeypatch):
    def with_effects(*_):
        return time.time() and None

    # JAX's compiler calls other libraries, such as etils for the paths of its caches.
    monkeypatch.setattr(disk_cache.DiskCache, "get", with_effects)
    compiled = torchlike.compile(lambda x: x + torchlike.full((12345,), 6.5, device="cuda"), fullgraph=True)
    with stand_ins("cuda", jax.devices()[:1]):
        assert compiled(torchlike.ones(12345, device="cuda"))[-1].item() == 7.5


def test_global_hooks_of_a_compiled_module_are_warned_of_in_pytorch_s_words():
    said = []
    for library in (torch, torchlike):
        model = library.compile(library.nn.Identity(), backend="eager")
        handle = library.nn.modules.module.register_module_forward_hook(lambda *_: None)
        try:
            with pytest.warns(UserWarning, match="extra time") as caught:
                model(library.ones(1))
        finally:
            handle.remove()
        said.append([(str(w.message), w.filename) for w in caught if w.category is UserWarning])
    assert said[0] == said[1]
