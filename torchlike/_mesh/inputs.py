"""The shardings of the inputs of a compiled call over the mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

import numpy as np
from jax.sharding import NamedSharding

from torchlike._engine import Value, concrete
from torchlike._engine.trace.capture import WholeTrace
from torchlike._engine.xla.layout import MeshExecutable
from torchlike._engine.xla.mesh import GlobalMesh
from torchlike._mesh.spreading import placed


def known(mesh: GlobalMesh, trace: WholeTrace, sources: Sequence[Any]) -> dict[int, NamedSharding]:
    """Return the shardings of state and of batches, by the index of the input.

    The first argument that is a tensor determines the size of the batch.
    """
    storages = placed.storages()
    found = {i: storages[id(s.what)] for i, s in enumerate(sources) if s.kind == "state" and id(s.what) in storages}
    given = [i for i, s in enumerate(sources) if s.kind == "argument" and trace.arrays[i].ndim]
    given = [i for i in given if isinstance(trace.arrays[i], np.ndarray)]
    if given and mesh.takes(size := trace.arrays[given[0]].shape[0]):
        found |= {i: mesh.batch for i in given if trace.arrays[i].shape[0] == size}
    return found


def aligned(values: Sequence[Value], program: MeshExecutable, came: WeakSet[Value]) -> list[Any]:
    """Return the arrays of the inputs that a program does not overwrite, with the program's shardings.

    `came` are the values on the host that were inputs before. They are moved to the mesh at their second use.
    """
    arrays = []
    for value, sharding in zip(values, program.shardings[1]):
        array = concrete(value)
        if array.__class__ is np.ndarray and value not in came:
            came.add(value)
        else:
            value.array = array = program.aligned(array, sharding)
        arrays.append(array)
    return arrays
