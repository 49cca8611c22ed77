"""Copies of graph modules: their classes, what they share with the original, and what they keep."""

import copy
import pickle

import pytest

from tests.oracle import both


def traced(L, kind=None):
    """Return a graph module with a tensor of each sort, a submodule that it does not use, hooks and metadata."""

    class Shift(L.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("short", L.ones(2), persistent=False)
            self.plain = L.ones(2)

        def forward(self, x):
            return x + self.short * self.plain

    class Program(L.nn.Module):
        def __init__(self):
            super().__init__()
            self.shift, self.linear = Shift(), L.nn.Linear(2, 2)
            self.scale, self.own = L.nn.Parameter(L.ones(2)), L.ones(2)

        def forward(self, x):
            return self.shift(self.linear(x)) * self.scale + self.own + L.zeros(2) + self.own

    root = Program()
    made = (kind or L.fx.GraphModule)(root, L.fx.Tracer().trace(root), "Named")
    made.unused, made.note = L.nn.Linear(1, 1), 3
    made.meta |= {"k": [1], "_user_preserved_attributes": {"kept": 5}}
    made.register_forward_hook(lambda *_: None)
    made.register_state_dict_post_hook(print)
    return made.eval()


def described(m):
    names = [sorted(name for name in vars(m) if not name.startswith("_")), *map(list, (m._modules, m._buffers))]
    kinds = [c.__name__ for c in type(m).__mro__], type(m).__qualname__, type(m).__module__
    hooks = len(m._forward_hooks), len(m._state_dict_hooks)
    return names, sorted(m.state_dict()), kinds, hooks, m.training, m.meta, m.code.split(), m.shape_env


def test_a_class_of_its_own_whose_forward_can_be_replaced():
    def run(L):
        m = traced(L)
        type(m).forward = lambda self, x: x
        kept = "forward" in vars(L.fx.GraphModule), float(m(L.ones(())))
        m.recompile()
        return described(m), kept, m(L.ones(2)).shape, "GraphModuleImpl" in str(type(m))

    both(run)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("is_subclass", [False, True])
def test_copies(duplicate, is_subclass):
    def run(L):
        m = traced(L, type("Mine", (L.fx.GraphModule,), {}) if is_subclass else None)
        m.requires_grad_(False)
        other = duplicate(m)
        shared = [other.linear is m.linear, other.scale is m.scale, other.own is m.own]
        shared += [other.graph is m.graph, other.meta is m.meta]
        other.linear.weight.zero_()
        return described(other), described(m), shared, m.linear.weight.abs().sum() > 0

    both(run)


def test_a_module_that_is_held_twice_is_copied_once():
    def run(L):
        m = traced(L)
        first, second, graph = copy.deepcopy([m, m, m.graph])
        return first is second, graph is first.graph

    both(run)


def test_an_unpickled_module_has_the_default_name():
    def run(L):
        m = L.fx.symbolic_trace(L.nn.Linear(2, 2))
        return type(pickle.loads(pickle.dumps(m))).__name__

    both(run)
