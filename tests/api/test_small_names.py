"""Names of small modules: settings, and functions that few programs call."""

import io
import mmap
import zipfile

import numpy as np
import pytest
import torch

import torchlike

LIBRARIES = (torch, torchlike)


@pytest.mark.filterwarnings("ignore:Sparse CSC tensor support is in beta")
def test_invariants_of_sparse_tensors():
    found = []
    for lib in LIBRARIES:
        check = lib.sparse.check_sparse_tensor_invariants

        @check()
        def decorated(check=check):
            return check.is_enabled()

        states = [check.is_enabled(), decorated(), check.is_enabled()]
        check.enable()
        with check(False):
            states.append(check.is_enabled())
        states.append(check.is_enabled())
        check.disable()
        block = check(True)
        with block, pytest.raises(RuntimeError, match="already activated"):
            block.__enter__()
        with check(), pytest.raises(RuntimeError) as error:
            lib.sparse_csc_tensor([0, 2, 2], [1, 0], [1.0, 2.0], (2, 2))
        with check():
            lib.sparse_csc_tensor([0, 2, 2], [1, 0], [1.0, 2.0], (2, 2), check_invariants=False)
        found.append([*states, check.is_enabled(), str(error.value)])
    assert found[0] == found[1]


def test_parameters_made_by_conversions():
    found = []
    for lib in LIBRARIES:
        settings = lib.__future__
        states = [settings.get_overwrite_module_params_on_conversion(), settings.get_swap_module_params_on_conversion()]
        for overwrites in (True, False):
            settings.set_overwrite_module_params_on_conversion(overwrites)
            for dtype in (lib.float64, lib.float32):
                layer = lib.nn.Linear(2, 2)
                weight, grad = layer.weight, lib.ones(2, 2)
                weight.grad = grad
                layer.to(dtype)
                states += [layer.weight is weight, layer.weight.grad is grad, str(layer.weight.grad.dtype)]
                states += [str(weight.dtype), layer.weight.requires_grad]
        found.append([str(x).replace("torchlike.", "torch.") for x in states])
    assert found[0] == found[1]
    with pytest.raises(NotImplementedError, match="set_swap_module_params_on_conversion"):
        torchlike.__future__.set_swap_module_params_on_conversion(True)


def test_byte_order_of_files_without_a_record():
    bare = io.BytesIO()
    torch.save(torch.arange(3, dtype=torch.int16), bare)
    stripped = io.BytesIO()
    with zipfile.ZipFile(bare) as old, zipfile.ZipFile(stripped, "w") as new:
        for name in old.namelist():
            if not name.endswith("byteorder"):
                new.writestr(name, old.read(name))
    found = []
    for lib in LIBRARIES:
        settings = lib.serialization
        for name in ("BIG", "LITTLE", "NATIVE"):
            settings.set_default_load_endianness(settings.LoadEndianness[name])
            stripped.seek(0)
            found.append((settings.get_default_load_endianness().value, lib.load(stripped).tolist()))
        settings.set_default_load_endianness(None)
        with pytest.raises(TypeError, match="Invalid argument type in function set_default_load_endianness"):
            settings.set_default_load_endianness("big")
    assert found[:3] == found[3:] and found[0][1] == [0, 256, 512]


def test_settings_of_files():
    for lib in LIBRARIES:
        settings = lib.serialization
        with settings.set_default_mmap_options(mmap.MAP_PRIVATE):
            assert settings.get_default_mmap_options() == mmap.MAP_PRIVATE
        with pytest.raises(ValueError, match=r"expected mmap\.MAP_PRIVATE or mmap\.MAP_SHARED, but got 7"):
            settings.set_default_mmap_options(7)
        storage = lib.ones(2).untyped_storage()
        assert settings.location_tag(storage) == "cpu"
        assert settings.location_tag(lib.ones(2, device="meta").untyped_storage()) == "meta"
        assert settings.default_restore_location(storage, "cpu").nbytes() == 8


@pytest.mark.parametrize(
    "call",
    [
        lambda: torchlike.serialization.set_default_mmap_options(mmap.MAP_SHARED),
        lambda: torchlike.serialization.skip_data(),
        lambda: torchlike.serialization.register_package(0, str, str),
        lambda: torchlike.jit.Attribute(1, int),
    ],
)
def test_refused(call):
    with pytest.raises(NotImplementedError, match="is not supported by torchlike;"):
        call()


def test_functions_of_arrays():
    for lib in LIBRARIES:
        double = lib.compiler.wrap_numpy(lambda x, y=None: {"sum": [x + y["k"], 3], "type": type(x)})
        made = double(lib.ones(2), y={"k": lib.ones(2)})
        assert isinstance(made["sum"][0], lib.Tensor) and made["sum"][0].tolist() == [2.0, 2.0]
        assert made["sum"][1] == 3 and made["type"] is np.ndarray
        with pytest.raises(RuntimeError, match="requires grad"):
            double(lib.ones(2, requires_grad=True), y={"k": lib.ones(2)})


def test_threads_of_backward():
    for lib in LIBRARIES:
        switch, state = lib.autograd.set_multithreading_enabled, lib.autograd.grad_mode.set_multithreading_enabled
        assert switch is state and lib.autograd.is_multithreading_enabled()
        with switch(False):
            assert not lib.autograd.is_multithreading_enabled()
        assert lib.autograd.is_multithreading_enabled()
        assert switch(False)(lambda lib=lib: lib.autograd.is_multithreading_enabled())() is False
        switch(True)
        assert lib.random.thread_safe_generator() is None


def test_disabled_overrides():
    for lib in LIBRARIES:

        class Named(lib.Tensor):
            pass

        made = lib.ones(2).as_subclass(Named)
        assert type(made + 1) is Named
        with lib._C.DisableTorchFunction():
            assert type(made + 1) is lib.Tensor


def test_transferred_parametrizations():
    for lib in LIBRARIES:
        parametrize = lib.nn.utils.parametrize
        layer = lib.nn.utils.parametrizations.weight_norm(lib.nn.Linear(3, 3))
        parametrize.register_parametrization(layer, "bias", lib.nn.ReLU())
        for other in (lib.nn.Linear(3, 3), lib.nn.ReLU()):
            assert parametrize.transfer_parametrizations_and_params(layer, other, "weight") is other
            assert lib.equal(other.weight, layer.weight) and not parametrize.is_parametrized(other, "bias")
            ours, theirs = other.parametrizations["weight"], layer.parametrizations["weight"]
            assert ours.original0 is theirs.original0 and ours.original1 is theirs.original1 and ours[0] is theirs[0]
        other = parametrize.transfer_parametrizations_and_params(layer, lib.nn.Linear(3, 3))
        assert sorted(other.parametrizations) == ["bias", "weight"]
        with pytest.raises(KeyError):
            parametrize.transfer_parametrizations_and_params(layer, lib.nn.Bilinear(3, 3, 3), "in1_features")


@pytest.mark.parametrize("name", ["has_cuda", "has_cudnn", "has_mkldnn", "has_mps"])
def test_old_names_of_backends(name):
    texts = []
    for lib in LIBRARIES:
        with pytest.warns(UserWarning, match="is deprecated") as warned:
            assert isinstance(getattr(lib, name), bool)
        texts.append(str(warned[0].message))
    assert texts[0] == texts[1]


def test_a_star_import_gives_names_of_pytorch_only():
    assert not {*torchlike.__all__} - {*dir(torch)}
    assert len({*torch.__all__} & {*torchlike.__all__}) > 700
