"""Gradients through sparse tensors, compared with PyTorch's."""

import pytest

import torchlike
from tests.oracle import both
from tests.sparse.parts import I, V, coo, csr, hybrid, seen

PLACES = [2, 3, 5, 3]  # row-major positions of the elements
WEIGHTS = [[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]

OF_VALUES = {
    "dense": lambda torch, s: s.to_dense() * torch.tensor(WEIGHTS),
    "mm": lambda torch, s: torch.sparse.mm(s, torch.tensor(WEIGHTS).t()) ** 2,
    "mv": lambda torch, s: s.mv(torch.arange(3.0)) ** 2,
    "addmm": lambda torch, s: torch.addmm(torch.ones(2, 2), s, torch.tensor(WEIGHTS).t()) ** 2,
    "chain": lambda torch, s: ((s * 3).t().coalesce() @ torch.tensor(WEIGHTS)) ** 2,
    "softmax": lambda torch, s: torch.sparse.softmax(s, 1).to_dense() * torch.tensor(WEIGHTS),
    "log_softmax": lambda torch, s: torch.sparse.log_softmax(s, 0).to_dense() * torch.tensor(WEIGHTS),
    "sum": lambda torch, s: torch.sparse.sum(s, 0).to_dense() * torch.arange(3.0),
    "add": lambda torch, s: (s + s * 2).to_dense() * torch.tensor(WEIGHTS),
    "onto dense": lambda torch, s: (torch.ones(2, 3) + s) ** 2,
    "function": lambda torch, s: (-s).abs().to_dense() * torch.tensor(WEIGHTS),
    "csr": lambda torch, s: s.to_sparse_csr().to_dense() * torch.tensor(WEIGHTS),
    "values": lambda torch, s: s.coalesce().values() * torch.arange(3.0),
    "product": lambda torch, s: torch.sparse.mm(s, s.t()).to_dense() ** 2,
}


@pytest.mark.parametrize("name", OF_VALUES)
def test_to_values(name):
    def program(torch):
        values = torch.tensor(V, requires_grad=True)
        s = torch.sparse_coo_tensor(torch.tensor(I), values, (2, 3))
        OF_VALUES[name](torch, s).sum().backward()
        return values.grad, s.requires_grad, s.is_leaf

    both(program)


OF_DENSE = {
    "mm": lambda torch, d: coo(torch) @ d,
    "mm of csr": lambda torch, d: torch.sparse.mm(csr(torch), d) ** 2,
    "mm from the left": lambda torch, d: d.t() @ coo(torch).t(),
    "addmm": lambda torch, d: torch.addmm(d[:2], coo(torch), d),
    "to_sparse": lambda torch, d: d.to_sparse().to_dense() ** 2,
    "to_sparse_csr": lambda torch, d: torch.sparse.mm(d.to_sparse_csr(), torch.ones(2, 2)),
    "mask": lambda torch, d: d.t().sparse_mask(coo(torch, coalesced=True)).to_dense() ** 2,
    "times": lambda torch, d: (coo(torch, coalesced=True) * d.t()).to_dense() ** 2,
}


@pytest.mark.parametrize("name", OF_DENSE)
def test_to_dense(name):
    def program(torch):
        dense = torch.tensor(WEIGHTS).t().contiguous().requires_grad_()
        OF_DENSE[name](torch, dense).sum().backward()
        return dense.grad.to_dense()  # some of PyTorch's operators return sparse gradients

    both(program, stride=False)


@pytest.mark.parametrize("make", [coo, csr])
def test_to_a_leaf(make):
    def program(torch):
        s = make(torch, requires_grad=True)
        (s.to_dense() * torch.tensor(WEIGHTS)).sum().backward()
        first = seen(s.grad)
        s.grad = None
        return first, s.grad is None

    both(program)


def test_twice_and_through_sparse_mm():
    def program(torch):
        s = coo(torch).requires_grad_()
        (torch.sparse.mm(s, torch.tensor(WEIGHTS).t()) ** 2).sum().backward()
        return s.grad._values(), s.grad._indices()

    both(program)


def test_second_derivatives():
    """Compare second derivatives with those of an equivalent dense function. PyTorch has none here."""
    torch = torchlike
    weights = torch.tensor(WEIGHTS)
    found = []
    for dense in (lambda v: coo(torch, v).to_dense(), lambda v: torch.zeros(6).index_add(0, torch.tensor(PLACES), v)):
        values = torch.tensor(V, requires_grad=True)
        loss = (dense(values).reshape(2, 3) ** 3 * weights).sum()
        (first,) = torch.autograd.grad(loss, values, create_graph=True)
        found.append(torch.autograd.grad((first**2).sum(), values)[0].tolist())
    assert found[0] == found[1] and any(found[0])


def test_a_compiled_step():
    torch = torchlike

    def run(wrap):
        values, weight = torch.tensor(V, requires_grad=True), torch.ones(3, 2, requires_grad=True)
        optimizer = torch.optim.SGD([values, weight], lr=0.01)

        def step():
            s = torch.sparse_coo_tensor(torch.tensor(I), values, (2, 3))
            loss = (torch.sparse.mm(s, weight) ** 2).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return loss

        step = wrap(step)
        return [step().item() for _ in range(4)], values.tolist()

    assert run(torch.compile) == run(lambda f: f)


@pytest.mark.parametrize("kind", ["closure", "argument", "buffer"])
def test_a_compiled_step_sees_a_sparse_tensor_change(kind):
    torch = torchlike

    def run(wrap):
        graph, x = coo(torch), torch.arange(3.0).requires_grad_()
        holder = torch.nn.Module()
        holder.register_buffer("graph", graph)
        step = wrap(
            {
                "closure": lambda given: (graph.mv(x) ** 2).sum(),
                "argument": lambda given: (given.mv(x) ** 2).sum(),
                "buffer": lambda given: (holder.graph.mv(x) ** 2).sum(),
            }[kind]
        )
        found = []
        for factor in (1, 1, 1, 2, 3):
            graph.mul_(factor)
            found.append(step(graph).item())
        return found

    assert run(torch.compile) == run(lambda f: f)


def test_no_grad_of_a_sparse_input_by_itself():
    s = coo(torchlike, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"layout torch\.sparse_coo"):
        torchlike.autograd.grad(s.to_dense().sum(), [s])


def test_hybrid_values():
    def program(torch):
        s = hybrid(torch, requires_grad=True)
        (s.to_dense() ** 2).sum().backward()
        return seen(s.grad)

    both(program)


def test_a_module_that_holds_a_sparse_buffer():
    """Train, move, save and load a graph convolution."""

    def program(torch):
        class Layer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.arange(6.0).view(3, 2) / 10)
                self.register_buffer("graph", coo(torch))

            def forward(self, x):
                return torch.sparse.mm(self.graph, x @ self.weight)

        layer, x = Layer(), torch.arange(9.0).view(3, 3) / 10
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = (layer(x) ** 2).sum()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        other = Layer()
        other.load_state_dict({name: 2 * t for name, t in layer.state_dict().items()})
        return losses, other(x).detach(), other.double()(x.double()).detach().float(), seen(other.graph)

    both(program)


