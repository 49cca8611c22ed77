"""Passes over graphs, compared with PyTorch's. A generator makes random programs."""

import importlib
import random

import pytest

from tests.oracle import both


def load(L, name):
    return importlib.import_module(f"{L.__name__}.fx.passes.{name}")


def random_program(L, seed):
    """Build a module with calls of functions, methods, modules and operators, and with nested results."""
    steps = [random.Random(seed).random() for _ in range(40)]

    class Program(L.nn.Module):
        def __init__(self):
            super().__init__()
            L.manual_seed(seed)
            self.layers = L.nn.ModuleList(L.nn.Linear(3, 3) for _ in range(2))
            self.act, self.w = L.nn.Tanh(), L.nn.Parameter(L.ones(3))
            self.register_buffer("shift", L.full((3,), 0.5))

        def forward(self, x, y):
            made, draws = [x, y], iter(steps)
            for _ in range(8):
                a, b = (made[int(next(draws) * len(made))] for _ in range(2))
                made.append(CALLS[int(next(draws) * len(CALLS))](L, self, a, b))
            return made[-1], {"sum": made[-2] + made[-3], "parts": [made[-4], 2]}

    return Program()


CALLS = (
    lambda L, m, a, b: a + b,
    lambda L, m, a, b: a * 0.5 - b,
    lambda L, m, a, b: L.relu(a),
    lambda L, m, a, b: a.sin().clamp(min=-0.5),
    lambda L, m, a, b: L.cat([a, b], dim=0).chunk(2)[1],
    lambda L, m, a, b: m.layers[0](a),
    lambda L, m, a, b: m.act(m.layers[1](b)),
    lambda L, m, a, b: a * m.w + m.shift,
    lambda L, m, a, b: L.where(a > b, a, b)[0:2],
)


def inputs(L):
    return L.arange(6.0).reshape(2, 3) - 2, L.ones(2, 3)


def shown(module):
    return (
        module.code,
        str(module.graph),
        [(name, part.code) for name, part in module.named_children() if part_of(part)],
    )


def texts(module):
    return module.code, str(module.graph)


def part_of(part):
    return hasattr(part, "graph")


