"""Pieces of programs: state that Python's syntax and standard library change implicitly."""

from tests.fuzz_state.piece import Piece

Piece(
    "callbacks",
    """
    class C@:
        n = 0.0
        def __call__(self, v):
            self.n += 1.0
            return v + self.n
    p@ = C@()
    q@ = [#, #]
    """,
    reads=(
        "sum(map(p@, q@))",
        "functools.reduce(lambda a, b: a + b, q@)",
        "max(q@, key=p@)",
        "sorted(q@, key=p@)[0]",
        "[*filter(p@, q@)][0]",
        "[*itertools.accumulate(q@)][-1]",
        "[*itertools.starmap(p@, [(v,) for v in q@])][0]",
        "re.sub('a', lambda m: str(int(q@[0])), 'a1')",
    ),
    changes=("p@.n = #", "q@[0] = #", "q@.append(#)", "C@.n = #", "C@.__call__ = lambda s, v: v * #"),
    shows=("p@.n", "q@"),
)
Piece(
    "changes by the library",
    "p@ = [3.0, 1.0, 2.0]",
    reads=("p@[0]", "len(p@)", "heapq.nsmallest(1, p@)[0]", "bisect.bisect(sorted(p@), 2.0)"),
    changes=("p@.append(#)", "heapq.heapify(p@)", "operator.setitem(p@, 0, #)"),
    effects=(
        "heapq.heappush(p@, 0.5)",
        "bisect.insort(p@, 1.5)",
        "operator.setitem(p@, 0, 9.0)",
        "operator.iadd(p@, [1.0])",
    ),
    shows=("p@",),
)
Piece(
    "user dictionary",
    "p@ = collections.UserDict(a=#)\nq@ = collections.UserList([#])",
    reads=("p@['a']", "p@.get('b', 2.0)", "q@[0]", "len(q@)"),
    changes=("p@['a'] = #", "p@['b'] = #", "q@[0] = #", "q@.append(#)", "p@.data = {'a': #}"),
    effects=("p@['n'] = 1.0", "q@.append(1.0)"),
    shows=("dict(p@)", "list(q@)"),
)
Piece(
    "a name that may be missing",
    """
    p@ = #
    def g@():
        try:
            return later@
        except NameError:
            return 2.0
    """,
    reads=("g@()", "p@"),
    changes=("globals()['later@'] = #", "globals().pop('later@', None)"),
    undo="globals().pop('later@', None)",
)
Piece(
    "captured in a default",
    "q@ = [#]\np@ = lambda v=q@, *, w=[*q@]: v[0] + w[0]",
    reads=("p@()", "p@([2.0])"),
    changes=("q@[0] = #", "p@.__kwdefaults__['w'][0] = #", "p@ = lambda v=q@: v[0]"),
    effects=("p@.__defaults__[0].append(1.0)",),
    shows=("q@", "p@.__defaults__"),
)
Piece(
    "nested functions",
    """
    p@ = {'k': #}
    def g@():
        n = p@['k']
        def inner():
            nonlocal n
            n += 1.0
            return n
        inner()
        return inner()
    """,
    reads=("g@()", "(lambda: p@['k'])()", "[p@['k'] for _ in '12'][1]", "next(p@['k'] for _ in '1')"),
    changes=("p@['k'] = #",),
    effects=("p@['k'] += 1.0",),
    shows=("p@",),
)
Piece(
    "class made within",
    """
    p@ = {'k': #}
    def g@():
        class Local:
            j = p@['k']
            def m(self):
                return self.j + p@['k']
        return Local().m()
    """,
    reads=("g@()", "type('T', (), dict(p@)).k"),
    changes=("p@['k'] = #",),
    shows=("p@",),
)
Piece(
    "super",
    """
    class A@:
        k = #
        def m(self):
            return self.k
    class B@(A@):
        def m(self):
            return super().m() + 1.0
        @classmethod
        def c(cls):
            return cls.k
        @staticmethod
        def s():
            return A@.k
    p@ = B@()
    """,
    reads=("p@.m()", "p@.c()", "p@.s()", "B@.c()", "B@.s()"),
    changes=(
        "A@.k = #",
        "B@.k = #",
        "p@.k = #",
        "A@.m = lambda s: #",
        "B@.s = staticmethod(lambda: #)",
        "B@.c = classmethod(lambda c: #)",
        "B@.c.__func__.__defaults__ = ()",
    ),
    effects=("A@.k += 1.0", "type(p@).k = 2.0"),
    shows=("A@.k", "p@.k"),
)
Piece(
    "match",
    """
    class C@:
        __match_args__ = ('k', 'j')
        def __init__(self):
            self.k, self.j = 1.0, 2.0
    p@ = C@()
    q@ = {'kind': 'a', 'v': [1.0, #]}
    def g@():
        match p@:
            case C@(1.0, j):
                return j
            case C@(k=k):
                return k
    def h@():
        match q@:
            case {'kind': 'a', 'v': [first, *rest]}:
                return first + len(rest)
            case {'v': v}:
                return len(v)
            case _:
                return 9.0
    """,
    reads=("g@()", "h@()"),
    changes=(
        "p@.k = 5.0",
        "p@.j = #",
        "C@.__match_args__ = ('j', 'k')",
        "q@['kind'] = 'b'",
        "q@['v'].append(#)",
        "q@.pop('v')",
    ),
    effects=("p@.j += 1.0", "q@['v'].append(1.0)"),
    shows=("p@.k", "p@.j", "q@"),
)
Piece(
    "operators of a class",
    """
    class C@:
        def __init__(self, v):
            self.v = v
        def __add__(self, o):
            return C@(self.v + o)
        def __float__(self):
            return self.v
        def __eq__(self, o):
            return self.v == o
        def __hash__(self):
            return 1
        def __bool__(self):
            return self.v > 1.5
        def __format__(self, s):
            return str(self.v)
        def __enter__(self):
            return self.v
        def __exit__(self, *a):
            self.v += 1.0
    p@ = C@(#)
    """,
    reads=("p@", "p@ + 1.0", "2.0 if p@ == 1.0 else 3.0", "2.0 if p@ else 3.0", "f'{p@}'", "{p@: 2.0}[p@.v]", "p@.v"),
    changes=("p@.v = #", "C@.__bool__ = lambda s: False", "C@.__add__ = lambda s, o: #", "C@.__float__ = lambda s: #"),
    effects=("with p@ as w@:\n    pass", "p@.v = 2.0"),
    shows=("p@.v",),
)
Piece(
    "texts",
    "p@ = {'a': #, 'b': 'x'}",
    reads=(
        "'{a}'.format(**p@)",
        "'%(a)s' % p@",
        "string.Template('$a').substitute(p@)",
        "str(p@['a'])",
        "len(repr(p@))",
        "len(json.dumps(p@))",
        "len(f'{p@!r}')",
    ),
    changes=("p@['a'] = #", "p@['b'] = 'longer'", "p@['c'] = #"),
    effects=("p@['b'] += 'y'",),
    shows=("p@",),
)
Piece(
    "unpacking",
    """
    p@ = [#, #]
    q@ = {'k': #}
    def g@(a, b=1.0, *c, k=2.0, **d):
        return a + b + sum(c) + k + len(d)
    """,
    reads=("g@(*p@)", "g@(1.0, **q@)", "g@(*p@, *p@, **q@)", "sum([*p@, *q@.values()])", "{**q@}['k']"),
    changes=("p@.append(#)", "q@['z'] = #", "q@['k'] = #", "p@[1:] = []"),
    effects=("p@.append(1.0)", "p@[0], q@['k'] = q@['k'], p@[0]"),
    shows=("p@", "q@"),
)
Piece(
    "numbers of other kinds",
    "p@ = fractions.Fraction(3, 2)\nq@ = 2 + 0j",
    reads=("p@", "p@ + 1", "q@.real", "abs(q@)", "complex(q@).real"),
    changes=("p@ = fractions.Fraction(5, 2)", "q@ = 3 + 0j", "q@ = complex(2, -0.0)", "p@ = 1.5"),
    effects=("p@ = p@ + 1",),
    shows=("p@", "q@"),
)
Piece(
    "exit stack",
    """
    p@ = []
    class C@:
        def __enter__(self):
            p@.append(1.0)
        def __exit__(self, *a):
            p@.pop()
    """,
    reads=("len(p@) + 1.0",),
    changes=("p@.append(#)", "C@.__exit__ = lambda s, *a: None"),
    effects=(
        "with contextlib.ExitStack() as s@:\n    s@.enter_context(C@())",
        "with C@(), contextlib.suppress(ValueError):\n    pass",
    ),
    shows=("p@",),
)
Piece(
    "finalizer",
    """
    p@ = [#]
    class C@:
        def __del__(self):
            p@.append(1.0)
    """,
    reads=("len(p@)", "p@[0]"),
    changes=("p@[0] = #",),
    effects=("C@()", "weakref.finalize(C@(), p@.append, 2.0)"),
    shows=("p@",),
)
Piece(
    "another compiled function",
    """
    q@ = {'k': #}
    @compile
    def p@(v):
        return v * q@['k']
    """,
    reads=("q@['k']",),
    changes=("q@['k'] = #", "p@(torch.ones(2))", "p@.k = #", "q@ = {'k': #}"),
    effects=("q@['k'] += 1.0",),
    shows=("q@", "p@(torch.ones(2))"),
    lines=("y = p@(y)", "y = y + p@(x)"),
)
Piece(
    "two names of one object",
    "p@ = [#, #]\nq@ = {'l': p@}\nr@ = types.SimpleNamespace(d=q@)",
    reads=("p@[0]", "q@['l'][0]", "r@.d['l'][1]", "2.0 if q@['l'] is p@ else 3.0"),
    changes=("p@[0] = #", "r@.d['l'].append(#)", "q@['l'] = [*p@]", "p@ = [*p@]", "r@.d = dict(q@)"),
    effects=("r@.d['l'][1] += 1.0", "q@['l'].reverse()", "q@['l'] = [1.0, 2.0]"),
    shows=("p@", "q@", "r@"),
)
Piece(
    "optimizer",
    """
    p@ = torch.nn.Parameter(torch.ones(2))
    o@ = torch.optim.SGD([p@], lr=0.5, momentum=0.5)
    """,
    reads=("o@.param_groups[0]['lr']", "len(o@.state) + 1.0"),
    changes=(
        "o@.param_groups[0]['lr'] = 0.25",
        "o@.param_groups[0]['momentum'] = 0.0",
        "p@.data.fill_(#)",
        "p@.requires_grad_(False)",
        "o@.state.clear()",
        "p@.grad = torch.ones(2)",
        "o@.register_step_post_hook(lambda o, a, k: p@.data.add_(1.0))",
        "o@.zero_grad()",
    ),
    effects=("o@.zero_grad()\n(y * p@).sum().backward()\no@.step()", "p@.grad = torch.ones(2)\no@.step()"),
    shows=("p@", "p@.grad", "o@.param_groups[0]['lr']"),
    lines=("y = y * p@.detach()",),
)
