"""The public names of `torchlike` and the methods of `Tensor`. Submodules are imported lazily."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from torchlike import _dtypes, _errors, _quantized, _sparse, storage
from torchlike._api import glossary, refused
from torchlike._api.homes import settle as settle
from torchlike._api.homes import settle_methods as settle_methods
from torchlike._composite import (
    autocast,
    compressed,
    counting,
    float8,
    foreach,
    index,
    inplace,
    nonzero,
    numeric,
    patterns,
    ranges,
    rare_names,
    spectra,
)
from torchlike._composite import math as _functions_math
from torchlike._composite.linalg import factors, least_squares, linalg, lobpcg
from torchlike._composite.nn import fake_quantize, functions, native_functions, raw_functions, rnn
from torchlike._composite.random import random
from torchlike._composite.views import apply, conjugates, conversions, copies, memory, pinning, scatters, shape, split
from torchlike._dtypes import devices, modes, unsupported
from torchlike._engine import determinism
from torchlike._errors.warned import warn
from torchlike._ops.schema.declare import SCALAR
from torchlike._sparse import _legacy_types as legacy_types
from torchlike._tensor import binding, factories, overriding, python_operators
from torchlike._tensor.argument_forms import converted
from torchlike._tensor.tensor import Tensor
from torchlike._transforms import methods

_FACADES = (
    factories,
    ranges,
    conversions,
    _functions_math,
    conjugates,
    linalg,
    factors,
    least_squares,
    counting,
    compressed,
    functions,
    native_functions,
    raw_functions,
    rare_names,
    shape,
    random,
    rnn,
    nonzero,
    float8,
    index,
    memory,
    pinning,
    apply,
    patterns,
    fake_quantize,
    split,
    copies,
    scatters,
    spectra,
    numeric,
    lobpcg,
    legacy_types,
    determinism,
    foreach,
    autocast,
    _sparse,
    _quantized,
    storage,
    methods,
)
MODULES = (
    "nn",
    "optim",
    "utils",
    "autograd",
    "serialization",
    "cuda",
    "backends",
    "linalg",
    "special",
    "fft",
    "random",
    "testing",
    "return_types",
    "distributions",
    "amp",
    "func",
    "jax",
    "storage",
    "version",
    "signal",
    "masked",
    "ops",
    "quasirandom",
    "compiler",
    "_dynamo",
    "_inductor",
    "_higher_order_ops",
    "sparse",
    "nested",
    "accelerator",
    "cpu",
    "xpu",
    "mps",
    "hub",
    "jit",
    "types",
    "_utils",
    "_C",
    "futures",
    "multiprocessing",
    "distributed",
    "profiler",
    "onnx",
    "export",
    "library",
    "overrides",
    "package",
    "__config__",
    "__future__",
    "functional",
    "torch_version",
    "fx",
    "_custom_ops",
    "ao",
    "quantization",
    "_subclasses",
    "_tensor_str",
)
_ELSEWHERE = {
    "save": "serialization",
    "load": "serialization",
    "cond": "_higher_order_ops",
    "Future": "futures",
    "while_loop": "_higher_order_ops",
    "autocast": "amp",
    "GradScaler": "amp",
    "vmap": "func",
    "Stream": "cuda._any_streams",
    "Event": "cuda._any_streams",
    "compile": "_compile",
    "AcceleratorError": "_errors.making",
    "OutOfMemoryError": "_errors.making",
    "PyTorchFileReader": "serialization",
    "ScriptModule": "jit",
    "ScriptFunction": "jit",
    "fork": "jit",
    "wait": "jit",
    **dict.fromkeys(
        (
            "ByteStorage",
            "CharStorage",
            "ShortStorage",
            "IntStorage",
            "LongStorage",
            "BoolStorage",
            "HalfStorage",
            "BFloat16Storage",
            "FloatStorage",
            "DoubleStorage",
            "ComplexFloatStorage",
            "ComplexDoubleStorage",
            "Storage",
        ),
        "storage",
    ),
    **dict.fromkeys(
        (
            "_check",
            "_check_with",
            "_check_index",
            "_check_value",
            "_check_type",
            "_check_is_size",
            "_check_not_implemented",
            "_check_tensor_all",
            "_check_tensor_all_with",
            "_assert_async",
        ),
        "_composite.checks",
    ),
    **dict.fromkeys(
        (
            "AnyType",
            "AwaitType",
            "BoolType",
            "ClassType",
            "ComplexType",
            "ConcreteModuleType",
            "DeviceObjType",
            "DictType",
            "EnumType",
            "FloatType",
            "FutureType",
            "InferredType",
            "IntType",
            "InterfaceType",
            "ListType",
            "NoneType",
            "NumberType",
            "OptionalType",
            "PyObjectType",
            "RRefType",
            "StreamObjType",
            "StringType",
            "SymBoolType",
            "SymIntType",
            "TensorType",
            "TupleType",
            "UnionType",
        ),
        "jit._types",
    ),
    **dict.fromkeys(
        (
            "SymInt",
            "SymFloat",
            "SymBool",
            "sym_int",
            "sym_float",
            "sym_not",
            "sym_max",
            "sym_min",
            "sym_ite",
            "sym_sum",
            "sym_sqrt",
        ),
        "_composite.symbolic",
    ),
}


def _bind_tensor() -> None:
    for facade in _FACADES:
        for name, method in getattr(facade, "METHODS", {}).items():
            setattr(Tensor, name, method)
    for name, d in {**_dtypes.ALIASES, "bfloat16": _dtypes.bfloat16}.items():
        setattr(Tensor, name, conversions.to_method(name, d))
    binding.bind_methods()
    python_operators.bind()
    for name, found in list(vars(Tensor).items()):
        if isinstance(found, property) and found.fset is None:
            setattr(Tensor, name, found.setter(_refuses(name)))
    _sparse.bind()
    _quantized.bind()
    glossary.complete_all(vars(Tensor).values())


def _refuses(name: str) -> Any:
    def refuse(self: Tensor, value: Any) -> None:
        raise _errors.arguments.not_writable(name)

    return refuse


def public() -> dict[str, Any]:
    """Return the public functions and constants that `torchlike` does not import by name."""
    names: dict[str, Any] = dict(binding.names_in("torch"))
    for facade in _FACADES:
        names |= getattr(facade, "FUNCTIONS", {})
    names |= inplace.functions()
    names |= {name: d for name, d in _dtypes.ALIASES.items() if name != "bool"} | unsupported.NAMES
    names |= {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None}
    names |= {f.__name__: f for f in (is_tensor, is_floating_point, is_complex, is_inference, numel, typename)}
    names |= {"result_type": result_type, "get_device_module": get_device_module}
    names |= {f.__name__: f for f in (_errors.warned.set_warn_always, _errors.warned.is_warn_always_enabled)}
    glossary.complete_all(names.values())
    return names


_OLD_FLAGS = {
    "has_cuda": ("backends.cuda", "is_built"),
    "has_cudnn": ("backends.cudnn", "is_available"),
    "has_mkldnn": ("backends.mkldnn", "is_available"),
    "has_mps": ("backends.mps", "is_built"),
}


def lazy(name: str, modules: tuple[str, ...]) -> Any:
    """Import a submodule or a rarely used name of `torchlike` on first access."""
    if name == "__all__":
        return _exported()
    if name == "torch":  # PyTorch has the attribute torch.torch, which is the module itself
        return sys.modules["torchlike"]
    if name in modules:
        try:
            return importlib.import_module(f"torchlike.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"torchlike.{name}":
                raise
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(f"torchlike.{_ELSEWHERE[name]}"), name)
    if name in _OLD_FLAGS:
        module, function = _OLD_FLAGS[name]
        warn(f"'{name}' is deprecated, please use 'torch.{module}.{function}()'")
        return getattr(importlib.import_module(f"torchlike.{module}"), function)()
    refused.refuse("torch", name)
    import torchlike

    raise _errors.arguments.unknown_name("torch", name, [n for n in vars(torchlike) if not n.startswith("_")])


_OWN = frozenset(  # public names that PyTorch's module does not have
    [
        "clear_cache",
        "distribute",
        "expand",
        "explain",
        "grad",
        "install",
        "load_ipython_extension",
        "set_executor",
        "unfold",
        "view",
    ]
)


def _exported() -> list[str]:
    """Return the names that `from torch import *` imports: the public names of PyTorch except submodules."""
    present = vars(sys.modules["torchlike"])
    public = [name for name, value in present.items() if not isinstance(value, ModuleType)]
    return sorted(name for name in {*public, *_ELSEWHERE} - _OWN if not name.startswith("_"))


def listed(names: dict[str, Any], modules: tuple[str, ...]) -> list[str]:
    """Return the names of a module for `dir`, with the submodules and names that `lazy` imports."""
    return sorted({*names, *modules, *_ELSEWHERE})


def is_tensor(obj: Any) -> bool:
    """Return whether `obj` is a tensor.

    Args:
      obj: any object.

    >>> torchlike.is_tensor(torchlike.ones(2)), torchlike.is_tensor([1, 2])
    (True, False)
    """
    return isinstance(obj, Tensor)


def _told(function: Callable, input: Any) -> Any:
    """Return what the method of the function's name returns."""
    if isinstance(input, Tensor):
        return getattr(input, function.__name__)()
    if overriding.would_ask(input):
        return overriding.ask(function, (input,), {})
    raise _errors.arguments.wrong_type(function.__name__, "input", 1, "Tensor", input)