def saving(L):
    """Return a function that saves a sparse tensor of its second argument, and computes a product with the third."""

    class Product(L.autograd.Function):
        @staticmethod
        def forward(ctx, index, values, dense):
            matrix = L.sparse_coo_tensor(index, values, (3, 3))
            ctx.save_for_backward(matrix, dense, None)
            return matrix.matmul(dense)

        @staticmethod
        def backward(ctx, grad):
            matrix, dense, nothing = ctx.saved_tensors
            assert nothing is None and not matrix.requires_grad and not matrix.is_coalesced()
            return None, grad.matmul(dense.t())[tuple(matrix._indices())], matrix.t().matmul(grad)

    return Product


def test_a_function_saves_a_sparse_tensor():
    def gradients(L):
        values, dense = L.tensor([1.0, 2, 3], requires_grad=True), L.arange(6.0).view(3, 2).requires_grad_()
        saving(L).apply(L.tensor([[0, 1, 2], [1, 2, 0]]), values, dense).square().sum().backward()
        return values.grad, dense.grad

    both(gradients)


@pytest.mark.parametrize("write", [lambda a: a.mul_(2), lambda a: a._values().mul_(2)])
def test_a_saved_sparse_tensor_that_was_written_is_an_error(write):
    matrix = torchlike.eye(3).to_sparse()

    class Product(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, dense):
            ctx.save_for_backward(matrix)
            return matrix.matmul(dense)

        @staticmethod
        def backward(ctx, grad):
            return ctx.saved_tensors[0].t().matmul(grad)

    result = Product.apply(torchlike.ones(3, 2, requires_grad=True))
    write(matrix)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize(
    "make",
    [
        lambda L, values: L.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], values, (3, 3)),
        lambda L, values: L.sparse_csr_tensor([0, 1, 2, 3], [1, 2, 0], values, (3, 3)),
        lambda L, values: L.sparse_csc_tensor([0, 1, 2, 3], [1, 2, 0], values, (3, 3)),
    ],
)
def test_sparse_tensors_made_under_no_grad_do_not_require_grad(make, is_recorded):
    def facts(L):
        with L.set_grad_enabled(is_recorded):
            made = make(L, L.ones(3, requires_grad=True))
        return made.requires_grad, made.is_leaf

    both(facts)
