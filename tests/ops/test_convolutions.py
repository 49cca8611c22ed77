"""All forms of convolution on the CPU: groups, depthwise, transposed, strides, in float32 and float64."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import torchlike
from tests.oracle import both
from torchlike._engine.trace.flush import forget_programs
from torchlike._ops.nn import conv_forms

SIZES = st.integers(1, 5)


@st.composite
def convolutions(draw):
    """Generate the arguments of a convolution: the sizes of input and weight, and the keyword arguments."""
    dims, groups = draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 2, 3, 4]))
    each, out_each = draw(st.sampled_from([1, 1, 2, 3])), draw(st.integers(1, 3))
    kernel = [draw(st.integers(1, 3)) for _ in range(dims)]
    dilation = [draw(st.integers(1, 2)) for _ in range(dims)]
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    options = {"stride": [draw(st.integers(1, 3)) for _ in range(dims)], "dilation": dilation, "groups": groups}
    sizes = [draw(SIZES) for _ in range(dims)]
    is_transposed = draw(st.booleans())
    if is_transposed:
        options["output_padding"] = [draw(st.integers(0, max(s, d) - 1)) for s, d in zip(options["stride"], dilation)]
        room = [(n - 1) * s + k + o for n, s, k, o in zip(sizes, options["stride"], spans, options["output_padding"])]
        options["padding"] = [draw(st.integers(0, min(2, (r - 1) // 2))) for r in room]
        weight = [groups * each, out_each, *kernel]
    else:
        options["padding"] = [draw(st.integers(0, 2)) for _ in range(dims)]
        sizes = [max(n, k - 2 * p) for n, k, p in zip(sizes, spans, options["padding"])]
        weight = [groups * out_each, each, *kernel]
    name = f"conv{'_transpose' * is_transposed}{dims}d"
    return name, [draw(st.integers(1, 2)), groups * each, *sizes], weight, options


@pytest.mark.filterwarnings("ignore:8 programs at .* differ only in the shapes")
@settings(max_examples=20, deadline=None)
@given(convolutions(), st.sampled_from(["float32", "float64"]))
def test_results_and_gradients(convolution, dtype):
    name, sizes, weight, options = convolution

    def under(library):
        library.manual_seed(0)
        x, w = (library.randn(*n, dtype=getattr(library, dtype)).requires_grad_() for n in (sizes, weight))
        found = getattr(library.nn.functional, name)(x, w, **options)
        change = library.randn(*found.shape, dtype=found.dtype)
        return found.detach(), *library.autograd.grad(found, (x, w), change)

    both(under, rtol=1e-4 if dtype == "float32" else 1e-10, atol=1e-5)  # different order of summation


FORMS = {
    "one group": ("conv2d", (2, 4, 6, 6), (3, 4, 3, 3), {"stride": 2, "padding": 1}),
    "one place": ("conv2d", (2, 4, 5, 5), (3, 4, 1, 1), {"stride": 2}),
    "groups": ("conv2d", (2, 4, 5, 5), (6, 2, 3, 3), {"groups": 2}),
    "channels alone": ("conv2d", (2, 4, 5, 5), (4, 1, 3, 3), {"groups": 4, "padding": "same"}),
    "channels alone, several of each, with strides": ("conv1d", (2, 3, 9), (6, 1, 4), {"groups": 3, "stride": 2}),
    "many places": ("conv1d", (1, 4, 90), (4, 2, 70), {"groups": 2}),
    "transposed": ("conv_transpose2d", (2, 4, 3, 3), (4, 3, 3, 3), {"stride": 2, "padding": 1, "output_padding": 1}),
    "transposed groups": ("conv_transpose1d", (2, 4, 3), (4, 3, 3), {"groups": 2, "dilation": 2}),
    "transposed, many places": ("conv_transpose1d", (1, 4, 9), (4, 2, 70), {"groups": 2, "stride": 2}),
}


def second_gradient(library, function, x, w):
    x, w = x.requires_grad_(), w.requires_grad_()
    first = library.autograd.grad((function(x, w) ** 3).sum(), (x, w), create_graph=True)
    return library.autograd.grad(sum((g * g).sum() for g in first), (x, w))


def forward_mode(library, function, x, w):
    return library.func.jvp(function, (x, w), (x.cos(), w.sin()))


def examples_apart(library, function, x, w):
    gradient = library.func.grad(lambda w, x: (function(x[None], w) ** 2).sum())
    return library.func.vmap(gradient, in_dims=(None, 0))(w, x)


def weights_apart(library, function, x, w):
    gradient = library.func.grad(lambda w: (function(x, w) ** 2).sum())
    return library.func.vmap(gradient)(library.stack([w, w.sin(), w * 2]))


WAYS = (second_gradient, forward_mode, examples_apart, weights_apart)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("form", "way"), [*itertools.product(FORMS, WAYS)])
def test_ways_to_differentiate(form, way):
    name, sizes, weight, options = FORMS[form]

    def under(library):
        library.manual_seed(0)
        x, w = (library.randn(*n, dtype=library.float64) for n in (sizes, weight))
        found = way(library, lambda x, w: getattr(library.nn.functional, name)(x, w, **options), x, w)
        found = found if isinstance(found, tuple) else (found,)
        # PyTorch's results have the memory order of its matrix products
        return [x.clone(memory_format=library.contiguous_format) for x in found]

    both(under, rtol=1e-9, atol=1e-9)  # sums of up to 1e5, in a different order


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int64", "complex64"])
@pytest.mark.parametrize("form", FORMS)
def test_other_dtypes(form, dtype):
    name, sizes, weight, options = FORMS[form]

    def under(library):
        library.manual_seed(0)
        x, w = ((library.randn(*n) * 4).to(getattr(library, dtype)) for n in (sizes, weight))
        return getattr(library.nn.functional, name)(x, w, **options)

    near = {"float16": 2e-2, "bfloat16": 2e-2, "complex64": 1e-4}.get(dtype)  # different order of summation
    both(under, rtol=near, atol=None if near is None else near * 20)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("form", ["one group", "one place", "groups", "many places"])
def test_columns_that_would_fill_the_memory(form, executor, monkeypatch):
    monkeypatch.setattr(conv_forms, "_MANY_COLUMNS", 1)
    name, sizes, weight, options = FORMS[form]

    def under(library):
        library.manual_seed(0)
        x, w = (library.randn(*n, dtype=library.float64).requires_grad_() for n in (sizes, weight))
        with library.no_grad():
            alone = getattr(library.nn.functional, name)(x, w, **options)
        found = getattr(library.nn.functional, name)(x, w, **options)
        return alone, *library.autograd.grad((found**2).sum(), (x, w))

    forget_programs()
    with torchlike.set_executor(executor):
        both(under)
    forget_programs()


def test_compiled_and_recorded_agree():
    def losses(compiled):
        torchlike.manual_seed(0)
        layers = [torchlike.nn.Conv2d(8, 8, 3, padding=1, groups=g) for g in (8, 4, 1)]
        model = torchlike.nn.Sequential(*layers, torchlike.nn.ConvTranspose2d(8, 3, 4, 2, 1))
        optimizer = torchlike.optim.SGD(model.parameters(), lr=0.1)

        def step(x):
            loss = model(x).pow(2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return loss

        step = torchlike.compile(step, fullgraph=True) if compiled else step
        return [step(torchlike.randn(2, 8, 6, 6)).item() for _ in range(4)]

    assert losses(True) == pytest.approx(losses(False), rel=1e-5)


def test_executor_of_numpy():
    with torchlike.set_executor("numpy"):
        x, w = torchlike.randn(2, 4, 5, 5), torchlike.randn(4, 1, 3, 3)
        found = torchlike.conv2d(x, w, groups=4).numpy()
    due = torch.conv2d(torch.from_numpy(x.numpy()), torch.from_numpy(w.numpy()), groups=4)
    torch.testing.assert_close(torch.from_numpy(found), due)
