"""Pieces: modules, the environment, clocks, randomness, weak references, threads."""

from tests.fuzz_state.piece import Piece

Piece("module object", "p@ = types.ModuleType('m@')\np@.k = #", ("p@.k", "getattr(p@, 'z', 2.0)", "hasattr(p@, 'z') + 1.0"),
      ("p@.k = #", "p@.z = #", "p@.__dict__['k'] = #", "p@ = types.ModuleType('m@'); p@.k = #"), ("p@.k += 1.0",), ("p@.k",))  # fmt: skip
Piece("import within", "sys.modules['fuzzed@'] = types.ModuleType('fuzzed@')\nsys.modules['fuzzed@'].k = #", (),
      ("sys.modules['fuzzed@'].k = #",
       "sys.modules['fuzzed@'] = types.ModuleType('fuzzed@'); sys.modules['fuzzed@'].k = #"), (),
      ("sys.modules['fuzzed@'].k",), undo="del sys.modules['fuzzed@']",
      lines=("import fuzzed@ as i@\ny = y * i@.k", "from fuzzed@ import k as i@\ny = y + i@"))  # fmt: skip
Piece("builtin", "builtins.fuzzed@ = lambda: #", ("fuzzed@()",),
      ("builtins.fuzzed@ = lambda: #", "globals()['fuzzed@'] = lambda: #", "globals().pop('fuzzed@', None)"), (), (),
      undo="del builtins.fuzzed@; globals().pop('fuzzed@', None)")  # fmt: skip
Piece("function of a module", "p@ = math.erfc", ("math.erfc(2.5)",), ("math.erfc = lambda v: #", "math.erfc = p@"), (), (),
      undo="math.erfc = p@")  # fmt: skip
Piece("environment", "os.environ['FUZZED@'] = '2'\np@ = os.environ",
      ("float(os.environ['FUZZED@'])", "float(os.environ.get('FUZZED@', '5'))", "float(os.getenv('FUZZED@', '5'))",
       "('FUZZED_@' in os.environ) + 1.0", "float(p@['FUZZED@'])"),
      ("os.environ['FUZZED@'] = '3'", "os.environ['FUZZED_@'] = '3'"),
      ("os.environ['FUZZED@'] = str(float(os.environ['FUZZED@']) + 1)", "os.environ.pop('FUZZED_@', None)"),
      ("os.environ['FUZZED@']",), undo="os.environ.pop('FUZZED@', None); os.environ.pop('FUZZED_@', None)")  # fmt: skip
Piece("clock", "p@ = [0.0]\nq@ = functools.partial(time.perf_counter)",
      ("2.0 if time.perf_counter() > p@[0] else 3.0", "2.0 if q@() > p@[0] else 3.0", "2.0 if time.time() > p@[0] else 3.0",
       "2.0 if datetime.datetime.now().year > p@[0] else 3.0"),
      ("p@[0] = 1e12", "p@[0] = 0.0"), ("p@.append(time.perf_counter())",), ("sorted(p@[1:]) == p@[1:]", "len(set(p@))"))  # fmt: skip
Piece("random", "random.seed(5)\np@ = random.Random(7)", ("random.random()", "p@.random()", "random.randint(1, 5)",
      "random.choice([1.0, 2.0])"), ("random.seed(6)", "p@.seed(3)", "random.random()"), ("random.random()", "p@.random()"),
      ("hash(random.getstate())", "hash(p@.getstate())"))  # fmt: skip
Piece("NumPy's random", "np.random.seed(5)\np@ = np.random.default_rng(7)",
      ("np.random.rand()", "p@.random()", "np.random.default_rng(3).random()", "p@.integers(1, 9)"),
      ("np.random.seed(6)", "p@.random()"), ("np.random.rand()", "p@.random()"), ("np.random.get_state()[2]",
      "p@.bit_generator.state['state']['state']"))  # fmt: skip
Piece("weak reference", "class C@:\n    k = #\nq@ = C@()\np@ = weakref.ref(q@)",
      ("2.0 if p@() is None else p@().k", "3.0 if p@() is None else 4.0"), ("q@ = None", "q@ = C@(); p@ = weakref.ref(q@)", "C@.k = #"),
      (), ("p@() is None",))  # fmt: skip
