"""Nested containers taken apart and put together; what is no container is a leaf, None among them."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

Context = Any
PyTree = Any


@dataclass(frozen=True)
class SequenceKey:
    """A part of a sequence, by its place."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, parent: Any) -> Any:
        """The part of a container."""
        return parent[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """A part of a dictionary, by its key."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, parent: Any) -> Any:
        """The part of a container."""
        return parent[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """A part of an object, by its name."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, parent: Any) -> Any:
        """The part of a container."""
        return getattr(parent, self.name)


class NodeDef(NamedTuple):
    """How containers of one type are taken apart, into parts and a context, and put together."""

    type: Any
    flatten_fn: Callable[[Any], tuple[list, Any]]
    unflatten_fn: Callable[[Iterable, Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list, Any]] | None = None


class TreeSpec:
    """The structure of containers: equal ones take the same leaves."""

    def __init__(self, type: Any, context: Any, children_specs: list[TreeSpec]) -> None:
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_children = len(children_specs)
        self.num_nodes = 1 + sum(c.num_nodes for c in children_specs)
        self.num_leaves = sum(c.num_leaves for c in children_specs)

    def is_leaf(self) -> bool:
        """Whether this is no container."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """The structures of its parts."""
        return list(self.children_specs)

    def unflatten(self, leaves: Iterable) -> Any:
        """The containers with these leaves."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a "
                f"pytree that holds {self.num_leaves} items ({self})."
            )
        return self._take(iter(leaves))

    def _take(self, leaves: Iterator) -> Any:
        if self.is_leaf():
            return next(leaves)
        return SUPPORTED_NODES[self.type].unflatten_fn([c._take(leaves) for c in self.children_specs], self.context)

    def parts(self, tree: Any) -> list:
        """The leaves of another tree, whose structure may go deeper than this one."""
        if self.is_leaf():
            return [tree]
        if kind_of(tree) is not self.type:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        parts, context = SUPPORTED_NODES[self.type].flatten_fn(tree)
        if len(parts) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(parts)}.")
        if context != self.context:
            raise ValueError(f"Node context mismatch for node type {self.type!r}.")
        return [leaf for c, part in zip(self.children_specs, parts) for leaf in c.parts(part)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        mine = (self.type, self.context, self.children_specs)
        return mine == (other.type, other.context, other.children_specs)

    def __hash__(self) -> int:
        return hash((self.type, str(self.context), tuple(self.children_specs)))

    def __repr__(self, indent: int = 0) -> str:
        if self.is_leaf():
            return "*"
        inner = indent + 2
        children = [c.__repr__(inner) for c in self.children_specs]
        text = children[0] if children else ""
        text += "".join(",\n" + " " * inner + child for child in children[1:])
        return f"TreeSpec({self.type.__name__}, {self.context}, [{text}])"


class LeafSpec(TreeSpec):
    """The structure of what is no container."""

    def __init__(self) -> None:
        super().__init__(None, None, [])
        self.num_leaves = 1


def _dict_flatten(d: dict) -> tuple[list, list]:
    return list(d.values()), list(d)


def _dict_unflatten(values: Iterable, context: Any) -> dict:
    return dict(zip(context, values))


SUPPORTED_NODES: dict[Any, NodeDef] = {}


def _dict_flatten_with_keys(d: dict) -> tuple[list, list]:
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


def register_pytree_node(
    cls: Any,
    flatten_fn: Callable,
    unflatten_fn: Callable,
    *,
    flatten_with_keys_fn: Callable | None = None,
    **named: Any,
) -> None:
    """Make a type a container. The names of its serialized form are not used."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


def _by_place(flatten: Callable) -> Callable:
    """How a sequence is taken apart with the places of its parts."""

    def with_keys(tree: Any) -> tuple[list, Any]:
        parts, context = flatten(tree)
        return [(SequenceKey(i), part) for i, part in enumerate(parts)], context

    return with_keys


def _register_sequence(kind: Any, flatten: Callable, unflatten: Callable) -> None:
    register_pytree_node(kind, flatten, unflatten, flatten_with_keys_fn=_by_place(flatten))


def _register_mapping(kind: Any, flatten: Callable, unflatten: Callable) -> None:
    with_keys = lambda d: (_dict_flatten_with_keys(d)[0], flatten(d)[1])
    register_pytree_node(kind, flatten, unflatten, flatten_with_keys_fn=with_keys)


_register_sequence(tuple, lambda t: (list(t), None), lambda parts, _: tuple(parts))
_register_sequence(list, lambda x: (x, None), lambda parts, _: list(parts))
_register_mapping(dict, _dict_flatten, _dict_unflatten)
register_pytree_node(
    namedtuple,
    lambda t: (list(t), type(t)),
    lambda parts, kind: kind._make(parts) if hasattr(kind, "_make") else kind(parts),
    flatten_with_keys_fn=lambda t: ([*zip(map(GetAttrKey, t._fields), t)], type(t)),
)
_register_mapping(OrderedDict, _dict_flatten, lambda parts, keys: OrderedDict(zip(keys, parts)))
_register_mapping(
    defaultdict,
    lambda d: (list(d.values()), [d.default_factory, list(d)]),
    lambda parts, context: defaultdict(context[0], zip(context[1], parts)),
)
_register_sequence(deque, lambda d: (list(d), d.maxlen), lambda parts, most: deque(parts, maxlen=most))


def kind_of(tree: Any) -> Any:
    """The type by which a container is known; None for a leaf."""
    kind = type(tree)
    if kind in SUPPORTED_NODES:
        return kind
    return namedtuple if isinstance(tree, tuple) and hasattr(kind, "_fields") else None


def _get_node_type(tree: Any) -> Any:
    return kind_of(tree) or type(tree)


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, TreeSpec]:
    """The leaves in order, and the structure."""
    leaves: list = []
    return leaves, _flatten(tree, is_leaf, leaves)


def _flatten(tree: Any, is_leaf: Callable[[Any], bool] | None, leaves: list) -> TreeSpec:
    kind = None if is_leaf is not None and is_leaf(tree) else kind_of(tree)
    if kind is None:
        leaves.append(tree)
        return LeafSpec()
    parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten(part, is_leaf, leaves) for part in parts])


def tree_unflatten(leaves: Iterable, treespec: TreeSpec) -> Any:
    """The containers of this structure with these leaves."""
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list:
    """The leaves in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The structure without the leaves."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The same containers, each leaf replaced by what `func` makes of it and of those at its place in other trees."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten([func(*each) for each in zip(leaves, *[spec.parts(rest) for rest in rests])])


def tree_map_(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Call `func` on each leaf, for what it does; returns the tree."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(
    type_or_types_or_pred: Any, func: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """`tree_map` for the leaves of some types, or of which a function says True; the others stay."""
    picks = _test(type_or_types_or_pred)
    return tree_map(lambda x: func(x) if picks(x) else x, tree, is_leaf=is_leaf)


def _test(chosen: Any) -> Callable[[Any], bool]:
    kinds: Any = chosen
    if isinstance(chosen, type) or not callable(chosen):
        return lambda x: isinstance(x, kinds)
    return kinds


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether some leaf is so."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether all leaves are so."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_flatten_with_path(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, TreeSpec]:
    """The leaves, each as (its keys from the outermost container on, itself), and the structure."""
    found = list(_with_paths(tree, is_leaf, ()))
    return found, tree_structure(tree, is_leaf)


def _with_paths(tree: Any, is_leaf: Callable[[Any], bool] | None, path: tuple) -> Iterator:
    kind = None if is_leaf is not None and is_leaf(tree) else kind_of(tree)
    if kind is None:
        yield path, tree
        return
    flatten = SUPPORTED_NODES[kind].flatten_with_keys_fn
    if flatten is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn "
            "argument to register_pytree_node."
        )
    for key, part in flatten(tree)[0]:
        yield from _with_paths(part, is_leaf, (*path, key))


def tree_leaves_with_path(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list:
    """The leaves, each as (its keys, itself)."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """As `tree_map`; `func` is called with the leaf's keys first."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.parts(rest) for rest in rests]
    return spec.unflatten([func(path, leaf, *rest) for (path, leaf), *rest in zip(leaves, *others)])


def keystr(kp: Iterable) -> str:
    """A leaf's keys as they are written behind the outermost container."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Iterable) -> Any:
    """What lies at these keys."""
    for key in kp:
        obj = key.get(obj)
    return obj
