"""The switches of the precision of float32 products, and the precision of the programs for each platform."""

import re
import subprocess
import sys

import jax
import pytest
import torch

import torchlike as L
from tests.oracle import both
from tests.targets.kernels import CONVOLVED, FORMS, Kernel, floats, specs
from torchlike._dtypes.devices import device, stand_ins
from torchlike._dtypes.precision import Precision, Switches, switches
from torchlike._engine.xla.target import precision_of, tracing_for
from torchlike._ops.schema.gradient import gradient

LSTM = "lstm", floats(5, 2, 3), floats(2, 4), floats(2, 4), floats(16, 3), floats(16, 4), None, None
PROJECTED = "lstm", floats(5, 2, 3), floats(2, 2), floats(2, 4), floats(16, 3), floats(16, 2), None, None
KERNELS = {
    "matmul": Kernel("matmul", (floats(4, 3), floats(3, 5))),
    "linear": Kernel("linear", (floats(4, 3), floats(5, 3), floats(5))),
    "bmm": Kernel("bmm", (floats(2, 4, 3), floats(2, 3, 5))),
    "cell": Kernel(
        "_recurrent_cell", ("gru", floats(2, 3), floats(2, 4), None, floats(12, 3), floats(12, 4), None, None)
    ),
    "conv": Kernel("conv2d", (floats(2, 4, 6, 6), floats(4, 4, 3, 3), None)),
    "depthwise": FORMS["depthwise"],
    "transposed": FORMS["transposed"],
    "rnn": Kernel("_recurrent_layer", LSTM),
    "projected": Kernel("_recurrent_layer", (*PROJECTED, False, None, floats(2, 4))),
}
USES = {
    "matmul": ("matmul", "linear", "bmm", "cell"),
    "conv": ("conv", "depthwise", "transposed"),
    "rnn": ("rnn", "projected"),
}
PRECISION = re.compile(r"\b(DEFAULT|HIGH|HIGHEST)\b")


@pytest.fixture(autouse=True)
def settings_are_those_of_a_new_process():
    kept, fresh = dict(vars(switches)), Switches()
    vars(switches).update({name: value for name, value in vars(fresh).items() if name != "on_change"})
    # PyTorch's own test helpers, which other tests import, freeze its settings.
    with getattr(torch.backends, "__allow_nonbracketed_mutation")():
        yield
    vars(switches).update(kept)


@pytest.fixture
def lowered(monkeypatch):
    """The texts of the programs that are compiled during the test."""
    texts, compile_ = [], jax.stages.Lowered.compile

    def compile(self, *options):
        texts.append(self.as_text())
        return compile_(self, *options)

    monkeypatch.setattr(jax.stages.Lowered, "compile", compile)
    return texts