def is_floating_point(input: Tensor) -> bool:
    """Return whether the dtype of `input` is a real floating-point dtype.

    >>> torchlike.is_floating_point(torchlike.ones(2))
    True
    """
    return _told(is_floating_point, input)


def is_complex(input: Tensor) -> bool:
    """Return whether the dtype of `input` is complex.

    >>> torchlike.is_complex(torchlike.ones(2))
    False
    """
    return _told(is_complex, input)


def is_inference(input: Tensor) -> bool:
    """Return whether `input` was created in inference mode."""
    return _told(is_inference, input)


def numel(input: Tensor) -> int:
    """Return the number of elements of `input`.

    >>> torchlike.numel(torchlike.ones(2, 3))
    6
    """
    return _told(numel, input)


def typename(obj: Any) -> str:
    """Return the type name of an object. The type name of a tensor includes its dtype.

    The name of a class or function is its own.

    Args:
      obj: any object.

    >>> torchlike.typename(torchlike.ones(2))
    'torch.FloatTensor'
    """
    if isinstance(obj, Tensor):
        return obj.type()
    named = obj if hasattr(obj, "__qualname__") or hasattr(obj, "__name__") else type(obj)
    module = getattr(named, "__module__", None) or ""
    name = getattr(named, "__qualname__", None) or named.__name__
    return name if module in ("", "builtins") else f"{module}.{name}"


