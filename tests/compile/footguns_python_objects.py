"""Less common kinds of Python objects that a compiled function reads or changes."""

import abc
import collections
import enum
import functools
import gc
import types
import warnings
import weakref

from tests.compile.cases import footgun, numbers


@footgun
def an_attribute_of_the_compiled_function(torch, compile):
    @compile
    def f(x):
        return x * f.scale

    f.scale = 2.0
    out = [f(torch.ones(2))]
    f.scale = 3.0
    return numbers(out, f(torch.ones(2)))


@footgun
def an_attribute_of_the_compiled_function_counts(torch, compile):
    @compile
    def f(x):
        f.calls += 1
        return x * f.calls

    f.calls = 0
    return numbers([f(torch.ones(2)) for _ in range(7)], f.calls)


@footgun
def an_attribute_of_another_function(torch, compile):
    def g(x):
        return x * g.scale

    g.scale = 2.0
    f = compile(lambda x: g(x))
    out = [f(torch.ones(2))]
    g.scale = 5.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_global_hook_of_modules(torch, compile):
    from importlib import import_module

    hooks = import_module(f"{torch.__name__}.nn.modules.module")
    layer = torch.nn.Identity()
    f = compile(lambda x: layer(x) * 1)
    out = [f(torch.ones(2))]
    handle = hooks.register_module_forward_hook(lambda module, given, result: result * 5)
    try:
        out.append(f(torch.ones(2)))
    finally:
        handle.remove()
    out.append(f(torch.ones(2)))
    handle = hooks.register_module_forward_pre_hook(lambda module, given: (given[0] * 7,))
    try:
        out.append(f(torch.ones(2)))
    finally:
        handle.remove()
    return numbers(out, f(torch.ones(2)))


@footgun
def a_global_hook_of_a_compiled_module(torch, compile):
    from importlib import import_module

    hooks = import_module(f"{torch.__name__}.nn.modules.module")
    model = compile(torch.nn.Sequential(torch.nn.ReLU()))
    seen = []

    def look(module, given, result):
        if isinstance(module, torch.nn.ReLU):
            seen.append(float(result.sum()))

    out = [model(torch.ones(2))]
    handle = hooks.register_module_forward_hook(look)
    try:
        with warnings.catch_warnings(action="ignore"):  # the hook runs for the compiled module and for the inner one
            out += [model(torch.ones(2)) for _ in range(3)]
    finally:
        handle.remove()
    return numbers(out, seen, model(torch.ones(2)))


@footgun
def an_object_changes_its_class(torch, compile):
    class A:
        def scaled(self, x):
            return x * 2

    class B(A):
        def scaled(self, x):
            return x * 7

    box = A()
    f = compile(lambda x: box.scaled(x))
    out = [f(torch.ones(2))]
    box.__class__ = B
    return numbers(out, f(torch.ones(2)))


@footgun
def a_module_changes_its_class(torch, compile):
    class Twice(torch.nn.Module):
        def forward(self, x):
            return x * 2

    class Thrice(Twice):
        def forward(self, x):
            return x * 3

    model = Twice()
    f = compile(lambda x: model(x))
    out = [f(torch.ones(2))]
    model.__class__ = Thrice
    return numbers(out, f(torch.ones(2)))


@footgun
def an_argument_changes_its_class(torch, compile):
    class A:
        k = 2.0

    class B(A):
        k = 3.0

    box = A()
    f = compile(lambda x, box: x * box.k)
    out = [f(torch.ones(2), box)]
    box.__class__ = B
    return numbers(out, f(torch.ones(2), box))


@footgun
def the_bases_of_a_class_change(torch, compile):
    class A:
        k = 2.0

    class B:
        k = 3.0

    class C(A):
        pass

    box = C()
    f = compile(lambda x: x * box.k)
    out = [f(torch.ones(2))]
    C.__bases__ = (B,)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_weak_reference_dies(torch, compile):
    class Box:
        k = 2.0

    box = Box()
    held = weakref.ref(box)
    f = compile(lambda x: x * (held().k if held() is not None else 9.0))
    out = [f(torch.ones(2))]
    del box
    gc.collect()
    return numbers(out, f(torch.ones(2)))


@footgun
def an_entry_of_a_weak_dictionary_dies(torch, compile):
    class Box:
        k = 2.0

    boxes = [Box(), Box()]
    held = weakref.WeakValueDictionary(enumerate(boxes))
    f = compile(lambda x: x * len(held))
    out = [f(torch.ones(2))]
    boxes.pop()
    gc.collect()
    return numbers(out, f(torch.ones(2)))


