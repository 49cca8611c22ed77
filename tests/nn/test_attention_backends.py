"""The choice between the backends of `scaled_dot_product_attention`. On the CPU, PyTorch is the judge."""

import contextlib
import importlib
import warnings

import jax
import pytest
import torch as pytorch

import torchlike
from tests.oracle import both
from torchlike._dtypes import attention as settings
from torchlike._dtypes.devices import stand_ins

NAMES = ("MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "OVERRIDEABLE")
CHOICES = ([], *[[name] for name in NAMES], NAMES[:2], NAMES[:3:2], NAMES[1::-1], NAMES[1:])


def attention_of(torch):
    return importlib.import_module(f"{torch.__name__}.nn.attention")


def permitting(torch, names, **options):
    module = attention_of(torch)
    return module.sdpa_kernel([getattr(module.SDPBackend, name) for name in names], **options)


def _calls(torch):
    """Return calls by name, each as the query, key and value, and the options."""
    made = lambda *shape: torch.randn(*shape, requires_grad=True)
    of = lambda *shape: [made(*shape) for _ in range(3)]
    turned = made(2, 4, 8, 5).transpose(2, 3)
    return {
        "plain": (of(2, 4, 5, 8), {}),
        "causal": (of(2, 4, 5, 8), {"is_causal": True}),
        "half": ([x.to(torch.bfloat16) for x in of(2, 4, 5, 8)], {}),
        "long": (of(1, 1, 600, 4), {}),
        "long of three dims": (of(1, 600, 4), {}),
        "three dims": (of(2, 5, 8), {}),
        "dropout": (of(2, 4, 5, 8), {"dropout_p": 0.3}),
        "mask": (of(2, 4, 5, 8), {"attn_mask": torch.randn(5, 5)}),
        "mask of three dims": (of(2, 4, 5, 8), {"attn_mask": torch.randn(4, 5, 5)}),
        "mask with a gradient": (of(2, 4, 5, 8), {"attn_mask": made(5, 5)}),
        "mask with a gradient and dropout": (of(2, 4, 5, 8), {"attn_mask": made(5, 5), "dropout_p": 0.3}),
        "groups": ([made(2, 4, 5, 8), *of(2, 2, 5, 8)[:2]], {"enable_gqa": True}),
        "one head": ([made(2, 4, 5, 8), *of(2, 1, 5, 8)[:2]], {}),
        "one batch": ([made(2, 4, 5, 8), *of(1, 4, 5, 8)[:2]], {}),
        "another width": ([*of(2, 4, 5, 8)[:2], made(2, 4, 5, 3)], {}),
        "strides": ([made(2, 4, 5, 8), turned, made(2, 4, 5, 8)], {}),
        "nothing": (of(2, 4, 0, 8), {}),
    }


CALLS = tuple(_calls(torchlike))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("names", CHOICES, ids=lambda names: "-".join(names) or "none")
def test_the_cpu_uses_the_backend_that_pytorch_uses(names, call):
    def run(torch):
        arrays, options = _calls(torch)[call]
        with permitting(torch, names):
            out = torch.nn.functional.scaled_dot_product_attention(*arrays, **options)
        return out, None if call == "nothing" else type(out.grad_fn).__name__

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both(run, stride=False, atol=5e-5, rtol=2e-2 if call == "half" else 1e-5)


@pytest.mark.parametrize("call", [name for name in CALLS if name not in ("plain", "causal", "half", "long", "mask")])
def test_warnings_say_why_a_backend_is_not_used(call):
    def run(torch):
        arrays, options = _calls(torch)[call]
        with warnings.catch_warnings(record=True) as seen, permitting(torch, ["FLASH_ATTENTION"]):
            warnings.simplefilter("always")
            with contextlib.suppress(RuntimeError):
                torch.nn.functional.scaled_dot_product_attention(*arrays, **options)
        return [str(each.message).partition(" (Triggered internally")[0] for each in seen]

    both(run)


def test_settings():
    def run(torch):
        module, cuda = attention_of(torch), torch.backends.cuda
        backends, seen = module.SDPBackend, []

        def state():
            kinds = "flash", "math", "mem_efficient", "cudnn"
            listed = [[each.name for each in module._cur_sdpa_kernel_backends(how)] for how in (False, True)]
            seen.append((*[getattr(cuda, f"{kind}_sdp_enabled")() for kind in kinds], *listed))

        state()
        with module.sdpa_kernel(backends.CUDNN_ATTENTION):
            state()
            with module.sdpa_kernel([backends.MATH, backends.FLASH_ATTENTION, backends.MATH], set_priority=True):
                state()
            state()
        with module.sdpa_kernel([backends.MATH, backends.FLASH_ATTENTION]), module.sdpa_kernel([1]):
            state()
        for kind in ("flash", "math", "mem_efficient", "cudnn"):
            getattr(cuda, f"enable_{kind}_sdp")(False)
            state()
            getattr(cuda, f"enable_{kind}_sdp")(True)
        with pytest.warns(FutureWarning), cuda.sdp_kernel(enable_math=False) as found:
            seen.append(found)
            state()
        state()
        decorated = module.sdpa_kernel(backends.MATH)(state)
        decorated()
        decorated()
        return seen

    both(run)


@pytest.mark.parametrize("kind", ["flash", "math", "mem_efficient", "cudnn"])
@pytest.mark.parametrize("value", [1, "x", None])
def test_a_switch_of_another_type(kind, value):
    both(lambda torch: getattr(torch.backends.cuda, f"enable_{kind}_sdp")(value))


@pytest.mark.parametrize("backends", ["x", 0, None, ("MATH",)])
def test_backends_of_another_type(backends):
    def run(torch):
        with attention_of(torch).sdpa_kernel(backends):
            pass

    both(run)


def test_settings_are_restored_after_an_error():
    def run(torch):
        module = attention_of(torch)
        try:
            with permitting(torch, ["MATH"], set_priority=True):
                raise KeyError
        except KeyError:
            return [each.name for each in module._cur_sdpa_kernel_backends(True)]

    both(run)


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("names", [["EFFICIENT_ATTENTION"], ["FLASH_ATTENTION"], ["MATH"]])
def test_multi_head_attention_without_weights(names, train):
    def run(torch):
        layer, x = torch.nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(3, 5, 8)
        layer.train(train)
        with permitting(torch, names):
            return layer(x, x, x, need_weights=False)[0]

    both(run, stride=False)


def test_a_compiled_function_sees_the_setting():
    """The memory-efficient backend alone cannot serve a call on the CPU."""
    x = torchlike.randn(1, 1, 600, 4)
    run = torchlike.compile(lambda x: torchlike.nn.functional.scaled_dot_product_attention(x, x, x))
    due = run(x)
    for _ in range(3):
        run(x)
    with permitting(torchlike, ["EFFICIENT_ATTENTION"]), pytest.raises(RuntimeError, match="No viable backend"):
        run(x)
    with permitting(torchlike, ["MATH"]):
        pytorch.testing.assert_close(run(x).numpy(), due.numpy())
    assert {*settings.permitted} == {*settings.DEFAULT_ORDER}


@pytest.mark.parametrize("kind", ["cuda", "tpu"])
def test_accelerators(kind):
    """CPU devices stand in for accelerators, so the blockwise form computes the calls of their kernels."""
    with stand_ins(kind, jax.devices()):
        x = torchlike.randn(1, 2, 16, 8, device=kind)
        half = x.bfloat16()
        same = pytorch.tensor(x.cpu().numpy())
        due = pytorch.nn.functional.scaled_dot_product_attention(same, same, same)

        def call(*names, of=x, **options):
            with permitting(torchlike, names):
                return torchlike.nn.functional.scaled_dot_product_attention(of, of, of, **options).float().cpu().numpy()

        for names in (["MATH"], ["FLASH_ATTENTION"], ["EFFICIENT_ATTENTION"], ["MATH", "CUDNN_ATTENTION"]):
            pytorch.testing.assert_close(pytorch.tensor(call(*names)), due)
        with pytest.raises(RuntimeError, match="No viable backend"):
            call("OVERRIDEABLE")
        if kind == "tpu":
            with pytest.raises(RuntimeError, match="No viable backend"):
                call("CUDNN_ATTENTION", of=half)
            return
        pytorch.testing.assert_close(pytorch.tensor(call("CUDNN_ATTENTION", of=half)), due, rtol=2e-2, atol=2e-2)
        for refused in ({}, {"of": half, "dropout_p": 0.5}, {"of": half[..., :7]}):
            with pytest.raises(RuntimeError, match="No available kernel"):
                call("CUDNN_ATTENTION", **refused)
