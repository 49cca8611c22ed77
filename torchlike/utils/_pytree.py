"""Pytrees: flattening, unflattening and mapping of nested containers.

Every object that is not a registered container is a leaf. None is a leaf too.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from torchlike import return_types

Context = Any
PyTree = Any


@dataclass(frozen=True)
class SequenceKey:
    """The index of a child in a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, parent: Any) -> Any:
        """Return the child of `parent` at this key."""
        return parent[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """The key of a child in a mapping."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, parent: Any) -> Any:
        """Return the child of `parent` at this key."""
        return parent[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The name of the attribute that holds a child of an object."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, parent: Any) -> Any:
        """Return the child of `parent` at this key."""
        return getattr(parent, self.name)


class NodeDef(NamedTuple):
    """The registered functions of a container type.

    `flatten_fn` splits a container into its children and a context. `unflatten_fn` rebuilds the container from them.
    """

    type: Any
    flatten_fn: Callable[[Any], tuple[list, Any]]
    unflatten_fn: Callable[[Iterable, Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list, Any]] | None = None


class TreeSpec:
    """The structure of a pytree without its leaves."""

    def __init__(self, type: Any, context: Any, children_specs: list[TreeSpec]) -> None:
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_children = len(children_specs)
        self.num_nodes = 1 + sum(c.num_nodes for c in children_specs)
        self.num_leaves = sum(c.num_leaves for c in children_specs)

    def is_leaf(self) -> bool:
        """Return whether this is the structure of a leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """Return the structures of the children."""
        return list(self.children_specs)

    def unflatten(self, leaves: Iterable) -> Any:
        """Return the pytree with this structure and the given leaves."""
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
        """Split `tree` at the leaves of this structure and return the subtrees in order.

        The structure of `tree` may be deeper than this structure. Raise `ValueError` if it does not match.
        """
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
    """The structure of a leaf."""

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
    """Register a container type as a pytree node.

    Args:
        cls: the type.
        flatten_fn: a function that maps a container to (list of children, context).
        unflatten_fn: a function that maps (children, context) to a container.
        flatten_with_keys_fn: like `flatten_fn`, but with (key, child) pairs in place of the children.
        named: PyTorch's other options, which name the type in serialized trees. They are ignored.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


def _by_place(flatten: Callable) -> Callable:
    """Return a variant of `flatten` that returns (index key, child) pairs."""

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

for _kind in return_types.all_return_types:
    _register_sequence(_kind, lambda t: (list(t), None), lambda parts, _, kind=_kind: kind(parts))


def kind_of(tree: Any) -> Any:
    """Return the type under which a container is registered, or None for a leaf."""
    kind = type(tree)
    if kind in SUPPORTED_NODES:
        return kind
    return namedtuple if isinstance(tree, tuple) and hasattr(kind, "_fields") else None


def _get_node_type(tree: Any) -> Any:
    return kind_of(tree) or type(tree)


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, TreeSpec]:
    """Return the list of leaves and the structure of a pytree.

    Args:
        tree: the pytree.
        is_leaf: a predicate. A subtree for which it returns True is a leaf.
    """
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
    """Return the pytree with the given structure and leaves.

    >>> import torchlike as torch
    >>> leaves, spec = torch.utils._pytree.tree_flatten({"a": 1, "b": [2, 3]})
    >>> torch.utils._pytree.tree_unflatten([-x for x in leaves], spec)
    {'a': -1, 'b': [-2, -3]}
    """
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list:
    """Return the list of leaves of a pytree."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """Return the structure of a pytree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Apply `func` to each leaf and return a pytree of the results.

    Args:
      func (callable): a function of a leaf.
      tree: the pytree: nested tuples, lists, dicts and registered containers.
      *rests: more pytrees. `func` also receives the corresponding subtree of each of these.
      is_leaf (callable, optional): `is_leaf(node) -> bool`. A node for which it is true is a leaf.

    >>> import torchlike as torch
    >>> torch.utils._pytree.tree_map(lambda x: x + 1, {"a": 1, "b": [2, 3]})
    {'a': 2, 'b': [3, 4]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten([func(*each) for each in zip(leaves, *[spec.parts(rest) for rest in rests])])


def tree_map_(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Call `func` on each leaf for its side effects and return the original pytree."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(
    type_or_types_or_pred: Any, func: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Apply `func` to the leaves of the given types, or to those that satisfy a predicate. Keep the other leaves."""
    picks = _test(type_or_types_or_pred)
    return tree_map(lambda x: func(x) if picks(x) else x, tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, func: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Call `func` on the leaves of `tree_map_only` for its side effects and return the original pytree."""
    tree_map_only(type_or_types_or_pred, func, tree, is_leaf)
    return tree


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable], Callable]:
    """Return a decorator for functions of a leaf: they return leaves that are not of the given types unchanged."""
    picks = _test(type_or_types_or_pred)
    return lambda func: lambda x: func(x) if picks(x) else x


def _test(chosen: Any) -> Callable[[Any], bool]:
    kinds: Any = chosen
    if isinstance(chosen, type) or not callable(chosen):
        return lambda x: isinstance(x, kinds)
    return kinds


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Return whether `pred` is true for any leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Return whether `pred` is true for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any_only(
    type_or_types: Any,
    /,
    pred: Callable[[Any], bool],
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> bool:
    """Return whether `pred` is true for any leaf of the given types."""
    return any(pred(x) for x in tree_leaves(tree, is_leaf) if isinstance(x, type_or_types))


def tree_all_only(
    type_or_types: Any,
    /,
    pred: Callable[[Any], bool],
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> bool:
    """Return whether `pred` is true for all leaves of the given types."""
    return all(pred(x) for x in tree_leaves(tree, is_leaf) if isinstance(x, type_or_types))


def tree_iter(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Iterator:
    """Iterate over the leaves."""
    return iter(tree_leaves(tree, is_leaf))


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list:
    """Return the leaves of the arguments of a call: of the positional ones, then of the others."""
    return [*tree_leaves(args), *tree_leaves(kwargs)]


def is_namedtuple_class(cls: type) -> bool:
    """Return whether a class was made by `namedtuple` or derives from such a class."""
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def is_namedtuple(obj: Any) -> bool:
    """Return whether an object is a named tuple or the class of one."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_instance(obj: Any) -> bool:
    """Return whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


def tree_flatten_with_path(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, TreeSpec]:
    """Return the list of (key path, leaf) pairs and the structure of a pytree.

    A key path is a tuple of keys that starts at the outermost container.
    """
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
    """Return the list of (key path, leaf) pairs of a pytree."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Like `tree_map`, but pass the key path of the leaf as the first argument of `func`."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.parts(rest) for rest in rests]
    return spec.unflatten([func(path, leaf, *rest) for (path, leaf), *rest in zip(leaves, *others)])


def keystr(kp: Iterable) -> str:
    """Return a key path as a Python expression relative to the outermost container, such as "[0].name"."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Iterable) -> Any:
    """Return the object at a key path of a pytree."""
    for key in kp:
        obj = key.get(obj)
    return obj
