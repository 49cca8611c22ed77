"""The Python state that a function can reach through the names in its code.

The traversal visits arguments, defaults, closure cells, globals, attributes, containers, modules and optimizers.
Globals and attributes are visited only if their names occur in code. State that a call may depend on is recorded as
guarded locations (`Place` objects, see `places.py`).
"""

from __future__ import annotations

import builtins
import functools
import gc
import importlib.util
import re
import sys
import types
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from operator import attrgetter
from typing import Any

from torchlike._compile import object_kinds
from torchlike._compile.code_names import LOOKING, strings, uses
from torchlike._compile.places import (
    FIXED,
    KEYS,
    LIVE,
    MISSING,
    PLAIN,
    VALUE,
    Place,
    base_of,
    key_text,
    named,
    owner,
)
from torchlike._compile.purity import Refusal
from torchlike._compile.trusted import is_library, is_pure_in_c, is_trusted
from torchlike._sparse import members
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor
from torchlike.nn import Module
from torchlike.nn.modules._hooks import everywhere

# The names of methods of user classes that this library calls.
_CALLED = ("forward", "backward", "setup_context", "vjp", "jvp", "step", "get_lr", "sample", "rsample", "log_prob")
_WORDS = re.compile(r"[^\W\d]\w*")
MOST = 200_000  # the maximum number of elements of a container
MOST_VISITED = 500_000  # the maximum number of visited objects
_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial, staticmethod, classmethod, property)
_function_parts = attrgetter("__code__", "__defaults__", "__kwdefaults__")
_partial_parts = attrgetter("func", "args", "keywords")


