"""The `requires_grad` of gradients, and the gradients of gradients: zeros, or None."""

import pytest

import torchlike
from tests.oracle import both


@pytest.fixture(autouse=True)
def interpreted():
    """Interpret all programs, because they are too small to be worth compiling."""
    with torchlike.set_executor("numpy"):
        yield


ONE_INPUT = {
    "avg_pool1d": (lambda t, x: t.nn.functional.avg_pool1d(x, 2), (1, 2, 4)),
    "avg_pool2d": (lambda t, x: t.nn.functional.avg_pool2d(x, 2), (1, 2, 4, 4)),
    "avg_pool3d": (lambda t, x: t.nn.functional.avg_pool3d(x, 2), (1, 2, 4, 4, 4)),
    "adaptive_avg_pool1d": (lambda t, x: t.nn.functional.adaptive_avg_pool1d(x, 3), (1, 2, 4)),
    "adaptive_avg_pool2d": (lambda t, x: t.nn.functional.adaptive_avg_pool2d(x, 3), (1, 2, 4, 4)),
    "adaptive_avg_pool2d to one": (lambda t, x: t.nn.functional.adaptive_avg_pool2d(x, 1), (1, 2, 4, 4)),
    "adaptive_max_pool2d": (lambda t, x: t.nn.functional.adaptive_max_pool2d(x, 2), (1, 2, 4, 4)),
    "max_pool2d": (lambda t, x: t.nn.functional.max_pool2d(x, 2), (1, 2, 4, 4)),
    "area": (lambda t, x: t.nn.functional.interpolate(x, scale_factor=0.5, mode="area"), (1, 2, 4, 4)),
    "nearest": (lambda t, x: t.nn.functional.interpolate(x, scale_factor=2), (1, 2, 4)),
    "linear": (lambda t, x: t.nn.functional.interpolate(x, scale_factor=2, mode="linear"), (1, 2, 4)),
    "reflect": (lambda t, x: t.nn.functional.pad(x, (1, 2), "reflect"), (1, 2, 4)),
    "replicate": (lambda t, x: t.nn.functional.pad(x, (1, 2), "replicate"), (1, 2, 4)),
    "circular": (lambda t, x: t.nn.functional.pad(x, (1, 2), "circular"), (1, 2, 4)),
    "constant": (lambda t, x: t.nn.functional.pad(x, (1, 2)), (1, 2, 4)),
    "stft": (lambda t, x: t.view_as_real(t.stft(x, 4, return_complex=True, window=t.ones(4).double())), (10,)),
    "nll_loss": (lambda t, x: t.nn.functional.nll_loss(x, t.tensor([0, 1])), (2, 3)),
    "nll_loss after log_softmax": (lambda t, x: t.nn.functional.nll_loss(x.log_softmax(1), t.tensor([0, 1])), (2, 3)),
    "cross_entropy": (lambda t, x: t.nn.functional.cross_entropy(x, t.tensor([0, 1])), (2, 3)),
    "rrelu": (lambda t, x: t.nn.functional.rrelu(x, training=True), (5,)),
    "relu": (lambda t, x: t.relu(x), (3,)),
    "square of avg_pool2d": (lambda t, x: t.nn.functional.avg_pool2d(x * x, 2) ** 2, (1, 2, 4, 4)),
    "angle": (lambda t, x: t.angle(x), (3,)),
    "nanmean": (lambda t, x: t.nanmean(x), (3,)),
    "quantile": (lambda t, x: t.quantile(x, 0.3), (4,)),
    "frexp": (lambda t, x: t.frexp(x)[0], (3,)),
    "round": (lambda t, x: t.round(x), (3,)),
    "median": (lambda t, x: t.median(x), (3,)),
    "sort": (lambda t, x: t.sort(x)[0], (3,)),
    "amax": (lambda t, x: t.amax(x), (3,)),
    "pdist": (lambda t, x: t.pdist(x), (3, 2)),
    "pdist with p=0": (lambda t, x: t.pdist(x, 0), (3, 2)),
    "embedding_bag max": (lambda t, x: t.nn.functional.embedding_bag(t.tensor([[0, 1]]), x, mode="max"), (3, 2)),
    "embedding_bag sum": (lambda t, x: t.nn.functional.embedding_bag(t.tensor([[0, 1]]), x, mode="sum"), (3, 2)),
    "cumprod": (lambda t, x: t.cumprod(x, 0), (3,)),
    "cumprod of nothing": (lambda t, x: t.cumprod(x, 0) * 2, (0, 2)),
    "det of a 1x1 matrix": (lambda t, x: t.linalg.det(x), (1, 1)),
    "det of a 0x0 matrix": (lambda t, x: t.linalg.det(x), (0, 0)),
    "max_pool2d with indices": (lambda t, x: t.nn.functional.max_pool2d(x, 2, return_indices=True)[0], (1, 2, 4, 4)),
}
TWO_INPUTS = {
    "grid_sample": (lambda t, x, g: t.nn.functional.grid_sample(x, g, align_corners=False), (1, 1, 4, 4), (1, 2, 2, 2)),
    "nearest of a grid": (
        lambda t, x, g: t.nn.functional.grid_sample(x, g, mode="nearest", align_corners=False),
        (1, 1, 4, 4),
        (1, 2, 2, 2),
    ),
    "cdist": (lambda t, x, y: t.cdist(x, y), (3, 2), (2, 2)),
    "cdist with p=0": (lambda t, x, y: t.cdist(x, y, 0), (3, 2), (2, 2)),
    "cdist by matrix products": (lambda t, x, y: t.cdist(x, y, 2, "use_mm_for_euclid_dist"), (3, 2), (2, 2)),
    "floor": (lambda t, x, y: t.div(x, y, rounding_mode="floor"), (3,), (3,)),
    "div": (lambda t, x, y: t.div(x, y), (3,), (3,)),
    "nextafter": (lambda t, x, y: t.nextafter(x, y), (3,), (3,)),
    "maximum": (lambda t, x, y: t.maximum(x, y), (3,), (3,)),
    "margin": (lambda t, x, y: t.nn.functional.margin_ranking_loss(x, y, t.ones(3).double()), (3,), (3,)),
    "scatter_reduce": (lambda t, x, y: x.scatter_reduce(0, t.tensor([0, 1, 1]), y, "amax"), (3,), (3,)),
    "scatter_reduce prod": (lambda t, x, y: x.scatter_reduce(0, t.tensor([0, 1, 1]), y, "prod"), (3,), (3,)),
    "index_reduce": (lambda t, x, y: x.index_reduce(0, t.tensor([0, 1, 1]), y, "amin"), (3,), (3,)),
}