@footgun
def a_member_of_a_weak_set_dies(torch, compile):
    class Box:
        k = 2.0

    boxes = [Box(), Box()]
    held = weakref.WeakSet(boxes)
    f = compile(lambda x: x * sum(b.k for b in held))
    out = [f(torch.ones(2))]
    boxes.pop()
    gc.collect()
    return numbers(out, f(torch.ones(2)))


@footgun
def a_cache_is_cleared(torch, compile):
    box = types.SimpleNamespace(k=2.0)

    @functools.cache
    def scale():
        return box.k

    f = compile(lambda x: x * scale())
    out = [f(torch.ones(2))]
    box.k = 5.0
    out.append(f(torch.ones(2)))
    scale.cache_clear()
    return numbers(out, f(torch.ones(2)))


@footgun
def a_cache_is_filled_outside(torch, compile):
    box = types.SimpleNamespace(k=2.0)

    @functools.lru_cache(maxsize=2)
    def scale(i):
        return box.k + i

    f = compile(lambda x: x * scale(1))
    out = [f(torch.ones(2)), f(torch.ones(2))]
    info = scale.cache_info()
    out += [float(info.hits), float(info.misses)]
    scale.cache_clear()
    box.k = 4.0
    scale(1)
    box.k = 6.0
    out.append(f(torch.ones(2)))
    return numbers(out, float(scale.cache_info().hits))


@footgun
def a_cached_property_is_dropped(torch, compile):
    class Box:
        k = 2.0

        @functools.cached_property
        def scale(self):
            return self.k * 10

    box = Box()
    f = compile(lambda x: x * box.scale)
    out = [f(torch.ones(2)), f(torch.ones(2))]
    box.k = 3.0
    out.append(f(torch.ones(2)))
    del box.scale
    return numbers(out, f(torch.ones(2)), "scale" in vars(box))


@footgun
def a_property_is_set_on_a_class_later(torch, compile):
    class Box:
        def __init__(self):
            self.k = 2.0

    box = Box()
    f = compile(lambda x: x * box.k)
    out = [f(torch.ones(2))]
    Box.k = property(lambda self: 8.0)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_way_to_get_attributes_is_set_later(torch, compile):
    class Box:
        def __init__(self):
            self.k = 2.0

    box = Box()
    f = compile(lambda x: x * box.k)
    out = [f(torch.ones(2))]
    Box.__getattribute__ = lambda self, name: 8.0
    out.append(f(torch.ones(2)))
    return numbers(out)


@footgun
def an_operator_is_set_on_a_class_later(torch, compile):
    class Box:
        pass

    box = Box()
    f = compile(lambda x: x * (2.0 if box == 3 else 5.0) * (2.0 if box else 7.0))
    out = [f(torch.ones(2))]
    Box.__eq__ = lambda self, other: True
    out.append(f(torch.ones(2)))
    Box.__bool__ = lambda self: False
    return numbers(out, f(torch.ones(2)))


@footgun
def a_class_is_registered_later(torch, compile):
    class Kind(abc.ABC):
        @abc.abstractmethod
        def asked(self):
            """A method without an implementation."""

    class Box:
        pass

    box = Box()
    f = compile(lambda x: x * (2.0 if isinstance(box, Kind) else 3.0))
    out = [f(torch.ones(2)), f(torch.ones(2))]
    Kind.register(Box)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_class_is_registered_with_a_library_s(torch, compile):
    class Box:
        pass

    box = Box()
    f = compile(lambda x: x * (2.0 if isinstance(box, collections.abc.Sequence) else 3.0))
    out = [f(torch.ones(2)), f(torch.ones(2))]
    collections.abc.Sequence.register(Box)
    return numbers(out, f(torch.ones(2)))


@footgun
def an_implementation_is_registered_later(torch, compile):
    @functools.singledispatch
    def scale(key):
        return 2.0

    f = compile(lambda x: x * scale(1))
    out = [f(torch.ones(2)), f(torch.ones(2))]
    scale.register(int, lambda key: 5.0)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_partial_changes(torch, compile):
    def scaled(x, k):
        return x * k

    part = functools.partial(scaled, k=2.0)
    f = compile(lambda x: part(x))
    out = [f(torch.ones(2))]
    part.keywords["k"] = 3.0
    out.append(f(torch.ones(2)))
    part.__setstate__((scaled, (), {"k": 4.0}, None))
    return numbers(out, f(torch.ones(2)))


@footgun
def an_attribute_of_a_partial(torch, compile):
    part = functools.partial(lambda x: x * part.k)
    part.k = 2.0
    f = compile(lambda x: part(x))
    out = [f(torch.ones(2))]
    part.k = 3.0
    return numbers(out, f(torch.ones(2)))