def get_device_module(device: Any = None) -> Any:
    """Return the module of a device type, such as `torchlike.cuda`.

    By default, return the module of the current accelerator, or `torchlike.cpu` if there is none.

    Args:
      device: a device or its name.
    """
    import torchlike

    kind = torchlike.accelerator.current_accelerator() if device is None else torchlike.device(device)
    return getattr(torchlike, "cpu" if kind is None else kind.type)


def result_type(tensor1: Any, tensor2: Any) -> _dtypes.dtype:
    """Return the dtype of the result of an arithmetic operation on two tensors or numbers.

    Args:
      tensor1, tensor2: tensors or Python numbers. A number does not raise the dtype of a tensor of the same category.

    >>> torchlike.result_type(torchlike.ones(2, dtype=torchlike.int32), 1.5)
    torch.float32
    """
    from torchlike._ops.schema.typing_rules import result_type as rule

    given = tuple([x if isinstance(x, Tensor) else converted(x, SCALAR) for x in (tensor1, tensor2)])
    if not all(isinstance(x, Tensor | int | float | complex) for x in given):
        raise _errors.arguments.invalid_combination("result_type", given, {})
    found = rule(
        [x._value.aval for x in given if isinstance(x, Tensor)], [type(x) for x in given if not isinstance(x, Tensor)]
    )
    return found


def _module(name: str) -> Any:
    return importlib.import_module(f"torchlike.{name}" if name else "torchlike")


overriding.above.module, overriding.above.names = _module, public
_bind_tensor()
del devices, modes
