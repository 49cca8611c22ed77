"""Pieces: classes, instances, attributes, functions, modules of layers."""

from tests.fuzz_state.piece import Piece

Piece("instance", "class C@:\n    j = #\n    def __init__(self):\n        self.k = #\n    def m(self):\n        "
      "return self.k + self.j\np@ = C@()",
      ("p@.k", "p@.j", "p@.m()", "C@.j", "getattr(p@, 'z', 2.0)", "hasattr(p@, 'z') + 1.0"),
      ("p@.k = #", "p@.j = #", "C@.j = #", "p@.z = #", "p@ = C@()", "p@.__dict__['k'] = #", "C@.m = lambda s: #",
       "vars(p@).pop('j', None)", "C@.k = property(lambda s: #)", "p@.m = lambda: #"),
      ("p@.k = p@.k + 1.0", "C@.j += 1.0", "setattr(p@, 'n' + '1', 1.0)", "p@.__dict__.update(k=7.0)"),
      ("p@.k", "C@.j", "len(vars(p@))"))  # fmt: skip
Piece("class swapped", "class A@:\n    k = #\n    def m(self):\n        return #\nclass B@(A@):\n    k = #\n    def m(self):"
      "\n        return #\np@ = A@()", ("p@.k", "p@.m()", "isinstance(p@, B@) + 1.0"),
      ("p@.__class__ = B@", "p@.__class__ = A@", "B@.k = #"), ("p@.__class__ = B@",), ("type(p@).__name__",))  # fmt: skip
Piece("bases", "class A@:\n    k = #\nclass B@:\n    k = #\nclass C@(A@):\n    pass\np@ = C@()", ("p@.k", "C@.k"),
      ("C@.__bases__ = (B@,)", "C@.__bases__ = (A@,)", "B@.k = #"), (), ("p@.k",))  # fmt: skip
Piece("slots", "class C@:\n    __slots__ = ('k', '__h')\n    def __init__(self):\n        self.k, self.__h = #, #\n    "
      "def m(self):\n        return self.__h\n    def set(self, v):\n        self.__h = v\np@ = C@()",
      ("p@.k", "p@.m()"), ("p@.k = #", "p@.set(#)", "p@ = C@()"), ("p@.k += 1.0", "p@.set(p@.m() + 1.0)"),
      ("p@.k", "p@.m()"))  # fmt: skip
Piece("property", "class C@:\n    def __init__(self):\n        self._k = #\n    @property\n    def k(self):\n        return "
      "self._k * 2\n    @k.setter\n    def k(self, v):\n        self._k = v\np@ = C@()", ("p@.k",),
      ("p@.k = #", "p@._k = #", "C@.k = property(lambda s: #)", "C@.k = #"), ("p@.k = p@._k + 1.0",), ("p@._k",))  # fmt: skip
Piece("descriptor", "class D@:\n    def __init__(self):\n        self.v = #\n    def __get__(self, o, c=None):\n        "
      "return self.v\n    def __set__(self, o, v):\n        self.v = v\nclass C@:\n    k = D@()\np@ = C@()", ("p@.k", "C@.k"),
      ("p@.k = #", "C@.__dict__['k'].v = #", "D@.__get__ = lambda s, o, c=None: #"), ("p@.k = p@.k + 1.0",), ("p@.k",))  # fmt: skip
Piece("metaclass", "class M@(type):\n    k = #\n    @property\n    def j(cls):\n        return cls.k + 1\n    def m(cls):\n"
      "        return cls.k\nclass C@(metaclass=M@):\n    pass\np@ = C@", ("p@.k", "p@.j", "p@.m()", "len(p@.__name__)"),
      ("M@.k = #", "p@.k = #", "M@.m = lambda c: #"), ("M@.k += 1.0", "p@.k = 2.0"), ("p@.k",))  # fmt: skip
Piece("answers for attributes", "class C@:\n    def __init__(self):\n        self.t = {'a': #}\n    def __getattr__(self, n):"
      "\n        if n in self.t:\n            return self.t[n]\n        raise AttributeError(n)\np@ = C@()",
      ("p@.a", "getattr(p@, 'b', 3.0)"), ("p@.t['a'] = #", "p@.t['b'] = #", "p@.a = #", "C@.b = #"), ("p@.t['a'] += 1.0",),
      ("p@.t",))  # fmt: skip
