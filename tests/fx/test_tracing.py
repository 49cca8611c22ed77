"""Programs traced by `fx`, compared with PyTorch: generated code, graph and results."""

import copy
import math
import operator
import pickle
import textwrap
import threading

import pytest
import torch

import torchlike
from tests.oracle import both, outcome


def linear(L):
    L.manual_seed(0)
    return L.nn.Linear(3, 4)


def module(L, forward, **parts):
    """Build a module with the given parts and the given `forward`."""
    kind = type("Program", (L.nn.Module,), {"forward": forward})
    made = kind()
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def program(L):
    """Build a program with submodules, a parameter, defaults, unpacking, methods, functions, an index and a dict."""

    def forward(self, input, b=2, *args, flag=True, **kw):
        y = self.seq(self.lin(input)) + self.w
        a, c = y.chunk(2, dim=-1)
        z = L.cat([a, c], dim=1).sum(-1, keepdim=True).relu()
        z = z[0:1, ...] * b if flag is not None else z
        return {"z": L.sigmoid(z), "shape": y.shape[0], "neg": -z}

    sequence = L.nn.Sequential(L.nn.ReLU(), L.nn.Linear(4, 4))
    return module(L, forward, lin=linear(L), seq=sequence, w=L.nn.Parameter(L.ones(4)))


def constants(L):
    """Build a program with an unregistered tensor, numbers of several types, a buffer and keyword-only arguments."""
    kept = L.tensor([1.0, 2.0, 3.0])

    def forward(self, x, *, scale: float = 2.0):
        return (x * kept + self.shift) ** 2, [x.to(L.float64), (1.5, None, "text", True)], scale

    made = module(L, forward)
    made.register_buffer("shift", L.zeros(3))
    return made


