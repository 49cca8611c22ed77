"""The table of rules, and the description of a call that a rule reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torchlike import Tensor
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard, _StridedShard

REPLICATE, SUM, AVG = Replicate(), Partial("sum"), Partial("avg")


class Way(NamedTuple):
    """One way to run an operator along one dim of a mesh.

    `outputs` has the placement of each result, or one placement for all results. `inputs` has the placement of each
    tensor argument.
    """

    outputs: tuple[Placement, ...]
    inputs: tuple[Placement, ...]


def way(output: Placement, *inputs: Placement) -> Way:
    """Return a way with one placement for all results."""
    return Way((output,), inputs)


@dataclass
class Call:
    """A call of an operator with distributed tensors.

    Attributes:
      name: the public name of the operator, without the underscore of in-place operators.
      func: the public function.
      args, kwargs: the arguments, with the distributed tensors.
      mesh: the mesh.
      tensors: all tensor arguments, in order. The plain tensors among them are replicated.
      shapes: their global shapes.
      in_place: whether the operator writes to its first argument.
      out_shapes: the global shapes of the results.
      placed: the placements of each tensor, when the ways are asked for.
      free: the indices of tensors whose redistribution counts as free.
    """

    name: str
    func: Callable
    args: tuple
    kwargs: dict[str, Any]
    mesh: DeviceMesh
    tensors: list[Tensor]
    in_place: bool = False
    out_shapes: list[tuple[int, ...]] = field(default_factory=list)
    placed: Sequence[Sequence[Placement]] = ()
    free: set[int] = field(default_factory=set)
    shapes: list[tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self.shapes = [tuple(tensor.shape) for tensor in self.tensors]

    def given(self, place: int, name: str, default: Any = None) -> Any:
        """Return an argument that is given by position or by name."""
        if len(self.args) > place:
            return self.args[place]
        return self.kwargs.get(name, default)

    def dim(self, place: int, name: str = "dim", default: int | None = None, ndim: int | None = None) -> int | None:
        """Return a dim among the arguments as a nonnegative number."""
        dim, n = self.given(place, name, default), len(self.shapes[0]) if ndim is None else ndim
        return dim % n if isinstance(dim, int) and n else dim

    @property
    def replicated(self) -> Way:
        """The way that every operator has: all tensors are replicated."""
        return Way((REPLICATE,), (REPLICATE,) * len(self.tensors))


# ways(call, placements of the tensors along this mesh dim, number of processes along it) -> the ways to run the call
Ways = Callable[[Call, Sequence[Placement], int], list[Way]]
# steps(call, placements of each tensor) -> one way for each dim of the mesh
Steps = Callable[[Call, Sequence[Sequence[Placement]]], list[Way]]
# local(call, args, kwargs, steps) -> the result on local tensors. `steps` are the chosen ways, one for each mesh dim.
Local = Callable[[Call, tuple, dict, Sequence[Way]], Any]


@dataclass(frozen=True)
class Rule:
    """The rule of an operator.

    Attributes:
      ways: the ways to run it along one dim of the mesh, if the dims are independent of each other.
      steps: the ways along all dims of the mesh, if they are not.
      local: the function of local tensors, if it is not the operator itself.
      always: whether the ways may shard tensors although no input is sharded.
      uneven: whether an input whose dim is shorter than the mesh dim may stay sharded.
      moves: whether an in-place call changes the dims of its tensor.
    """

    ways: Ways | None = None
    local: Local | None = None
    uneven: bool = False
    steps: Steps | None = None
    always: bool = False
    moves: bool = False


ROWS: dict[str, Rule] = {}


def row(*names: str, **properties: Any) -> None:
    """Declare the rule of operators. The properties are those of `Rule`."""
    for name in names:
        ROWS[name] = Rule(**properties)


COMPOSED: dict[str, Callable] = {}  # functions that are made of distributed operators


def composed(*names: str) -> Callable[[Callable], Callable]:
    """Declare that a function is made of distributed operators, by the decorated function."""

    def keep(function: Callable) -> Callable:
        COMPOSED.update(dict.fromkeys(names, function))
        return function

    return keep


def shifted(placement: Placement, dim: int) -> Placement:
    """Return a sharded placement along another dim."""
    if isinstance(placement, _StridedShard):
        return _StridedShard(dim, split_factor=placement.split_factor)
    return Shard(dim)
