"""The flows of eager mode quantization: prepare, train, convert. Text, keys, numbers and gradients are PyTorch's."""

import copy
import re
from collections import OrderedDict

import pytest
import torch

import torchlike
from tests.ao import models
from tests.oracle import both
from torchlike import _quantized

pytestmark = [
    pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated"),
    pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor, torch.quantize_per_channel and other"),
    pytest.mark.filterwarnings("ignore:Please use quant_min and quant_max"),
]
# The sums of convolutions and matrix products are rounded in another order than PyTorch's.
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def _net(torch, dims):
    nn = torch.nn
    conv, norm = getattr(nn, f"Conv{dims}d"), getattr(nn, f"BatchNorm{dims}d")
    body = [conv(2, 4, 3, padding=1), norm(4), nn.ReLU(), conv(4, 4, 3, bias=False), norm(4), conv(4, 3, 1), nn.ReLU()]
    head = [nn.Flatten(), nn.Linear(3 * 4**dims, 8), nn.ReLU(), nn.Linear(8, 5), nn.BatchNorm1d(5)]
    tq = torch.ao.quantization
    return nn.Sequential(tq.QuantStub(), *body, *head, tq.DeQuantStub())


FUSED = [["1", "2", "3"], ["4", "5"], ["6", "7"], ["9", "10"], ["11", "12"]]


def _shapes(model):
    return {key: tuple(value.shape) for key, value in model.state_dict().items() if hasattr(value, "shape")}


def _without_numbers(model):
    return re.sub(r"-?\d+\.\d+(e-?\d+)?|zero_point=(tensor\(\[)?-?\d+", "#", repr(model))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("backend", ["x86", "qnnpack"])