FUNCTIONS = {
    "operators": lambda L: (
        lambda x, y: (x + y, x - 1, 2 * x, x / y, x // 2, x % 2, x**2, -x, abs(x), x < y, x == y, ~(x > y))
    ),
    "methods": lambda L: lambda x, y: x.reshape(-1).to(L.float64).sum(0, keepdim=True),
    "functions": lambda L: lambda x, y: L.where(x > 0, L.exp(x), L.stack([y, y]).mean(0)),
    "reductions": lambda L: lambda x, y: L.log_softmax(x, dim=-1).amax((0, 1)) + L.std(y, correction=0),
    "linear algebra": lambda L: lambda x, y: L.matmul(x, y.T).det() + L.einsum("ij,ij->", x, y),
    "attributes": lambda L: lambda x, y: (x.shape[0], x.T, x.dtype, x.size(0)),
    "names": lambda L: lambda x, sum: (L.sum(x), L.max(sum), x.min(), sum.max()),
    "unused": lambda L: lambda x, y: x,
}


def texts(L, root):
    traced = L.fx.symbolic_trace(root)
    shown = [traced.code, str(traced.graph)]
    nodes = [(n.op, n.name, str(n.args), str(dict(n.kwargs)), [u.name for u in n.users]) for n in traced.graph.nodes]
    return shown, nodes


@pytest.mark.parametrize("make", [program, constants])
def test_a_module_is_the_same_graph(make):
    assert texts(torchlike, make(torchlike)) == texts(torch, make(torch))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_the_same_graph(name):
    assert texts(torchlike, FUNCTIONS[name](torchlike)) == texts(torch, FUNCTIONS[name](torch))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gives_the_same(name):
    def run(L):
        x, y = L.arange(6.0).reshape(2, 3) - 2, L.ones(2, 3)
        traced = L.fx.symbolic_trace(FUNCTIONS[name](L))
        return traced(x, y), L.fx.Interpreter(traced).run(x, y), L.fx.Transformer(traced).transform()(x, y)

    both(run)


def test_a_module_gives_the_same():
    def run(L):
        made = program(L)
        traced = L.fx.symbolic_trace(made)
        x = L.ones(2, 3)
        again = pickle.loads(pickle.dumps(traced)) if L is torchlike else traced
        copied = copy.deepcopy(traced)
        copied.lin.weight.data.zero_()
        loss = traced(x)["z"].sum()
        loss.backward()
        return (
            made(x),
            traced(x),
            again(x),
            L.fx.Interpreter(traced).run(x),
            made.lin.weight.grad,
            sorted(name for name, _ in traced.named_parameters()),
        )

    both(run)


ERRORS = {
    "a branch": lambda L: L.fx.symbolic_trace(lambda x: x if x.sum() > 0 else -x),
    "a loop": lambda L: L.fx.symbolic_trace(lambda x: [a for a in x]),
    "an object": lambda L: L.fx.symbolic_trace(lambda x: L.relu(object())),
    "its length": lambda L: L.fx.symbolic_trace(lambda x: len(x)),
    "wrapped inside": lambda L: L.fx.wrap("f"),
    "wrapped number": lambda L: L.fx.wrap(3),
    "erased in use": lambda L: erased(L),
}


def erased(L):
    graph = L.fx.symbolic_trace(lambda x: x + 1).graph
    graph.erase_node(graph.nodes.__iter__().__next__())


@pytest.mark.parametrize("name", ERRORS)
def test_errors_equal_pytorchs(name):
    theirs, ours = outcome(ERRORS[name], torch), outcome(ERRORS[name], torchlike)
    assert theirs.error is not None and type(ours.error).__name__ == type(theirs.error).__name__
    assert str(ours.error).splitlines()[:1] == str(theirs.error).splitlines()[:1]


def three(x, flag, y=3):
    return (x + 1 if flag else x - 1) * y


CONCRETE = {"a bool": {"flag": False}, "a number": {"flag": 1.5}, "a text": {"flag": "t"}, "none": {"flag": None}}


@pytest.mark.parametrize("name", CONCRETE)
def test_concrete_arguments_choose_the_way(name):
    """Check that constants keep their parameters, which are checked."""

    def run(L):
        traced = L.fx.symbolic_trace(three, CONCRETE[name])
        wrong = outcome(lambda L: traced(L.ones(2), True), L).error
        value = CONCRETE[name]["flag"]
        return traced.code, traced(L.ones(2), value), type(wrong), str(wrong)

    both(run)


def test_other_concrete_arguments():
    def run(L):
        traced = L.fx.symbolic_trace(three, {"flag": True, "y": L.fx.PH})
        with pytest.warns(UserWarning, match="Was not able to add assertion to guarantee correct input flag"):
            other = L.fx.symbolic_trace(three, {"flag": object})
        kept = L.fx.symbolic_trace(module(L, lambda self, x, *, k=2: x * k), {"k": 3})
        return traced.code, str(traced.graph), other.code, kept.code, repr(L.fx.PH)

    both(run)


def test_calls_with_side_effects_are_kept():
    def run(L):
        def note(x):
            return None

        graph = L.fx.Graph()
        x = graph.placeholder("x")
        graph.call_function(note, (x,))
        graph.output(x)
        before = str(graph).replace(f"{__name__}.", "")
        kept = L.fx.has_side_effect(note) is note
        return kept, graph.eliminate_dead_code(), before.count("note"), len(list(graph.nodes))

    both(run)


def test_nodes_are_found_in_order_of_creation():
    def run(L):
        graph = L.fx.Graph()
        x = graph.placeholder("x")
        a = graph.call_function(L.relu, (x,))
        with graph.inserting_before(a):
            graph.call_function(L.relu, (x,))
        return [[n.name for n in graph.find_nodes(op="call_function", target=L.relu, sort=s)] for s in (True, False)]

    both(run)


def test_a_tracer_of_ones_own():
    """Check a tracer that overrides `is_leaf_module` and `create_node`."""

    def run(L):
        noted = []

        class Own(L.fx.Tracer):
            def is_leaf_module(self, m, name):
                return isinstance(m, L.nn.Sequential) or super().is_leaf_module(m, name)

            def create_node(self, *args, **kwargs):
                made = super().create_node(*args, **kwargs)
                noted.append((made.op, made.name))
                return made

        return noted, str(Own().trace(program(L)))

    both(run)


def test_a_tracer_that_iterates_in_its_own_way():
    """Check that loops call `Tracer.iter` and that unpacking assignments do not."""

    def run(L):
        class Own(L.fx.Tracer):
            def iter(self, obj):
                return iter([obj[0], obj[1]])

        def f(x):
            a, b = x.chunk(2)
            return [each + a for each in b]

        return str(Own().trace(f))

    both(run)


def helper(x, y):
    return x + y if x.sum() > 0 else y


torch.fx.wrap("helper")
torchlike.fx.wrap("helper")


def test_a_wrapped_function_is_taken_whole():
    def run(L):
        traced = L.fx.symbolic_trace(lambda x: helper(x, x) * 2)
        return str(traced.graph).replace(__name__, "here"), traced(L.ones(2))

    both(run)


def inner(x):
    return x + 1


def outer(x):
    return inner(x) * math.sqrt(x)


TRACED = {
    "a function": lambda L: outer,
    "a module": lambda L: module(L, lambda self, x: outer(x) + inner(x)),
    "a module in a module": lambda L: L.nn.Sequential(module(L, lambda self, x: outer(x))),
    "a function of a module": lambda L: lambda x: textwrap.dedent(x),
}


@pytest.mark.parametrize("name", TRACED)
def test_a_tracer_takes_functions_whole(name):
    """Check that a tracer does not trace into wrapped functions, however traced code calls them.

    The wrapped functions are those passed to the tracer, those of the modules passed to it, and those of `math`.
    """

    def run(L):
        tracer = L.fx.Tracer(autowrap_modules=(math, textwrap), autowrap_functions=(inner,))
        nodes = tracer.trace(TRACED[name](L)).nodes
        return [(n.op, n.name, getattr(n.target, "__name__", n.target), str(n.args)) for n in nodes]

    both(run)
    assert (inner.__name__, math.sqrt(4), textwrap.dedent(" a")) == ("inner", 2.0, "a")


def test_math_is_taken_whole_without_being_asked():
    both(lambda L: str(L.fx.symbolic_trace(lambda x: math.sqrt(x) + 1).graph))


def test_other_threads_call_modules_as_ever():
    L = torchlike
    layer, seen = linear(L), []

    def forward(self, x):
        thread = threading.Thread(target=lambda: seen.append((layer(L.ones(3)), layer.weight)))
        thread.start()
        thread.join()
        return layer(x) + helper(x, x)

    traced = L.fx.symbolic_trace(module(L, forward, layer=layer))
    assert [n.op for n in traced.graph.nodes].count("call_module") == 1
    [(result, weight)] = seen
    assert weight is layer.weight and result.tolist() == layer(L.ones(3)).tolist()


def test_operators_are_their_functions():
    graph = torchlike.fx.symbolic_trace(lambda x: x + 1).graph
    assert [n.target for n in graph.nodes if n.op == "call_function"] == [operator.add]


def test_targets_are_the_public_functions():
    def targets(L):
        def forward(self, x):
            y = L.relu(x) + L.nn.functional.gelu(x)
            return L.nn.functional.relu(L.cat([y, L.sum(y, 1)[None]], 0))

        functions = (L.relu, L.nn.functional.gelu, operator.add, L.sum, L.cat, L.nn.functional.relu)
        nodes = L.fx.symbolic_trace(module(L, forward)).graph.nodes
        now = (L.relu, L.nn.functional.gelu, operator.add, L.sum, L.cat, L.nn.functional.relu)
        called = [node.target for node in nodes if node.op == "call_function"]
        return [
            [[place for place, each in enumerate(known) if same(target, each)] for target in called]
            for known, same in ((now, operator.is_), (now, operator.eq), (functions, operator.eq))
        ]

    both(targets)


LISTS = {
    "einsum": lambda L, x, y: L.einsum("ij,ij->i", [x, y]),
    "einsum of a tuple": lambda L, x, y: L.einsum("ij,ij->i", (x, y)),
    "einsum of torch.functional": lambda L, x, y: L.functional.einsum("ij,ij->i", x, y),
    "meshgrid": lambda L, x, y: L.meshgrid([x[0], y[0]], indexing="ij")[0],
    "atleast": lambda L, x, y: L.atleast_2d([x, y])[0],
    "sizes": lambda L, x, y: L.ones([x.size(0), 2]),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_proxies_reach_variadic_functions(name):
    def traced(L):
        def forward(x, y):
            return LISTS[name](L, x, y)

        graph = L.fx.symbolic_trace(forward)
        again = pickle.loads(pickle.dumps(graph))
        return graph.code.count("getitem"), again(L.ones(2, 3), L.ones(2, 3))

    both(traced)


def _without_parts(L, function):
    graph = L.fx.Graph()
    graph.output(graph.call_function(function, (graph.placeholder("x"),)))
    return L.fx.GraphModule(L.nn.Module(), graph)


class _ByName(torchlike.nn.Module):
    def __init__(self, part):
        super().__init__()
        self.names, self.part = ["part"], part

    def forward(self, x):
        return getattr(self, self.names[0])(x) + 1


def test_a_compiled_graph_module():
    graph, x = _without_parts(torchlike, torchlike.sin), torchlike.ones(2)
    compiled = torchlike.compile(graph, fullgraph=True)
    for _ in range(2):
        torchlike.testing.assert_close(compiled(x), graph(x))
    by_name = torchlike.compile(_ByName(graph), fullgraph=True)
    torchlike.testing.assert_close(by_name(x), (graph(x) + 1))
    call = next(node for node in graph.graph.nodes if node.op == "call_function")
    call.target = torchlike.exp
    graph.recompile()
    torchlike.testing.assert_close(compiled(x), x.exp())
    torchlike.testing.assert_close(by_name(x), (x.exp() + 1))
    graph.graph = _without_parts(torchlike, torchlike.cos).graph
    torchlike.testing.assert_close(compiled(x), x.cos())
