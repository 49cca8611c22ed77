"""The graph that `grad_fn.next_functions` shows, for operators that PyTorch composes of several nodes."""

import pytest
import torch as theirs

import torchlike


def graph(node):
    """Return the names of a node and of the nodes before it, nested."""
    return node and (node.name(), [graph(before) for before, _ in node.next_functions])


CLASSES = [0, 1]
RESULTS = {
    "linear": lambda t, x: t.nn.Linear(3, 2)(x),
    "linear of a row": lambda t, x: t.nn.Linear(3, 2)(x[0]),
    "linear of three dims": lambda t, x: t.nn.Linear(3, 2)(x[None]),
    "linear without bias": lambda t, x: t.nn.Linear(3, 2, bias=False)(x),
    "linear without bias of three dims": lambda t, x: t.nn.Linear(3, 2, bias=False)(x[None]),
    "frozen weight": lambda t, x: t.nn.functional.linear(x, t.ones(2, 3)),
    "cross_entropy": lambda t, x: t.nn.functional.cross_entropy(x, t.tensor(CLASSES)),
    "cross_entropy of images": lambda t, x: t.nn.functional.cross_entropy(x[None, :, None], t.zeros(1, 1, 3).long()),
    "l1_loss": lambda t, x: t.nn.functional.l1_loss(x, t.ones(2, 3)),
    "l1_loss unreduced": lambda t, x: t.nn.functional.l1_loss(x, t.ones(2, 3), reduction="none"),
    "max_pool1d": lambda t, x: t.nn.functional.max_pool1d(x, 2),
    "avg_pool1d": lambda t, x: t.nn.functional.avg_pool1d(x, 2),
    "matmul of three dims": lambda t, x: x[None] @ t.ones(3, 2, requires_grad=True),
    "vector times matrix": lambda t, x: x[0] @ t.ones(3, 2, requires_grad=True),
    "hinge_embedding_loss": lambda t, x: t.nn.functional.hinge_embedding_loss(x, t.ones(2, 3)),
    "margin_ranking_loss": lambda t, x: t.nn.functional.margin_ranking_loss(x, x, t.ones(2, 3), reduction="sum"),
    "trapezoid": lambda t, x: t.trapezoid(x),
}
FULLY_SHOWN = [name for name in RESULTS if not name.startswith(("hinge", "margin", "trapezoid"))]


@pytest.mark.parametrize("name", RESULTS)
def test_node_has_pytorchs_name(name):
    found = [RESULTS[name](t, t.ones(2, 3, requires_grad=True)).grad_fn.name() for t in (torchlike, theirs)]
    assert found[0] == found[1]


@pytest.mark.parametrize("name", FULLY_SHOWN)
def test_graph_is_pytorchs(name):
    found = [graph(RESULTS[name](t, t.ones(2, 3, requires_grad=True)).grad_fn) for t in (torchlike, theirs)]
    assert found[0] == found[1]


def test_inner_node_stays_the_same_object_and_refuses_hooks():
    node = torchlike.nn.Linear(3, 2)(torchlike.ones(2, 3)).grad_fn
    inner = node.next_functions[2][0]
    assert inner is node.next_functions[2][0]
    with pytest.raises(NotImplementedError, match="a hook on TBackward0: this node is part of an operator"):
        inner.register_hook(print)
