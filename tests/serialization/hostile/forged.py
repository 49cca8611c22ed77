"""Fragments of pickles that no genuine file contains."""

from __future__ import annotations

import os
import random
import struct
import tempfile
from typing import Any

from tests.serialization.hostile.pickles import Raw, call, name, number, push, storage, text

CANARY = os.path.join(tempfile.gettempdir(), "torchlike-hostile-canary")

ALLOWED = (
    "torch.Tensor",
    "torch.Size",
    "torch.device",
    "torch.nn.parameter.Parameter",
    "torch.serialization._get_layout",
    "torch._tensor._rebuild_from_type_v2",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch._utils._rebuild_meta_tensor_no_storage",
    "torch._utils._rebuild_device_tensor_from_numpy",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
    "torch._utils._rebuild_nested_tensor",
    "torch._utils._rebuild_qtensor",
    "torch._utils._rebuild_wrapper_subclass",
    "torch.FloatStorage",
    "torch.LongStorage",
    "torch.storage.UntypedStorage",
    "torch.storage.TypedStorage",
    "torch.float32",
    "torch.bfloat16",
    "torch.float8_e4m3fn",
    "torch.quint8",
    "torch.FloatTensor",
    "torch.cuda.FloatTensor",
    "torch.sparse.FloatTensor",
    "torch.cuda.FloatStorage",
    "collections.OrderedDict",
    "collections.Counter",
    "builtins.set",
    "builtins.bytearray",
    "builtins.complex",
    "_codecs.encode",
)
FORBIDDEN = (
    "os.system",
    "posix.system",
    "builtins.eval",
    "builtins.exec",
    "builtins.getattr",
    "builtins.open",
    "builtins.__import__",
    "__builtin__.eval",
    "subprocess.Popen",
    "subprocess.check_output",
    "sys.exit",
    "importlib.import_module",
    "torch.load",
    "torch.save",
    "torch.hub.load",
    "torch.storage._load_from_bytes",
    "torch._utils.os.system",
    "torch.serialization.os.system",
    "torch.jit.load",
    "numpy.load",
    "numpy.fromfile",
    "functools.partial",
    "operator.attrgetter",
    "runpy.run_path",
    "torch.nn.modules.linear.Linear",
    "torch.serialization.add_safe_globals",
    "types.CodeType",
    "pickle.loads",
    "torch.compile",
    "torchlike.load",
    "torchlike.serialization.add_safe_globals",
    "torch.nn.Module.__init__",
    "torch.ops.aten.add",
    "numpy.core.multiarray._reconstruct",
    "copyreg._reconstructor",
    "builtins.print",
    "webbrowser.open",
    "shutil.rmtree",
    "code.InteractiveInterpreter",
)
ATTRIBUTES = (
    "data",
    "grad",
    "__class__",
    "__dict__",
    "_storage",
    "requires_grad",
    "tag",
    "items",
    "_backward_hooks",
    "__setstate__",
    "shape",
    "_retains_grad",
    "_post_accumulate",
    "_chain",
    "_strides",
    "__torch_function__",
    "_value",
    "__init__",
    "a b",
    "__reduce__",
    "keys",
    "names",
    "_version",
    "__getattr__",
    "_counter",
    "_meta",
    "_metadata",
)
_COMMAND = f"touch {CANARY}"
_PYTHON = f"open({CANARY!r}, 'w').close()"


def attack(r: random.Random) -> bytes:
    """Return opcodes that would run a command if the unpickler allowed it."""
    path, argument = r.choice(
        (
            ("os.system", _COMMAND),
            ("posix.system", _COMMAND),
            ("builtins.eval", _PYTHON),
            ("builtins.exec", _PYTHON),
            ("__builtin__.eval", _PYTHON),
            ("subprocess.getoutput", _COMMAND),
            ("os.popen", _COMMAND),
            ("torch._utils.os.system", _COMMAND),
            ("torch.serialization.os.system", _COMMAND),
            (r.choice(FORBIDDEN), _COMMAND),
            ("builtins.getattr", "system"),
            ("torch.storage._load_from_bytes", _COMMAND),
        )
    )
    module, _, last = path.rpartition(".")
    function = r.choice(
        (
            name(path),
            name(path),
            b"\x8c" + bytes([len(module)]) + module.encode() + text(last) + b"\x93",
            text(module) + text(last) + b"\x93",
        )
    )
    args = push((argument,))
    return r.choice(
        (
            function + args + b"R",
            function + args + b"\x81",
            function + args + b"}\x92",
            b"(" + function + push(argument) + b"o",
            f"({module}\n{last}\n".encode().replace(b"(", b"(" + push(argument) + b"i", 1),
            b"\x82\x01",
            b"\x84\xff\xff\xff\x7f",
            function + args + b"R" + push({"a": 1}) + b"b",
            call("collections.OrderedDict") + push({"__reduce__": Raw(function)}) + b"b",
            function,
            name("torch._tensor._rebuild_from_type_v2")
            + push((Raw(function), Raw(name("torch.Tensor")), (argument,), None))
            + b"R",
            push(((Raw(function),),)) + b"Q",
            call("builtins.set", [Raw(function)]),
            function + function + b"R",
        )
    )


