"""Small modules of `torch.utils`, `torch.autograd`, `torch.amp` and `torch.multiprocessing` against PyTorch."""

import importlib
import io
import pickle
import warnings
import zipfile

import numpy as np
import pytest
import torch

import torchlike

LIBRARIES = (torch, torchlike)


def _module(lib, name):
    return importlib.import_module(f"{lib.__name__}.{name}")


def _failing(call):
    with pytest.raises(Exception) as caught:
        call()
    return type(caught.value).__name__, str(caught.value)


def test_show_pickle(tmp_path):
    content = pickle.dumps({"a": [np.float64(1.5)], "b": (ValueError("x"), "text")}, 2)
    (tmp_path / "file.pkl").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "file.zip", "w") as archive:
        archive.writestr("part/data.pkl", content)
    shown = []
    for lib in LIBRARIES:
        found = []
        for path in ("file.pkl", "file.zip@part/data.pkl", "file.zip@*.pkl"):
            out = io.StringIO()
            assert _module(lib, "utils.show_pickle").main(["show_pickle", str(tmp_path / path)], out) is None
            found.append(out.getvalue())
        main = _module(lib, "utils.show_pickle").main
        found.append(_failing(lambda main=main: main(["show_pickle", f"{tmp_path}/file.zip@*.x"], io.StringIO())))
        found.append(_failing(lambda main=main: main([], io.StringIO())))
        shown.append(found)
    assert shown[0] == shown[1]
    assert "numpy" in shown[0][0]


def _hooked(lib):
    seen = []
    hooks = [lambda module, inputs, outputs: seen.append((module, inputs, outputs))]
    pre = [lambda module, outputs: (outputs[0] * 3,)]
    hook = _module(lib, "utils.hooks").BackwardHook("module", hooks, pre)
    leaf = lib.tensor([1.0, 2.0], requires_grad=True)
    x, other = hook.setup_input_hook((leaf, 5))
    hook.setup_output_hook(x * other).sum().backward()
    return str(seen), leaf.grad.tolist()


def test_backward_hooks():
    assert _hooked(torchlike) == _hooked(torch)


def test_hooks_that_are_not_saved():
    for lib in LIBRARIES:
        hooks, x = _module(lib, "utils.hooks"), lib.ones(1, requires_grad=True)
        x.register_hook(hooks.unserializable_hook(lambda g: g))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            hooks.warn_if_has_hooks(x)
        x.register_hook(lambda g: g)
        with pytest.warns(UserWarning, match="will not be serialized"):
            hooks.warn_if_has_hooks(x)


def test_weak_references_to_storages():
    for lib in LIBRARIES:
        ref = _module(lib, "multiprocessing.reductions").StorageWeakRef
        x, y = lib.ones(3), lib.ones(3)
        first = ref(x.untyped_storage())
        assert first == ref(x[1:].untyped_storage()) and hash(first) == hash(ref(x.view(3, 1).untyped_storage()))
        assert first != ref(y.untyped_storage()) and not first.expired()
        del x
        assert first.expired()


def test_pools_and_queues():
    for lib in LIBRARIES:
        context = lib.multiprocessing.get_context("fork")
        queue = _module(lib, "multiprocessing.queue").SimpleQueue(ctx=context)
        queue.put({"a": 1})
        assert queue.get() == {"a": 1}
        assert isinstance(_module(lib, "multiprocessing.pool").Pool, type)


def _jacobians(lib):
    check = _module(lib, "autograd.gradcheck")
    x = lib.tensor([[0.5, 1.0], [2.0, 3.0]], dtype=lib.float64, requires_grad=True)
    y = lib.tensor(2.0, dtype=lib.float64, requires_grad=True)
    f = lambda args: args[0].prod(0) * args[1] ** 2
    found = [t.tolist() for t in check.get_numerical_jacobian(f, (x, y), eps=1e-5)]
    found += [t.tolist() for t in check.get_numerical_jacobian(f, (x, y), [y], 1e-5)]
    one = check.get_numerical_jacobian_wrt_specific_input(lambda a, b: f((a, b)), 0, (x, y), (f((x, y)),), 1e-5)
    rows, *flags = check.get_analytical_jacobian((x, y), f((x, y)))
    return found + [t.tolist() for t in (*one, *rows)], flags


@pytest.mark.filterwarnings("ignore:.*was part of PyTorch's private API:FutureWarning")
def test_jacobians():
    (want, flags), (got, same) = map(_jacobians, LIBRARIES)
    assert flags == same and len(want) == len(got)
    for a, b in zip(want, got):
        np.testing.assert_allclose(b, a, rtol=1e-6, atol=1e-7)
    for name, call in (("get_numerical_jacobian", 4), ("get_analytical_jacobian", 3)):
        x = [lib.ones(1, requires_grad=True) for lib in LIBRARIES]
        functions = [getattr(_module(lib, "autograd.gradcheck"), name) for lib in LIBRARIES]
        args = [(lambda t: t, each, None, 1e-3) if call == 4 else (each, each * 2) for each in x]
        errors = [_failing(lambda f=f, a=a: f(*a, grad_out=2.0)) for f, a in zip(functions, args)]
        assert errors[0] == errors[1]


