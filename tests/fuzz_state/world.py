"""Pieces of programs: imported modules, the environment, clocks, randomness, weak references and threads."""

from tests.fuzz_state.piece import Piece

Piece(
    "module object",
    """
    p@ = types.ModuleType('m@')
    p@.k = #
    """,
    reads=("p@.k", "getattr(p@, 'z', 2.0)", "hasattr(p@, 'z') + 1.0"),
    changes=("p@.k = #", "p@.z = #", "p@.__dict__['k'] = #", "p@ = types.ModuleType('m@'); p@.k = #"),
    effects=("p@.k += 1.0",),
    shows=("p@.k",),
)
Piece(
    "import within",
    """
    sys.modules['fuzzed@'] = types.ModuleType('fuzzed@')
    sys.modules['fuzzed@'].k = #
    """,
    changes=(
        "sys.modules['fuzzed@'].k = #",
        "sys.modules['fuzzed@'] = types.ModuleType('fuzzed@'); sys.modules['fuzzed@'].k = #",
    ),
    shows=("sys.modules['fuzzed@'].k",),
    lines=("import fuzzed@ as i@\ny = y * i@.k", "from fuzzed@ import k as i@\ny = y + i@"),
    undo="del sys.modules['fuzzed@']",
)
Piece(
    "builtin",
    "builtins.fuzzed@ = lambda: #",
    reads=("fuzzed@()",),
    changes=("builtins.fuzzed@ = lambda: #", "globals()['fuzzed@'] = lambda: #", "globals().pop('fuzzed@', None)"),
    undo="del builtins.fuzzed@; globals().pop('fuzzed@', None)",
)
Piece(
    "function of a module",
    "p@ = math.erfc",
    reads=("math.erfc(2.5)",),
    changes=("math.erfc = lambda v: #", "math.erfc = p@"),
    undo="math.erfc = p@",
)
Piece(
    "environment",
    """
    os.environ['FUZZED@'] = '2'
    p@ = os.environ
    """,
    reads=(
        "float(os.environ['FUZZED@'])",
        "float(os.environ.get('FUZZED@', '5'))",
        "float(os.getenv('FUZZED@', '5'))",
        "('FUZZED_@' in os.environ) + 1.0",
        "float(p@['FUZZED@'])",
    ),
    changes=("os.environ['FUZZED@'] = '3'", "os.environ['FUZZED_@'] = '3'"),
    effects=("os.environ['FUZZED@'] = str(float(os.environ['FUZZED@']) + 1)", "os.environ.pop('FUZZED_@', None)"),
    shows=("os.environ['FUZZED@']",),
    undo="os.environ.pop('FUZZED@', None); os.environ.pop('FUZZED_@', None)",
)
Piece(
    "clock",
    """
    p@ = [0.0]
    q@ = functools.partial(time.perf_counter)
    """,
    reads=(
        "2.0 if time.perf_counter() > p@[0] else 3.0",
        "2.0 if q@() > p@[0] else 3.0",
        "2.0 if time.time() > p@[0] else 3.0",
        "2.0 if datetime.datetime.now().year > p@[0] else 3.0",
    ),
    changes=("p@[0] = 1e12", "p@[0] = 0.0"),
    effects=("p@.append(time.perf_counter())",),
    shows=("sorted(p@[1:]) == p@[1:]", "len(set(p@))"),
)
Piece(
    "random",
    """
    random.seed(5)
    p@ = random.Random(7)
    """,
    reads=("random.random()", "p@.random()", "random.randint(1, 5)", "random.choice([1.0, 2.0])"),
    changes=("random.seed(6)", "p@.seed(3)", "random.random()"),
    effects=("random.random()", "p@.random()"),
    shows=("hash(random.getstate())", "hash(p@.getstate())"),
)
Piece(
    "NumPy's random",
    """
    np.random.seed(5)
    p@ = np.random.default_rng(7)
    """,
    reads=("np.random.rand()", "p@.random()", "np.random.default_rng(3).random()", "p@.integers(1, 9)"),
    changes=("np.random.seed(6)", "p@.random()"),
    effects=("np.random.rand()", "p@.random()"),
    shows=("np.random.get_state()[2]", "p@.bit_generator.state['state']['state']"),
)
Piece(
    "weak reference",
    """
    class C@:
        k = #
    q@ = C@()
    p@ = weakref.ref(q@)
    """,
    reads=("2.0 if p@() is None else p@().k", "3.0 if p@() is None else 4.0"),
    changes=("q@ = None", "q@ = C@(); p@ = weakref.ref(q@)", "C@.k = #"),
    shows=("p@() is None",),
)
Piece(
    "weak dictionary",
    """
    class C@:
        k = #
    q@ = [C@(), C@()]
    p@ = weakref.WeakValueDictionary(enumerate(q@))
    """,
    reads=("len(p@) + 1.0", "sum(c.k for c in p@.values()) + 1.0"),
    changes=("q@.pop(); c = None", "q@.append(C@()); p@[9] = q@[-1]"),
    shows=("len(p@)",),
)
Piece(
    "weak keys",
    """
    class C@:
        k = #
    q@ = [C@(), C@()]
    p@ = weakref.WeakKeyDictionary({c: 1.0 for c in q@})
    c = None
    """,
    reads=("len(p@) + 1.0", "sum(p@.values()) + 1.0"),
    changes=("q@[-1:] = []", "q@.append(C@()); p@[q@[-1]] = 3.0"),
    shows=("len(p@)",),
)
Piece(
    "thread's own",
    """
    p@ = threading.local()
    p@.k = #
    """,
    reads=("p@.k", "getattr(p@, 'z', 2.0)"),
    changes=(
        "p@.k = #",
        "p@.z = #",
        "t@ = threading.Thread(target=lambda: setattr(p@, 'k', 9.0)); t@.start(); t@.join()",
    ),
    effects=("p@.k += 1.0",),
    shows=("p@.k",),
)
Piece(
    "thread within",
    """
    p@ = [#]
    def g@():
        p@.append(p@[0])
    """,
    reads=("len(p@)",),
    changes=("p@[0] = #",),
    effects=("t@ = threading.Thread(target=g@)\nt@.start()\nt@.join()",),
    shows=("p@",),
)
Piece(
    "lock",
    """
    p@ = threading.Lock()
    q@ = [#]
    """,
    reads=("q@[0]", "1.0 + p@.locked()"),
    changes=("q@[0] = #", "p@.acquire(blocking=False)", "p@.locked() and p@.release()"),
    effects=("q@[0] += 1.0",),
    shows=("q@", "p@.locked()"),
)
Piece(
    "event",
    "p@ = threading.Event()",
    reads=("1.0 + p@.is_set()",),
    changes=("p@.set()", "p@.clear()"),
    effects=("p@.set()",),
    shows=("p@.is_set()",),
)
Piece(
    "context variable",
    "p@ = contextvars.ContextVar('p@', default=#)",
    reads=("p@.get()",),
    changes=("p@.set(#)",),
    effects=("p@.set(9.0)",),
    shows=("p@.get()",),
)
Piece(
    "decimal",
    "p@ = decimal.Decimal('2.5')",
    reads=("p@ / 3", "decimal.Decimal(1) / 7"),
    changes=("p@ = decimal.Decimal('3.5')", "decimal.getcontext().prec = 3", "decimal.getcontext().prec = 28"),
    shows=("p@",),
    undo="decimal.getcontext().prec = 28",
)
Piece(
    "working directory",
    "p@ = os.getcwd()",
    reads=("len(os.getcwd())",),
    changes=("os.chdir('/')", "os.chdir(p@)"),
    undo="os.chdir(p@)",
)
Piece(
    "interpreter",
    """
    p@ = sys.getrecursionlimit()
    del sys.argv[1:]
    """,
    reads=("sys.getrecursionlimit() / 1000", "len(sys.argv) + 1.0"),
    changes=("sys.setrecursionlimit(p@ + 100)", "sys.argv.append('x')"),
    undo="""
    sys.setrecursionlimit(p@)
    del sys.argv[1:]
    """,
)
Piece(
    "itertools",
    """
    p@ = itertools.count(1)
    q@ = itertools.cycle([1.0, 2.0, 4.0])
    """,
    reads=("next(p@)", "next(q@)", "[v for v, _ in zip(p@, '12')][1]"),
    changes=("next(p@)",),
    effects=("next(q@)",),
    shows=("repr(p@)",),
)
Piece(
    "getters",
    """
    q@ = {'a': #}
    p@ = operator.itemgetter('a')
    """,
    reads=("p@(q@)",),
    changes=("q@['a'] = #", "q@['b'] = #; p@ = operator.itemgetter('b')"),
    shows=("q@",),
)
Piece(
    "copies",
    """
    class C@:
        def __init__(self):
            self.k1, self.k2 = #, [#]
    p@ = C@()
    """,
    reads=("sum(v for v in vars(copy.copy(p@)).values() if isinstance(v, float))", "copy.deepcopy(p@).k2[0]"),
    changes=("p@.k1 = #", "p@.k2[0] = #"),
    effects=("p@.k2.append(1.0)",),
    shows=("vars(p@)",),
)
