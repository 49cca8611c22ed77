"""Programs whose results under PyTorch are recorded, for comparison in environments without PyTorch."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

Program = Callable[[Any], Any]


def _grid(torch: Any, *shape: int, low: float = -1, high: float = 1) -> Any:
    """Return evenly spaced numbers from low to high, in this shape, that require grad."""
    size = 1
    for n in shape:
        size *= n
    return torch.linspace(low, high, size).reshape(shape).requires_grad_()


def _gradients(torch: Any, result: Any, *inputs: Any) -> list[Any]:
    """Return a result and the gradients of a weighted sum of it."""
    weights = torch.linspace(0.5, 1.5, result.numel()).reshape(result.shape)
    (result * weights).sum().backward()
    return [result.detach(), *[x.grad for x in inputs]]


def _of(function: Callable[[Any, Any], Any], *shape: int, low: float = -1, high: float = 1) -> Program:
    """Return a program that computes a function of one tensor and its gradient."""

    def program(torch: Any) -> Any:
        x = _grid(torch, *shape, low=low, high=high)
        return _gradients(torch, function(torch, x), x)

    return program


def _layer(make: Callable[[Any], Any], *shape: int) -> Program:
    """Return a program that computes a layer's first result and the gradients of its input and parameters."""

    def program(torch: Any) -> Any:
        torch.manual_seed(0)
        layer, x = make(torch.nn), _grid(torch, *shape)
        found = layer(x)
        return _gradients(torch, found[0] if isinstance(found, tuple) else found, x, *layer.parameters())

    return program


def _trained(make: Callable[[Any, Any], Any]) -> Program:
    """Return a program that trains a model for five steps and returns the losses and parameters."""

    def program(torch: Any) -> Any:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 2))
        optimizer, losses = make(torch, model.parameters()), []
        x, y = torch.randn(8, 4), torch.arange(8) % 2
        for _ in range(5):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return [losses, *[p.detach() for p in model.parameters()]]

    return program


def _ctc(torch: Any) -> Any:
    x = _grid(torch, 6, 2, 4)
    targets = torch.tensor([[1, 2, 1], [3, 3, 0]])
    lengths = torch.tensor([6, 5]), torch.tensor([3, 2])
    return _gradients(torch, torch.nn.functional.ctc_loss(x.log_softmax(2), targets, *lengths), x)


def _svd(torch: Any) -> Any:
    x = torch.linspace(-1, 2, 12).reshape(4, 3).sin().requires_grad_()
    u, s, v = torch.linalg.svd(x, full_matrices=False)
    return [s.detach(), *_gradients(torch, u @ torch.diag(s * s) @ v, x)]


def _flex(torch: Any) -> Any:
    from importlib import import_module

    flex = import_module(f"{torch.__name__}.nn.attention.flex_attention")
    q, k, v = (_grid(torch, 1, 2, 5, 4, high=high).detach() for high in (1, 2, 3))
    mask = flex.create_block_mask(lambda b, h, i, j: i >= j, 1, 2, 5, 5, device="cpu", BLOCK_SIZE=4)
    return flex.flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (i - j) * 0.1, block_mask=mask)


def _transforms(torch: Any) -> Any:
    f = lambda x: (x.sin() * x).sum()
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    return [torch.func.vmap(torch.func.grad(f))(x), torch.func.hessian(f)(x[0]), torch.func.jacrev(torch.tanh)(x[1])]


def _views(torch: Any) -> Any:
    x = torch.arange(24.0).reshape(2, 3, 4)
    x[0].t()[1:3].mul_(10)
    x[:, [0, 2], ::2] += 1
    return [x, x.permute(2, 0, 1).stride(), x.view(6, 4)[::2].storage_offset(), x.unfold(2, 2, 1), x[x > 15]]


