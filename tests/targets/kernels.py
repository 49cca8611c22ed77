"""Kernels with separate forms for the CPU and for accelerators, and the text that JAX lowers for a platform."""

from typing import NamedTuple

import jax

import torchlike as L
from torchlike._dtypes.devices import cpu
from torchlike._engine import Aval, aval
from torchlike._engine.trace.batched_values import over_examples
from torchlike._engine.trace.plan import Plan, specs
from torchlike._engine.xla.target import tracing_for
from torchlike._ops.schema.declare import REGISTRY
from torchlike._ops.schema.gradient import gradient
from torchlike._ops.schema.plan import OpPlan, make


class Kernel(NamedTuple):
    """An operator with its arguments.

    Attributes:
      accelerator: A string that occurs only in the text lowered for an accelerator.
      cpu: A string that occurs only in the text lowered for the CPU.
    """

    row: str
    args: tuple
    accelerator: str = ""
    cpu: str = ""
    settings: dict = {}

    def plan(self) -> OpPlan:
        """Return a new plan that has not been traced."""
        described = lambda x: (x, None) if isinstance(x, Aval) else None
        return make(REGISTRY[self.row], self.args, self.settings, described)


def floats(*shape: int, dtype: L.dtype = L.float32) -> Aval:
    return aval(shape, dtype, cpu)


def doubles(*shape: int) -> Aval:
    return floats(*shape, dtype=L.float64)


def halves(*shape: int) -> Aval:
    return floats(*shape, dtype=L.bfloat16)


CONVOLVED = "stablehlo.convolution"
FORMS = {
    "depthwise": Kernel("conv2d", (floats(2, 4, 6, 6), floats(4, 1, 3, 3), None, 1, 0, 1, 4), CONVOLVED),
    "grouped": Kernel("conv1d", (floats(2, 4, 9), floats(6, 2, 3), None, 1, 0, 1, 2), CONVOLVED),
    "strided": Kernel("conv2d", (doubles(2, 3, 9, 9), doubles(4, 3, 3, 3), None, 2), CONVOLVED),
    "of half": Kernel("conv1d", (halves(2, 3, 9), halves(4, 3, 3), halves(4)), CONVOLVED),
    "transposed": Kernel("conv_transpose2d", (floats(2, 4, 5, 5), floats(4, 3, 2, 2), None, 2), CONVOLVED),
    "sort": Kernel("sort", (floats(3, 7),), "", "stablehlo.shift_left"),
    "quantile": Kernel("quantile", (floats(3, 7), floats(2)), "", "stablehlo.shift_left"),
    "linear": Kernel("linear", (halves(4, 3), halves(5, 3), halves(5)), "", "tensor<4x3xf32>"),
    "addmm": Kernel("addmm", (halves(4, 5), halves(4, 3), halves(3, 5)), "", "tensor<4x3xf32>"),
    "attention": Kernel(
        "_attention",
        (halves(2, 5, 8), halves(2, 5, 8), halves(2, 5, 8)),
        "",
        "stablehlo.reduce_precision",
        {"fused": True, "scale": 0.3},
    ),
    "long attention": Kernel(
        "_flash_attention",
        (halves(2, 600, 8), halves(2, 600, 8), halves(2, 600, 8)),
        "",
        "stablehlo.reduce_precision",
        {"fused": True, "scale": 0.3},
    ),
    "adaptive pool": Kernel("_adaptive_avg_pool3d", (halves(2, 3, 8, 8, 8), (2, 2, 2)), "", "stablehlo.while"),
    "loss": Kernel("nll_loss", (halves(40, 3), aval((40,), L.int64, cpu)), "", "stablehlo.while"),
    "number": Kernel("add", (halves(4, 3), floats()), "", "stablehlo.reduce_precision"),
}


def text(plan: Plan, platform: str) -> str:
    """Return the text that JAX lowers from a plan for a platform. The platform need not be present."""
    with tracing_for(platform):
        traced = jax.jit(plan.traced()).trace(*specs(plan.inputs, plan.scalars))
    return traced.lower(lowering_platforms=(platform,)).as_text()


def uses(name: str) -> dict[str, Plan]:
    """Return the plans of a kernel: the kernel, its gradient, and both mapped over examples."""
    plan = FORMS[name].plan()
    wanted = tuple(i for i, a in enumerate(plan.inputs) if a.dtype.is_floating_point)
    found: dict[str, Plan] = {"itself": plan, "gradient": gradient(plan, wanted, (0,))}
    mapped = {f"mapped {what}": over_examples(each, (True,) * len(each.inputs), 3) for what, each in found.items()}
    return {**found, **mapped}


def texts(platform: str) -> dict[tuple[str, str], str]:
    """Return the lowered text of all kernels, from new plans."""
    return {(name, what): text(plan, platform) for name in FORMS for what, plan in uses(name).items()}
