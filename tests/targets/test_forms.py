"""Kernels with platform-specific forms use the form of the platform that they are lowered for.

This also holds for their gradients and under `vmap`.
"""

import subprocess
import sys

import jax
import numpy as np
import pytest

import torchlike
from tests.targets.kernels import FORMS, specs, text, uses
from torchlike._dtypes.devices import cpu, device, meta, stand_ins
from torchlike._engine.xla.target import UndecidedError, for_cpu, pinned, platform_of, tracing_for, tracing_for_any

ABSENT = ("cuda", "tpu")


@pytest.mark.parametrize("platform", ABSENT)
@pytest.mark.parametrize("name", FORMS)
def test_an_accelerator_gets_its_own_form(name, platform):
    kernel = FORMS[name]
    ours, other = text(kernel.plan(), "cpu"), text(kernel.plan(), platform)
    assert kernel.accelerator in other
    assert kernel.cpu in ours
    assert not kernel.accelerator or kernel.accelerator not in ours
    assert not kernel.cpu or kernel.cpu not in other


@pytest.mark.parametrize("name", FORMS)
def test_one_plan_is_traced_for_each_platform(name):
    for what, plan in uses(name).items():
        first = text(plan, "cpu")
        assert text(plan, "cuda") != first, what
        assert text(plan, "cpu") == first, what


OF_ANOTHER_PROCESS = """
import jax
from tests.targets.kernels import texts
due = texts("cpu")
jax.default_backend = lambda: "gpu"
jax.clear_caches()
print(len(due), texts("cpu") == due)
"""


def test_the_process_is_not_asked():
    done = subprocess.run([sys.executable, "-c", OF_ANOTHER_PROCESS], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{4 * len(FORMS)} True\n", "")


def _in_any(plan):
    with tracing_for_any():
        return jax.jit(lambda *args: plan.traced()(*args)).trace(*specs(plan.inputs, plan.scalars))


@pytest.mark.parametrize("name", FORMS)
def test_a_trace_of_the_users_leaves_the_choice_to_jax(name):
    kernel = FORMS[name]
    found = {name: _in_any(kernel.plan()).lower(lowering_platforms=(name,)).as_text() for name in ("cpu", *ABSENT)}
    assert kernel.cpu in found["cpu"]
    assert all(kernel.accelerator in found[name] for name in ABSENT)


@pytest.mark.parametrize("name", ["depthwise", "sort", "number"])
def test_the_choice_changes_no_bits(name):
    random = np.random.default_rng(0)
    for what, plan in list(uses(name).items())[:2]:
        given = [np.asarray(random.normal(size=x.shape)).astype(x.dtype) for x in specs(plan.inputs, plan.scalars)]
        due = jax.jit(lambda *args, plan=plan: plan.traced()(*args))(*given)
        for ours, theirs in zip(_in_any(plan).lower().compile()(*given), due, strict=True):
            assert np.asarray(ours).tobytes() == np.asarray(theirs).tobytes(), what


class _Depthwise(torchlike.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torchlike.nn.Conv2d(4, 4, 3, groups=4)

    def forward(self, x):
        return self.convolution(x).tanh().sum()


@pytest.mark.parametrize(
    "transform", [lambda f: f, jax.grad, lambda f: jax.grad(jax.checkpoint(f))], ids=["value", "gradient", "checkpoint"]
)
def test_a_module_as_a_function_for_jax(transform):
    params, apply = torchlike.jax.functional(_Depthwise())
    traced = jax.jit(transform(apply)).trace(params, jax.ShapeDtypeStruct((2, 4, 6, 6), "float32"))
    found = {name: traced.lower(lowering_platforms=(name,)).as_text() for name in ("cpu", *ABSENT)}
    assert {name: "stablehlo.convolution" in text for name, text in found.items()} == {
        "cpu": False,
        "cuda": True,
        "tpu": True,
    }


def test_residuals_are_those_of_the_tensors_device():
    asked = []
    function = pinned(cpu, lambda: asked.append(for_cpu()))
    with tracing_for("gpu"):
        function()
        asked.append(for_cpu())
    function()
    assert asked == [True, False, True]


def test_platforms():
    assert [platform_of(place) for place in (cpu, meta)] == ["cpu", "cpu"]
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        platform_of(device("cuda"))
    with stand_ins("cuda", jax.local_devices()), tracing_for(device("cuda", 0)):
        assert for_cpu()
    with tracing_for_any(), pytest.raises(UndecidedError):
        for_cpu()
    assert for_cpu()