class Reach:
    """A traversal from some roots.

    `codes` are the code objects that ran; names in other code are ignored. None includes all code. `is_looked_at` tells
    whether code that computes names of attributes was given an optimizer or a scheduler, and `is_asked` whether a
    method of one was called other than `step` and `zero_grad`.
    """

    def __init__(
        self, codes: set[types.CodeType] | None = None, is_looked_at: bool = True, is_asked: bool = True
    ) -> None:
        self.codes, self._is_looked_at, self._is_asked_of = codes, is_looked_at, is_asked
        self.places: dict[Any, Place] = {}
        self.tensors: dict[int, Tensor] = {}
        self.grads: dict[int, Tensor] = {}  # the gradients of those tensors
        self.sources: dict[int, tuple[Any, str]] = {}  # random number generators, with their states
        self.instances: dict[int, tuple[Any, type, str]] = {}  # instances whose `__class__` can be assigned
        self.classes: dict[int, tuple[type, tuple, str]] = {}  # classes, with their method resolution order
        self.keys: dict[int, tuple[frozenset, str]] = {}  # the attribute names of each object
        self.found_codes: set[types.CodeType] = set()
        self.names: set[str] = {*_CALLED, "__match_args__"}
        self.of_code: set[str] = set()  # those of `names` that occur in code
        self.all_names = False
        self._looking: set[str] = set()  # the names in code that computes names of attributes
        self._seen: dict[int, Any] = {}
        # Dictionaries and the guarded names in them, each with whether its value is visited.
        self._named: dict[int, tuple[Mapping, str, dict[str, bool]]] = {}
        self._objects: dict[int, tuple[Any, str, Mapping]] = {}  # objects whose attributes are visited by name
        self._far: dict[int, tuple[types.ModuleType, str, Mapping]] = {}  # modules reached by computed names
        self._looked = (0, frozenset(), False)  # the objects, `names` and `all_names` at the last visit of attributes
        self._unnamed: set[int] = set()  # dictionaries whose keys are not guarded
        self._bare: set[int] = set()  # dictionaries whose class is not guarded: modules' hooks
        # Optimizers and schedulers, whose steps a replay repeats, with all paths to them.
        self._stepping: dict[int, tuple[Any, list[str]]] = {}
        self.has_whole_steps = False  # whether all of one of them is guarded
        self._todo: deque[tuple[Any, str]] = deque()
        self._later: list[tuple[str | None, Any, str]] = []  # attributes whose names have not occurred in code so far
        self._is_asked = True  # whether the code uses the name of the object being visited
        self._opaque: list[str] = []  # descriptions of objects that the code uses and that cannot be guarded

    def held(self) -> Iterable:
        """Return all visited objects."""
        return self._seen.values()

    def has(self, x: Any) -> bool:
        """Return whether an object was visited."""
        return id(x) in self._seen

    def containers(self) -> set[int]:
        """Return the ids of the visited lists and dictionaries."""
        return {key for key, x in self._seen.items() if isinstance(x, list | dict)}

    # -- traversal -----------------------------------------------------------------------------------------------------

    def walk(self, *roots: tuple[Any, str]) -> Reach:
        """Traverse from the roots until nothing new is found.

        Raises:
          Refusal: code that ran uses an object that cannot be guarded, a container has more than `MOST` elements, or
            more than `MOST_VISITED` objects can be reached.
        """
        self._todo.extend([*object_kinds.random_sources(), *roots])
        collects = gc.isenabled()
        gc.disable()  # nothing is freed meanwhile, and each full collection would visit all objects again
        try:
            while self._todo:
                while self._todo:
                    self._visit(*self._todo.popleft())
                    if len(self._seen) > MOST_VISITED:
                        raise Refusal(f"its code can reach more than {MOST_VISITED:,} objects")
                self._look_up()
        finally:
            if collects:
                gc.enable()
        for key, (names, path, wanted) in self._named.items():
            if wanted:
                self.places["names", key] = named(names, wanted, path)
        for x, path, _ in {**self._far, **self._objects}.values():
            self._note_missing(x, path)
        if self.codes is not None and self._opaque:
            raise Refusal(self._opaque[0])
        return self

    def _look_up(self) -> None:
        """Visit the attributes whose names were found since the last call."""
        before = len(self.names), self.all_names
        known, names, all_names = self._looked
        objects = list(self._objects.values())
        self._looked = len(objects), frozenset(self.names), self.all_names
        known = known if all_names == self.all_names else 0
        fresh = self.names.difference(names)
        for x, path, held in objects[:known] if fresh else ():
            if not fresh.isdisjoint(held):
                self._name(held, path, [name for name in held if name in fresh], x)
        for x, path, held in objects[known:]:
            self._attributes(x, path, held)
        for x, path, held in list(self._far.values()):
            self._name(held, path, self.names.intersection(held), x)
        for x, paths in self._stepping.values():
            read, called = map(self.of_code.intersection, object_kinds.names_of_stepping(type(x)))
            self._name(x.__dict__, paths[0], read, x)
            is_whole = (called and self._is_asked_of) or self._may_look_at(paths)
            if is_whole and ("values", id(x.__dict__)) not in self.places:
                self.has_whole_steps = True
                self._dictionary(x.__dict__, paths[0])
        if before != (len(self.names), self.all_names):
            return self._look_up()
        if not self._todo:
            self._take_later()

    def _may_look_at(self, paths: list[str]) -> bool:
        """Return whether code that computes names of attributes may use an optimizer or a scheduler.

        It does so by a name that leads to the object, or is given the object.
        """
        return self.all_names and (self._is_looked_at or not self._looking.isdisjoint(_WORDS.findall(" ".join(paths))))

    def _take_later(self) -> None:
        """Visit the postponed attributes whose names occur in code, or all postponed attributes if there are none."""
        is_named = lambda name: name is not None and (self.all_names or name in self.names)
        asked = [each for each in self._later if is_named(each[0])]
        self._is_asked = bool(asked)
        self._todo.extend([(x, path) for _, x, path in asked or self._later])
        self._later = [each for each in self._later if not is_named(each[0])] if asked else []

    def _visit(self, x: Any, path: str) -> None:
        cls = type(x)
        if cls in PLAIN:
            return
        if id(x) in self._seen:
            if id(x) in self._stepping:
                self._stepping[id(x)][1].append(path)
            return
        if issubclass(cls, FIXED):
            return self._bound(x, path)
        self._seen[id(x)] = x  # kept alive, so that its id is not reused
        if issubclass(cls, Tensor):
            for member in members(x):
                self._tensor(member, path)
            if cls in TENSOR_TYPES:
                return
        follow = next((follow for types_, follow in _FOLLOW if issubclass(cls, types_)), None)
        if follow is not None:
            follow(self, x, path)
        if not isinstance(x, type) and (follow is None or object_kinds.is_of_python(cls)) and id(x) not in self._bare:
            self._instance(x, path, follow is not None)

    def _bound(self, x: Any, path: str) -> None:
        """Visit the object to which a method implemented in C is bound."""
        if (held := owner(x)) is not None:
            self._todo.append((held, path))
        if getattr(x, "__name__", None) in LOOKING:
            self._look_at_all(x, path)

    def _tensor(self, x: Tensor, path: str) -> None:
        self.tensors[id(x)] = x
        if x._grad is not None:
            self.grads |= {id(member): member for member in members(x._grad)}
        self._dictionary(x.__dict__, path)
        extra = None if x._edge is None else x._edge[0].extra
        if extra is not None:
            for hooks in (extra.pre, extra.post, *extra.tensor.values()):
                self._dictionary(hooks, f"hooks of {path}")

    def _cannot(self, x: Any, path: str, what: str) -> None:
        """Record that an object cannot be guarded, if the code uses its name. Otherwise forget the object."""
        if self._is_asked:
            self._opaque.append(f"it uses `{path}`, {what}")
        else:
            self._seen.pop(id(x), None)  # the code may use it under another name

    # -- containers ----------------------------------------------------------------------------------------------------

    def _several(self, x: Iterable, path: str) -> None:
        self._todo.extend([(y, f"{path}[{i}]") for i, y in enumerate(x)])

    def _sequence(self, x: Any, path: str) -> None:
        base = base_of(x)
        if (size := base.__len__(x)) > MOST:
            raise Refusal(f"{path} is a container of {size:,} elements")
        if type(x) is base:
            place = Place(lambda: x, path, LIVE, x if base is list else None)
        else:
            place = Place(functools.partial(base.__iter__, x), path)
        self.places["items", id(x)] = place
        self._several(place.seen, path)

    def _dictionary(self, x: Mapping, path: str, is_namespace: bool = False) -> None:
        base = base_of(x)
        if (size := base.__len__(x)) > MOST:
            raise Refusal(f"{path} is a dictionary of {size:,} entries")
        if x is sys.modules:  # every object is reachable from it
            return self._cannot(x, path, "the dictionary of all modules")
        keys, values = base.keys(x), base.values(x)
        if size and id(x) not in self._unnamed:
            self._keys(x, keys, path)
        names = tuple(keys) if is_namespace else ()
        self.places["values", id(x)] = Place(lambda: values, path, LIVE, x, names)
        if is_namespace:
            self._later += [(name, y, f"{path}.{name}") for name, y in base.items(x)]
        else:
            self._todo.extend([(y, f"{path}[{key_text(key)}]") for key, y in base.items(x)])
            self._todo.extend([(key, f"a key of {path}") for key in keys if key.__class__ not in PLAIN])
        if isinstance(x, defaultdict):
            self.places["factory", id(x)] = Place(lambda: (x.default_factory,), f"{path}.default_factory")
            self._called(x.default_factory, f"{path}.default_factory")

    def _keys(self, x: Mapping, keys: Iterable, path: str) -> None:
        is_plain = all([key.__class__ is str for key in keys])
        self.places["keys", id(x)] = Place(lambda: keys, path, KEYS if is_plain else LIVE, x)

    def _view(self, x: Any, path: str) -> None:
        self._todo.append((x.mapping, path))

    # -- objects compared by value, and objects without guards ---------------------------------------------------------

    def _value(self, x: Any, path: str) -> None:
        """Add a guard for an object whose contents are compared by value."""
        look, parts = object_kinds.contents(x)
        self.places["value", id(x)] = Place(look, path, VALUE)
        self._several(parts, path)
        if isinstance(x, BaseException):
            self._attributed(x, path)

    def _context(self, x: ContextVar, path: str) -> None:
        """Guard the value of a context variable in the context of the call."""
        place = self.places["context", id(x)] = Place(lambda: (x.get(MISSING),), f"{path}.get()")
        self._todo += [(y, f"{path}.get()") for y in place.seen if y is not MISSING]

    def _source(self, x: Any, path: str) -> None:
        self.sources[id(x)] = object_kinds.random_state(x), path

    def _weak(self, x: Any, path: str) -> None:
        if object_kinds.refers(x):
            self._cannot(x, path, "a weak reference, whose object may be freed")

    def _cached(self, x: Any, path: str) -> None:
        """Guard the cache of a cached user function: its entries and its statistics, except the number of hits."""
        if is_library(x.__module__):  # it only computes, so a cached result is what it would compute
            return self._todo.append((x.__wrapped__, path))
        entries = object_kinds.entries(x)
        if entries is None or len(entries) == x.cache_parameters()["maxsize"]:
            return self._cannot(x, path, "whose cache is full, so a call may evict what another call needs")
        self._todo.append((x.__wrapped__, path))
        self._attributed(x, path)
        self._dictionary(entries, f"the cache of {path}")
        self.places["cache", id(x)] = Place(lambda: x.cache_info()[1:], f"the cache of {path}", VALUE)

    def _links(self, x: Any, path: str) -> None:
        parts = object_kinds.parts(x)
        self._several(parts, path)
        self.names.update(strings(tuple(parts)))
        self.of_code.update(strings(tuple(parts)))
        if isinstance(x, types.MethodWrapperType) and x.__name__ in LOOKING:
            self._look_at_all(x, path)

    def _file(self, x: Any, path: str) -> None:
        if object_kinds.is_read(x):
            self._cannot(x, path, "a file that is open for reading")

    def _stopped(self, x: Any, path: str) -> None:
        self._cannot(x, path, "an iterator created outside")

    def _generator(self, x: types.GeneratorType, path: str) -> None:
        """Guard a generator by its state. Before its first step, and after its last, nothing can be read from it."""
        place = self.places["generator", id(x)] = Place(lambda: (object_kinds.progress(x),), path, VALUE)
        if place.seen[0] not in object_kinds.IDLE:
            self._stopped(x, path)

    # -- code ----------------------------------------------------------------------------------------------------------

    def _wrapper(self, x: Any, path: str) -> None:
        if isinstance(x, types.MethodType):
            self._todo += [(x.__func__, path), (x.__self__, f"{path}.__self__")]
        elif isinstance(x, functools.partial):
            self.places["partial", id(x)] = Place(functools.partial(_partial_parts, x), path)
            self._called(x.func, path)
            self._todo += [(x.args, path), (x.keywords, path)]
        elif isinstance(x, staticmethod | classmethod):
            self._todo.append((x.__func__, path))
        else:
            for function in (x.fget, x.fset, x.fdel):
                self._called(function, path)
        if not isinstance(x, types.MethodType | property):
            self._attributed(x, path)

    def _called(self, function: Any, path: str) -> None:
        """Visit a function that C code calls, and refuse it if it may have side effects.

        The profiling hook does not report such calls.
        """
        if isinstance(function, types.BuiltinFunctionType | type) and not is_pure_in_c(function):
            self._cannot(function, path, "which may have side effects")
        self._todo.append((function, path))

    def _plain_function(self, f: types.FunctionType, path: str) -> None:
        is_ours, runs_ours = not is_trusted(f.__module__), not is_trusted(f.__globals__.get("__name__"))
        self._todo.append((f.__dict__.get("__wrapped__"), path))
        self._todo.extend(object_kinds.behind(f))
        if f in object_kinds.LOOKING_AT_ALL:
            self._look_at_all(f, path)
        if f in object_kinds.ASKED:
            self.places["asked", f] = Place(lambda: (f(),), f"{path}()", VALUE)
        cells = list(zip(f.__closure__ or (), f.__code__.co_freevars))
        if not is_ours:  # in the closure of a library function, only wrapped functions matter
            cells = [
                (c, name) for c, name in cells if any(isinstance(x, _FUNCTIONS) for x in object_kinds.cell_contents(c))
            ]
        for cell, name in cells:
            self._cell(cell, name)
        if not is_ours:
            return
        if f.__dict__ and not runs_ours:  # attributes set by a library's decorator
            self._todo.extend([(x, f"{path}.{name}") for name, x in f.__dict__.items() if not name.startswith("_")])
        self._attributed(f, path)
        self._todo.append((f.__defaults__, path))
        if f.__kwdefaults__:
            self._dictionary(f.__kwdefaults__, path)
        self.places["function", id(f)] = Place(functools.partial(_function_parts, f), path)
        if runs_ours:
            self._code(f.__code__, f.__globals__)

    def _cell(self, cell: Any, name: str) -> None:
        place = self.places["cell", id(cell)] = Place(functools.partial(object_kinds.cell_contents, cell), name)
        self._todo.extend([(y, name) for y in place.seen])

    def _code(self, code: types.CodeType, names: dict) -> None:
        self.found_codes.add(code)
        if self.codes is None or code in self.codes:
            used = uses(code)
            self._name(names, "global", used.globals)
            self._name(vars(builtins), "builtin", used.globals.difference(names))
            self._passed_on([(names.get(name, vars(builtins).get(name)), name) for name in used.passed])
            for level, name in used.imports:
                self._import(level, name, names)
            self.names |= used.names
            self.of_code |= used.names
            self.all_names |= used.all_names
            if used.looks:
                self._looking.update(used.names, code.co_freevars, code.co_cellvars)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant, names)

    def _look_at_all(self, function: Any, path: str) -> None:
        """Note a function that reads attributes whose names are computed.

        `_looking` has the code that calls it by its own name. Under another name, any code may call it.
        """
        self.all_names = True
        self._is_looked_at |= _WORDS.findall(path)[-1:] != [function.__name__]

    def _passed_on(self, functions: list[tuple[Any, str]]) -> None:
        """Refuse functions with side effects that are passed to other code, such as `print` in `map(print, x)`."""
        for function, path in functions:
            if isinstance(function, types.BuiltinFunctionType) and not is_pure_in_c(function):
                self._cannot(function, path, "which may have side effects")

    def _import(self, level: int, name: str, names: dict) -> None:
        """Guard the entries of `sys.modules` that an import within a function reads."""
        if level:
            name = importlib.util.resolve_name("." * level + name, names.get("__package__") or "")
        parts = name.split(".")
        self._name(sys.modules, "module", [".".join(parts[: i + 1]) for i in range(len(parts))])

    # -- names ---------------------------------------------------------------------------------------------------------

    def _name(
        self, names: Mapping, path: str, wanted: Iterable[str], owner: Any = None, is_visited: bool = True
    ) -> None:
        """Guard entries of a dictionary, and visit their values.

        `owner` is the object that has the dictionary as its `__dict__`. It identifies the dictionary, because a class
        returns a new proxy at each access.
        """
        found = self._named.setdefault(id(names if owner is None else owner), (names, path, {}))[2]
        for name in wanted:
            if not found.setdefault(name, False) and is_visited:
                found[name] = True
                if name in names:
                    inner = name if path in ("global", "builtin", "module") else f"{path}.{name}"
                    self._todo.append((names[name], inner))

    def _attributed(self, x: Any, path: str) -> None:
        """Record an object whose attributes are visited by name."""
        if id(x) not in self._objects:
            self._objects[id(x)] = x, path, object_kinds.namespace(x) or {}

    def _attributes(self, x: Any, path: str, held: Mapping) -> None:
        wanted = [n for n in held if self._matters(x, n)]
        if self.all_names and isinstance(x, types.ModuleType):
            far = [n for n in wanted if n not in self.names and isinstance(held[n], types.ModuleType)]
            self._name(held, path, far, x, is_visited=False)
            wanted = [n for n in wanted if n not in far]
            for n in far:
                self._far_module(held[n], f"{path}.{n}")
        if wanted:
            self._name(held, path, wanted, x)
        slots = () if isinstance(x, type | types.ModuleType) else object_kinds.slots(type(x))
        if slots and ("slots", id(x)) not in self.places:
            look, names = functools.partial(object_kinds.slot_items, x, slots), tuple([name for name, _ in slots])
            place = self.places["slots", id(x)] = Place(look, path, names=names)
            self._todo.extend([(y, f"{path}.{n}") for n, y in zip(names, place.seen) if y is not MISSING])

    def _far_module(self, x: types.ModuleType, path: str) -> None:
        """Guard a module that code can only reach from another module, by a name computed at run time.

        All entries are guarded and visited, except modules whose names do not occur in code, which would lead to all of
        a library. The capture refuses code that ran and was not found.
        """
        if id(x) in self._far or is_trusted(x.__name__):
            return
        held = x.__dict__
        self._far[id(x)] = x, path, held
        self._name(held, path, held, x, is_visited=False)
        self._later += [(None, y, f"{path}.{name}") for name, y in held.items() if not isinstance(y, types.ModuleType)]

    def _note_missing(self, x: Any, path: str) -> None:
        """Guard the absence of attributes: an attribute added later may shadow one of the class."""
        held = object_kinds.namespace(x)
        if held is None or (isinstance(x, types.ModuleType) and is_trusted(x.__name__)):
            return
        keys = held.keys()
        self.keys[id(x)] = frozenset(keys), path
        if isinstance(x, type) or self.all_names or not held:
            self.places["attributes", id(x)] = Place(lambda: keys, path, KEYS, held if isinstance(held, dict) else None)
        else:
            missing = frozenset(self.names.difference(keys))
            self.places["missing", id(x)] = Place(lambda: (keys.isdisjoint(missing),), f"{path}.__dict__")

    def _matters(self, x: Any, name: str) -> bool:
        if isinstance(x, type):
            return (
                name in self.names
                or (name.startswith("__") and callable(x.__dict__[name]))
                or (self.all_names and not name.startswith("__"))
            )
        if name in self.names or not self.all_names:
            return name in self.names
        # The thousands of functions and classes of a library are guarded only if their names occur in code.
        is_of_library = isinstance(x, types.ModuleType) and is_trusted(x.__name__)
        return not (is_of_library and isinstance(x.__dict__[name], (*_DEFINED, *FIXED)))

    # -- objects -------------------------------------------------------------------------------------------------------

    def _class(self, cls: type, path: str) -> None:
        if object_kinds.is_seeded_by_the_system(cls):
            self._cannot(cls, path, "whose instances may take entropy from the operating system")
        for what, look in object_kinds.state_behind(cls):
            self.places["of Python", what] = Place(look, what, VALUE)
        self._todo.append((type(cls), path))
        if object_kinds.is_of_python(cls) and not is_trusted(cls.__module__):
            self.classes[id(cls)] = cls, cls.__mro__, path
        for base in cls.__mro__:
            if not is_trusted(base.__module__) or "_generated" in vars(base):  # the class of a module of `torch.fx`
                self._seen[id(base)] = base
                self._attributed(base, path if base is cls else base.__name__)
                self.names.update(base.__dict__.get("__match_args__", ()))

    def _module_object(self, x: types.ModuleType, path: str) -> None:
        if is_library(x.__name__) and (found := object_kinds.settings(x)):
            self.places["settings", id(x)] = Place(lambda: [get() for get in found], path, VALUE)
        self._attributed(x, path)

    def _instance(self, x: Any, path: str, is_known: bool) -> None:
        cls = type(x)
        if not object_kinds.is_seeded_by_the_system(cls):
            self._todo.append((cls, path))
        held = object_kinds.namespace(x)
        if object_kinds.answers_itself(cls):
            self.places["class", id(x)] = Place(lambda: (type(x),), f"{path}.__class__")
        elif object_kinds.is_of_python(cls):
            self.instances[id(x)] = x, cls, path
        if hasattr(cls, "_followed") and is_trusted(cls.__module__):
            for y in x._followed():
                if y is held:
                    self._dictionary(y, path, is_namespace=True)
                else:
                    self._todo.append((y, path))
            if hasattr(cls, "_guarded"):
                self._name(x.__dict__, path, cls._guarded, x)
            elif hasattr(cls, "step"):
                self._stepping[id(x)] = x, [path]
                self._name(x.__dict__, path, ("step", "zero_grad", "optimizer"), x)  # they may be replaced
        elif issubclass(cls, Module):
            self._module(x, path)
        elif is_trusted(cls.__module__) and held is not None and not isinstance(x, types.ModuleType):
            self._kept_by_library(held, path, cls)
        elif held is not None or object_kinds.slots(cls):
            self._attributed(x, path)
            if held:
                self._read_by_bases(x, held, path)
        elif not is_known and (not is_library(cls.__module__) or x is object_kinds.default_rng):
            self._unknown(x, path)

    def _module(self, x: Module, path: str) -> None:
        for held in (x._parameters, x._buffers, x._modules):
            self._unnamed.add(id(held))
        self._bare.update([id(v) for name, v in x.__dict__.items() if "_hooks" in name])
        self._dictionary(x.__dict__, path, is_namespace=True)
        own = [v for name, v in x.__dict__.items() if name in _OF_MODULES]
        self._todo.extend([(v, path) for v in own])
        for name, hooks in vars(everywhere).items():
            if isinstance(hooks, dict):
                self._bare.add(id(hooks))
                self._todo.append((hooks, f"global module hooks {name}"))

    def _kept_by_library(self, held: dict, path: str, cls: type) -> None:
        self._dictionary(held, path, is_namespace=True)
        # Methods of the class may read every entry.
        if not is_library(cls.__module__) and cls is not types.SimpleNamespace:
            self._todo.extend([(y, f"{path}.{name}") for name, y in held.items()])

    def _read_by_bases(self, x: Any, held: dict, path: str) -> None:
        """Guard the attributes that methods of the standard library read, such as `data` of a `UserDict`."""
        names, all_names = object_kinds.names_of_bases(type(x))
        if all_names:
            self._dictionary(held, path, is_namespace=True)
            self._todo.extend([(y, f"{path}.{name}") for name, y in held.items()])
        elif names:
            self._name(held, path, names, x)

    def _unknown(self, x: Any, path: str) -> None:
        if hasattr(type(x), "__next__"):
            self._stopped(x, path)
        elif type(x) is not object and not issubclass(type(x), object_kinds.STATELESS):  # `object()` has no state
            self._cannot(x, path, f"of type {type(x).__name__}, which guards cannot track")


_FOLLOW: tuple[tuple[Any, Callable[[Reach, Any, str], None]], ...] = (
    (object_kinds.WEAK, Reach._weak),
    (types.FunctionType, Reach._plain_function),
    (_FUNCTIONS, Reach._wrapper),
    (object_kinds.CACHED, Reach._cached),
    (type, Reach._class),
    (types.ModuleType, Reach._module_object),
    ((tuple, frozenset), Reach._several),
    ((dict, types.MappingProxyType), Reach._dictionary),
    ((list, set, deque), Reach._sequence),
    (object_kinds.VIEWS, Reach._view),
    (object_kinds.RANDOM, Reach._source),
    (object_kinds.COMPARED, Reach._value),
    (object_kinds.LINKS, Reach._links),
    (ContextVar, Reach._context),
    (types.GeneratorType, Reach._generator),
    (object_kinds.FILES, Reach._file),
    (object_kinds.OPAQUE, Reach._unknown),
)
_DEFINED = (types.FunctionType, type, types.ModuleType)
_OF_MODULES = frozenset(vars(Module()))
