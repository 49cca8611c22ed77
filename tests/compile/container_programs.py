"""Small random programs whose compiled function reads containers of classes written in Python.

A program has a subclass of a container, which overrides some methods, a function that reads and may change an instance,
and changes between the calls.
"""

import random
from dataclasses import dataclass

MAPPINGS = ("dict", "OrderedDict", "defaultdict", "UserDict", "Counter", "Output")
SEQUENCES = ("list", "UserList", "deque", "tuple")
KINDS = (*MAPPINGS, *SEQUENCES, "set", "str")

OVERRIDES = {
    "mapping": (
        "def __getitem__(self, key): return super().__getitem__(key) * self.k",
        "def __getitem__(self, key): return dict(self.items())[key] if isinstance(key, str) else 1.0",
        "def get(self, key, default=1.0): return super().get(str(key), default)",
        "def get(self, key, default=1.0): return (self[key] if key in self else default) + type(self).step",
        "def keys(self): return list(super().keys())[::-1]",
        "def values(self): return [x + self.k for x in super().values()]",
        "def items(self): return sorted(super().items())",
        "def __contains__(self, key): return super().__contains__(key) and self.k > 1",
        "def __iter__(self): return iter(sorted(super().__iter__()))",
        "def __len__(self): return super().__len__() * 2",
        "def __len__(self): return 0",
        "def __bool__(self): return self.k > 2",
        "def __missing__(self, key): return 4.0 * self.k",
        "def update(self, *others, **more): super().update(*others, **more); self.k += 1",
        "def __setitem__(self, key, value): super().__setitem__(str(key), value)",
    ),
    "sequence": (
        "def __getitem__(self, i): return super().__getitem__(i) * self.k",
        "def __iter__(self): return reversed(list(super().__iter__()))",
        "def __iter__(self): return iter((self.k,))",
        "def __len__(self): return super().__len__() + 1",
        "def __len__(self): return 0",
        "def __contains__(self, x): return not super().__contains__(x)",
        "def index(self, x): return super().index(x) + 1",
        "def count(self, x): return super().count(x) * self.k",
    ),
    "set": (
        "def __contains__(self, x): return super().__contains__(x) or x == self.k",
        "def __iter__(self): return iter(sorted(super().__iter__()))",
        "def __len__(self): return super().__len__() + 1",
        "def union(self, *others): return super().union(*others) | {self.k}",
    ),
    "str": (
        "def __len__(self): return super().__len__() + int(self.k)",
        "def count(self, x): return super().count(x) * self.k",
        "def upper(self): return super().upper() + 'A'",
        "def __contains__(self, x): return super().__contains__(x.lower())",
    ),
}
ALWAYS = (
    "@property\n    def scale(self): return self.k * 10",
    "def total(self): return sum(float(x) for x in super().values())",
    "def own(self, name): return getattr(self, 'k' if name else 'j')",
)
READS = {
    "mapping": (
        "c['a']",
        "c.get('a')",
        "c.get('b', 7.0)",
        "sum(c.values())",
        "sum(len(k) * v for k, v in c.items())",
        "float(next(iter([*c.keys()])) == 'a')",
        "float('b' in c)",
        "len(c)",
        "(2.0 if c else 3.0)",
        "sum(c[k] for k in c)",
        "sum({**c}.values())",
        "sum(dict(c).values())",
        "c.total()",
        "c.copy().get('a', 1.0)",
        "float(c == {'a': 2.0, 'b': 3.0})",
        "reader.get(c)",
        "float(c['a'] if 'a' in c else c.get('n', 1.0))",
    ),
    "sequence": (
        "c[0]",
        "sum(c)",
        "len(c)",
        "float(2.0 in c)",
        "(2.0 if c else 3.0)",
        "c.count(2.0)",
        "c.index(2.0)",
        "sum(x for x in [*c])",
        "sum(x * i for i, x in enumerate(c))",
        "max(c, default=1.0)",
        "float(c == c.__class__([2.0, 3.0]))",
        "sum(reversed(list(c)))",
    ),
    "set": (
        "len(c)",
        "sum(c)",
        "float(2.0 in c)",
        "sum(c.union({9.0}))",
        "float(c == {2.0, 3.0})",
        "float(c.issubset({2.0, 3.0, 5.0}))",
        "(2.0 if c else 3.0)",
    ),
    "str": (
        "len(c)",
        "c.count('a')",
        "float('A' in c)",
        "len(c.upper())",
        "float(c == 'ab')",
        "float(c.startswith('a'))",
    ),
}
ANY = ("c.k", "c.scale", "c.own(True)", "type(c).step", "getattr(c, names[0])")
WRITES = {
    "mapping": ("c['n'] = c.get('n', 0.0) + 1", "c.update(a=c.k)", "c.pop('b', None)", "c.setdefault('m', 5.0)"),
    "sequence": ("c.append(1.0)", "c.pop() if len([*c]) > 1 else None", "c.extend([4.0])"),
    "set": ("c.add(len([*c]))", "c.discard(2.0)", "c.update({11.0})"),
    "str": ("c.k += 1",),
}
CHANGES = {
    "mapping": (
        "c['a'] = {n}",
        "c['b'] = {n}",
        "c['{n}'] = {n}",
        "c.update(b={n})",
        "c.pop('b', None)",
        "c['a'] = c.pop('a', 1.0)",
        "base.__setitem__(c, 'a', {n})",
        "c.clear(); c['a'] = {n}",
    ),
    "sequence": ("c[0] = {n}", "c.append({n})", "c.reverse()", "c.insert(0, {n})", "c.extend([{n}])"),
    "set": ("c.add({n})", "c.discard(2.0)", "c.update({{ {n} }})"),
    "str": ("box[0] = made('a' * {i})",),
}
ANYWHERE = (
    "c.k = {n}",
    "type(c).step = {n}",
    "type(c).own = lambda self, name: {n}",
    "type(c).total = lambda self: {n}",
    "type(c).scale = property(lambda self: {n})",
    "box[0] = made()",
    "names[0] = 'j' if names[0] == 'k' else 'k'",
    "pass",
)


