"""Replacement of patterns, passes that sort and order, and the metadata of new nodes, compared with PyTorch's."""

import importlib

import pytest

from tests.oracle import both


def load(L, name):
    return importlib.import_module(f"{L.__name__}.fx.{name}")


PATTERNS = {
    "overlapping": (
        lambda L: lambda x: L.relu(L.relu(L.relu(x))),
        lambda L: lambda x: L.relu(L.relu(x)),
        lambda L: lambda x: L.sigmoid(x),
    ),
    "chain": (lambda L: lambda x: L.relu(L.relu(x)), lambda L: lambda x: L.relu(x), lambda L: lambda x: L.tanh(x) + 1),
    "two results": (
        lambda L: lambda x: (x + 1).sin() * (x - 1),
        lambda L: lambda x: (x + 1, x - 1),
        lambda L: lambda x: (x * 2, x * 3),
    ),
    "inner result used": (
        lambda L: lambda x: x.relu().sin() + x.relu(),
        lambda L: lambda x: x.relu().sin(),
        lambda L: lambda x: x.cos(),
    ),
    "literals": (
        lambda L: lambda x: x.clamp(0, 6) + x.clamp(1, 2),
        lambda L: lambda x: x.clamp(0, 6),
        lambda L: lambda x: x.relu(),
    ),
    "literal placeholders": (
        lambda L: lambda x: x.clamp(0, 6) + x.clamp(1, 2),
        lambda L: lambda x, a, b: x.clamp(a, b),
        lambda L: lambda x, a, b: (x - a) * b,
    ),
    "one node for two": (
        lambda L: lambda x: L.add(x, x) + L.add(x, x.sin()),
        lambda L: lambda x, y: L.add(x, y),
        lambda L: lambda x, y: L.mul(x, y),
    ),
    "unused result": (
        lambda L: lambda x: (x.relu(), x)[1],
        lambda L: lambda x: x.relu(),
        lambda L: lambda x: x.sin(),
    ),
}


@pytest.mark.parametrize("ignore_literals", [False, True])
@pytest.mark.parametrize("name", PATTERNS)
def test_replaced_patterns(name, ignore_literals):
    def program(L):
        given, pattern, replacement = (each(L) for each in PATTERNS[name])
        traced = L.fx.symbolic_trace(given)
        found = load(L, "subgraph_rewriter").replace_pattern_with_filters(
            traced, pattern, replacement, ignore_literals=ignore_literals
        )
        traced.graph.lint()
        shown = [(str(each.anchor), list(map(str, each.replacements))) for each in found]
        return traced.code, shown, traced(L.ones(2))

    both(program)


def test_replaced_modules():
    def program(L):
        def layers(*kinds):
            class Layers(L.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.linear, self.act = L.nn.Linear(2, 2), kinds[0]()
                    self.weight = L.nn.Parameter(L.ones(2))

                def forward(self, x):
                    return self.act(self.linear(x)) + self.weight

            return L.fx.symbolic_trace(Layers())

        given = layers(L.nn.ReLU)
        found = load(L, "subgraph_rewriter").replace_pattern_with_filters(
            given, layers(L.nn.ReLU), lambda x: x * 2, [lambda match, graph, pattern: len(match.nodes_map) == 5]
        )
        return len(found), given.code, [name for name, _ in given.named_children()]

    both(program)


def test_compared_graphs():
    def program(L):
        graphs = [L.fx.symbolic_trace(lambda x, n=n: x.relu() + n).graph for n in (1, 2, 1)]
        compare = load(L, "passes.utils.common").compare_graphs
        return [compare(graphs[0], each) for each in graphs]

    both(program)


@pytest.mark.parametrize("name", ["legalize_graph", "stable_topological_sort"])
def test_sorted_graphs(name):
    def program(L):
        traced = L.fx.symbolic_trace(lambda x, y: L.relu(x).sin() + L.cos(y) * x.sum())
        nodes = {node.name: node for node in traced.graph.nodes}
        nodes["x"].append(nodes["mul"])
        nodes["x"].append(nodes["add"])
        getattr(load(L, "passes.tools_common"), name)(traced)
        traced.graph.lint()
        return traced.code

    both(program)


def test_metadata_of_new_nodes():
    def program(L):
        class Layers(L.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear, self.more = L.nn.Linear(2, 2), L.nn.Sequential(L.nn.Linear(2, 2), L.nn.ReLU())

            def forward(self, x):
                return self.more(self.linear(self.linear(x))).relu()

        traced = L.fx.symbolic_trace(Layers())
        stacks = [list(node.meta.get("nn_module_stack", {}).items()) for node in traced.graph.nodes]
        for node in traced.graph.nodes:
            node.meta["custom"], node.meta["other"] = {"name": node.name}, 1
        made = L.fx.Transformer(traced).transform().graph.nodes
        kept = [(node.meta.get("custom"), "other" in node.meta, "nn_module_stack" in node.meta) for node in made]
        return [[(key, path) for key, (path, _) in stack] for stack in stacks], kept

    both(program)


def test_pass_manager():
    def program(L):
        passes = load(L, "passes.pass_manager")

        def more(n):
            return n + 1

        def times(n):
            return n * 10

        first = passes.these_before_those_pass_constraint(more, times)
        good = passes.PassManager([passes.loop_pass(more, 2), passes.log_hook(times)], [first])(1)
        bad = passes.PassManager([times, passes.loop_pass(more, predicate=lambda n: n < 50)], [first])
        try:
            return bad(1)
        except RuntimeError as e:
            return good, str(e).partition("<")[0]

    both(program)


def test_sizes_of_nodes():
    def program(L):
        traced = L.fx.symbolic_trace(L.nn.Sequential(L.nn.Linear(4, 3), L.nn.ReLU()))
        load(L, "passes.graph_manipulation").get_size_of_all_nodes(traced, [L.ones(2, 4)])
        return [tuple(node.size_bytes) for node in traced.graph.nodes if node.op != "output"]

    both(program)


CHANGES = (lambda x: x.append(1), lambda x: x.__setitem__(0, 1), lambda x: x.pop(), lambda x: x.__delitem__(0))


@pytest.mark.parametrize("place", range(len(CHANGES)))
@pytest.mark.parametrize("kind", ["immutable_list", "immutable_dict"])
def test_immutable_collections(kind, place):
    def program(L):
        made = getattr(load(L, "immutable_collections"), kind)([(0, 2)])
        doubled = importlib.import_module(f"{L.__name__}.utils._pytree").tree_map(lambda x: x * 2, made)
        try:
            CHANGES[place](made)
        except (TypeError, AttributeError) as e:
            return type(e), str(e), made == type(made)([(0, 2)]), type(doubled).__name__, list(doubled)

    both(program)