def value(r: random.Random, view: bool = False, depth: int = 0) -> Any:
    """Return a random object of a kind that a pickle can create."""
    plain = (
        None,
        True,
        False,
        0,
        1,
        3,
        -1,
        1 << 62,
        1 << 63,
        1 << 999,
        0.5,
        float("nan"),
        float("inf"),
        "",
        "a",
        "cpu",
        "cuda:x",
        "latin1",
        "conj",
        "torch.strided",
        "torch.sparse_csr",
        "x" * 2_000,
    )
    choice = r.randrange(12 if depth < 3 else 5)
    if choice < 5:
        return r.choice(plain)
    if choice == 5:
        return tuple(value(r, view, depth + 1) for _ in range(r.randrange(5)))
    if choice == 6:
        return [value(r, view, depth + 1) for _ in range(r.randrange(4))]
    if choice == 7:
        return {r.choice(("a", "conj", "data", 1)): value(r, view, depth + 1) for _ in range(r.randrange(3))}
    if choice == 8:
        return storage(view=view)
    if choice == 9:
        return Raw(tensor(r, view=view))
    if choice == 10:
        return Raw(name(r.choice(ALLOWED)))
    return Raw(call(r.choice(("collections.OrderedDict", "collections.Counter", "builtins.set"))))


def v2_arguments(r: random.Random, hooks: Any = None, view: bool = False) -> tuple:
    """Return arguments for `_rebuild_tensor_v2`."""
    empty = Raw(call("collections.OrderedDict"))
    return (
        storage(view=view),
        0,
        r.choice(((2,), (), (1, 2))),
        r.choice(((1,), (), (1, 1))),
        r.random() < 0.2,
        empty if hooks is None else hooks,
    )


def tensor(r: random.Random, hooks: Any = None, view: bool = False) -> bytes:
    """Return opcodes that create a small tensor, valid or nearly valid."""
    if r.random() < 0.4:
        return call("torch._utils._rebuild_meta_tensor_no_storage", Raw(name("torch.float32")), (2, 2), (2, 1), False)
    made = call(
        "torch._utils._rebuild_tensor_v2",
        storage(view=view),
        0,
        (2,),
        (1,),
        False,
        Raw(call("collections.OrderedDict")) if hooks is None else hooks,
    )
    if r.random() < 0.3:
        return call("torch._utils._rebuild_parameter", Raw(made), True, {} if hooks is None else hooks)
    return made


def near_miss(r: random.Random, view: bool) -> bytes:
    """Return opcodes of a call that is valid except for one or two arguments."""
    f32, empty = Raw(name("torch.float32")), Raw(call("collections.OrderedDict"))
    held, strided = (
        storage(view=view),
        Raw(
            call(
                "torch.serialization._get_layout",
                r.choice(("torch.strided", "torch.sparse_coo", "torch.sparse_csr", "torch.sparse_bsc")),
            )
        ),
    )
    made = Raw(tensor(r, view=view))
    path, args = r.choice(
        (
            ("torch._utils._rebuild_tensor", [held, 0, (2,), (1,)]),
            ("torch._utils._rebuild_tensor_v2", [held, 0, (2, 2), (2, 1), False, empty, {"conj": True}]),
            ("torch._utils._rebuild_tensor_v3", [held, 0, (2, 2), (2, 1), False, empty, f32, {"neg": True}]),
            ("torch._utils._rebuild_parameter", [made, True, empty]),
            ("torch._utils._rebuild_parameter_with_state", [made, True, empty, {"tag": 1}]),
            ("torch._utils._rebuild_meta_tensor_no_storage", [f32, (2, 3), (3, 1), False]),
            ("torch._utils._rebuild_sparse_tensor", [strided, (made, made, made, (2, 2))]),
            ("torch._utils._rebuild_sparse_tensor", [strided, (made, made, (2, 2), True)]),
            (
                "torch._tensor._rebuild_from_type_v2",
                [
                    Raw(name("torch._utils._rebuild_parameter")),
                    Raw(name("torch.Tensor")),
                    (made, True, empty),
                    {"tag": made},
                ],
            ),
            ("torch.Size", [(2, 3)]),
            ("torch.device", ["cuda", 1]),
            ("torch.serialization._get_layout", ["torch.strided"]),
            ("collections.OrderedDict", [[("a", 1), ["b", 2]]]),
            ("collections.Counter", [{"a": 1}]),
            ("builtins.set", [[1, "a", (2,)]]),
            ("builtins.bytearray", ["ab", "latin1"]),
            ("builtins.complex", [1.0, 2.0]),
            ("_codecs.encode", ["ab", "latin1"]),
            (
                "torch._utils._rebuild_device_tensor_from_numpy",
                [Raw(call("_codecs.encode", "a", "latin1")), f32, "cpu", False],
            ),
            (
                "torch._utils._rebuild_wrapper_subclass",
                [Raw(name("torch.Tensor")), f32, (2,), (1,), 0, strided, "cpu", False],
            ),
        )
    )
    for _ in range(r.choice((1, 1, 1, 2))):
        place = r.randrange(len(args))
        if isinstance(args[place], tuple) and args[place] and type(args[place]) is tuple and r.random() < 0.7:
            inner = list(args[place])
            inner[r.randrange(len(inner))] = value(r, view)
            args[place] = tuple(inner)
        elif r.random() < 0.1:
            args.insert(place, value(r, view))
        else:
            args[place] = value(r, view)
    return call(path, *args)


