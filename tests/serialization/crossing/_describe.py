"""Descriptions of objects of either library, which `==` compares across libraries."""

import collections
import math
import types

import torch

import torchlike

PLAIN = (int, bool, str, bytes, type(None), range, slice)
# Types whose objects are described by their repr.
NAMED = tuple(getattr(T, name) for T in (torch, torchlike) for name in ("dtype", "device", "layout", "memory_format"))
TENSORS = (torch.Tensor, torchlike.Tensor)
MODULES = (torch.nn.Module, torchlike.nn.Module)
OPTIMIZERS = (torch.optim.Optimizer, torchlike.optim.Optimizer)
GENERATORS = (torch.Generator, torchlike.Generator)
STORAGES = tuple(T.storage.TypedStorage for T in (torch, torchlike)) + (torch.UntypedStorage, torchlike.UntypedStorage)
UNINITIALIZED = (
    torch.nn.parameter.UninitializedTensorMixin,
    torchlike.nn.parameter.UninitializedTensorMixin,
)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type)


def describe(x, memory=True):
    """Describe an object by its types and the bits, dtypes, sizes and flags of its tensors.

    With `memory`, the description includes offsets, strides and shared storages. A storage of bytes is described as one
    of uint8, because PyTorch loads it as such.
    """
    return _Description(memory).of(x)


class _Description:
    def __init__(self, memory):
        self._memory = memory
        self._objects = {}  # containers and tensors by id; references keep them alive, so that no id is reused
        self._storages = {}

    def of(self, x):
        if isinstance(x, PLAIN):
            return type(x).__name__, x
        if isinstance(x, float):
            return "float", "nan" if math.isnan(x) else x.hex()
        if isinstance(x, complex | bytearray):
            return type(x).__name__, repr(x)
        if isinstance(x, NAMED):
            return repr(x)
        if isinstance(x, FUNCTIONS):
            return "function", x.__name__
        if id(x) in self._objects:
            return "again", self._objects[id(x)][0]
        self._objects[id(x)] = len(self._objects), x
        if isinstance(x, STORAGES):
            return "storage", str(getattr(x, "dtype", "torch.uint8")), x.untyped().tolist(), self._storage(x)
        return type(x).__name__, *self._made(x)

    def _made(self, x):
        if isinstance(x, UNINITIALIZED):
            return (str(x.dtype), x.requires_grad)
        if isinstance(x, TENSORS):
            return self._tensor(x)
        if isinstance(x, GENERATORS):
            return x.initial_seed(), x.get_state().tolist()
        if isinstance(x, MODULES):
            return self._module(x)
        if isinstance(x, OPTIMIZERS):
            return (self.of(x.state_dict()),)
        return self._container(x)

    def _container(self, x):
        if isinstance(x, dict):
            factory = x.default_factory if isinstance(x, collections.defaultdict) else None
            return [(self.of(k), self.of(v)) for k, v in x.items()], self.of(factory), self._attributes(x)
        if isinstance(x, list | tuple):
            return ([self.of(part) for part in x],)
        if isinstance(x, set | frozenset):
            return (sorted(map(repr, x)),)
        return (self._attributes(x),)

    def _attributes(self, x):
        return [(name, self.of(value)) for name, value in sorted(getattr(x, "__dict__", {}).items())]

    def _tensor(self, x):
        seen = (str(x.dtype), str(x.device), str(x.layout), tuple(x.shape), x.requires_grad)
        tag = self.of(x.__dict__.get("tag"))
        if x.layout in (torch.sparse_coo, torchlike.sparse_coo):
            return *seen, tag, x.is_coalesced(), self.of(x._indices()), self.of(x._values())
        if x.layout in (torch.sparse_csr, torchlike.sparse_csr):
            return *seen, tag, self.of(x.crow_indices()), self.of(x.col_indices()), self.of(x.values())
        if x.layout in (torch.sparse_csc, torchlike.sparse_csc):
            return *seen, tag, self.of(x.ccol_indices()), self.of(x.row_indices()), self.of(x.values())
        if x.device.type == "meta":
            return *seen, tag, tuple(x.stride())
        where = (tuple(x.stride()), x.storage_offset(), self._storage(x.untyped_storage())) if self._memory else None
        return *seen, tag, where, bits(x)

    def _storage(self, storage):
        number, _ = self._storages.setdefault(storage._cdata, (len(self._storages), storage))
        return number, storage.nbytes()

    def _module(self, x):
        kept = {k: v for k, v in x.__dict__.items() if not k.startswith("_")}
        parts = [getattr(x, name) for name in ("_parameters", "_buffers", "_modules")]
        return repr(x), *map(self.of, parts), sorted(x._non_persistent_buffers_set), self.of(dict(sorted(kept.items())))


def bits(x):
    """Return the bytes of a tensor's elements, in index order."""
    T = torch if isinstance(x, torch.Tensor) else torchlike
    x = x.detach().resolve_conj().resolve_neg()
    return x.contiguous().reshape(-1).view(T.uint8).numpy().tobytes() if x.numel() else b""
