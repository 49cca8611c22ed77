"""Options of `Graph.python_code` and `GraphModule.print_readable`, compared with PyTorch."""

import itertools

import pytest
import torch

import torchlike

SIN = 'File "a.py", line 3, in f\n    x = torch.sin(y)\n'
DEEP = '  File "/x/a.py", line 1, in g\n    f(x)\n  File "/x/b.py", line 9, in <module>\n    x = torch.cos(y)\n'
STACKS = {
    "none": [None, None],
    "one": [SIN, SIN],
    "changing": [SIN, DEEP, None, "odd", DEEP],
    "without a line": ['File "a.py", line 3, in f', DEEP + 'File "c.py", line 3, in f'],
}
METAS = {
    "nothing": lambda L: {},
    "tensor": lambda L: {"val": L.ones(2, 3).t()},
    "parameter": lambda L: {"val": L.nn.Parameter(L.ones(()))},
    "on meta": lambda L: {"val": L.ones(2, 0, device="meta", dtype=L.bfloat16)},
    "example": lambda L: {"example_value": L.ones(2, dtype=L.bool)},
    "number": lambda L: {"val": 3, "example_value": L.ones(2)},
    "custom": lambda L: {"custom": {"a": 1}, "seq_nr": 7, "ac_graph_id": 3, "u": [1]},
    "graph id": lambda L: {"ac_graph_id": 0, "custom": {}},
}
FLAGS = ("verbose", "include_stride", "include_device", "colored", "expanded_def")
OPTIONS = [dict(zip(FLAGS, flags)) for flags in itertools.product([True, False], repeat=len(FLAGS))]


def graph(L, stacks, meta=None):
    """Return a chain of calls with the given stacks and metadata."""
    made = L.fx.Graph()
    last = made.placeholder("input", type_expr=int)
    for stack in stacks:
        last = made.call_function(L.add, (last, 3), {"alpha": 2.5}, type_expr=L.Tensor)
        last.meta.update(meta or {}, **({"stack_trace": stack} if stack else {}))
    made.output({"a": (last, [1, None]), "b": L.float32}, type_expr=dict)
    return made


@pytest.mark.parametrize("meta", METAS.values(), ids=METAS)
@pytest.mark.parametrize("stacks", STACKS.values(), ids=STACKS)
def test_options(stacks, meta):
    for options in OPTIONS:
        due, got = (
            graph(L, stacks, meta(L)).python_code("self", additional_meta=["seq_nr", "none", "u"], **options).src
            for L in (torch, torchlike)
        )
        assert got == due


@pytest.mark.parametrize(
    "name",
    [
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "bool",
        "complex64",
        "complex128",
        "uint16",
        "uint32",
        "uint64",
    ],
)
def test_names_of_dtypes(name):
    due, got = (
        graph(L, [None], {"val": L.empty(2, dtype=getattr(L, name))}).python_code("self", verbose=True).src
        for L in (torch, torchlike)
    )
    assert got == due


def modules(L):
    inner = L.fx.GraphModule(L.nn.Module(), graph(L, [SIN, None, DEEP], {"seq_nr": 1}))
    outer = L.fx.Graph()
    outer.output(outer.call_module("inner", (outer.placeholder("x"),)))
    nested = L.fx.GraphModule({"inner": inner, "other.one": inner}, outer)
    empty = L.fx.GraphModule(L.nn.Module(), L.fx.Graph())
    return inner, nested, empty


def test_readable_modules(capsys):
    for options in OPTIONS[: len(OPTIONS) // 2]:  # they are always verbose
        options = {**options, "additional_meta": ["seq_nr"]}
        del options["verbose"]
        for theirs, ours in zip(*(modules(L) for L in (torch, torchlike))):
            due, got = theirs.print_readable(False, **options), ours.print_readable(False, **options)
            assert got == due
    assert not capsys.readouterr().out
    ours.print_readable()
    assert "class GraphModule" in capsys.readouterr().out


def test_shapes_of_a_traced_function():
    texts = []
    for L in (torch, torchlike):
        from_ = __import__(f"{L.__name__}.fx.experimental.proxy_tensor", fromlist=["make_fx"])
        traced = from_.make_fx(lambda x, y: (x.sin() + y, x * 2 == y))(L.ones(2, 3), L.ones(()))
        texts.append(traced.print_readable(False))
    assert texts[0] == texts[1]


def test_profiled_nodes_are_refused():
    with pytest.raises(NotImplementedError, match="record_func"):
        graph(torchlike, [None]).python_code("self", record_func=True)