Piece("answers for every attribute", "class C@:\n    def __init__(self):\n        self.k = #\n        self.n = 0\n    "
      "def __getattribute__(self, n):\n        if n == 'k':\n            d = object.__getattribute__(self, '__dict__')\n"
      "            d['n'] += 1\n        return object.__getattribute__(self, n)\np@ = C@()", ("p@.k",), ("p@.k = #",), (),
      ("p@.n",))  # fmt: skip
Piece("dataclass", "@dataclasses.dataclass\nclass C@:\n    k: float = #\n    l: list = dataclasses.field(default_factory="
      "lambda: [1.0])\np@ = C@()", ("p@.k", "sum(v for v in dataclasses.astuple(p@) if isinstance(v, float))", "p@.l[0]",
      "1.0 + (p@ == C@())"), ("p@.k = #", "p@.l.append(#)", "p@.l[0] = #", "p@ = dataclasses.replace(p@, k=#)"),
      ("p@.k += 1.0", "p@.l.append(1.0)"), ("p@",))  # fmt: skip
Piece("named tuple", "C@ = collections.namedtuple('C@', 'k l')\np@ = C@(#, [#])", ("p@.k", "p@.l[0]", "p@[0]"),
      ("p@ = p@._replace(k=#)", "p@.l[0] = #"), ("p@.l.append(1.0)",), ("p@",))  # fmt: skip
Piece("enumeration", "class C@(enum.Enum):\n    A = 1\n    B = 2\nC@.A.k = #\np@ = C@.A",
      ("C@.A.k", "p@.value", "2.0 if p@ is C@.A else 3.0"), ("p@ = C@.B", "C@.A.k = #", "p@ = C@(1)"), ("C@.A.k += 1.0",),
      ("C@.A.k", "p@"))  # fmt: skip
Piece("namespace", "p@ = types.SimpleNamespace(k=#, l=[#])", ("p@.k", "p@.l[0]", "getattr(p@, 'z', 2.0)"),
      ("p@.k = #", "p@.l[0] = #", "p@.z = #", "del p@.l[1:]", "p@.__dict__.update(k=#)"), ("p@.k += 1.0", "p@.l.append(1.0)",
      "p@.n = 1.0"), ("p@",))  # fmt: skip
Piece("number with attributes", "class C@(float):\n    pass\np@ = C@(#)\np@.k = #", ("p@ * 1.0", "p@.k"),
      ("p@.k = #", "p@ = C@(p@)\np@.k = #", "C@.__mul__ = lambda s, o: #"), ("p@.k += 1.0",), ("p@.k",))  # fmt: skip
Piece("list with attributes", "class C@(list):\n    j = #\n    def total(self):\n        return sum(self) + self.j\np@ = "
      "C@([#])\np@.k = #", ("p@[0]", "p@.k", "p@.total()", "len(p@)"), ("p@[0] = #", "p@.k = #", "C@.j = #", "p@.append(#)"),
      ("p@.append(1.0)", "p@.k += 1.0"), ("list(p@)", "p@.k"))  # fmt: skip
Piece("container of its own", "class C@:\n    def __init__(self):\n        self.d = [#, #]\n    def __len__(self):\n        "
      "return len(self.d)\n    def __getitem__(self, i):\n        return self.d[i]\n    def __contains__(self, v):\n        "
      "return v in self.d\n    def __iter__(self):\n        return iter(self.d)\np@ = C@()",
      ("len(p@)", "p@[0]", "(9.0 in p@) + 1.0", "sum(p@)", "2.0 if p@ else 3.0"), ("p@.d[0] = #", "p@.d.append(9.0)",
      "C@.__len__ = lambda s: 0", "C@.__contains__ = lambda s, v: True"), ("p@.d.append(1.0)",), ("p@.d",))  # fmt: skip
Piece("abstract class", "class A@(abc.ABC):\n    @abc.abstractmethod\n    def m(self):\n        pass\nclass C@:\n    pass\n"
      "p@ = C@()", ("isinstance(p@, A@) + 1.0", "issubclass(C@, A@) + 1.0"), ("A@.register(C@)",), ("A@.register(C@)",))  # fmt: skip
Piece("cached property", "class C@:\n    k = #\n    @functools.cached_property\n    def c(self):\n        return self.k + 1.0\n"
      "p@ = C@()", ("p@.c",), ("p@.k = #", "vars(p@).pop('c', None)", "p@.c = #"), (), ("sorted(vars(p@))",))  # fmt: skip
