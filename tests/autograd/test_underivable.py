"""Operators whose derivative PyTorch does not implement: the result requires grad, and a backward pass raises."""

import pytest

from tests.oracle import both

CALLS = {
    "unique": lambda torch, x: x.unique(),
    "unique with inverse": lambda torch, x: x.unique(return_inverse=True)[0],
    "unique of rows": lambda torch, x: x.unique(dim=0),
    "unique_consecutive": lambda torch, x: torch.unique_consecutive(x),
    "bincount": lambda torch, x: torch.bincount(torch.tensor([0, 1, 1]), x),
    "histc": lambda torch, x: torch.histc(x, 3),
    "histogram": lambda torch, x: torch.histogram(x, 3)[0],
    "edges of a histogram": lambda torch, x: torch.histogram(x, 3)[1],
    "weights of a histogram": lambda torch, x: torch.histogram(x.detach(), 3, weight=x)[0],
    "histogramdd": lambda torch, x: torch.histogramdd(x[:, None], [3])[0],
    "edges of histogramdd": lambda torch, x: torch.histogramdd(x[:, None], [3])[1][0],
    "histogramdd with edges": lambda torch, x: torch.histogramdd(x[:, None], [torch.tensor([0.0, 3.0]).to(x.dtype)])[0],
    "set_": lambda torch, x: x.clone().set_(torch.zeros(2, dtype=x.dtype)),
    "set_ to a tensor with a history": lambda torch, x: torch.zeros(2, dtype=x.dtype).set_(x * 2),
    "heaviside": lambda torch, x: torch.heaviside(x, x),
    "floor_divide": lambda torch, x: torch.floor_divide(x, x),
    "//": lambda torch, x: x // 2,
    "// of a number": lambda torch, x: 7 // x,
    "geqrf": lambda torch, x: torch.geqrf(torch.outer(x, x))[0],
    "ldl_factor": lambda torch, x: torch.linalg.ldl_factor(torch.outer(x, x) + torch.eye(3).to(x.dtype))[0],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_backward_raises(call):
    def program(torch):
        x = torch.tensor([0.7, 1.4, 2.1], dtype=torch.float64, requires_grad=True)
        made = call(torch, x)
        with torch.no_grad():
            quiet = call(torch, x)
        node = made.grad_fn.name() if made.requires_grad else None
        return made.requires_grad, node, quiet.requires_grad, (made.sum() + x.sum()).backward()

    both(program)
