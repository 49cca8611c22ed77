"""Names: former ones, and those that are refused."""

import importlib

import pytest
import torch

import torchlike

PLACES = {
    "quantization": "ao.quantization",
    "quantization.observer": "ao.quantization.observer",
    "quantization.fake_quantize": "ao.quantization.fake_quantize",
    "nn.quantized": "ao.nn.quantized",
    "nn.quantized.dynamic": "ao.nn.quantized.dynamic",
    "nn.intrinsic": "ao.nn.intrinsic",
    "nn.intrinsic.qat": "ao.nn.intrinsic.qat",
    "nn.intrinsic.quantized": "ao.nn.intrinsic.quantized",
    "nn.qat": "ao.nn.qat",
    "nn.quantizable": "ao.nn.quantizable",
}


@pytest.mark.parametrize("name", PLACES)
def test_former_names(name):
    new = importlib.import_module(f"torchlike.{PLACES[name]}")
    assert importlib.import_module(f"torchlike.{name}") is new
    place = torchlike
    for part in name.split("."):
        place = getattr(place, part)  # pytest may have put the file of the former name there
    names = [each for each in vars(new) if not each.startswith("_")]
    assert names and all(getattr(place, each) is getattr(new, each) for each in names)


MODULES = [
    "qat.modules.embedding_ops",
    "qat.dynamic.modules.linear",
    "quantizable.modules.rnn",
    "quantized.functional",
    "quantized.modules.normalization",
    "quantized.dynamic.modules.conv",
    "intrinsic.qat.modules.linear_relu",
    "intrinsic.quantized.modules.bn_relu",
    "intrinsic.quantized.dynamic.modules.linear_relu",
]


@pytest.mark.parametrize("name", MODULES)
def test_modules_with_former_names_are_the_same(name):
    assert importlib.import_module(f"torchlike.nn.{name}") is importlib.import_module(f"torchlike.ao.nn.{name}")
    assert importlib.import_module(f"torch.ao.nn.{name}")


CLASSES = [
    "ao.pruning",
    "ao.nn.quantizable",
    "ao.nn.qat",
    "ao.nn.intrinsic",
    "ao.nn.intrinsic.qat",
    "ao.nn.quantized.dynamic",
    "ao.quantization.stubs",
]


@pytest.mark.parametrize("place", CLASSES)
def test_classes_have_pytorchs_names(place):
    theirs, ours = (importlib.import_module(f"{library}.{place}") for library in ("torch", "torchlike"))
    for name in dir(ours):
        found = getattr(ours, name)
        if name[0] != "_" and isinstance(found, type) and found.__module__.startswith("torchlike.ao."):
            assert hasattr(theirs, name)


@pytest.mark.parametrize("kind", ["GRU", "GRUCell", "LSTMCell", "RNNCell", "float16", "PackedSequence"])
@pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated")
def test_dynamic_layers_that_are_refused(kind):
    nn, tq = torchlike.nn, torchlike.ao.quantization
    with pytest.raises(NotImplementedError, match=f"torch.ao.nn.quantized.*{kind}"):
        if kind == "float16":
            tq.quantize_dynamic(nn.Sequential(nn.Linear(2, 2)), dtype=torchlike.float16)
        elif kind == "PackedSequence":
            made = tq.quantize_dynamic(nn.Sequential(nn.LSTM(2, 2)))
            made(nn.utils.rnn.pack_sequence([torchlike.ones(3, 2)]))
        else:
            tq.quantize_dynamic(nn.Sequential(getattr(nn, kind)(2, 2)))


@pytest.mark.parametrize("name", ["prepare_fx", "convert_fx", "prepare_qat_fx", "fuse_fx"])
def test_graph_mode_is_refused(name):
    place = importlib.import_module("torchlike.ao.quantization.quantize_fx")
    assert hasattr(importlib.import_module("torch.ao.quantization.quantize_fx"), name)
    with pytest.raises(NotImplementedError, match=rf"torch\.ao\.quantization\.quantize_fx\.{name} is not supported"):
        getattr(place, name)(torchlike.nn.Linear(1, 1), {})


def test_other_names_are_refused():
    with pytest.raises(NotImplementedError, match=r"torch\.ao\.quantization\.backend_config is not supported"):
        torchlike.ao.quantization.backend_config
    with pytest.raises(NotImplementedError, match=r"torch\.ao\.quantization\.quantize_dynamic_jit is not supported"):
        torchlike.ao.quantization.quantize_dynamic_jit(None, {})
    with pytest.raises(NotImplementedError, match=r"quantize_pt2e\.prepare_pt2e is not supported"):
        importlib.import_module("torchlike.ao.quantization.quantize_pt2e").prepare_pt2e(None)
    with pytest.raises(NotImplementedError, match=r"torch\.ops\.quantized\.conv2d_add: this operator"):
        torchlike.ops.quantized.conv2d_add
    with pytest.raises(NotImplementedError, match="padding_mode='reflect'"):
        torchlike.ao.nn.quantized.Conv2d(1, 1, 1, padding_mode="reflect")


def test_engines():
    ours = torchlike.backends.quantized
    assert ours.engine == torch.backends.quantized.engine == "x86"
    for name in ours.supported_engines:
        ours.engine = name
        assert ours.engine == name
    ours.engine = "x86"
    with pytest.raises(RuntimeError, match="quantized engine QNNPACK is not supported"):
        ours.engine = "qnnpack"
    for library in (torch, torchlike):
        with pytest.raises(RuntimeError, match="other is not a valid value for quantized engine"):
            library.backends.quantized.engine = "other"
        with pytest.raises(RuntimeError, match="Assignment not supported"):
            library.backends.quantized.supported_engines = []
