"""Pieces of programs: functions, their state, generators and exceptions."""

from tests.fuzz_state.piece import Piece

Piece(
    "function with attributes",
    """
    def p@():
        return p@.k
    p@.k = #
    """,
    reads=("p@()", "p@.k", "getattr(p@, 'z', 2.0)"),
    changes=("p@.k = #", "p@.z = #", "p@ = lambda: #", "p@.__code__ = (lambda: 2.5).__code__"),
    effects=("p@.k = 9.0",),
    shows=("getattr(p@, 'k', None)",),
)
Piece(
    "default arguments",
    """
    def p@(v=[#], *, w={'a': #}):
        return v[0] + w['a']
    """,
    reads=("p@()", "p@([1.0])", "p@(w={'a': 1})"),
    changes=(
        "p@.__defaults__[0][0] = #",
        "p@.__kwdefaults__['w']['a'] = #",
        "p@.__defaults__ = ([#],)",
        "p@.__kwdefaults__ = {'w': {'a': #}}",
    ),
    effects=("p@.__defaults__[0].append(1.0)", "p@.__defaults__[0][0] += 1.0"),
    shows=("p@.__defaults__", "p@.__kwdefaults__"),
)
Piece(
    "closure",
    """
    def make@():
        n = #
        def get():
            return n
        def put(v):
            nonlocal n
            n = v
        return get, put
    p@, q@ = make@()
    """,
    reads=("p@()",),
    changes=("q@(#)",),
    effects=("q@(p@() + 1.0)",),
    shows=("p@()",),
)
Piece(
    "partial",
    """
    def g@(v, k, l):
        return v * k + l[0]
    p@ = functools.partial(g@, 1.0, k=#, l=[#])
    """,
    reads=("p@()", "p@(k=2.0)"),
    changes=(
        "p@.keywords['k'] = #",
        "p@.keywords['l'][0] = #",
        "p@ = functools.partial(g@, 2.0, k=#, l=[#])",
        "p@.__setstate__((g@, (3.0,), {'k': #, 'l': [1.0]}, {}))",
    ),
    effects=("p@.keywords['l'][0] += 1.0",),
    shows=("p@.keywords",),
)
Piece(
    "cache",
    """
    q@ = {'k': #}
    @functools.cache
    def p@(i=0):
        return q@['k'] + i
    """,
    reads=("p@()", "p@(1)"),
    changes=("q@['k'] = #", "p@.cache_clear()", "p@.cache_clear(); p@(1)"),
    effects=("p@(2)",),
    shows=("p@.cache_info()[1:]",),
)
Piece(
    "bounded cache",
    """
    q@ = {'k': #}
    @functools.lru_cache(maxsize=2)
    def p@(i=0):
        return q@['k'] + i
    """,
    reads=("p@()", "p@(1)", "p@(2)"),
    changes=("q@['k'] = #", "p@.cache_clear()", "p@(5)"),
    effects=("p@(2)",),
    shows=("p@.cache_info()[1:]",),
)
Piece(
    "cached mutable",
    """
    @functools.cache
    def p@():
        return [#, #]
    """,
    reads=("p@()[0]",),
    changes=("p@()[0] = #", "p@.cache_clear()"),
    effects=("p@()[0] += 1.0",),
    shows=("p@()",),
)
Piece(
    "dispatch",
    """
    @functools.singledispatch
    def p@(v):
        return 2.0
    @p@.register
    def _(v: str):
        return 3.0
    """,
    reads=("p@(1)", "p@('a')", "p@([])"),
    changes=("p@.register(int, lambda v: #)", "p@.register(list, lambda v: #)"),
)
Piece(
    "decorator",
    """
    def d@(f):
        @functools.wraps(f)
        def w(*a):
            w.n += 1
            return f(*a)
        w.n = 0
        return w
    @d@
    def p@(v):
        return v + #
    """,
    reads=("p@(1.0)",),
    changes=("p@.n = 5",),
    shows=("p@.n",),
)
Piece(
    "generator within",
    """
    p@ = [#, #]
    def g@():
        for v in p@:
            yield v * 2
    """,
    reads=("sum(g@())", "[*g@()][0]"),
    changes=("p@[0] = #", "p@.append(#)"),
    effects=("p@.append(1.0)",),
    shows=("p@",),
)
Piece(
    "generator outside",
    """
    def g@():
        k = 1.0
        while True:
            yield k
            k += 1.0
    p@ = g@()
    """,
    reads=("next(p@)", "p@.send(None)", "[v for v, _ in zip(p@, '12')][1]"),
    changes=("next(p@)", "p@ = g@()"),
)
Piece(
    "iterator outside",
    "p@ = iter([float(v) for v in range(1, 60)])",
    reads=("next(p@)", "[v for v, _ in zip(p@, '1')][0]"),
    changes=("next(p@)",),
    effects=("next(p@)",),
    shows=("p@.__length_hint__()",),
)
Piece(
    "iterator of a class",
    """
    class C@:
        n = 0.0
        def __iter__(self):
            return self
        def __next__(self):
            self.n += 1.0
            return self.n
    p@ = C@()
    """,
    reads=("next(p@)", "[v for v, _ in zip(p@, '12')][1]"),
    changes=("p@.n = #",),
    shows=("p@.n",),
)
Piece(
    "context manager",
    """
    p@ = []
    @contextlib.contextmanager
    def c@():
        p@.append(1.0)
        yield 2.0
        p@.append(2.0)
    """,
    reads=("len(p@) + 1.0",),
    changes=("p@.clear()",),
    effects=("with c@() as v@:\n    pass",),
    shows=("p@",),
)
Piece(
    "recursion",
    """
    p@ = 3
    def g@(n):
        return 1.0 if n == 0 else g@(n - 1) + 1.0
    """,
    reads=("g@(p@)",),
    changes=("p@ = 5", "g@ = lambda n: #"),
    shows=("p@",),
)
Piece(
    "exception",
    """
    p@ = #
    def g@():
        if p@ > 3:
            raise ValueError(f'too large: {p@}')
        return p@
    """,
    reads=("g@()",),
    changes=("p@ = 9.0", "p@ = #"),
    effects=("try:\n    g@()\nexcept ValueError:\n    pass",),
    shows=("p@",),
)
Piece(
    "held exception",
    "p@ = ValueError(#)",
    reads=("p@.args[0]",),
    changes=("p@.args = (#,)", "p@ = KeyError(#)"),
    effects=("p@.args = (5.0,)",),
    shows=("p@.args",),
)