Piece("weak dictionary", "class C@:\n    k = #\nq@ = [C@(), C@()]\np@ = weakref.WeakValueDictionary(enumerate(q@))",
      ("len(p@) + 1.0", "sum(c.k for c in p@.values()) + 1.0"), ("q@.pop(); c = None", "q@.append(C@()); p@[9] = q@[-1]"), (),
      ("len(p@)",))  # fmt: skip
Piece("weak keys", "class C@:\n    k = #\nq@ = [C@(), C@()]\np@ = weakref.WeakKeyDictionary({c: 1.0 for c in q@})\nc = None",
      ("len(p@) + 1.0", "sum(p@.values()) + 1.0"), ("q@[-1:] = []", "q@.append(C@()); p@[q@[-1]] = 3.0"), (), ("len(p@)",))  # fmt: skip
Piece("thread's own", "p@ = threading.local()\np@.k = #", ("p@.k", "getattr(p@, 'z', 2.0)"), ("p@.k = #", "p@.z = #",
      "t@ = threading.Thread(target=lambda: setattr(p@, 'k', 9.0)); t@.start(); t@.join()"), ("p@.k += 1.0",), ("p@.k",))  # fmt: skip
Piece("thread within", "p@ = [#]\ndef g@():\n    p@.append(p@[0])", ("len(p@)",), ("p@[0] = #",),
      ("t@ = threading.Thread(target=g@)\nt@.start()\nt@.join()",), ("p@",))  # fmt: skip
Piece("lock", "p@ = threading.Lock()\nq@ = [#]", ("q@[0]", "1.0 + p@.locked()"), ("q@[0] = #", "p@.acquire(blocking=False)",
      "p@.locked() and p@.release()"), ("q@[0] += 1.0",), ("q@", "p@.locked()"))  # fmt: skip
Piece("event", "p@ = threading.Event()", ("1.0 + p@.is_set()",), ("p@.set()", "p@.clear()"), ("p@.set()",), ("p@.is_set()",))  # fmt: skip
Piece("context variable", "p@ = contextvars.ContextVar('p@', default=#)", ("p@.get()",), ("p@.set(#)",), ("p@.set(9.0)",),
      ("p@.get()",))  # fmt: skip
Piece("decimal", "p@ = decimal.Decimal('2.5')", ("p@ / 3", "decimal.Decimal(1) / 7"), ("p@ = decimal.Decimal('3.5')",
      "decimal.getcontext().prec = 3", "decimal.getcontext().prec = 28"), (), ("p@",), undo="decimal.getcontext().prec = 28")  # fmt: skip
Piece("working directory", "p@ = os.getcwd()", ("len(os.getcwd())",), ("os.chdir('/')", "os.chdir(p@)"), (), (),
      undo="os.chdir(p@)")  # fmt: skip
Piece("interpreter", "p@ = sys.getrecursionlimit()\ndel sys.argv[1:]", ("sys.getrecursionlimit() / 1000", "len(sys.argv) + 1.0"),
      ("sys.setrecursionlimit(p@ + 100)", "sys.argv.append('x')"), (), (), undo="sys.setrecursionlimit(p@)\ndel sys.argv[1:]")  # fmt: skip
Piece("itertools", "p@ = itertools.count(1)\nq@ = itertools.cycle([1.0, 2.0, 4.0])", ("next(p@)", "next(q@)",
      "[v for v, _ in zip(p@, '12')][1]"), ("next(p@)",), ("next(q@)",), ("repr(p@)",))  # fmt: skip
Piece("getters", "q@ = {'a': #}\np@ = operator.itemgetter('a')", ("p@(q@)",), ("q@['a'] = #",
      "q@['b'] = #; p@ = operator.itemgetter('b')"), (), ("q@",))  # fmt: skip
Piece("copies", "class C@:\n    def __init__(self):\n        self.k1, self.k2 = #, [#]\np@ = C@()",
      ("sum(v for v in vars(copy.copy(p@)).values() if isinstance(v, float))", "copy.deepcopy(p@).k2[0]"),
      ("p@.k1 = #", "p@.k2[0] = #"), ("p@.k2.append(1.0)",), ("vars(p@)",))  # fmt: skip
