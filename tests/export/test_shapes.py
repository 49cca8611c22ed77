"""Varying dims by tensor and dataclasses as inputs, compared with PyTorch's."""

import dataclasses

from tests.oracle import both


def test_shapes_by_tensor():
    def program(L):
        x = L.ones(4, 2)
        shapes = L.export.ShapesCollection()
        shapes[x] = {0: L.export.Dim("batch")}
        layer = L.nn.Linear(2, 3)
        exported = L.export.export(layer, (x,), dynamic_shapes=shapes)
        refused = []
        for given in (3, x):
            try:
                shapes[given] = {0: None}
            except AssertionError as e:
                refused.append(str(e)[:30])
        return len(shapes), list(shapes.dynamic_shapes(layer, (x,))), exported.module()(L.ones(7, 2)).shape, refused

    both(program)


def test_dataclasses():
    def program(L):
        @dataclasses.dataclass
        class Pair:
            a: object
            b: object = None

        L.export.register_dataclass(Pair)

        class Sum(L.nn.Module):
            def forward(self, pair):
                return pair.a + 1

        exported = L.export.export(Sum(), (Pair(L.ones(2)),))
        return exported.module()(Pair(L.zeros(2)))

    both(program)