@dataclass
class Program:
    """The text of a program, the expression that each call evaluates, and the changes between the calls."""

    text: str
    changes: list[str]

    def results(self, torch, compile) -> list:
        """Run the program and return what its calls return, or the type of their error."""
        names: dict = {"torch": torch, "compile": compile, "__name__": "program"}
        exec(self.text, names)
        found = []
        for change in self.changes:
            try:
                found.append(names["f"](torch.ones(2)).tolist())
            except Exception as error:  # the uncompiled function must raise an error of the same type
                found.append(type(error).__name__)
            names["c"] = names["box"][0]
            try:
                exec(change, names)
            except Exception as error:
                found.append(type(error).__name__)
        return [*found, repr(sorted(vars(names["box"][0]).items(), key=str))]


def kind_of(base: str) -> str:
    return "mapping" if base in MAPPINGS else "sequence" if base in SEQUENCES else base


def program(seed: int) -> Program:
    """Return the program of a seed."""
    draw = random.Random(seed)
    base = draw.choice(KINDS)
    kind = kind_of(base)
    methods: dict[str, str] = {}
    for text in draw.sample(OVERRIDES[kind], draw.randrange(4)):
        methods.setdefault(text.split("(")[0], text)
    reads = draw.sample([*READS[kind], *ANY], draw.randint(1, 3))
    writes = draw.sample(WRITES[kind], 1) if base != "tuple" and draw.random() < 0.15 else []
    body = [f"    {x}" for x in writes]
    text = "\n".join(
        [
            "import collections, dataclasses",
            "from collections import OrderedDict, UserDict, UserList, Counter, defaultdict, deque",
            _OUTPUT if base == "Output" else "",
            f"base = {base}",
            f"class Made({base}):",
            "    k, j, step = 2.0, 13.0, 1.0",
            *[f"    {x}" for x in (*methods.values(), *ALWAYS)],
            "class Reader:",
            "    def get(self, c): return sum(1.0 for _ in c.keys())",
            "reader, names = Reader(), ['k']",
            f"def made(x={_start(base, kind)!r}):",
            f"    return Made({'float, x' if base == 'defaultdict' else '**x' if base == 'Output' else 'x'})",
            "box = [made()]",
            draw.choice(("box[0].k = 3.0", "")),
            "@compile",
            "def f(x):",
            "    c = box[0]",
            *body,
            f"    return x * {' + x * '.join(reads)}",
        ]
    )
    pool = [x for x in (CHANGES[kind] if base != "tuple" else ()) for _ in range(2)] + [*ANYWHERE]
    changes = [draw.choice(pool).format(n=float(draw.randint(2, 9)), i=draw.randint(1, 4)) for _ in range(5)]
    return Program(text, ["pass", *changes, "pass", "pass"])


def _start(base: str, kind: str) -> object:
    return {"mapping": {"a": 2.0, "b": 3.0}, "sequence": [2.0, 3.0], "set": {2.0, 3.0}, "str": "ab"}[kind]


_OUTPUT = """
@dataclasses.dataclass
class Output(OrderedDict):
    a: float = None
    b: float = None
    def __post_init__(self):
        for field in dataclasses.fields(self):
            if getattr(self, field.name) is not None:
                self[field.name] = getattr(self, field.name)
    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else self.to_tuple()[key]
    def __setattr__(self, name, value):
        if name in self.keys() and value is not None:
            super().__setitem__(name, value)
        super().__setattr__(name, value)
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)
    def to_tuple(self):
        return tuple(self[k] for k in self.keys())
"""