def test_training_with_rounding(dims, version, backend):
    def run(torch):
        tq = torch.ao.quantization
        model = tq.fuse_modules_qat(_net(torch, dims), FUSED)
        model.qconfig = tq.get_default_qat_qconfig(backend, version)
        model = tq.prepare_qat(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        found = []
        for _ in range(4):
            loss = model(torch.randn(6, 2, *[6] * dims)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.detach())
        gradients = {name: p.grad for name, p in model.named_parameters()}
        model.apply(tq.disable_observer).apply(torch.ao.nn.intrinsic.qat.freeze_bn_stats)
        model.eval()
        return found, gradients, _without_numbers(model), _shapes(model), model(torch.ones(1, 2, *[6] * dims))

    # A step of rounding may move one activation by a level, which moves the gradients of its sum.
    both(run, stride=False, rtol=1e-2, atol=2e-3)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("backend", ["x86", "onednn"])
def test_quantization_after_training(dims, backend):
    def run(torch):
        tq = torch.ao.quantization
        model = tq.fuse_modules(_net(torch, dims).eval(), FUSED)
        model.qconfig = tq.get_default_qconfig(backend)
        model = tq.prepare(model)
        for _ in range(3):
            model(torch.randn(8, 2, *[6] * dims))
        text, keys = _without_numbers(model), _shapes(model)
        model = tq.convert(model)
        weights = [m.weight().int_repr() for m in model if hasattr(m, "_packed_params")]
        return text, keys, _without_numbers(model), _shapes(model), weights, model(torch.randn(8, 2, *[6] * dims))

    # Near ties of scales and levels, one quantum of the result is about 0.01.
    both(run, stride=False, rtol=0, atol=0.021)


def test_the_digits_network():
    """Check that an int8 CNN with PyTorch's weights gives PyTorch's results: within one level, and nearly all equal."""
    found = {}
    for library in (torch, torchlike):
        tq = library.ao.quantization
        library.manual_seed(0)
        model = tq.fuse_modules(models.cnn(library).eval(), models.FUSED)
        model.qconfig = tq.get_default_qconfig("x86")
        model = tq.prepare(model)
        model(models.data(library)[0][:64])
        found[library] = tq.convert(model)
    state = found[torch].state_dict()
    ours = OrderedDict((key, _ours(value)) for key, value in state.items())
    ours._metadata = state._metadata  # type: ignore[attr-defined]
    assert str(found[torchlike].load_state_dict(ours)) == "<All keys matched successfully>"
    levels = []
    for library, model in found.items():
        model.dequant = library.nn.Identity()
        levels.append(model(models.data(library)[2]).int_repr().numpy().astype(int))
    apart = abs(levels[0] - levels[1])
    assert apart.max() <= 1
    assert (apart == 0).mean() > 0.995


def _ours(value):
    if isinstance(value, tuple):
        return tuple(map(_ours, value))
    if isinstance(value, torch.dtype):
        return getattr(torchlike, str(value).removeprefix("torch."))
    if not isinstance(value, torch.Tensor):
        return value
    if not value.is_quantized:
        return torchlike.tensor(value.detach().numpy())
    ints = torchlike.tensor(value.int_repr().numpy())
    if value.qscheme() is torch.per_tensor_affine:
        return _quantized._make_per_tensor_quantized_tensor(ints, value.q_scale(), value.q_zero_point())
    numbers = value.q_per_channel_scales().numpy(), value.q_per_channel_zero_points().numpy()
    axis = value.q_per_channel_axis()
    return _quantized._make_per_channel_quantized_tensor(
        ints, torchlike.tensor(numbers[0]), torchlike.tensor(numbers[1]), axis
    )


def test_layers_that_convert_by_themselves():
    def run(torch):
        nn, tq = torch.nn, torch.ao.quantization
        body = [nn.BatchNorm2d(3), nn.ReLU6(), nn.Hardswish(), nn.LeakyReLU(0.2), nn.Dropout(0.5), nn.MaxPool2d(2)]
        model = nn.Sequential(tq.QuantStub(), *body, tq.DeQuantStub()).eval()
        model.qconfig = tq.get_default_qconfig("onednn")
        model = tq.prepare(model)
        x = torch.randn(4, 3, 6, 6) * 2
        model(x)
        model = tq.convert(model)
        return _without_numbers(model), model(x)

    both(run, stride=False, rtol=0, atol=0.03)  # one level, near ties


def test_all_in_one():
    def run(torch):
        tq = torch.ao.quantization
        model = _net(torch, 1).eval()
        model.qconfig = tq.default_qconfig
        model = tq.fuse_modules(model, FUSED)
        x = torch.randn(4, 2, 6)
        made = tq.quantize(model, lambda model, x: model(x), (x,))
        model.train()
        return _without_numbers(made), made(x)

    both(run, stride=False, rtol=0, atol=0.05)  # two levels, near ties


def test_wrapping_and_propagation():
    def run(torch):
        nn, tq = torch.nn, torch.ao.quantization
        model = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 2), nn.ReLU()))
        tq.propagate_qconfig_(model, {"1.0": tq.default_qconfig, nn.ReLU: tq.default_debug_qconfig})
        found = [(name, getattr(m, "qconfig", None) is not None) for name, m in model.named_modules()]
        return found, repr(tq.QuantWrapper(nn.Linear(2, 2))), repr(tq.add_quant_dequant(model))

    both(run)


def test_float_modules_of_trained_ones():
    def run(torch):
        tq = torch.ao.quantization
        model = tq.fuse_modules_qat(_net(torch, 2), FUSED)
        model.qconfig = tq.get_default_qat_qconfig("x86")
        model = tq.prepare_qat(model)
        model(torch.randn(3, 2, 6, 6))
        made = [m.to_float() for m in model if hasattr(m, "to_float")]
        return [repr(m) for m in made], [dict(m.state_dict()) for m in made]

    both(run, **CLOSE)