OPTIONS = (
    {},
    {"keep_original_order": True},
    {"keep_original_node_name": True},
    {"keep_original_input_name": False},
    {"partition_affix": "part", "tuple_return": True},
)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: next(iter(o), "none"))
def test_a_random_program_is_split(seed, options):
    def run(L):
        traced = L.fx.symbolic_trace(random_program(L, seed))
        size = random.Random(seed).randint(1, 4)
        places = {node.name: i // size for i, node in enumerate(traced.graph.nodes)}
        names = {}
        split = load(L, "split_module").split_module(traced, traced, lambda n: places[n.name], names, **options)
        return shown(split), names, split(*inputs(L)), traced(*inputs(L))

    both(run)


@pytest.mark.parametrize("seed", range(12))
def test_a_random_program_has_the_same_shapes(seed):
    def run(L):
        traced = L.fx.symbolic_trace(random_program(L, seed))
        result = load(L, "shape_prop").ShapeProp(traced).propagate(*inputs(L))
        return described(result), [
            (n.name, n.meta["type"].__name__, described(n.meta.get("tensor_meta"))) for n in traced.graph.nodes
        ]

    both(run)


def described(meta):
    """Return metadata, or a result, with plain containers."""
    if hasattr(meta, "_fields"):
        kept = str(meta.memory_format)
        return (
            tuple(meta.shape),
            str(meta.dtype),
            meta.requires_grad,
            meta.stride,
            kept,
            meta.is_quantized,
            meta.qparams,
        )
    if isinstance(meta, dict):
        return {key: described(each) for key, each in meta.items()}
    return [described(each) for each in meta] if isinstance(meta, tuple | list) else meta


def test_shapes_of_images_have_a_memory_format():
    def run(L):
        traced = L.fx.symbolic_trace(lambda x: (x.to(memory_format=L.channels_last), x.transpose(0, 1)))
        load(L, "shape_prop").ShapeProp(traced).propagate(L.ones(2, 3, 4, 5))
        return [described(n.meta["tensor_meta"]) for n in traced.graph.nodes]

    both(run)


def test_a_node_that_fails_is_named():
    def run(L):
        try:
            return load(L, "shape_prop").ShapeProp(L.fx.symbolic_trace(lambda x: x.reshape(7))).propagate(L.ones(2))
        except RuntimeError as e:
            return str(e).splitlines()[0]

    both(run)


def test_a_cycle_of_parts_is_refused():
    def run(L):
        traced = L.fx.symbolic_trace(lambda x: L.relu(x).sin().cos())
        return load(L, "split_module").split_module(traced, traced, lambda n: n.name == "sin")

    both(run)


# --- managers of passes -----------------------------------------------------------------------------------------------


def named(L, name, log, result=None):
    def one(module):
        log.append(name)
        if result == "raise":
            raise ValueError(name)
        return load(L, "infra.pass_base").PassResult(module, result) if result is not None else None

    one.__name__ = name
    return one


def managed(L, log, kinds, constrained=(), **options):
    manager = load(L, "infra.pass_manager")
    passes = [named(L, name, log, result) for name, result in kinds]
    rules = [manager.this_before_that_pass_constraint(passes[a], passes[b]) for a, b in constrained]
    made = manager.PassManager(passes, rules, **options)
    made.add_checks(lambda module: log.append("check"))
    return made


MANAGED = {
    "in order": ([("a", True), ("b", False)], (), {}),
    "twice": ([("a", True)], (), {"steps": 2, "run_checks_after_each_pass": True}),
    "until unchanged": ([("a", False)], (), {"steps": 3}),
    "sorted": ([("a", True), ("b", True), ("c", False), ("d", True)], ((3, 0), (1, 0), (3, 1)), {}),
    "no result": ([("a", True), ("b", None)], (), {}),
    "an error": ([("a", True), ("b", "raise")], (), {}),
}


@pytest.mark.parametrize("name", MANAGED)
def test_passes_are_managed(name):
    def run(L):
        log = []
        kinds, constrained, options = MANAGED[name]
        made = managed(L, log, kinds, constrained, **options)
        try:
            return made(L.fx.symbolic_trace(lambda x: x + 1)).modified, log
        except Exception as e:
            return str(e), type(e.__cause__).__name__, str(e.__cause__), log

    both(run)


def test_errors_of_the_pass_manager():
    def run(L):
        errors = []
        made = managed(L, [], [("a", True), ("b", True)], ((0, 1), (1, 0)))
        for call in (lambda: made(None), made.validate_constraints, lambda: made.add_checks(lambda: None)):
            try:
                call()
            except Exception as e:
                errors.append((type(e).__name__, str(e).partition("<")[0]))
        return errors, load(L, "infra.pass_manager").pass_result_wrapper(None)

    both(run)


def test_a_pass_checks_before_and_after():
    def run(L):
        base, log = load(L, "infra.pass_base"), []

        class Own(base.PassBase):
            def requires(self, graph_module):
                log.append("requires")

            def call(self, graph_module):
                log.append("call")
                return base.PassResult(graph_module, False)

            def ensures(self, graph_module):
                log.append("ensures")

        traced = L.fx.symbolic_trace(lambda x: x + 1)
        wrapped = load(L, "infra.pass_manager").pass_result_wrapper(lambda module: None)(traced)
        return Own()(traced).modified, log, wrapped.modified, wrapped.graph_module is traced

    both(run)


# --- support of operators ---------------------------------------------------------------------------------------------

SUPPORTED = (
    lambda L, s: s.OperatorSupport(),
    lambda L, s: s.OperatorSupport({"torch.relu": None, "sin": None, "torch.nn.modules.linear.Linear": None}),
    lambda L, s: s.OperatorSupport({"torch.relu": (((L.float64,),), {}), "_operator.add": (((L.float32,),), {})}),
    lambda L, s: s.OperatorSupport({"torch.cat": (((L.float32,),), {"dim": (L.int64,)})}),
    lambda L, s: s.OpSupports.decline_if_input_dtype(L.float32),
    lambda L, s: s.OpSupports.decline_if_node_in_names({"relu"}),
    lambda L, s: s.chain(s.OperatorSupport(), s.create_op_support(lambda modules, node: node.op == "output")),
    lambda L, s: s.any_chain(s.OperatorSupport({"sin": None}), s.create_op_support(lambda m, n: n.name == "add")),
    lambda L, s: s.any_chain(),
    lambda L, s: s.chain(),
)


@pytest.mark.parametrize("make", SUPPORTED)
def test_support_of_operators(make):
    def run(L):
        class Program(L.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = L.nn.Linear(3, 3)

            def forward(self, x):
                return L.cat([L.relu(x) + x.sin(), self.layer(x)], dim=0)

        traced = L.fx.symbolic_trace(Program())
        load(L, "shape_prop").ShapeProp(traced).propagate(L.ones(2, 3))
        modules, support = dict(traced.named_modules()), make(L, load(L, "operator_support"))
        calls = [node for node in traced.graph.nodes if node.op.startswith("call")]
        names = [load(L, "tools_common").get_node_target(modules, node) for node in calls]
        return names, [support.is_node_supported(modules, node) for node in traced.graph.nodes]

    both(run)
