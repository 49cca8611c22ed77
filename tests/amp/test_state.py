"""The settings and queries of mixed precision: results, errors and warnings, word for word."""

import re
import threading
import warnings

import pytest
import torch

import torchlike
from tests.oracle import both

KINDS = ("cpu", "cuda", "xla", "mps", "xpu", "hpu", "mtia", "maia", "ipu", "cpu:0")
NO_KINDS = ("bogus", "", "meta", "vulkan", 3, None)


@pytest.fixture(autouse=True)
def _as_it_was():
    before = [torchlike._tensor.autocast.is_enabled(kind) for kind in KINDS[:-1]]
    yield
    assert [torchlike._tensor.autocast.is_enabled(kind) for kind in KINDS[:-1]] == before
    assert torchlike._tensor.autocast.state.nesting == 0
    assert not torchlike._tensor.autocast.state.cache


def _told(program):
    """Wrap a program so that it also returns its warnings, without the source locations in PyTorch's C++ code."""

    def run(library):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = program(library)
        return result, [(w.category.__name__, re.sub(r" \(Triggered .*\)", "", str(w.message))) for w in caught]

    return run


def _seen(region):
    return str(region.fast_dtype).split(".")[-1], region.device, region._cache_enabled, bool(region._enabled)


@pytest.mark.parametrize("kind", [k for k in (*KINDS, *NO_KINDS) if k != ""])
def test_a_region_of_each_type_of_device(kind):
    both(_told(lambda t: _seen(t.autocast(kind))))
    both(_told(lambda t: _seen(t.autocast(kind, enabled=False))))
    both(_told(lambda t: _seen(t.autocast(kind, dtype=t.float32))))
    both(_told(lambda t: _seen(t.autocast(kind, t.float16, True, False))))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64", "int32", "bool"])
def test_the_dtypes_of_the_cpu(dtype):
    both(_told(lambda t: _seen(t.amp.autocast("cpu", dtype=getattr(t, dtype)))))


@pytest.mark.parametrize("kind", [k for k in (*KINDS, *NO_KINDS) if k not in ("", None)])
def test_questions_about_each_type_of_device(kind):
    both(lambda t: t.is_autocast_enabled(kind))
    both(lambda t: str(t.get_autocast_dtype(kind)))
    if isinstance(kind, str):
        both(lambda t: t.amp.is_autocast_available(kind))


ORDERS = [
    lambda t: t.set_autocast_enabled("cpu", 1),
    lambda t: t.set_autocast_enabled("cpu"),
    lambda t: t.set_autocast_enabled("meta", True),
    lambda t: t.set_autocast_dtype("cpu", 3),
    lambda t: t.set_autocast_cache_enabled(3),
    lambda t: t.set_autocast_cpu_enabled(3),
    lambda t: t.set_autocast_gpu_dtype(3),
    lambda t: (t.is_autocast_enabled(), t.is_autocast_cache_enabled(), t.clear_autocast_cache()),
    lambda t: (
        t.autocast_increment_nesting(),
        t.autocast_increment_nesting(),
        t.autocast_decrement_nesting(),
        t.autocast_decrement_nesting(),
    ),
    lambda t: t.autocast(),
    lambda t: t.amp.custom_fwd(lambda x: x),
    lambda t: t.amp.custom_bwd(lambda x: x),
    lambda t: t.amp.custom_fwd(lambda x: x, device_type=3),
    lambda t: t.amp.custom_bwd(lambda x: x, device_type=3),
]


@pytest.mark.parametrize("order", ORDERS)
def test_orders(order):
    both(_told(order))


# PyTorch gives these warnings once per process, and other tests may have triggered them before.
DEPRECATED = [
    "is_autocast_cpu_enabled",
    "get_autocast_cpu_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_xla_enabled",
    "get_autocast_xla_dtype",
    "is_autocast_ipu_enabled",
    "get_autocast_ipu_dtype",
]


