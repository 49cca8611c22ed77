"""Observers and fake quantization: parameters, buffers, text, gradients, errors."""

import re

import pytest
import torch as theirs

import torchlike
from tests.oracle import both

pytestmark = pytest.mark.filterwarnings("ignore:Please use quant_min and quant_max")

OBSERVERS = {
    "MinMax": lambda torch, tq: tq.MinMaxObserver(),
    "MinMax symmetric": lambda torch, tq: tq.MinMaxObserver(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric),
    "MinMax unsigned symmetric": lambda torch, tq: tq.MinMaxObserver(qscheme=torch.per_tensor_symmetric),
    "MinMax reduced": lambda torch, tq: tq.MinMaxObserver(reduce_range=True),
    "MinMax with a range": lambda torch, tq: tq.MinMaxObserver(quant_min=0, quant_max=127),
    "MinMax int32": lambda torch, tq: tq.MinMaxObserver(dtype=torch.qint32),
    "moving": lambda torch, tq: tq.MovingAverageMinMaxObserver(averaging_constant=0.3),
    "channels": lambda torch, tq: tq.PerChannelMinMaxObserver(ch_axis=1),
    "channels symmetric": lambda torch, tq: tq.PerChannelMinMaxObserver(
        dtype=torch.qint8, qscheme=torch.per_channel_symmetric
    ),
    "channels float": lambda torch, tq: tq.default_float_qparams_observer(),
    "moving channels": lambda torch, tq: tq.MovingAveragePerChannelMinMaxObserver(averaging_constant=0.3),
    "histogram": lambda torch, tq: tq.HistogramObserver(bins=256),
    "histogram reduced": lambda torch, tq: tq.HistogramObserver(reduce_range=True),
    "histogram symmetric": lambda torch, tq: tq.HistogramObserver(
        bins=256, dtype=torch.qint8, qscheme=torch.per_tensor_symmetric
    ),
    "fixed": lambda torch, tq: tq.default_fixed_qparams_range_0to1_observer(),
}


@pytest.mark.parametrize("name", OBSERVERS)
@pytest.mark.parametrize("shift", [0.0, 6.0])
def test_observers(name, shift):
    def run(torch):
        observer = OBSERVERS[name](torch, torch.ao.quantization)
        for size in (1.0, 2.0, 0.5):
            x = torch.randn(4, 4, 30) * size + shift
            assert observer(x) is x
        scale, zero_point = observer.calculate_qparams()
        return scale, zero_point, dict(observer.state_dict())

    both(run, stride=False)


@pytest.mark.parametrize("name", ["MinMax", "channels", "histogram"])
def test_an_observer_that_has_seen_nothing(name):
    def run(torch):
        observer = OBSERVERS[name](torch, torch.ao.quantization)
        observer(torch.ones(0))
        with pytest.warns(UserWarning, match="must run observer before calling calculate_qparams"):
            return observer.calculate_qparams()

    both(run)


@pytest.mark.parametrize("name", OBSERVERS)
def test_state_of_observers(name):
    def run(torch):
        first, second = (OBSERVERS[name](torch, torch.ao.quantization) for _ in range(2))
        first(torch.randn(4, 4))
        keys = second.load_state_dict(first.state_dict())
        return str(keys), second.calculate_qparams(), dict(second.state_dict())

    both(run, stride=False)


def test_infinity_in_a_histogram():
    def run(torch):
        observer = torch.ao.quantization.HistogramObserver(bins=64)
        with pytest.warns(UserWarning, match=r"torch\.inf detected"):
            observer(torch.tensor([1.0, -2.0, float("inf")]))
        return observer.min_val, observer.max_val, observer.histogram

    both(run)


FAKE = (
    "default_fake_quant",
    "default_weight_fake_quant",
    "default_per_channel_weight_fake_quant",
    "default_fused_act_fake_quant",
    "default_fused_wt_fake_quant",
    "default_fused_per_channel_wt_fake_quant",
    "fused_wt_fake_quant_range_neg_127_to_127",
    "default_fixed_qparams_range_0to1_fake_quant",
    "default_histogram_fake_quant",
    "default_embedding_fake_quant",
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FAKE)
@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_fake_quantization(name, executor):
    def run(torch):
        module = getattr(torch.ao.quantization, name)()
        found = []
        for shift in (0.0, 1.0, -3.0):
            x = (torch.randn(5, 40) + shift).requires_grad_()
            y = module(x)
            y.sum().backward()
            found += [y, x.grad]
        return found, dict(module.state_dict())

    with torchlike.set_executor(executor):
        both(run, stride=False)


@pytest.mark.parametrize("name", ["default_fake_quant", "default_fused_act_fake_quant"])
def test_switches(name):
    def run(torch):
        tq = torch.ao.quantization
        module = getattr(tq, name)()
        x = torch.randn(5, 4)
        found = [module(x)]
        module.apply(tq.disable_observer)
        found.append(module(x * 9))
        module.apply(tq.disable_fake_quant)
        found.append(module(x * 9))
        module.apply(tq.enable_observer)
        module(x * 9)
        module.apply(tq.enable_fake_quant)
        return [*found, module(x * 9)], repr(module), dict(module.state_dict())

    both(run, stride=False)


def _plain(config):
    """Return the text of a configuration, with PyTorch's names of modules."""
    return re.sub(r"observer\._\w+\.", "observer.", repr(config).replace("torchlike.", "torch."))


CONFIGS = [name for name in dir(theirs.ao.quantization) if name.endswith("qconfig")]


@pytest.mark.parametrize("name", [n for n in CONFIGS if n.startswith(("default_", "per_channel", "float16"))])
def test_configurations(name):
    def run(torch):
        config = getattr(torch.ao.quantization, name)
        return _plain(config), repr(config.activation()), repr(config.weight())

    both(run)


@pytest.mark.parametrize("backend", ["fbgemm", "x86", "qnnpack", "onednn", "other"])
@pytest.mark.parametrize("version", [0, 1, 2])
def test_default_configurations(backend, version):
    for name in ("get_default_qconfig", "get_default_qat_qconfig"):
        both(lambda torch, name=name: _plain(getattr(torch.ao.quantization, name)(backend, version)))


ERRORS = {
    "scheme": lambda torch, tq: tq.MinMaxObserver(qscheme=torch.per_channel_affine),
    "dtype": lambda torch, tq: tq.MinMaxObserver(dtype=torch.float32),
    "range": lambda torch, tq: tq.MinMaxObserver(quant_min=3, quant_max=5),
    "dynamic": lambda torch, tq: tq.MovingAverageMinMaxObserver(is_dynamic=True),
    "dynamic histogram": lambda torch, tq: tq.HistogramObserver(is_dynamic=True),
    "dynamic channels": lambda torch, tq: tq.PerChannelMinMaxObserver(is_dynamic=True),
    "levels": lambda torch, tq: tq.FakeQuantize(quant_min=0, quant_max=256),
    "fused": lambda torch, tq: tq.FusedMovingAvgObsFakeQuantize(tq.MinMaxObserver),
    "placeholder": lambda torch, tq: tq.PlaceholderObserver().calculate_qparams(),
    "instance": lambda torch, tq: tq.QConfig(tq.MinMaxObserver(), tq.MinMaxObserver),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    both(lambda torch: ERRORS[name](torch, torch.ao.quantization))