@footgun
def keys_of_a_dictionary_are_objects(torch, compile):
    class Key:
        def __init__(self, k):
            self.k = k

    table = {Key(2.0): 1}
    f = compile(lambda x: x * sum(key.k for key in table))
    out = [f(torch.ones(2))]
    next(iter(table)).k = 3.0
    return numbers(out, f(torch.ones(2)))


@footgun
def the_order_of_a_dictionary(torch, compile):
    table = {"a": 2.0, "b": 3.0}
    f = compile(lambda x: x * next(iter(table.values())))
    g = compile(lambda x: x * [*table.values()][-1])
    out = [f(torch.ones(2)), g(torch.ones(2))]
    table["a"] = table.pop("a")
    return numbers(out, f(torch.ones(2)), g(torch.ones(2)))


@footgun
def a_deque_turns(torch, compile):
    table = collections.deque([1.0, 2.0, 3.0], maxlen=3)
    f = compile(lambda x: x * table[0])
    out = [f(torch.ones(2))]
    table.rotate(1)
    out.append(f(torch.ones(2)))
    table.append(7.0)
    return numbers(out, f(torch.ones(2)))


@footgun
def a_default_dictionary_is_asked(torch, compile):
    table = collections.defaultdict(lambda: 2.0)
    f = compile(lambda x: x * table["k"])
    out = [f(torch.ones(2)), len(table), f(torch.ones(2))]
    table["k"] = 5.0
    return numbers(out, f(torch.ones(2)), len(table))


@footgun
def the_factory_of_a_default_dictionary(torch, compile):
    table = collections.defaultdict(lambda: 2.0)
    f = compile(lambda x: x * table.default_factory())
    out = [f(torch.ones(2))]
    table.default_factory = lambda: 5.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_chain_of_dictionaries(torch, compile):
    table = collections.ChainMap({"k": 2.0}, {"j": 3.0})
    f = compile(lambda x: x * table["k"] * table["j"])
    out = [f(torch.ones(2))]
    table.maps[1]["j"] = 5.0
    out.append(f(torch.ones(2)))
    table["j"] = 7.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_slot_changes(torch, compile):
    class Box:
        __slots__ = ("k",)

    box = Box()
    box.k = 2.0
    f = compile(lambda x: x * box.k)
    out = [f(torch.ones(2))]
    box.k = 3.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_private_slot_changes(torch, compile):
    class Box:
        __slots__ = ("__k",)

        def __init__(self):
            self.__k = 2.0

        def change(self, k):
            self.__k = k

        def scaled(self, x):
            return x * self.__k

    box = Box()
    f = compile(lambda x: box.scaled(x))
    out = [f(torch.ones(2))]
    box.change(3.0)
    return numbers(out, f(torch.ones(2)))


@footgun
def an_attribute_of_a_metaclass(torch, compile):
    class Meta(type):
        k = 2.0

        @property
        def scale(cls):
            return cls.k * 10

    class Box(metaclass=Meta):
        pass

    f = compile(lambda x: x * Box.k + Box.scale)
    out = [f(torch.ones(2))]
    Meta.k = 3.0
    return numbers(out, f(torch.ones(2)))


@footgun
def a_descriptor_keeps_state(torch, compile):
    class Scale:
        def __init__(self):
            self.kept = 2.0

        def __get__(self, owner, kind=None):
            return self.kept

        def __set__(self, owner, value):
            self.kept = value

    class Box:
        k = Scale()

    box = Box()
    f = compile(lambda x: x * box.k)
    out = [f(torch.ones(2))]
    box.k = 3.0
    return numbers(out, f(torch.ones(2)))


@footgun
def subclasses_are_listed(torch, compile):
    class Base:
        pass

    f = compile(lambda x: x * (1.0 + len(Base.__subclasses__())))
    out = [f(torch.ones(2))]

    class More(Base):
        pass

    return numbers(out, f(torch.ones(2)), More.__name__ == "More")


@footgun
def an_enumeration_s_member_keeps_state(torch, compile):

    class Kind(enum.Enum):
        A = 1

    Kind.A.k = 2.0
    f = compile(lambda x: x * Kind.A.k)
    out = [f(torch.ones(2))]
    Kind.A.k = 3.0
    return numbers(out, f(torch.ones(2)))


@footgun
def code_is_replaced(torch, compile):
    def scale():
        return 2.0

    def other():
        return 3.0

    f = compile(lambda x: x * scale())
    out = [f(torch.ones(2))]
    scale.__code__ = other.__code__
    return numbers(out, f(torch.ones(2)))


@footgun
def the_compiled_function_s_own_code_is_replaced(torch, compile):
    def scaled(x):
        return x * 2.0

    def other(x):
        return x * 3.0

    f = compile(scaled)
    out = [f(torch.ones(2))]
    scaled.__code__ = other.__code__
    return numbers(out, f(torch.ones(2)))