@pytest.mark.parametrize("name", DEPRECATED)
def test_deprecated_functions_work_and_warn(name):
    both(lambda t: str(_told(lambda t: getattr(t, name)())(t)[0]))
    _, told = _told(lambda t: getattr(t, name)())(torchlike)
    new = "is_autocast_enabled" if "enabled" in name else "get_autocast_dtype"
    kind = name.split("_")[2].replace("gpu", "cuda")
    assert told == [("DeprecationWarning", f"torch.{name}() is deprecated. Please use torch.{new}('{kind}') instead.")]


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_deprecated_classes_of_cpu_and_cuda_warn(kind):
    both(_told(lambda t: _seen(getattr(t, kind).amp.autocast())))
    both(_told(lambda t: getattr(t, kind).amp.GradScaler(init_scale=4.0).get_scale()))


def test_function_decorators_of_cuda_warn():
    both(_told(lambda t: callable(t.cuda.amp.custom_fwd(lambda x: x))))
    both(_told(lambda t: callable(t.cuda.amp.custom_bwd(lambda x: x))))


def test_orders_without_a_region():
    def program(t):
        t.set_autocast_enabled("cpu", True)
        t.set_autocast_dtype("cpu", t.float16)
        t.set_autocast_cache_enabled(False)
        try:
            made = t.ones(2, 2).mm(t.ones(2, 2))
            return made, t.is_autocast_enabled("cpu"), t.is_autocast_enabled(), t.is_autocast_cache_enabled()
        finally:
            t.set_autocast_enabled("cpu", False)
            t.set_autocast_dtype("cpu", t.bfloat16)
            t.set_autocast_cache_enabled(True)

    both(program)


def _states(t):
    return t.is_autocast_enabled("cpu"), str(t.get_autocast_dtype("cpu")), t.is_autocast_cache_enabled()


def test_regions_in_regions():
    def program(t):
        seen = [_states(t)]
        with t.autocast("cpu"):
            seen.append(_states(t))
            with t.autocast("cpu", enabled=False):
                seen.append(_states(t))
                with t.autocast("cpu", dtype=t.float16, cache_enabled=False):
                    seen.append(_states(t))
                seen.append(_states(t))
            seen.append(_states(t))
            with pytest.raises(KeyError), t.autocast("cpu", enabled=False):
                raise KeyError
            seen.append(_states(t))
        return [*seen, _states(t)]

    both(program)


def test_a_function_decorated():
    def program(t):
        @t.autocast("cpu")
        def product(x):
            """The docstring of `product`."""
            return x @ x, _states(t)

        return product(t.ones(2, 2)), product.__name__, product.__doc__, _states(t)

    both(program)


def test_a_region_may_be_entered_within_itself():
    region = torchlike.autocast("cpu")
    with region, region:
        assert torchlike.is_autocast_enabled("cpu")
    assert not torchlike.is_autocast_enabled("cpu")


def test_other_threads_do_not_cast():
    def program(t):
        x, seen = t.ones(2, 2), []

        def other():
            seen.append((t.is_autocast_enabled("cpu"), (x @ x).dtype, x.mm(x).dtype, t.cat([x, x.bfloat16()]).dtype))

        with t.autocast("cpu"):
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
            return str(seen).replace("torchlike", "torch"), x @ x

    both(program)


def test_autocast_state_of_an_ended_thread_has_no_effect():
    def leave():
        torchlike.set_autocast_enabled("cpu", True)

    thread = threading.Thread(target=leave)
    thread.start()
    thread.join()
    x = torchlike.ones(2, 2)
    assert (x @ x).dtype is x.mm(x).dtype is torchlike.float32
    with torchlike.autocast("cpu"):
        assert (x @ x).dtype is x.mm(x).dtype is torchlike.bfloat16


def test_the_public_names_are_the_same_objects():
    for t in (torch, torchlike):
        assert t.autocast is t.amp.autocast
        assert t.GradScaler is t.amp.GradScaler
        assert issubclass(t.cuda.amp.autocast, t.autocast)