Piece("object that is called", "class C@:\n    def __init__(self):\n        self.n = 0\n    def __call__(self, v):\n        "
      "self.n += 1\n        return v + self.n\np@ = C@()", ("p@(1.0)", "p@.n + 1.0"), ("p@.n = 5", "C@.__call__ = lambda s, v: #"),
      (), ("p@.n",))  # fmt: skip

# -- functions ---------------------------------------------------------------------------------------------------------

Piece("function with attributes", "def p@():\n    return p@.k\np@.k = #", ("p@()", "p@.k", "getattr(p@, 'z', 2.0)"),
      ("p@.k = #", "p@.z = #", "p@ = lambda: #", "p@.__code__ = (lambda: 2.5).__code__"), ("p@.k = 9.0",),
      ("getattr(p@, 'k', None)",))  # fmt: skip
Piece("default arguments", "def p@(v=[#], *, w={'a': #}):\n    return v[0] + w['a']", ("p@()", "p@([1.0])", "p@(w={'a': 1})"),
      ("p@.__defaults__[0][0] = #", "p@.__kwdefaults__['w']['a'] = #", "p@.__defaults__ = ([#],)",
       "p@.__kwdefaults__ = {'w': {'a': #}}"), ("p@.__defaults__[0].append(1.0)", "p@.__defaults__[0][0] += 1.0"),
      ("p@.__defaults__", "p@.__kwdefaults__"))  # fmt: skip
Piece("closure", "def make@():\n    n = #\n    def get():\n        return n\n    def put(v):\n        nonlocal n\n        n = v\n"
      "    return get, put\np@, q@ = make@()", ("p@()",), ("q@(#)",), ("q@(p@() + 1.0)",), ("p@()",))  # fmt: skip
Piece("partial", "def g@(v, k, l):\n    return v * k + l[0]\np@ = functools.partial(g@, 1.0, k=#, l=[#])",
      ("p@()", "p@(k=2.0)"), ("p@.keywords['k'] = #", "p@.keywords['l'][0] = #", "p@ = functools.partial(g@, 2.0, k=#, l=[#])",
      "p@.__setstate__((g@, (3.0,), {'k': #, 'l': [1.0]}, {}))"), ("p@.keywords['l'][0] += 1.0",), ("p@.keywords",))  # fmt: skip
Piece("cache", "q@ = {'k': #}\n@functools.cache\ndef p@(i=0):\n    return q@['k'] + i", ("p@()", "p@(1)"),
      ("q@['k'] = #", "p@.cache_clear()", "p@.cache_clear(); p@(1)"), ("p@(2)",), ("p@.cache_info()[1:]",))  # fmt: skip
Piece("bounded cache", "q@ = {'k': #}\n@functools.lru_cache(maxsize=2)\ndef p@(i=0):\n    return q@['k'] + i",
      ("p@()", "p@(1)", "p@(2)"), ("q@['k'] = #", "p@.cache_clear()", "p@(5)"), ("p@(2)",), ("p@.cache_info()[1:]",))  # fmt: skip
Piece("cached mutable", "@functools.cache\ndef p@():\n    return [#, #]", ("p@()[0]",), ("p@()[0] = #", "p@.cache_clear()"),
      ("p@()[0] += 1.0",), ("p@()",))  # fmt: skip
Piece("dispatch", "@functools.singledispatch\ndef p@(v):\n    return 2.0\n@p@.register\ndef _(v: str):\n    return 3.0",
      ("p@(1)", "p@('a')", "p@([])"), ("p@.register(int, lambda v: #)", "p@.register(list, lambda v: #)"), ())  # fmt: skip
Piece("decorator", "def d@(f):\n    @functools.wraps(f)\n    def w(*a):\n        w.n += 1\n        return f(*a)\n    w.n = 0\n"
      "    return w\n@d@\ndef p@(v):\n    return v + #", ("p@(1.0)",), ("p@.n = 5",), (), ("p@.n",))  # fmt: skip
Piece("generator within", "p@ = [#, #]\ndef g@():\n    for v in p@:\n        yield v * 2", ("sum(g@())", "[*g@()][0]"),
      ("p@[0] = #", "p@.append(#)"), ("p@.append(1.0)",), ("p@",))  # fmt: skip
Piece("generator outside", "def g@():\n    k = 1.0\n    while True:\n        yield k\n        k += 1.0\np@ = g@()",
      ("next(p@)", "p@.send(None)", "[v for v, _ in zip(p@, '12')][1]"), ("next(p@)", "p@ = g@()"), (), ())  # fmt: skip
