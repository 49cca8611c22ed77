"""Graphs built and modified by hand, compared with PyTorch's."""

import operator

import pytest

import torchlike
from tests.oracle import both


def graph_of(L):
    """Build a graph that computes relu(x + y) and applies the module `act` to it."""
    graph = L.fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y", L.Tensor, 2.0)
    total = graph.call_function(L.add, (x, y))
    first = graph.call_method("relu", (total,))
    second = graph.call_module("act", (first,), {})
    graph.output((second, first))
    return graph, (x, y, total, first, second)


def shown(graph):
    return [(n.op, n.name, str(n.args), str(dict(n.kwargs)), [u.name for u in n.users]) for n in graph.nodes]


def replace_uses(L, graph, nodes):
    total = nodes[2]
    with graph.inserting_after(total):
        new = graph.call_function(L.mul, (total, 2))
    users = total.replace_all_uses_with(new, lambda user: user is not new)
    return [n.name for n in users], str(graph)


def insert_before(L, graph, nodes):
    with graph.inserting_before(nodes[2]):
        a = graph.call_method("exp", (nodes[0],))
        b = graph.call_method("exp", (a,))
    nodes[2].update_arg(0, b)
    nodes[2].update_kwarg("alpha", 2)
    nodes[3].insert_arg(1, 3)
    return str(graph), nodes[2].prev.name, nodes[2].next.name, nodes[0] < nodes[2]


def move(L, graph, nodes):
    nodes[0].prepend(nodes[1])
    nodes[2].replace_input_with(nodes[0], nodes[1])
    return str(graph), [n.name for n in nodes[2].all_input_nodes]


def dead(L, graph, nodes):
    made = L.fx.GraphModule({"act": L.nn.ReLU()}, graph)
    with graph.inserting_before(nodes[2]):
        graph.call_method("exp", (nodes[0],))
        graph.call_method("add_", (nodes[0], 1))
        for function in (operator.setitem, L.rand, L.randn_like, L.relu, setattr, L._assert):
            graph.call_function(function, (nodes[0], 0, 1))
    return made.graph.eliminate_dead_code(), str(graph), graph.eliminate_dead_code()


def copied(L, graph, nodes):
    other = L.fx.Graph()
    kept = {nodes[0]: other.placeholder("z")}
    result = other.graph_copy(graph, kept)
    other.output(result)
    return str(other), [n.name for n in graph.find_nodes(op="placeholder")], graph.output_node().name


def owned(L, graph, nodes):
    made = L.fx.GraphModule({"act": L.nn.Tanh()}, graph, "Named")
    x = L.ones(2)
    out = made(x, x), made(x)
    with graph.inserting_before(nodes[4]):
        nodes[4].replace_all_uses_with(graph.call_method("neg", (nodes[3],)))
    graph.erase_node(nodes[4])
    made.recompile()
    made.delete_all_unused_submodules()
    graph.lint()
    return out, made(x), type(made).__name__, made.code, str(made), [n for n, _ in made.named_children()]


@pytest.mark.parametrize("change", [replace_uses, insert_before, move, dead, copied, owned])
def test_a_change(change):
    def run(L):
        graph, nodes = graph_of(L)
        return change(L, graph, nodes), shown(graph)

    both(run)


def test_a_pattern_is_replaced_wherever_it_is():
    def run(L):
        def f(x, w1, w2):
            a = L.cat([w1, w2]).sum()
            b = L.cat([w2, w1]).sum()
            return x + a + b

        traced = L.fx.symbolic_trace(f)
        found = L.fx.replace_pattern(traced, lambda a, b: L.cat([a, b]).sum(), lambda a, b: L.stack([a, b]).max())
        return len(found), traced(L.ones(2), L.ones(2), L.full((2,), 3.0)), traced.code.count("stack")

    both(run)


def test_an_interpreter_of_ones_own():
    def run(L):
        traced = L.fx.symbolic_trace(lambda x: L.sigmoid(x).neg() + 1)

        class Swapped(L.fx.Interpreter):
            def call_method(self, target, args, kwargs):
                return super().call_method("abs" if target == "neg" else target, args, kwargs)

        class Changed(L.fx.Transformer):
            def call_method(self, target, args, kwargs):
                return super().call_method("abs" if target == "neg" else target, args, kwargs)

        return Swapped(traced).run(L.ones(2)), Changed(traced).transform()(L.ones(2))

    both(run)


def test_lint_finds_what_is_used_before_it_is_made():
    graph, nodes = graph_of(torchlike)
    nodes[2].append(nodes[0])
    with pytest.raises(RuntimeError, match="was used before it has been defined"):
        graph.lint()
    graph, _ = graph_of(torchlike)
    graph.owning_module = torchlike.nn.Module()
    with pytest.raises(RuntimeError, match="nonexistent target act"):
        graph.lint()
