"""Control flow, captured functions and traced modules in ONNX Runtime."""

import pytest

import torchlike as torch

nn = torch.nn


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.yes, self.no = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.yes(x), lambda x: self.no(x) * 2, (x,))


class Halves(nn.Module):
    def forward(self, x):
        more = lambda i, x: (x.abs().sum() > 1) & (i < 100)
        half = lambda i, x: (i + 1, x / 2 - i)
        return torch.while_loop(more, half, (torch.tensor(0), x))


@pytest.mark.parametrize("dims", [None, ({0: "n"},)])
@pytest.mark.parametrize("kind", [Branches, Halves])
def test_control_flow(kind, dims):
    torch.manual_seed(0)
    module = kind().eval()
    x = torch.randn(4, 3).abs() + 1
    program = torch.onnx.export(module, (x,), dynamic_shapes=dims)
    for given in (x, -x, x[:, :1].expand(4, 3)) if dims is None else (x, -x, x[:3]):
        wanted = [leaf.detach() for leaf in torch.utils._pytree.tree_leaves(module(given))]
        torch.testing.assert_close(program(given), tuple(wanted), rtol=1e-5, atol=1e-6)


def test_scans_are_refused():
    class Scan(nn.Module):
        def forward(self, x):
            return torch._higher_order_ops.scan(lambda c, x: (c + x, c * 2), x[0], x)

    with pytest.raises(torch.onnx.errors.UnsupportedOperatorError, match="scan"):
        torch.onnx.export(Scan().eval(), (torch.ones(3, 2),))


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_traced_modules_and_functions():
    net, x = nn.Sequential(nn.Linear(3, 2), nn.Dropout()).eval(), torch.randn(4, 3)
    for traced in (torch.jit.trace(net, (x,)), torch.jit.trace(lambda x: x * 2, (x,))):
        program = torch.onnx.export(traced, (x,), dynamic_shapes=({0: "n"},))
        torch.testing.assert_close(program(x[:2])[0], traced(x[:2]).detach())


def test_exported_programs():
    net, x = nn.Linear(3, 2), torch.randn(4, 3)
    exported = torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("n")},))
    program = torch.onnx.export(exported)
    assert program.exported_program is exported
    torch.testing.assert_close(program(x[:2])[0], net(x[:2]).detach())