def _autocast(torch: Any) -> Any:
    x, w = _grid(torch, 4, 8), _grid(torch, 8, 3)
    with torch.autocast("cpu", torch.bfloat16):
        y = x @ w
    return [str(y.dtype).rpartition(".")[2], *_gradients(torch, y.float(), x, w)]


def _refusals(torch: Any) -> Any:
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    programs = [
        lambda: torch.ones(2) + torch.ones(3),
        lambda: torch.ones(2, 3) @ torch.ones(2, 3),
        lambda: x.add_(1),
        lambda: (y.mul_(2), y.sum().backward()),
        lambda: torch.tensor([1, 2]).reshape(3),
        lambda: torch.nn.Linear(2, 3)(torch.ones(4)),
    ]
    found = []
    for program in programs:
        try:
            program()
        except Exception as error:
            found.append([type(error).__name__, str(error)])
    return found


CASES: dict[str, Program] = {
    "arithmetic": _of(lambda torch, x: (x * 2 - 1) / (x * x + 3) + x.pow(3), 3, 4),
    "functions": _of(lambda torch, x: x.exp() + x.sin() * x.cosh() - x.erf() + torch.log1p(x * x), 3, 4),
    "special functions": _of(lambda torch, x: torch.lgamma(x) + torch.digamma(x).i0(), 5, low=1, high=3),
    "powers": _of(lambda torch, x: x.sqrt() + x.rsqrt() + x**-2 + x.log2(), 3, 4, low=0.5, high=4),
    "reductions": _of(lambda torch, x: x.sum(1) + x.mean(1) + x.std(1) + x.prod(1) + x.amax(1), 3, 4),
    "norms": _of(lambda torch, x: torch.linalg.norm(x, dim=1) + x.logsumexp(1), 3, 4),
    "running": _of(lambda torch, x: x.cumsum(0) + x.cumprod(1) + x.logcumsumexp(1), 3, 4),
    "orders": _of(lambda torch, x: x.sort(1, descending=True)[0] + x.topk(4, 1)[0] + x.flip(1), 3, 4),
    "indices": _of(lambda torch, x: x[torch.tensor([2, 0, 2]), 1:] * x.gather(1, torch.tensor([[0], [1], [3]])), 3, 4),
    "scattered": _of(lambda torch, x: torch.zeros(3, 4).index_add(0, torch.tensor([2, 2, 0]), x * x), 3, 4),
    "shapes": _of(lambda torch, x: torch.cat([x.roll(1, 0), x.T.reshape(3, 4)], 1).repeat(1, 2).unsqueeze(0), 3, 4),
    "padded": _of(lambda torch, x: torch.nn.functional.pad(x, (1, 2), mode="reflect").tril(), 3, 4),
    "products": _of(lambda torch, x: torch.einsum("bij,bkj->bik", x, x * 2) + x @ x.mT, 2, 3, 4),
    "decompositions": _of(lambda torch, x: torch.linalg.cholesky(x @ x.mT + 2 * torch.eye(3)).inverse(), 3, 4),
    "eigenvalues": _of(lambda torch, x: torch.linalg.eigvalsh(x @ x.mT + torch.diag(torch.arange(3.0))), 3, 4),
    "solved": _of(lambda torch, x: torch.linalg.solve(x + 3 * torch.eye(3), torch.arange(3.0)), 3, 3),
    "matrix exponential": _of(lambda torch, x: torch.linalg.matrix_exp(x), 3, 3),
    "singular vectors": _svd,
    "transforms": _of(lambda torch, x: torch.fft.rfft(x).abs() + torch.fft.irfft(torch.fft.rfft(x))[:, :3], 2, 4),
    "activations": _of(lambda torch, x: torch.nn.functional.gelu(x) + torch.nn.functional.silu(x).softmax(1), 3, 4),
    "linear": _layer(lambda nn: nn.Linear(4, 3), 2, 4),
    "convolution": _layer(lambda nn: nn.Conv2d(2, 3, 3, padding=1, stride=2), 1, 2, 5, 5),
    "transposed convolution": _layer(lambda nn: nn.ConvTranspose1d(2, 3, 3, stride=2), 1, 2, 5),
    "max pooling": _layer(lambda nn: nn.MaxPool2d(2), 1, 2, 5, 5),
    "average pooling": _layer(lambda nn: nn.AdaptiveAvgPool2d(2), 1, 2, 5, 5),
    "batch norm": _layer(lambda nn: nn.BatchNorm1d(4), 3, 4),
    "layer norm": _layer(lambda nn: nn.LayerNorm(4), 3, 4),
    "group norm": _layer(lambda nn: nn.GroupNorm(2, 4), 3, 4),
    "rnn": _layer(lambda nn: nn.RNN(4, 3, batch_first=True), 2, 5, 4),
    "lstm": _layer(lambda nn: nn.LSTM(4, 3, num_layers=2, bidirectional=True), 5, 2, 4),
    "gru": _layer(lambda nn: nn.GRU(4, 3, num_layers=2), 5, 2, 4),
    "transformer": _layer(lambda nn: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), 2, 3, 4),
    "attention": _of(
        lambda torch, x: torch.nn.functional.scaled_dot_product_attention(x, x * 2, x + 1, is_causal=True), 1, 2, 5, 4
    ),
    "flex attention": _flex,
    "cross entropy": _of(lambda torch, x: torch.nn.functional.cross_entropy(x, torch.tensor([0, 3, 1])), 3, 4),
    "huber loss": _of(lambda torch, x: torch.nn.functional.huber_loss(x * 3, torch.ones(3, 4)), 3, 4),
    "ctc loss": _ctc,
    "embedding": _of(lambda torch, x: torch.nn.functional.embedding(torch.tensor([[1, 1], [0, 2]]), x), 3, 4),
    "sgd": _trained(lambda torch, p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True)),
    "adam": _trained(lambda torch, p: torch.optim.Adam(p, 0.01, amsgrad=True)),
    "adamw": _trained(lambda torch, p: torch.optim.AdamW(p, 0.01)),
    "rmsprop": _trained(lambda torch, p: torch.optim.RMSprop(p, 0.01)),
    "function transforms": _transforms,
    "views and writes": _views,
    "autocast": _autocast,
    "refusals": _refusals,
    "random numbers": lambda torch: [
        torch.manual_seed(3) and None,
        torch.rand(3),
        torch.randn(20),
        torch.randperm(9),
        torch.randint(0, 99, (4,)),
        torch.nn.functional.dropout(torch.ones(9), 0.5),
        torch.bernoulli(torch.full((5,), 0.3)),
    ],
    "whole numbers": lambda torch: [
        torch.arange(-4, 5) // 3,
        torch.arange(-4, 5) % 3,
        torch.arange(9) << 2,
        torch.tensor([7, 8]).bitwise_xor(torch.tensor(3)),
        torch.arange(5).sum(),
        torch.bincount(torch.tensor([1, 1, 4])),
        torch.unique(torch.tensor([3, 1, 3]), return_counts=True),
    ],
}


def written(torch: Any) -> str:
    """Return a file that `torch.save` writes, encoded as text."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    content = {"model": model.state_dict(), "step": 7, "half": torch.arange(3).to(torch.bfloat16), "name": "a"}
    file = io.BytesIO()
    torch.save(content, file)
    return base64.b64encode(file.getvalue()).decode()


def plain(x: Any) -> Any:
    """Convert a result to JSON types. A tensor becomes its dtype, shape and numbers."""
    if hasattr(x, "detach"):
        numbers = x.detach().float() if "bfloat16" in str(x.dtype) else x.detach()
        return {"dtype": str(x.dtype).rpartition(".")[2], "shape": list(x.shape), "numbers": numbers.tolist()}
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return [plain(item) for item in x] if isinstance(x, list | tuple) else x
