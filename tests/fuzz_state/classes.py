"""Pieces of random programs with classes, instances and attributes."""

from tests.fuzz_state.piece import Piece

Piece(
    "instance",
    """
    class C@:
        j = #
        def __init__(self):
            self.k = #
        def m(self):
            return self.k + self.j
    p@ = C@()
    """,
    reads=("p@.k", "p@.j", "p@.m()", "C@.j", "getattr(p@, 'z', 2.0)", "hasattr(p@, 'z') + 1.0"),
    changes=(
        "p@.k = #",
        "p@.j = #",
        "C@.j = #",
        "p@.z = #",
        "p@ = C@()",
        "p@.__dict__['k'] = #",
        "C@.m = lambda s: #",
        "vars(p@).pop('j', None)",
        "C@.k = property(lambda s: #)",
        "p@.m = lambda: #",
    ),
    effects=("p@.k = p@.k + 1.0", "C@.j += 1.0", "setattr(p@, 'n' + '1', 1.0)", "p@.__dict__.update(k=7.0)"),
    shows=("p@.k", "C@.j", "len(vars(p@))"),
)
Piece(
    "class swapped",
    """
    class A@:
        k = #
        def m(self):
            return #
    class B@(A@):
        k = #
        def m(self):
            return #
    p@ = A@()
    """,
    reads=("p@.k", "p@.m()", "isinstance(p@, B@) + 1.0"),
    changes=("p@.__class__ = B@", "p@.__class__ = A@", "B@.k = #"),
    effects=("p@.__class__ = B@",),
    shows=("type(p@).__name__",),
)
Piece(
    "bases",
    """
    class A@:
        k = #
    class B@:
        k = #
    class C@(A@):
        pass
    p@ = C@()
    """,
    reads=("p@.k", "C@.k"),
    changes=("C@.__bases__ = (B@,)", "C@.__bases__ = (A@,)", "B@.k = #"),
    shows=("p@.k",),
)
Piece(
    "slots",
    """
    class C@:
        __slots__ = ('k', '__h')
        def __init__(self):
            self.k, self.__h = #, #
        def m(self):
            return self.__h
        def set(self, v):
            self.__h = v
    p@ = C@()
    """,
    reads=("p@.k", "p@.m()"),
    changes=("p@.k = #", "p@.set(#)", "p@ = C@()"),
    effects=("p@.k += 1.0", "p@.set(p@.m() + 1.0)"),
    shows=("p@.k", "p@.m()"),
)
Piece(
    "property",
    """
    class C@:
        def __init__(self):
            self._k = #
        @property
        def k(self):
            return self._k * 2
        @k.setter
        def k(self, v):
            self._k = v
    p@ = C@()
    """,
    reads=("p@.k",),
    changes=("p@.k = #", "p@._k = #", "C@.k = property(lambda s: #)", "C@.k = #"),
    effects=("p@.k = p@._k + 1.0",),
    shows=("p@._k",),
)
Piece(
    "descriptor",
    """
    class D@:
        def __init__(self):
            self.v = #
        def __get__(self, o, c=None):
            return self.v
        def __set__(self, o, v):
            self.v = v
    class C@:
        k = D@()
    p@ = C@()
    """,
    reads=("p@.k", "C@.k"),
    changes=("p@.k = #", "C@.__dict__['k'].v = #", "D@.__get__ = lambda s, o, c=None: #"),
    effects=("p@.k = p@.k + 1.0",),
    shows=("p@.k",),
)
Piece(
    "metaclass",
    """
    class M@(type):
        k = #
        @property
        def j(cls):
            return cls.k + 1
        def m(cls):
            return cls.k
    class C@(metaclass=M@):
        pass
    p@ = C@
    """,
    reads=("p@.k", "p@.j", "p@.m()", "len(p@.__name__)"),
    changes=("M@.k = #", "p@.k = #", "M@.m = lambda c: #"),
    effects=("M@.k += 1.0", "p@.k = 2.0"),
    shows=("p@.k",),
)
Piece(
    "answers for attributes",
    """
    class C@:
        def __init__(self):
            self.t = {'a': #}
        def __getattr__(self, n):
            if n in self.t:
                return self.t[n]
            raise AttributeError(n)
    p@ = C@()
    """,
    reads=("p@.a", "getattr(p@, 'b', 3.0)"),
    changes=("p@.t['a'] = #", "p@.t['b'] = #", "p@.a = #", "C@.b = #"),
    effects=("p@.t['a'] += 1.0",),
    shows=("p@.t",),
)
Piece(
    "answers for every attribute",
    """
    class C@:
        def __init__(self):
            self.k = #
            self.n = 0
        def __getattribute__(self, n):
            if n == 'k':
                d = object.__getattribute__(self, '__dict__')
                d['n'] += 1
            return object.__getattribute__(self, n)
    p@ = C@()
    """,
    reads=("p@.k",),
    changes=("p@.k = #",),
    shows=("p@.n",),
)
Piece(
    "dataclass",
    """
    @dataclasses.dataclass
    class C@:
        k: float = #
        l: list = dataclasses.field(default_factory=lambda: [1.0])
    p@ = C@()
    """,
    reads=("p@.k", "sum(v for v in dataclasses.astuple(p@) if isinstance(v, float))", "p@.l[0]", "1.0 + (p@ == C@())"),
    changes=("p@.k = #", "p@.l.append(#)", "p@.l[0] = #", "p@ = dataclasses.replace(p@, k=#)"),
    effects=("p@.k += 1.0", "p@.l.append(1.0)"),
    shows=("p@",),
)
Piece(
    "named tuple",
    """
    C@ = collections.namedtuple('C@', 'k l')
    p@ = C@(#, [#])
    """,
    reads=("p@.k", "p@.l[0]", "p@[0]"),
    changes=("p@ = p@._replace(k=#)", "p@.l[0] = #"),
    effects=("p@.l.append(1.0)",),
    shows=("p@",),
)
Piece(
    "enumeration",
    """
    class C@(enum.Enum):
        A = 1
        B = 2
    C@.A.k = #
    p@ = C@.A
    """,
    reads=("C@.A.k", "p@.value", "2.0 if p@ is C@.A else 3.0"),
    changes=("p@ = C@.B", "C@.A.k = #", "p@ = C@(1)"),
    effects=("C@.A.k += 1.0",),
    shows=("C@.A.k", "p@"),
)
Piece(
    "namespace",
    "p@ = types.SimpleNamespace(k=#, l=[#])",
    reads=("p@.k", "p@.l[0]", "getattr(p@, 'z', 2.0)"),
    changes=("p@.k = #", "p@.l[0] = #", "p@.z = #", "del p@.l[1:]", "p@.__dict__.update(k=#)"),
    effects=("p@.k += 1.0", "p@.l.append(1.0)", "p@.n = 1.0"),
    shows=("p@",),
)
Piece(
    "number with attributes",
    """
    class C@(float):
        pass
    p@ = C@(#)
    p@.k = #
    """,
    reads=("p@ * 1.0", "p@.k"),
    changes=("p@.k = #", "p@ = C@(p@)\np@.k = #", "C@.__mul__ = lambda s, o: #"),
    effects=("p@.k += 1.0",),
    shows=("p@.k",),
)
Piece(
    "list with attributes",
    """
    class C@(list):
        j = #
        def total(self):
            return sum(self) + self.j
    p@ = C@([#])
    p@.k = #
    """,
    reads=("p@[0]", "p@.k", "p@.total()", "len(p@)"),
    changes=("p@[0] = #", "p@.k = #", "C@.j = #", "p@.append(#)"),
    effects=("p@.append(1.0)", "p@.k += 1.0"),
    shows=("list(p@)", "p@.k"),
)
Piece(
    "container of its own",
    """
    class C@:
        def __init__(self):
            self.d = [#, #]
        def __len__(self):
            return len(self.d)
        def __getitem__(self, i):
            return self.d[i]
        def __contains__(self, v):
            return v in self.d
        def __iter__(self):
            return iter(self.d)
    p@ = C@()
    """,
    reads=("len(p@)", "p@[0]", "(9.0 in p@) + 1.0", "sum(p@)", "2.0 if p@ else 3.0"),
    changes=("p@.d[0] = #", "p@.d.append(9.0)", "C@.__len__ = lambda s: 0", "C@.__contains__ = lambda s, v: True"),
    effects=("p@.d.append(1.0)",),
    shows=("p@.d",),
)
Piece(
    "abstract class",
    """
    class A@(abc.ABC):
        @abc.abstractmethod
        def m(self):
            pass
    class C@:
        pass
    p@ = C@()
    """,
    reads=("isinstance(p@, A@) + 1.0", "issubclass(C@, A@) + 1.0"),
    changes=("A@.register(C@)",),
    effects=("A@.register(C@)",),
)
Piece(
    "cached property",
    """
    class C@:
        k = #
        @functools.cached_property
        def c(self):
            return self.k + 1.0
    p@ = C@()
    """,
    reads=("p@.c",),
    changes=("p@.k = #", "vars(p@).pop('c', None)", "p@.c = #"),
    shows=("sorted(vars(p@))",),
)
Piece(
    "object that is called",
    """
    class C@:
        def __init__(self):
            self.n = 0
        def __call__(self, v):
            self.n += 1
            return v + self.n
    p@ = C@()
    """,
    reads=("p@(1.0)", "p@.n + 1.0"),
    changes=("p@.n = 5", "C@.__call__ = lambda s, v: #"),
    shows=("p@.n",),
)