@pytest.mark.parametrize("kind", ["Linear", "LSTM"])
@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2, "batch_first": True}])
def test_dynamic(kind, options):
    def run(torch):
        nn, tq = torch.nn, torch.ao.quantization
        model = nn.Sequential(nn.Linear(6, 8) if kind == "Linear" else nn.LSTM(6, 8, **options))
        made = tq.quantize_dynamic(model, {nn.Linear, nn.LSTM}, dtype=torch.qint8)
        x = torch.randn(5, 3, 6)
        return repr(made), list(made.state_dict()), made(x), _pair(made[0], torch, options)

    both(run, stride=False, **CLOSE)


def _pair(layer, torch, options):
    """Return the results of an LSTM that starts from given states."""
    if not hasattr(layer, "hidden_size"):
        return None
    places = len(layer._all_weight_values)
    count = 5 if options else 3
    return layer(torch.randn(5, 3, 6), (torch.randn(places, count, 8), torch.randn(places, count, 8)))


def test_dynamic_by_default_and_per_channel():
    def run(torch):
        nn, tq = torch.nn, torch.ao.quantization
        model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
        x = torch.randn(5, 6)
        each = tq.quantize_dynamic(model, {"0": tq.per_channel_dynamic_qconfig})
        return tq.quantize_dynamic(model)(x), repr(each), each(x)

    both(run, **CLOSE)


ERRORS = {
    "not in training": lambda torch, tq: tq.prepare_qat(torch.nn.Linear(1, 1).eval()),
    "dtype": lambda torch, tq: tq.quantize_dynamic(torch.nn.Linear(1, 1), dtype=torch.int8),
    "fusion of unknown modules": lambda torch, tq: tq.fuse_modules(
        torch.nn.Sequential(torch.nn.ReLU(), torch.nn.ReLU()), ["0", "1"]
    ),
    "fusion in two modes": lambda torch, tq: tq.fuse_modules(
        torch.nn.Sequential(torch.nn.Conv1d(1, 1, 1).eval(), torch.nn.BatchNorm1d(1)), ["0", "1"]
    ),
    "channels": lambda torch, tq: tq.fuse_modules_qat(
        torch.nn.Sequential(torch.nn.Conv1d(1, 1, 1), torch.nn.BatchNorm1d(2)), ["0", "1"]
    ),
    "parts": lambda torch, tq: torch.ao.nn.intrinsic.ConvReLU2d(torch.nn.Linear(1, 1), torch.nn.ReLU()),
    "no configuration": lambda torch, tq: torch.ao.nn.qat.Linear(1, 1),
    "functional": lambda torch, tq: torch.ao.nn.quantized.FloatFunctional()(1),
    "input dims": lambda torch, tq: torch.ao.nn.quantized.Conv2d(1, 1, 1)(torch.ones(1)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    both(lambda torch: ERRORS[name](torch, torch.ao.quantization))


def test_a_model_without_configuration():
    for library in (torch, torchlike):
        with pytest.warns(UserWarning, match="None of the submodule got qconfig applied"):
            library.ao.quantization.prepare(library.nn.Sequential(library.nn.Linear(1, 1)))


def test_copies_of_converted_models():
    def run(torch):
        made = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.Linear(3, 2)))
        x = torch.ones(1, 3)
        return bool((copy.deepcopy(made)(x) == made(x)).all())

    both(run)


@pytest.mark.parametrize("kind", ["static", "dynamic"])
def test_a_compiled_model_gives_the_same_results(kind):
    torchlike.manual_seed(0)
    tq = torchlike.ao.quantization
    x = models.data(torchlike)[0][:32]
    if kind == "dynamic":
        model = tq.quantize_dynamic(models.lstm(torchlike))
    else:
        model = tq.fuse_modules(models.cnn(torchlike).eval(), models.FUSED)
        model.qconfig = tq.get_default_qconfig("x86")
        model = tq.prepare(model)
        model(x)
        model = tq.convert(model)
    compiled = torchlike.compile(model)  # captures do not follow packed weights, so it runs uncompiled
    for _ in range(3):
        torchlike.testing.assert_close(compiled(x), model(x))
