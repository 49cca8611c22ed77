"""The class `Tensor`: a storage, a geometry, a chain of views and a gradient edge.

The operators are bound to the class by `binding.py`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._autograd import accumulation, engine, versions
from torchlike._autograd.hook_handles import RemovableHandle, hold
from torchlike._autograd.nodes import AccumulateGrad, Edge, Node, begin_again, hooks_of, note_end
from torchlike._autograd.sparse_value import SparseValue, total
from torchlike._dtypes import devices, modes
from torchlike._dtypes.recorder import current
from torchlike._dtypes.strides import is_dense
from torchlike._engine import Aval, Size, Value, boundary, element, to_numpy
from torchlike._engine.trace.trace import lock
from torchlike._errors.warned import warn
from torchlike._tensor import hooks, views
from torchlike._tensor import storage as _storage
from torchlike._tensor.elements.memory import place
from torchlike._tensor.shared_storage import show
from torchlike._tensor.storage import Step, Storage
from torchlike._tensor.tracebacks import shortened

if TYPE_CHECKING:
    from torchlike._methods import Methods  # declares the methods that the operator registry binds
else:
    Methods = object

TENSOR_TYPES: set[type] = set()  # Tensor and its plain subclasses, for the dispatcher's fast check


class Tensor(Methods):
    """A multi-dimensional array with PyTorch's behavior. `torchlike.tensor` creates one.

    Args:
      args, kwargs: the sizes as ints, or the data as a sequence, array or tensor (see `Tensor.new`). `device` is also
        accepted.

    >>> torchlike.Tensor([1, 2])
    tensor([1., 2.])
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_cache",
        "_chain",
        "_counter",
        "_edge",
        "_ended",
        "_fate",
        "_frozen",
        "_grad",
        "_offset",
        "_origin",
        "_shown",
        "_storage",
        "_strides",
        "_tracks",
    )
    __array_priority__ = 1000
    # The name of a hook that a subclass defines but operators never call. Creating an instance of the subclass raises.
    _never_called: str | None = None

    _storage: Storage
    # The views that lead from the storage's value to this tensor. None means the value itself.
    _chain: tuple[Step, ...] | Any
    _strides: tuple[int, ...] | None  # None means row-major
    _offset: int
    _edge: Edge | Any  # the gradient edge
    _origin: Tensor | Any  # the base of a view
    _tracks: bool  # True for a view whose gradient history follows that of its base (see `views.py`)
    _cache: tuple[int, Any, Value] | None  # for views: storage version; base's edge (or writes at creation); value
    _grad: Tensor | Any
    _counter: _storage.Counter | None  # a version counter separate from the storage's
    # The following slots are unset on most tensors.
    # The former leaf node (a weak reference) and the gradient hooks. They are restored if the tensor requires grad
    # again.
    _ended: tuple[Any, Any]
    _fate: versions.Fate  # the final state of an overwritten tensor, for error messages
    _frozen: views.Frozen  # why a view does not follow its base, if not because of `no_grad`
    # On an internal base, made when the shape of the former base was changed in place: a weak reference to the latter.
    _shown: Any

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        """Return the result of the function itself. The implementation of a subclass normally calls this method."""
        from torchlike._tensor import overriding

        return overriding.default(cls, func, types, args, kwargs)

    def __init_subclass__(cls, overridden: bool = False, **kwargs: Any) -> None:
        from torchlike._tensor import overriding

        super().__init_subclass__(**kwargs)
        hook = cls.__dict__.get("__torch_dispatch__")
        if hook is not None:
            is_disabled = getattr(cls.__torch_dispatch__, "__name__", "").startswith("_disabled_torch_")  # type: ignore[attr-defined]
            cls._never_called = None if is_disabled else "__torch_dispatch__"
        if not overridden:
            overriding.take_in(cls)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        from torchlike._tensor import factories

        return factories.build_tensor(cls, *args, **kwargs)

    # -- reading and writing -------------------------------------------------------------------------------------------

    def _read(self, strict: bool | None = None) -> Value:
        """Return the current Value of this view. It is recomputed if the storage or the edge of the base has changed.

        `strict`: raise the errors that PyTorch raises for an operator. By default, they are raised if gradients are
        recorded.
        """
        cache = self._cache
        known = cache is not None and cache[0] == self._storage.version
        if known and (not self._tracks or cache[1] is self._origin._edge):  # type: ignore[index]
            return cache[2]  # type: ignore[index]
        return views.read_again(self, modes.local.grad if strict is None else strict)

    def _root(self) -> Tensor | Any:
        """Return the base of this view.

        A change of shape in place turns a base into a view with its own base, so all bases are followed to the last.
        """
        origin = self._origin
        while origin is not None and origin._origin is not None:
            origin = self._origin = origin._origin
        return origin

    @property
    def _base(self) -> Tensor | None:
        return None if self._origin is None else views.base_of(self)

    @property
    def _aval(self) -> Aval:
        """The shape, dtype and device, available without a read."""
        return self._storage.value.aval if not self._chain else self._chain[-1][0].outputs[0]

    @property
    def _value(self) -> Value:
        """The current contents. Reading them raises no errors about an unusable view."""
        return self._storage.value if self._chain is None else self._read(False)

    @property
    def _latest(self) -> Value:
        """The contents at the last read."""
        return self._storage.value if self._chain is None or self._cache is None else self._cache[2]

    def _pair(self, strict: bool | None = None) -> tuple[Value, Edge | None]:
        """Return the contents and the gradient edge. `strict` is that of `_read`."""
        value = self._storage.value if self._chain is None else self._read(strict)
        return value if value.__class__ is Value else value.settle(), self._edge

    def _write(self, value: Value, edge: Edge | None = None, since: int | None = None, node: str | None = None) -> None:
        """Replace the contents. All in-place operators call this method.

        `edge` is the gradient edge of the new contents. `since` is the age of the first gradient node of the new
        contents. `node` is PyTorch's name of the node of an operator that ignores the old contents.
        """
        differentiable = modes.local.grad and (edge is not None or (self._value is not None and self._edge is not None))
        if differentiable:
            views.check_write(self)
            if (edge is None or node is not None) and views.is_whole(self):
                edge = views.replaced(self._aval, self._edge, edge, node or "FillBackward0")
        origin = self if self._origin is None else self._root()
        counter = getattr(origin, "_counter", None)
        if counter is not None and counter.is_hidden:
            since = versions.UNSEEN if edge is None else versions.UNSEEN_NODE
        elif since is None and edge is not None:
            since = edge[0].age
        if self._chain is None and self._origin is None:
            if self._edge is not None:
                versions.note_result(self._edge[0], self)
            self._storage.put(value, since, self, _storage.WRITE if counter is None else 0)
            if counter is not None:
                self._count()
            if differentiable:
                self._edge = edge
            versions.note_fate(self)
            return
        if _storage.overlaps(self._chain or (), self._aval.shape, self._strides):
            raise _errors.memory.overlapping_write()
        with lock:  # other threads may write to other parts of the memory at the same time
            self._write_through(value, edge, differentiable, since)

    def _count(self) -> None:
        """Increment the version for a write that the storage has not counted, or for a change of the tensor's shape."""
        origin: Any = self if self._origin is None else self._root()
        # This call comes first, because it may increment the version of the same storage.
        step = _storage.step(origin._counter)
        origin._storage.version += step

    def _write_through(self, value: Value, edge: Edge | None, differentiable: bool, since: int | None) -> None:
        if edge is None and place(self, value):
            return
        origin = self._root()
        # `steps_from` comes first, because it may switch the tensor to a grown storage.
        steps, storage = views.steps_from(origin, self), self._storage
        if origin is None or steps is None or views.is_plain(origin, edge):
            if differentiable and edge is not None and origin is not None and not views.is_whole(self):
                edge = views.replaced(self._aval, None, edge, "AsStridedBackward0")
            self._write_raw(value, edge if differentiable else self._edge, since)
            return
        old, old_edge = origin._pair()
        if old_edge is not None:
            versions.note_result(old_edge[0], views.whole(self))
        new, new_edge = value, edge
        if steps:
            numbers = [n for _, given in steps for n in given]
            ((new, new_edge),) = engine.apply(
                _storage.write_plan(steps), [old, value], [old_edge, edge], numbers, differentiable
            )
        if edge is not None and new_edge is not None and new_edge is not edge:
            versions.note_part(new_edge[0], edge[0], since, self)
        origin._write_raw(new, new_edge if differentiable else origin._edge, since)
        if views.is_whole(self):
            value.stamp = value.stamp or versions.stamp_of(storage.value)
            self._edge = edge if differentiable else self._edge
            self._cache = (storage.version, origin._edge, value)
        elif differentiable and new_edge is not None:
            views.rebase_owner(self, origin)
            self._cache = (storage.version, views.Written(origin._edge or new_edge), value)
            self._edge = self._edge or edge  # not None, because the view now requires grad; the next read replaces it
        versions.note_fate(views.whole(self))

    def _write_raw(self, value: Value, edge: Edge | None, since: int | None = None) -> None:
        """Store new contents without gradient checks."""
        storage, origin = self._storage, self if self._origin is None else self._root()
        is_shared = origin._storage is storage
        counts_separately = not is_shared or origin._counter is not None
        step = 0 if is_shared and counts_separately else _storage.WRITE if is_shared else 1
        if self._chain is None:
            storage.put(value, since, self, step)
        else:
            storage.put_seen(self._chain, value, since, self, step)
        if counts_separately:  # after the write, which records the previous count
            self._count()
        self._edge = edge
        if self._chain is not None:
            born = self._cache[1] if self._cache is not None and not self._tracks else None
            self._cache = None if self._tracks else (storage.version, born, value)

    # -- properties ----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The size of each dim."""
        return self._aval.shape

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of one dim.

        Args:
          dim: the dim whose size is returned as an int. Default: all sizes are returned as a `torch.Size`.

        >>> torchlike.ones(2, 3).size()
        torch.Size([2, 3])
        >>> torchlike.ones(2, 3).size(0)
        2
        """
        shape = self._aval.shape
        return shape if dim is None else shape[_errors.shapes.checked_dim("size", dim, len(shape))]

    @property
    def dtype(self) -> _dtypes.dtype:
        """The element type."""
        return self._aval.dtype

    @property
    def device(self) -> devices.device:
        """The device of the tensor."""
        return self._aval.device

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return self._aval.ndim

    def dim(self) -> int:
        """Return the number of dims.

        >>> torchlike.ones(2, 3).dim()
        2
        """
        return self._aval.ndim

    ndimension = dim

    def numel(self) -> int:
        """Return the number of elements.

        >>> torchlike.ones(2, 3).numel()
        6
        """
        return self._aval.numel

    nelement = numel

    @property
    def itemsize(self) -> int:
        """The size of one element in bytes."""
        return self.dtype.itemsize

    def element_size(self) -> int:
        """Return the size of an element in bytes.

        >>> torchlike.ones(2).element_size()
        4
        """
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The size of all elements in bytes."""
        return self.numel() * self.dtype.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Return the stride of each dim, or of one dim: the step in memory, in elements, from one index to the next.

        Args:
          dim: the dim whose stride is returned as an int. Default: all strides are returned as a tuple.

        >>> torchlike.ones(2, 3).stride()
        (3, 1)
        """
        strides = _storage.strides_of(self.shape, self._strides)
        return strides if dim is None else strides[_errors.shapes.checked_dim("stride", dim, len(strides))]

    def _nonnegative(self, dim: int) -> int:
        n = max(self.ndim, 1)
        if dim is None:
            raise TypeError("argument 'dim' must be int, not NoneType")
        if not -n <= dim < n:
            raise _errors.shapes.dim_out_of_range(dim, n)
        return dim % n

    def storage_offset(self) -> int:
        """Return the position of the first element in the storage, in elements."""
        return self._offset

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """Return whether the elements are in the order of a memory format (default: row-major) without gaps.

        Args:
          memory_format: the order of the dims in memory.

        >>> torchlike.ones(2, 3).T.is_contiguous()
        False
        """
        from torchlike._dtypes import memory_format as _memory_format

        return _memory_format.is_contiguous(self.shape, self.stride(), memory_format)

    def data_ptr(self) -> int:
        """Return the address of the first element.

        The memory there holds the current contents (see `shared_storage.show`).
        """
        whole = self._storage.whole
        has_memory = self.numel() and whole.nbytes and self.device is not devices.meta
        return show(whole) + self._offset * self.dtype.itemsize if has_memory else 0

    @property
    def _version(self) -> int:
        if self._storage.inference and self._counter is None:
            raise _errors.autograd.inference_version()
        origin: Any = self if self._origin is None else self._root()
        counter = origin._counter
        return origin._storage.version >> 32 if counter is None else counter.count

    def is_inference(self) -> bool:
        """Return whether the tensor was created in inference mode."""
        return self._storage.inference

    def _is_view(self) -> bool:
        return not views.is_whole(self) and not self._storage.inference

    is_cuda = property(lambda self: self.device.type == "cuda", doc="True if the tensor is on a GPU.")
    is_mps = is_xpu = is_mtia = is_ipu = is_maia = is_vulkan = is_xla = property(lambda self: False, doc="False.")
    is_cpu = property(lambda self: self.device.type == "cpu", doc="True if the tensor is on the CPU.")
    is_meta = property(lambda self: self.device.type == "meta", doc="True if the tensor has no data.")
    is_sparse = property(lambda self: False, doc="True if the layout is sparse COO.")
    is_sparse_csr = property(lambda self: False, doc="True if the layout is sparse CSR.")
    is_quantized = property(lambda self: False, doc="Always False: quantized tensors are not supported.")
    is_mkldnn = property(lambda self: False, doc="Always False: there is no MKL-DNN layout.")
    is_nested = property(lambda self: False, doc="True if the tensor is nested (`torch.nested`).")

    def is_floating_point(self) -> bool:
        """Return whether the dtype is a real floating-point dtype.

        >>> torchlike.ones(2).is_floating_point()
        True
        """
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Return whether the dtype is complex.

        >>> torchlike.tensor([1j]).is_complex()
        True
        """
        return self.dtype.is_complex

    def is_signed(self) -> bool:
        """Return whether the dtype has negative numbers."""
        return self.dtype.is_signed

    def get_device(self) -> int:
        """Return the index of the tensor's accelerator, or -1 on the CPU.

        >>> torchlike.ones(2).get_device()
        -1
        """
        return -1 if self.device.index is None else self.device.index

    # -- gradients -----------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Return whether gradients flow to this tensor."""
        return self._edge is not None if self._origin is None else views.requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if wanted.__class__ is not bool:
            raise RuntimeError("requires_grad must be a bool")
        if not self._shows_no_history():
            raise _errors.autograd.unflagging_non_leaf(wanted)
        if wanted and self.dtype.category < _dtypes.FLOATING:
            raise _errors.autograd.only_floating_requires_grad("floating point and complex")
        self._require_grad(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set `requires_grad` of this leaf, and return the tensor.

        Args:
          requires_grad: True or False.

        >>> torchlike.ones(2).requires_grad_()
        tensor([1., 1.], requires_grad=True)
        """
        if requires_grad.__class__ is not bool:
            raise _errors.arguments.wrong_type("requires_grad_", "requires_grad", 1, "bool", requires_grad)
        if modes.local.transforms:
            raise _errors.func.inside_a_transform("requires_grad_")
        return self._require_grad(requires_grad)

    def _require_grad(self, requires_grad: bool = True) -> Tensor:
        """Set `requires_grad`, also inside a transform of `torchlike.func`."""
        edge = views.edge_of(self) if self._origin is not None and self._tracks else self._edge
        if edge is not None and not isinstance(edge[0], AccumulateGrad):
            if requires_grad:
                return self
            raise _errors.autograd.unflagging_non_leaf()
        if requires_grad and self.dtype.category < _dtypes.FLOATING:
            raise _errors.autograd.only_floating_requires_grad()
        if requires_grad and self._storage.inference and not modes.local.inference:
            raise _errors.autograd.inference_requires_grad()
        if bool(requires_grad) != (self._edge is not None and self._edge is not views.NOWHERE):
            note_end(self)
            self._edge = (begin_again(self, leaf_node), 0) if requires_grad else None
            self._storage.version += 1  # not a write for autograd, but it invalidates the caches of views
            if self._origin is not None and views.is_whole(self):
                self._root()._edge = None
                views.rebase(self)
        return self

    @property
    def is_leaf(self) -> bool:
        """Return whether the tensor is a leaf: no recorded operator created it."""
        edge = self._edge if self._origin is None else views.edge_of(self)
        return edge is None or isinstance(edge[0], AccumulateGrad)

    def _shows_no_history(self) -> bool:
        """Return whether the tensor was a leaf at its last read. Unlike `is_leaf`, this never raises."""
        return self._edge is None or isinstance(self._edge[0], AccumulateGrad)

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operator that created this tensor, or None for a leaf."""
        return None if self.is_leaf else self._edge[0].public()

    @property
    def output_nr(self) -> int:
        """The output number of this tensor in `grad_fn`."""
        return 0 if self._edge is None else self._edge[1]

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated by `backward()`."""
        if current().capture is not None:
            current().capture.grad(self, True)
        if (
            self._grad is None
            and self._edge is not None
            and not isinstance(self._edge[0], AccumulateGrad)
            and "_retains_grad" not in self.__dict__
        ):
            warn(_errors.autograd.NON_LEAF_GRAD)
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            if not isinstance(grad, Tensor):
                kind = type(grad).__name__
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {kind}")
            _errors.autograd.check_grad(self, grad)
        if current().capture is not None:
            current().capture.grad(self, False)
        self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def detach(self) -> Tensor:
        """Return a tensor over the same storage that is detached from the gradient graph.

        >>> torchlike.ones(2, requires_grad=True).detach().requires_grad
        False
        """
        versions.watch_result(self)
        made = alias(self)
        # PyTorch allows writes to a detached inference tensor outside inference mode, and counts them separately.
        if self._storage.inference and not modes.local.inference:
            made._counter = made._counter or _storage.Counter(True)
        return made

    def detach_(self) -> Tensor:
        """Detach this tensor from the gradient graph in place.

        >>> (torchlike.ones(1, requires_grad=True) * 2).detach_().requires_grad
        False
        """
        if self._is_view() and not modes.local.inference:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
                "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
                "these gradients. To fix this error, please refer to the Optimizer.zero_grad() function "
                "in torch/optim/optimizer.py as the solution."
            )
        versions.note_detached(self._edge)
        note_end(self)
        self._edge = None
        self._storage.version += 1  # not a write for autograd, but it invalidates the caches of views
        if self._origin is not None and views.is_whole(self):
            self._root()._edge = None
            views.rebase(self)
        return self

    @property
    def data(self) -> Tensor:
        """A detached tensor over the same memory. Autograd does not track writes to it."""
        made = alias(self)
        if not isinstance(made._counter, _storage.Unwritable):
            made._counter = _storage.Counter(True)
        return made

    @data.setter
    def data(self, other: Tensor) -> None:
        if not isinstance(other, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(other).__name__}")
        if self.requires_grad and other.dtype.category < _dtypes.FLOATING:
            raise _errors.autograd.data_of_integers()
        self._switch_to(other)

    @data.deleter
    def data(self) -> None:
        raise _errors.memory.deleting_data()

    def _switch_to(self, other: Tensor) -> None:
        """Switch this tensor to the memory of another one.

        The gradient edge and the number of counted writes stay the same. A view also keeps its base.
        """
        counter = _storage.LeftCounter(self._storage) if self._counter is None else self._counter.shown()
        left = self._storage.value
        versions.note_uncounted()
        self._storage, self._chain, self._strides = other._storage, other._chain, other._strides
        self._offset, self._cache = other._offset, None
        if views.is_whole(self):
            counter.leave(left, self)
            self._counter = counter
            if self._origin is not None:
                self._origin._counter = self._counter
            self._origin, self._tracks = None, False

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Register `hook(grad)`, called when this tensor's gradient is computed.

        The return value of the hook replaces the gradient, unless it is None.

        Args:
          hook: a function of the gradient. It must not change the gradient in place.

        >>> x = torchlike.ones(1, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 2)
        >>> x.sum().backward()
        >>> x.grad
        tensor([2.])
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        node, number = self._edge
        return hold(hooks_of(node).tensor.setdefault(number, OrderedDict()), hooks.on_tensor(hook))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Register `hook(self)`, called after each accumulation into the `.grad` of this leaf.

        Args:
          hook: a function of this tensor.

        >>> x = torchlike.ones(2, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
        >>> (x * 3).sum().backward()
        tensor([3., 3.])
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        self._edge[0].variable_ref = lambda: self  # type: ignore[attr-defined]  # keep the tensor alive for the hook
        return hold(self.__dict__.setdefault("_post_accumulate", OrderedDict()), hook)

    def retain_grad(self) -> None:
        """Make backward keep the gradient of this non-leaf in `.grad`.

        >>> x = torchlike.ones(2, requires_grad=True)
        >>> y = x * 3
        >>> y.retain_grad()
        >>> y.sum().backward()
        >>> y.grad
        tensor([1., 1.])
        """
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._shows_no_history() or self.__dict__.get("_retains_grad"):
            return
        if self._origin is not None:
            views.edge_of(self)  # raises for an unusable view
        self.__dict__["_retains_grad"] = True
        hooks.retain(self)

    @property
    def retains_grad(self) -> bool:
        """Return whether `retain_grad` was called on this non-leaf."""
        return bool(self.__dict__.get("_retains_grad"))

    # -- reading the data ----------------------------------------------------------------------------------------------

    def _host(self) -> np.ndarray:
        return to_numpy(self._value)

    def item(self) -> Any:
        """Return the single element as a Python number. This flushes the pending trace and blocks.

        >>> torchlike.tensor(3.5).item()
        3.5
        """
        value = self._value
        if value.aval.numel != 1:
            raise _errors.memory.not_one_element(value.aval.numel)
        if value.aval.device is devices.meta:
            raise _errors.memory.item_of_meta()
        return element(value)

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers.

        >>> torchlike.tensor([[1, 2]]).tolist()
        [[1, 2]]
        """
        if self._aval.numel and not self._storage.whole.nbytes:
            raise RuntimeError("tolist() shouldn't be called on a tensor with unallocated storage")
        host = self._host()
        return host.astype(np.float32).tolist() if self.dtype in _dtypes.NARROW else host.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Return a NumPy array over the same memory. Writes to either are visible in the other.

        Raises RuntimeError for a tensor that requires grad, and TypeError for a tensor on another device, unless
        `force`. With `force`, the tensor is detached and copied as needed. Raises TypeError for bfloat16 and 8-bit
        floats, which NumPy does not have.

        Args:
          force: allow copies.

        >>> torchlike.tensor([1, 2]).numpy()
        array([1, 2])
        """
        from torchlike._tensor import exchange

        return exchange.to_numpy(self, force)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        if copy is None:
            return array if dtype is None else array.astype(dtype, copy=False)
        return np.array(array, dtype, copy=copy)  # with `copy=False`, raises an error if another dtype needs a copy

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
        """Convert the result of a NumPy function on a tensor to a tensor.

        A bool result becomes uint8, as in PyTorch.
        """
        from torchlike._tensor import exchange

        return exchange.from_numpy(array.astype(np.uint8) if array.dtype == bool else array)

    def __bool__(self) -> bool:
        if self.numel() == 0:
            raise _errors.memory.ambiguous_bool("no values")
        if self.numel() > 1:
            raise _errors.memory.ambiguous_bool("more than one value")
        return bool(self.item())

    def __int__(self) -> int:
        return int(_dtypes.real_number(self._only(), "int64_t"))

    def __float__(self) -> float:
        return float(_dtypes.real_number(self._without_history(), "double"))

    def __complex__(self) -> complex:
        return complex(self._without_history())

    def _without_history(self) -> Any:
        """Return the only element as a number. Warn if the tensor requires grad, because the number does not."""
        found = self._only()
        if modes.local.grad and self.requires_grad:
            _errors.warned.once(_errors.autograd.SCALAR_WITHOUT_GRAD)
        return found

    def _only(self) -> Any:
        if self.numel() != 1:
            raise _errors.memory.not_one_scalar()
        return self.item()

    def __index__(self) -> int:
        if self.dtype.category > _dtypes.INTEGER or self.numel() != 1:
            raise _errors.memory.not_one_index()
        return int(self.item())

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self) -> Any:
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __reversed__(self) -> Tensor:
        return self if not self.ndim else self.flip(0)

    def __contains__(self, element: Any) -> bool:
        if isinstance(element, Tensor):
            return bool((element == self).any())
        if not isinstance(element, int | float | complex | np.number):
            raise _errors.memory.contains_only(element)
        return bool((self == element).any())

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from torchlike._tensor import printing

        return printing.tensor_text(self, tensor_contents)

    def __format__(self, spec: str) -> str:
        plain = type(self) is Tensor and not self.ndim and not self.is_meta
        return self.item().__format__(spec) if plain else object.__format__(self, spec)

    def __getitem__(self, index: Any) -> Tensor:
        from torchlike._tensor import indexing

        try:
            return indexing.get(self, index)
        except Exception as error:
            if not indexing.would_ask(self, index):
                raise shortened(error)
        return indexing.ask(Tensor.__getitem__, (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        from torchlike._tensor import indexing

        try:
            indexing.put(self, index, value)
        except Exception as error:
            if not indexing.would_ask(self, index, value):
                raise shortened(error)
            indexing.ask(Tensor.__setitem__, (self, index, value), {})

    def __delitem__(self, index: Any) -> None:
        raise _errors.indexing.no_deletion()

    def __deepcopy__(self, memo: dict) -> Tensor:
        from torchlike._tensor import copying

        return copying.deepcopy(self, memo)

    def __copy__(self) -> Any:
        from torchlike._tensor import copying

        return copying.shallow(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        from torchlike._tensor import copying

        return copying.reduce(self)


TENSOR_TYPES.add(Tensor)
_new = object.__new__


def wrap(value: Value, edge: Edge | None = None, strides: tuple[int, ...] | None = None) -> Tensor:
    """Return a new tensor with a storage of its own. For a sparse gradient value, return its sparse tensor."""
    if value.__class__ is SparseValue:
        return value.seen(edge)
    tensor = _new(Tensor)
    storage = tensor._storage = _new(Storage)  # skips `__init__`
    storage.value = value
    storage.version = tensor._offset = 0
    storage.strides = tensor._strides = strides
    tensor._chain = tensor._origin = tensor._cache = tensor._grad = tensor._counter = None
    tensor._edge = edge
    tensor._tracks = False
    made = current().made
    if made is not None:
        made(storage)
    return tensor


def alias(source: Tensor, cls: type = Tensor) -> Any:
    """Return a detached tensor over the same storage, with the same geometry."""
    hook = current().alias
    if hook is not None and cls is Tensor and (found := hook(source)) is not None:
        return found
    return same_memory(source, cls)


def same_memory(source: Tensor, cls: type = Tensor) -> Any:
    """Return an alias of a tensor without applying the alias hook of the current mode."""
    tensor = _new(cls)
    tensor._storage, tensor._chain, tensor._strides = source._storage, source._chain, source._strides
    tensor._offset, tensor._origin, tensor._edge, tensor._grad = source._offset, None, None, None
    tensor._tracks = False
    tensor._cache = None
    root: Any = source if source._origin is None else source._root()
    tensor._counter = root._counter
    if root._counter is None and root._storage is not source._storage:  # a view that was switched to other memory
        tensor._counter = _storage.LeftCounter(root._storage)
    return tensor


def untracked(view: Tensor) -> Tensor:
    """Turn a view into a tensor that PyTorch does not consider a view. It keeps its memory and gradient edge."""
    view._origin, view._tracks = None, False
    return view


def adopt(cls: type, source: Tensor) -> Any:
    """Return `source` as an instance of a subclass, with the same storage and gradient edge."""
    _check_subclass(cls)
    tensor = alias(source, cls)
    tensor._edge, tensor._origin, tensor._tracks = source._edge, source._origin, source._tracks
    tensor._cache = source._cache  # keeps the history of a view
    return tensor


def _check_subclass(cls: Any) -> None:
    """Raise if a subclass cannot be instantiated. Wrap the public functions that it may override."""
    if cls._never_called is not None:
        raise _errors.making.never_called(cls, cls._never_called)
    if cls.__basicsize__ != Tensor.__basicsize__:
        raise _errors.making.has_slots(cls)
    if cls not in TENSOR_TYPES:
        from torchlike._tensor import overriding

        overriding.look_at_functions()


def turn_into(cls: type, fresh: Tensor) -> Any:
    """Change the class of a new tensor to a subclass. Nothing else may refer to the tensor yet."""
    _check_subclass(cls)
    fresh.__class__ = cls
    return fresh


def leaf_node(tensor: Tensor) -> AccumulateGrad:
    """Return the node that accumulates the gradients of a leaf."""
    held = ref(tensor)

    def receive(pair: engine.Grad | None, create_graph: bool) -> None:
        leaf = held()
        if leaf is not None:
            accumulate(leaf, pair, create_graph)

    return AccumulateGrad(held, receive)


def accumulate(leaf: Tensor, pair: engine.Grad | None, create_graph: bool) -> None:
    """Accumulate a gradient (if there is one) into `.grad`.

    The first gradient is stored, if possible without a copy. Later ones are added in place. If `create_graph`, the
    first gradient is copied and later ones are added out of place, so that `.grad` is differentiable.
    """
    if pair is not None and leaf._edge is not None:  # the leaf may have stopped requiring grad since
        if not isinstance(leaf._edge[0], AccumulateGrad):
            raise RuntimeError("leaf variable has been moved into the graph interior")
        _add_to_grad(leaf, pair, create_graph)
    after = leaf.__dict__.get("_post_accumulate")
    for hook in list(after.values()) if after else ():
        hooks.call_after_accumulation(hook, leaf, create_graph)


def _add_to_grad(leaf: Tensor, pair: engine.Grad, create_graph: bool) -> None:
    """Store or add a gradient, as described in `accumulate`."""
    if current().capture is not None:
        current().capture.grad(leaf, True)
    grad = leaf._grad
    if pair[0].__class__ is SparseValue or (grad is not None and grad.is_sparse):
        leaf._grad = _accumulated(grad, pair, create_graph)
    elif grad is None:
        edge = None
        ordered = leaf._strides is None or is_dense(tuple(leaf.shape), leaf._strides)
        if create_graph and pair[1] is not None:  # copied, so that the accumulated gradient is differentiable
            value, edge = engine.apply_op("clone", pair, differentiate=True)
            edge = views.named(edge, "torch::autograd::CopyBackwards") if edge is not None and ordered else edge
        else:
            value = engine.owned(pair)
        leaf._grad = wrap(value, edge)
        if leaf._strides is not None and ordered:
            leaf._grad._strides = leaf._grad._storage.strides = leaf._strides
    elif create_graph:
        made = wrap(*engine.apply_op("add", grad._pair(), pair, differentiate=True))
        leaf._grad = accumulation.with_strides_of(grad, made)
    elif grad._chain is not None and _storage.overlaps(grad._chain, grad.shape, grad._strides):
        raise _errors.memory.overlapping_write()
    else:
        grad._write_raw(accumulation.added(grad, pair), grad._edge)


def _accumulated(grad: Any, pair: engine.Grad, create_graph: bool) -> Any:
    """Return the sum of `.grad` and a new gradient. At least one of the two is sparse.

    A sum with the layout of `grad` is written to `grad` in place, unless `create_graph`.
    """
    new: Any = wrap(*pair)
    with modes.set_grad_enabled(create_graph):
        if grad is None:
            return new.clone() if new.requires_grad else new._as_grad()
        if create_graph or (grad.is_sparse and not new.is_sparse):
            return wrap(*total(grad._pair(), pair, create_graph))
        return grad.add_(new)


__all__ = ["TENSOR_TYPES", "Tensor", "boundary", "wrap"]