def test_deprecated_jacobians():
    shown = []
    for lib in LIBRARIES:
        x = lib.ones(1, requires_grad=True)
        with pytest.warns(FutureWarning) as caught:
            _module(lib, "autograd.gradcheck").get_numerical_jacobian(lambda t: t, x)
            _module(lib, "autograd.gradcheck").get_analytical_jacobian(x, x * 2)
        shown.append([str(each.message) for each in caught])
    assert shown[0] == shown[1] and len(shown[0]) == 2


def test_other_names_of_autograd():
    for lib in LIBRARIES:
        graph, function = _module(lib, "autograd.graph"), _module(lib, "autograd.function")
        assert graph.set_warn_on_accumulate_grad_stream_mismatch(False) is None
        assert graph.set_override_stale_capture_stream(True) is None
        assert isinstance(lib.autograd.Function, function.FunctionMeta)
        assert issubclass(function.NestedIOFunction, lib.autograd.Function)
        lib.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(True)
        lib.autograd.graph.set_override_stale_capture_stream(False)
        with lib.autograd.enforce_grad_layout_policy():
            assert lib.autograd.enforce_grad_layout_policy()(lambda: True)()
        multiply = lib.amp.autocast_mode.autocast_decorator(lib.autocast("cpu"), lib.mm)
        assert multiply(lib.ones(1, 1), lib.ones(1, 1)).dtype is lib.bfloat16


def test_thin_modules():
    for lib in LIBRARIES:
        assert _module(lib, "testing._comparison").assert_close is lib.testing.assert_close
        assert _module(lib, "testing._creation").make_tensor is lib.testing.make_tensor
        options = _module(lib, "nn.modules.linear_cross_entropy_options").LinearCrossEntropyOptions
        assert options is lib.nn.LinearCrossEntropyOptions
        x = lib.ones(2)
        assert not lib.is_distributed(x) and not lib.is_vulkan_available() and not lib.cudnn_is_acceptable(x)


def test_compilers(monkeypatch):
    names = [_module(lib, "utils.cpp_extension") for lib in LIBRARIES]
    for compiler in ("c++", "gcc", "none"):
        assert len({each.check_compiler_is_gcc(compiler) for each in names}) == 1
    assert len({each.get_cxx_compiler() for each in names}) == 1
    assert len({each.get_default_build_root() for each in names}) == 1
    monkeypatch.setenv("PATH", "")
    assert _failing(names[0].verify_ninja_availability) == _failing(names[1].verify_ninja_availability)


def test_refused_by_name():
    calls = [
        lambda: _module(torchlike, "utils.mkldnn").to_mkldnn(torchlike.nn.Linear(1, 1)),
        lambda: _module(torchlike, "utils.backend_registration").rename_privateuse1_backend("x"),
        lambda: _module(torchlike, "utils.cpp_extension").include_paths(),
        lambda: torchlike.autograd.enforce_grad_layout_policy(False),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match="is not supported by torchlike; "):
            call()


def _spectral(lib, version):
    layer = lib.nn.utils.spectral_norm(lib.nn.Linear(3, 2, bias=False))
    state = layer.state_dict()
    shown = dict(state._metadata[""])
    weight, u = lib.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 4.0]]), lib.tensor([0.6, 0.8])
    old = {"weight_orig": weight, "weight": weight / 2.5, "weight_u": u}
    made = type(state)(old if version == 0 else {**old, "weight_v": lib.ones(3)})
    made._metadata = {"": {"version": 1}} if version == 0 else state._metadata
    found = layer.load_state_dict(made, strict=False)
    layer.eval()
    value = layer(lib.ones(1, 3)).tolist()
    lib.nn.utils.remove_spectral_norm(layer)
    hooks = len(layer._state_dict_hooks), len(layer._load_state_dict_pre_hooks)
    return shown, str(found), layer.weight.detach().numpy(), value, hooks, sorted(made)


@pytest.mark.parametrize("version", [0, 1])
def test_versions_of_spectral_norm(version):
    want, got = (_spectral(lib, version) for lib in LIBRARIES)
    np.testing.assert_allclose(got[2], want[2], rtol=1e-5)
    np.testing.assert_allclose(got[3], want[3], rtol=1e-5)
    assert [got[i] for i in (0, 1, 5)] == [want[i] for i in (0, 1, 5)]
    assert got[4] == (0, 0)  # PyTorch leaves the hook of loading, so that a plain state dict cannot be loaded


def test_parts_of_summaries():
    shown = []
    rng = np.random.default_rng(0)
    values, labels, predictions = rng.standard_normal(50), rng.integers(0, 2, 50), rng.uniform(size=50)
    for lib in LIBRARIES:
        summary = _module(lib, "utils.tensorboard.summary")
        found = [summary.half_to_int(1.5), summary.int_to_half(1069547520)]
        found.append(summary.make_histogram(values, 10, 4).SerializeToString())
        found.append(summary.make_image(np.full((4, 4, 3), 7, np.uint8), 2).SerializeToString())
        found.append(summary.compute_curve(labels, predictions, 20).tolist())
        shown.append(found)
    assert shown[0] == shown[1]