def _keys(r: random.Random, count: int) -> list[bytes]:
    """Return keys for which dictionary operations are expensive."""
    kind = r.randrange(7)
    if kind == 0:  # all hashes are equal
        return [number((i << 61) - i) for i in range(1, count)]
    if kind == 1:  # hashes differ only in high bits
        return [number(i << 40) for i in range(count)]
    if kind == 2:  # keys that fill a chain of slots, and keys whose probe sequence is this chain
        size = 1 << (count * 3 // 2).bit_length()
        run, place = [], 1
        for _ in range(count // 2):
            run.append(place)
            place = (5 * place + 1) % size
        return [number(x) for x in run] + [number(run[0] + size * (i + 1)) for i in range(count // 2)]
    if kind == 3:
        return [push(float(i << 40)) for i in range(count)]
    if kind == 4:
        return [push((i << 61, 0)) for i in range(count)]
    if kind == 5:
        return [number(-(i << 61) - 2) for i in range(count)]
    return [push((float(i << 61), ())) for i in range(count)]


def colliding(r: random.Random) -> bytes:
    """Return opcodes that create a dictionary or set of any kind whose keys make its operations expensive."""
    keys = _keys(r, r.choice((150, 3_000, 10_000) * 4 + (60_000,)))
    how = r.randrange(5)
    if how == 0:
        return b"cbuiltins\nset\n](" + b"".join(keys) + b"e\x85R"
    if how == 1:
        return b"ccollections\nOrderedDict\n](" + b"".join(k + b"N\x86" for k in keys) + b"e\x85R"
    if how == 2:
        return b"ccollections\nOrderedDict\n)R(" + b"".join(k + b"N" for k in keys) + b"u"
    return (
        (b"}(" if how == 3 else b"ccollections\nCounter\n}(")
        + b"".join(k + b"N" for k in keys)
        + (b"u" if how == 3 else b"u\x85R")
    )


def costly(r: random.Random, view: bool) -> bytes:
    """Return opcodes that take much time or memory to load in relation to their size."""
    many = r.choice((1_000, 10_000, 100_000) * 9 + (1_000_000,))
    held = storage(view=view)
    args = push((held, 0, (1,), (1,), False, None))
    text_of = text("x" * r.choice((10, 1_000_000)))
    return r.choice(
        (
            b"ctorch._utils\n_rebuild_tensor_v2\nq\xfa" + args + b"q\xfb" + b"h\xfah\xfbR" * (many // 10),
            b"cbuiltins\nbytearray\nq\xfa" + text_of + text("latin1") + b"\x86q\xfb" + b"h\xfah\xfbR" * (many // 100),
            b"]" * many,
            b"\x8f" * many,
            b"(" * many,
            b"ccollections\nCounter\nq\xfa" + b"h\xfa)R" * (many // 10),
            b"c_codecs\nencode\nq\xfa" + text_of + text("latin1") + b"\x86q\xfb" + b"h\xfah\xfbR" * (many // 100),
            b"ctorch\nFloatStorage\n" * (many // 10),
            push(0.5) * many,
            number(1 << 300) * (many // 10),
            b"X" + struct.pack("<I", 0xFFFFFFFF),
            b"\x8a\xff",
            b"U\xff",
            b"K\x01" * many + b"\x87" * (many // 2),
            call("torch._utils._rebuild_tensor_v2", held, 0, (1,) * (many // 10), (1,) * (many // 10), False, None),
            call("torch._utils._rebuild_tensor_v2", held, 0, (1 << 31, 1 << 31), (0, 0), False, {}),
            call("torch._utils._rebuild_tensor_v2", held, 0, (1 << 20, 1 << 20), (0, 0), False, {}, {"neg": True}),
            call(
                "torch._utils._rebuild_meta_tensor_no_storage",
                Raw(name("torch.float32")),
                (1 << 62, 1 << 62),
                (1, 1),
                False,
            ),
            b"ctorch._utils\n_rebuild_meta_tensor_no_storage\nq\xfa"
            + push((Raw(name("torch.float32")), (2,), (1,), True))
            + b"q\xfb"
            + b"h\xfah\xfbR" * (many // 10),
            call(
                "torch._utils._rebuild_sparse_tensor",
                Raw(call("torch.serialization._get_layout", "torch.sparse_coo")),
                (
                    Raw(
                        call(
                            "torch._utils._rebuild_tensor_v2",
                            storage("torch.LongStorage", view=view),
                            0,
                            (1, 0),
                            (1, 1),
                            False,
                            {},
                        )
                    ),
                    Raw(call("torch._utils._rebuild_tensor_v2", held, 0, (0,), (1,), False, {})),
                    (1 << 62,),
                ),
            ),
        )
    )
