"""Common subexpression elimination and the protocol of passes, compared with PyTorch's, also on random graphs."""

import importlib
import operator
import random

import pytest

import torchlike
from tests.oracle import both


def passes(L, name):
    return importlib.import_module(f"{L.__name__}.fx.passes.{name}")


def cse(L, module, **options):
    return passes(L, "dialect.common.cse_pass").CSEPass(**options)(module)


def test_requires_and_ensures():
    def run(L):
        base, seen = passes(L, "infra.pass_base"), []

        class Checked(base.PassBase):
            def requires(self, graph_module):
                seen.append("requires")

            def call(self, graph_module):
                seen.append("call")

            def ensures(self, graph_module):
                seen.append("ensures")

        result = base.PassResult(1, True)
        return Checked()(None), seen, result, result._fields, isinstance(result, tuple)

    both(run)


def test_call_is_abstract():
    both(lambda L: passes(L, "infra.pass_base").PassBase())


def arguments(L):
    """Return a module of calls whose arguments are equal, or nearly so."""
    graph = L.fx.Graph()
    x, p, q = graph.placeholder("x"), graph.get_attr("p"), graph.get_attr("p")
    calls = [graph.call_function(operator.add, (p, other)) for other in (1, 1.0, True, 2, "1", None, [3], [3.0])]
    calls += [graph.call_function(L.cat, given, {"dim": 0}) for given in (([p, q],), ([p, p],), ((p, q),), ([p, q],))]
    calls += [graph.call_function(dict, (), given) for given in ({"a": {"b": x}}, {"a": {"b": x}}, {"a": {"c": x}})]
    calls += [graph.call_function(L.add, (x,), given) for given in ({"alpha": 1, "other": 2}, {"other": 2, "alpha": 1})]
    calls += [graph.call_function(operator.add, (x, float("nan"))) for _ in range(2)]
    calls += [graph.call_function(L.rand, (3,)) for _ in range(2)] + [
        graph.call_method("relu_", (x,)) for _ in range(2)
    ]
    calls[1].meta["tag"], calls[3].meta["tag"] = 1, 3
    graph.output(calls)
    return L.fx.GraphModule({"p": L.ones(2)}, graph)


@pytest.mark.parametrize("banned", [None, "rand", "relu_", "add"])
def test_arguments(banned):
    def run(L):
        module = arguments(L)
        options = {"banned_ops": {getattr(L, banned)}} if banned else {}
        made, modified = cse(L, module, **options)
        tags = [(n.name, n.meta["tag"]) for n in made.graph.nodes if "tag" in n.meta]
        return str(made.graph), modified, made is module, type(made).__name__, tags, len(module.graph.nodes)

    both(run)


def test_equal_hashes():
    """PyTorch keeps the fourth call: it compares calls with equal flattened arguments with the first of them only."""
    graph = torchlike.fx.Graph()
    x = graph.placeholder("x")
    graph.output([graph.call_function(operator.add, (x, each)) for each in (None, [None], (None,), [None])])
    made = cse(torchlike, torchlike.fx.GraphModule({}, graph)).graph_module
    assert str(made.graph.output_node().args[0]) == "[add, add_1, add_2, add_1]"


def test_nothing_to_merge():
    def run(L):
        module = L.fx.symbolic_trace(lambda x: (x + 1, 1 + x))
        made, modified = cse(L, module)
        return made is module, modified

    both(run)


def test_slices():
    def run(L):
        return cse(L, L.fx.symbolic_trace(lambda x: x[1:] + x[1:]))

    both(run)


class Random:
    """A function of random calls of functions, methods and modules, over tensors and containers of them.

    The same seed gives the same calls in both libraries.
    """

    FUNCTIONS = ("sin", "relu", "tanh", "sigmoid", "neg", "square")
    PAIRS = (operator.add, operator.mul, operator.sub)

    def __init__(self, L, seed):
        self.L, self.sample = L, random.Random(seed)

    def module(self):
        L, sample = self.L, self.sample

        class Net(L.nn.Module):
            def __init__(net):
                super().__init__()
                net.act, net.inner = L.nn.Tanh(), L.nn.Sequential(L.nn.Softplus(), L.nn.Dropout())
                net.weight = L.nn.Parameter(L.linspace(-1, 1, 3))

            def forward(net, x, y):
                values = [x, y, net.weight]
                for _ in range(sample.randint(5, 25)):
                    values.append(self.value(net, values))
                return {"last": values[-1], "some": tuple(sample.choices(values, k=3))}

        return Net().eval()

    def value(self, net, values):
        L, sample = self.L, self.sample
        x, y = sample.choice(values), sample.choice(values)
        kind = sample.choice(("function", "method", "pair", "scalar", "module", "stack", "where"))
        if kind == "function":
            return getattr(L, sample.choice(self.FUNCTIONS))(x)
        if kind == "method":
            return getattr(x, sample.choice(self.FUNCTIONS))()
        if kind == "pair":
            return sample.choice(self.PAIRS)(x, y)
        if kind == "scalar":
            return L.add(x, sample.choice((1, 1.0, 2)), alpha=sample.choice((1, 2)))
        if kind == "module":
            return sample.choice((net.act, net.inner))(x)
        if kind == "stack":
            return L.stack([x, y], dim=0)[sample.randint(0, 1)]
        return L.where(x > 0, x, y)


def optimized(L, module):
    without = importlib.import_module(f"{L.__name__}.fx.experimental.optimization").remove_dropout(module)
    merged = cse(L, without).graph_module
    changed = L.fx.Transformer(merged).transform()
    changed.graph.eliminate_dead_code()
    changed.recompile()
    return without, merged, changed


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs(seed):
    def run(L):
        traced = L.fx.symbolic_trace(Random(L, seed).module())
        x, y = L.tensor([-1.0, 0.5, 2.0]), L.tensor([0.25, -3.0, 1.0])
        modules = (traced, *optimized(L, traced))
        return [(str(each.graph), each.code, each(x, y)) for each in modules]

    both(run, rtol=1e-5, atol=1e-5)