def test_all_switches_follow_pytorch_in_random_programs():
    done = subprocess.run([sys.executable, "-m", "tests.backends.precision_steps", "0"], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("2000\n", 0), done.stderr[-3000:]


@pytest.mark.parametrize(
    "program",
    [
        lambda L: L.backends.cudnn.conv.something,
        lambda L: setattr(L.backends.cudnn.conv, "something", 3),
        lambda L: L.backends.cuda.matmul.something,
        lambda L: setattr(L.backends.cuda.matmul, "allow_bf16_reduced_precision_reduction_split_k", False),
        lambda L: setattr(L.backends.cudnn, "enabled", 3),
        lambda L: setattr(L.backends.cudnn, "benchmark", 3),
        lambda L: setattr(L.backends.cudnn, "deterministic", "yes"),
        lambda L: setattr(L.backends.cudnn, "allow_tf32", 1),
        lambda L: setattr(L.backends.cudnn, "depthwise_kernel", "fast"),
        lambda L: L.backends.cudnn.depthwise_kernel,
        lambda L: [*L.backends.cudnn.set_flags()[:2], *L.backends.cudnn.set_flags()[3:], *L.backends.set_flags()],
        lambda L: flags_within(L),
        lambda L: sorted(map(str, L.backends.cudnn.CUDNN_TENSOR_DTYPES)),
    ],
)
def test_settings_of_cudnn_and_cublas(program):
    both(program)


def test_the_limit_of_cudnn_benchmarks():
    """It is None, as in a PyTorch without cuDNN. A PyTorch built for CUDA has 10, also without a GPU."""
    assert L.backends.cudnn.benchmark_limit is L.backends.cudnn.set_flags()[2] is None


def flags_within(library):
    found = []
    with (
        library.backends.flags(fp32_precision="ieee"),
        library.backends.cudnn.flags(enabled=True, fp32_precision="tf32"),
    ):
        found += [library.backends.fp32_precision, library.backends.cudnn.fp32_precision]
    return [*found, library.backends.fp32_precision, library.backends.cudnn.fp32_precision]


def test_defaults_of_each_platform():
    full = Precision("highest", "highest", "highest")
    assert switches.of["cpu"] == switches.of["tpu"] == full
    assert switches.of["cuda"] == Precision("highest", "default", "default")


def test_the_cpu_always_computes_in_float32():
    L.set_float32_matmul_precision("medium")
    L.backends.fp32_precision = "bf16"
    assert switches.of["cpu"] == Precision("highest", "highest", "highest")


@pytest.mark.parametrize(("value", "wanted"), [("high", "high"), ("medium", "default"), ("highest", "highest")])
def test_the_precision_of_products_is_that_of_everything_on_a_tpu(value, wanted):
    L.set_float32_matmul_precision(value)
    assert switches.of["tpu"] == Precision(wanted, wanted, wanted)


def test_the_setting_of_all_backends_is_used_on_a_tpu():
    L.backends.fp32_precision = "tf32"
    assert switches.of["tpu"].matmul == "high"


def products(name, platform):
    """Return the precisions of the products and convolutions of a kernel and its gradient, as lowered."""
    plan, found = KERNELS[name].plan(), set()
    wanted = tuple(i for i, a in enumerate(plan.inputs) if a.dtype.is_floating_point)
    for each in (plan, gradient(plan, wanted, (0,))):
        with stand_ins(platform, jax.devices()), tracing_for(platform), precision_of(device(platform, 0)):
            traced = jax.jit(each.traced()).trace(*specs(each.inputs, each.scalars))
            text = traced.lower(lowering_platforms=(platform,)).as_text()
        lines = [line for line in text.splitlines() if "stablehlo.dot_general" in line or CONVOLVED in line]
        assert lines
        found |= {"/".join(sorted(set(PRECISION.findall(line)))) or "DEFAULT" for line in lines}
    return found


def check(platform, **wanted):
    for kind, names in USES.items():
        for name in names:
            assert products(name, platform) == {wanted[kind]}, name


def test_products_and_convolutions_for_a_gpu():
    check("cuda", matmul="HIGHEST", conv="DEFAULT", rnn="DEFAULT")
    L.backends.cudnn.allow_tf32 = False
    L.backends.cuda.matmul.allow_tf32 = True
    check("cuda", matmul="DEFAULT", conv="HIGHEST", rnn="HIGHEST")
    L.backends.cudnn.rnn.fp32_precision = "tf32"
    check("cuda", matmul="DEFAULT", conv="HIGHEST", rnn="DEFAULT")


def test_products_and_convolutions_for_a_tpu():
    check("tpu", matmul="HIGHEST", conv="HIGHEST", rnn="HIGHEST")
    L.set_float32_matmul_precision("high")
    check("tpu", matmul="HIGH", conv="HIGH", rnn="HIGH")


def test_pending_work_has_the_precision_of_its_line(lowered):
    x = L.randn(2, 8, 8, 8)
    with stand_ins("cuda", jax.devices()):
        x = x.to("cuda")
        L.backends.cudnn.allow_tf32 = False
        y = L.nn.functional.conv2d(x, x[:, :, :3, :3])
        L.backends.cudnn.allow_tf32 = True
        assert L.isfinite(y).all()
    (text,) = [text for text in lowered if CONVOLVED in text]
    assert "HIGHEST" in text


@pytest.mark.parametrize("compiled", [False, True])
def test_a_changed_switch_makes_another_program(compiled, lowered):
    x, w = L.randn(2, 8, 8, 8), L.randn(4, 8, 3, 3)

    def convolve(x, w):
        return L.nn.functional.conv2d(x, w)

    function = L.compile(convolve) if compiled else convolve
    with stand_ins("cuda", jax.devices()):
        x, w = x.to("cuda"), w.to("cuda")
        for allowed in (True, False, True):
            L.backends.cudnn.allow_tf32 = allowed
            for _ in range(3):
                function(x, w).sum().item()
    found = ["HIGHEST" in text for text in lowered if CONVOLVED in text]
    assert found.count(True) == found.count(False) > 0