@pytest.mark.parametrize("name", [*ONE_INPUT, *TWO_INPUTS])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gradients_of_gradients(name):
    function, *shapes = {**ONE_INPUT, **TWO_INPUTS}[name]

    def derived(torch):
        inputs = [torch.rand(shape, dtype=torch.float64).mul(1.5).requires_grad_() for shape in shapes]
        first = torch.autograd.grad(function(torch, *inputs).sum(), inputs, create_graph=True)
        roots = [g.sum() for g in first if g.requires_grad]
        second = torch.autograd.grad(roots, inputs, allow_unused=True) if roots else []
        return [g.requires_grad for g in first], [g.detach() for g in first], list(second)

    both(derived)


def test_a_gradient_penalty_through_avg_pool2d():
    def penalized(torch):
        layer = torch.nn.Conv2d(1, 2, 3).double()
        x = torch.rand(2, 1, 8, 8, dtype=torch.float64, requires_grad=True)
        score = torch.nn.functional.avg_pool2d(layer(x).tanh(), 2).sum()
        (gradient,) = torch.autograd.grad(score, x, create_graph=True)
        (gradient.square().sum() + score).backward()
        return x.grad, layer.weight.grad

    both(penalized)


def test_grad_fn_of_the_gradient_of_avg_pool2d():
    def name(torch):
        x = torch.rand(1, 1, 4, 4, requires_grad=True)
        y = torch.nn.functional.avg_pool2d(x, 2)
        return torch.autograd.grad(y.sum(), x, create_graph=True)[0].grad_fn.name()

    both(name)