Piece("iterator outside", "p@ = iter([float(v) for v in range(1, 60)])", ("next(p@)", "[v for v, _ in zip(p@, '1')][0]"),
      ("next(p@)",), ("next(p@)",), ("p@.__length_hint__()",))  # fmt: skip
Piece("iterator of a class", "class C@:\n    n = 0.0\n    def __iter__(self):\n        return self\n    def __next__(self):\n"
      "        self.n += 1.0\n        return self.n\np@ = C@()", ("next(p@)", "[v for v, _ in zip(p@, '12')][1]"), ("p@.n = #",), (),
      ("p@.n",))  # fmt: skip
Piece("context manager", "p@ = []\n@contextlib.contextmanager\ndef c@():\n    p@.append(1.0)\n    yield 2.0\n    p@.append(2.0)",
      ("len(p@) + 1.0",), ("p@.clear()",), ("with c@() as v@:\n    pass",), ("p@",))  # fmt: skip
Piece("recursion", "p@ = 3\ndef g@(n):\n    return 1.0 if n == 0 else g@(n - 1) + 1.0", ("g@(p@)",), ("p@ = 5",
      "g@ = lambda n: #"), (), ("p@",))  # fmt: skip
Piece("exception", "p@ = #\ndef g@():\n    if p@ > 3:\n        raise ValueError(f'too large: {p@}')\n    return p@",
      ("g@()",), ("p@ = 9.0", "p@ = #"), ("try:\n    g@()\nexcept ValueError:\n    pass",), ("p@",))  # fmt: skip
Piece("held exception", "p@ = ValueError(#)", ("p@.args[0]",), ("p@.args = (#,)", "p@ = KeyError(#)"), ("p@.args = (5.0,)",),
      ("p@.args",))  # fmt: skip

# -- modules of layers -------------------------------------------------------------------------------------------------

_MODEL = ("class M@(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.k = #\n        "
          "self.register_buffer('b', torch.full((2,), #))\n        self.l = [#]\n    def forward(self, x):\n        return x * "
          "self.k + (self.b if self.training else self.l[0])\np@ = M@()")  # fmt: skip
Piece("module", _MODEL, ("p@.k", "1.0 + p@.training"),
      ("p@.k = #", "p@.eval()", "p@.train()", "p@.b.fill_(#)", "p@.b = torch.full((2,), #)", "p@.l[0] = #", "p@ = M@()",
       "M@.forward = lambda s, x: x * #", "p@.forward = lambda x: x + #", "p@.double(); p@.float()"),
      ("p@.k += 1.0", "p@.b.add_(1.0)", "p@.b = p@.b + 1.0", "p@.l.append(1.0)", "p@.eval()"),
      ("p@.k", "p@.b", "p@.l", "p@.training"), lines=("y = p@(y)",))  # fmt: skip
Piece("hooks of a module", "p@ = torch.nn.Identity()\nq@ = [#]", ("len(q@)",),
      ("h@ = p@.register_forward_hook(lambda m, a, r: r * q@[0])", "p@._forward_hooks.clear()", "q@[0] = #",
       "p@.register_forward_pre_hook(lambda m, a: (a[0] + q@[0],))", "p@.register_forward_hook(lambda m, a, r: q@.append(1.0))"),
      (), ("q@",), lines=("y = p@(y)",))  # fmt: skip
Piece("global hooks", "p@ = torch.nn.Identity()\nq@ = [#]\nH@ = torch.nn.modules.module\nhs@ = []", ("len(q@)",),
      ("hs@.append(H@.register_module_forward_hook(lambda m, a, r: r * q@[0]))", "[h.remove() for h in hs@]", "q@[0] = #",
       "hs@.append(H@.register_module_forward_pre_hook(lambda m, a: (a[0] + q@[0],)))",
       "hs@.append(H@.register_module_forward_hook(lambda m, a, r: q@.append(1.0)))"),
      (), ("q@",), undo="[h.remove() for h in hs@]", lines=("y = p@(y)",))  # fmt: skip
Piece("list of modules", "p@ = torch.nn.ModuleList([torch.nn.Identity()])\nclass S@(torch.nn.Module):\n    def forward(self, x):\n"
      "        return x * #", ("len(p@)",), ("p@.append(S@())", "p@[0] = S@()", "p@._modules.clear()"), ("p@.append(S@())",),
      ("len(p@)",), lines=("for m in p@:\n    y = m(y)",))  # fmt: skip
