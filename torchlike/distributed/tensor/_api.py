"""`DTensor`: a tensor that is distributed over the processes of a mesh."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import torchlike
from torchlike import Tensor
from torchlike._internal import adopt, current
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor import _layout
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torchlike.distributed.tensor._nodes import Cast, _ToTorchTensor
from torchlike.distributed.tensor._redistribute import redistributed
from torchlike.distributed.tensor.placement_types import Placement, Replicate


class DTensor(Tensor):
    """A tensor that is distributed over the processes of a mesh.

    Each process holds its local tensor, in this object's own storage. `placements` tells, for each dim of the mesh, how
    the local tensors make up the global tensor. The shape, the strides and the operators are those of the global
    tensor. Use `DTensor.from_local` or `distribute_tensor` to make one.

    Args:
      local_tensor: the tensor of this process.
      spec: the mesh, the placements and the global shape.
      requires_grad: whether the tensor requires grad.
    """

    _spec: DTensorSpec
    _source: tuple  # for a gathered tensor: its edge, and the local tensor and the layout before (see `_copies.py`)
    _is_param: bool  # set on parameters

    def __new__(cls, local_tensor: Tensor, spec: DTensorSpec, *, requires_grad: bool) -> Any:
        made = adopt(cls, local_tensor.detach())
        made._spec = spec
        return made._require_grad(requires_grad)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        """Call the function with the rule of its operator."""
        from torchlike.distributed.tensor import _dispatch

        return _dispatch.call(func, args, kwargs or {})

    # -- layout --------------------------------------------------------------------------------------------------------

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh over which this tensor is distributed."""
        return self._spec.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The placement along each dim of the mesh."""
        return self._spec.placements

    @property
    def _local_tensor(self) -> Tensor:
        """The local tensor, without gradients. It shares memory with this tensor."""
        return local_of(self).detach()

    @property
    def shape(self) -> torchlike.Size:
        """The global size of each dim."""
        return self._spec.tensor_meta.shape

    def size(self, dim: int | None = None) -> Any:
        """Return the global shape, or the global size of one dim.

        Args:
          dim (int, optional): the dim.
        """
        return self._meta.size() if dim is None else self._meta.size(dim)

    def stride(self, dim: int | None = None) -> Any:
        """Return the global strides, or the global stride of one dim.

        Args:
          dim (int, optional): the dim.
        """
        return self._spec.stride if dim is None else self._spec.stride[self._nonnegative(dim)]

    @property
    def _meta(self) -> Tensor:
        """A tensor without data that has the global shape and strides."""
        meta = self._spec.tensor_meta
        return torchlike.empty_strided(meta.shape, meta.stride, dtype=meta.dtype, device="meta")

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return self._spec.ndim

    def dim(self) -> int:
        """Return the number of dims."""
        return self._spec.ndim

    ndimension = dim

    def numel(self) -> int:
        """Return the number of elements of the global tensor."""
        return self._spec.shape.numel()

    nelement = numel

    @property
    def nbytes(self) -> int:
        """The size of all elements of the global tensor in bytes."""
        return self.numel() * self.dtype.itemsize

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """Return whether the global strides are those of a memory format.

        Args:
          memory_format (memory_format, optional): the format. Default: row-major.
        """
        return self._meta.is_contiguous(memory_format=memory_format)

    def is_floating_point(self) -> bool:
        """Return whether the dtype is a real floating-point dtype."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Return whether the dtype is complex."""
        return self.dtype.is_complex

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        local = self._local_tensor
        if self.requires_grad and self.is_leaf and not getattr(self, "_is_param", False):
            local = local.requires_grad_()
        return f"DTensor(local_tensor={local}, device_mesh={self._spec.mesh}, placements={self._spec.placements})"

    __hash__ = Tensor.__hash__

    # -- gradients -----------------------------------------------------------------------------------------------------

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated by `backward()`, a `DTensor`."""
        found = Tensor.grad.fget(self)  # type: ignore[attr-defined]
        if found is not None and not isinstance(found, DTensor):
            found = self._grad = self._as_gradient(found)
        return found

    def _as_gradient(self, local: Tensor) -> DTensor:
        """Return a local gradient of this tensor as a `DTensor`."""
        return distributed(local, self._spec.mesh, _layout.of_gradient(self.placements), self._spec)

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None and isinstance(grad, Tensor) and tuple(grad.shape) != tuple(self.shape):
            raise RuntimeError(
                f"assigned grad has data of a different size: expected {list(self.shape)} but got {list(grad.shape)}"
            )
        if current().capture is not None:
            current().capture.grad(self, False)
        with torchlike._C.DisableTorchFunctionSubclass():
            self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def detach(self) -> DTensor:
        """Return a tensor over the same local memory that is detached from the gradient graph."""
        return distributed(local_of(self).detach(), self._spec.mesh, self.placements, self._spec)

    def detach_(self) -> DTensor:
        """Detach this tensor from the gradient graph in place."""
        Tensor.detach_(self)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> DTensor:
        """Set `requires_grad` of this leaf, and return the tensor.

        Args:
          requires_grad: the new value.
        """
        Tensor.requires_grad_(self, requires_grad)
        return self

    @property
    def data(self) -> DTensor:
        """A detached tensor over the same local memory. Autograd does not track writes to it."""
        return distributed(local_of(self).data, self._spec.mesh, self.placements, self._spec)

    @data.setter
    def data(self, other: Tensor) -> None:
        if not isinstance(other, DTensor):
            raise RuntimeError("Attempted to call `variable.set_data(tensor)`, but the tensor is not a DTensor")
        Tensor.data.fset(self, other)  # type: ignore[attr-defined]
        self._spec = other._spec

    @data.deleter
    def data(self) -> None:
        Tensor.data.fdel(self)  # type: ignore[attr-defined]

    def register_hook(self, hook: Callable[[Any], Any]) -> Any:
        """Register a function that is called when this tensor's gradient is computed.

        Args:
          hook (function): called with the gradient, a `DTensor`. If it returns a tensor, this replaces the gradient.

        Returns:
          A handle, whose `remove` removes the hook.
        """
        placements = _layout.of_gradient(self.placements)

        def called(grad: Tensor) -> Tensor | None:
            found = hook(self._as_gradient(grad))
            return found.redistribute(placements=placements).to_local() if isinstance(found, DTensor) else found

        return super().register_hook(called)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Compute the gradients of the leaves of this tensor's graph.

        Args:
          gradient (Tensor or DTensor, optional): the gradient of this tensor. It may be omitted for one element. A
            `Tensor` is the gradient of the local tensor.
          retain_graph, create_graph, inputs: as for `Tensor.backward`.
        """
        if gradient is None and self.numel() == 1:
            gradient = torchlike.ones(self._spec.shape, dtype=self.dtype, device=self.device)
        elif isinstance(gradient, DTensor):
            gradient = gradient.redistribute(placements=_layout.of_gradient(self.placements)).to_local()
        local = local_of(self)
        local.backward(gradient, retain_graph, create_graph, inputs)

    # -- values and attributes -----------------------------------------------------------------------------------------

    def item(self) -> Any:
        """Return the single element of the global tensor as a Python number."""
        return local_of(changed(self, (Replicate(),) * self.device_mesh.ndim)).detach().item()

    def tolist(self) -> Any:
        """Raise RuntimeError, as in PyTorch. Use `full_tensor().tolist()`."""
        raise RuntimeError(".tolist() is not supported for tensor subclasses, got DTensor")

    def numpy(self, *, force: bool = False) -> Any:
        """Raise RuntimeError, as in PyTorch. Use `full_tensor().numpy()`.

        Args:
          force: has no effect: the call raises.
        """
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def __bool__(self) -> bool:
        return bool(self.item()) if self.numel() == 1 else Tensor.__bool__(self)

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        return int(self.item())

    @property
    def T(self) -> DTensor:
        """The tensor with its dims in reverse order."""
        return cast(DTensor, self.permute(*reversed(range(self.ndim))))

    @property
    def mT(self) -> DTensor:
        """The tensor with its last two dims swapped."""
        return cast(DTensor, self.transpose(-2, -1))

    # -- conversion ----------------------------------------------------------------------------------------------------

    @staticmethod
    def from_local(
        local_tensor: Tensor,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        run_check: bool = False,
        shape: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        grad_placements: Sequence[Placement] | None = None,
    ) -> DTensor:
        """Return a `DTensor` whose local tensor is `local_tensor`. Gradients flow to `local_tensor`.

        Args:
          local_tensor: the tensor of this process. It shares memory with the result.
          device_mesh: the mesh. By default, the mesh of the enclosing `with` statement.
          placements: the placement along each dim of the mesh. By default, all are `Replicate()`.
          run_check: whether to compare the shapes of all processes, and to broadcast replicated tensors from the first.
          shape: the global shape. By default, all processes have local tensors of the same shape.
          stride: the global strides. They are given together with `shape`.
          grad_placements: the placements of the gradient that `local_tensor` receives. By default, those of the
            result, with `Replicate()` in the place of `Partial()`.

        Raises:
          RuntimeError: `local_tensor` is a `DTensor`, or only one of `shape` and `stride` is given.
          ValueError: there are partial placements with different reductions.
        """
        from torchlike.distributed.tensor._making import from_local

        return from_local(local_tensor, device_mesh, placements, run_check, shape, stride, grad_placements)

    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """Return the local tensor. Gradients flow back to this tensor.

        Args:
          grad_placements: the placements of the gradients of the result. By default, those of this tensor, with
            `Replicate()` in the place of `Partial()`.
        """
        local = local_of(self)
        if not torchlike.is_grad_enabled() or not self.requires_grad:
            found = local.detach()
        else:
            wanted = _layout.of_gradient(self.placements)
            given = wanted if grad_placements is None else tuple(grad_placements)
            found = _ToTorchTensor.apply(local, self._spec, given, wanted)
        if getattr(self, "_is_param", False):
            found.__dict__["_is_param"] = True
        return found

    def redistribute(
        self,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        async_op: bool = False,
        forward_dtype: torchlike.dtype | None = None,
        backward_dtype: torchlike.dtype | None = None,
    ) -> DTensor:
        """Return the same global tensor with other placements. The processes exchange their parts as needed.

        Args:
          device_mesh: the mesh of this tensor.
          placements: the new placement along each dim of the mesh.
          async_op: has no effect, because the exchange is recorded like any operator.
          forward_dtype: the dtype of the result, and of the messages.
          backward_dtype: the dtype of the messages of the backward pass.

        Raises:
          RuntimeError: no placements are given, or a new placement is partial.
          ValueError: there are more or fewer placements than dims of the mesh.
        """
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        if device_mesh is not None and device_mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        if len(placements) != self.device_mesh.ndim:
            raise ValueError(
                f"`placements` must have the same length as `device_mesh.ndim`! "
                f"Found placements length: {len(placements)}, and device_mesh.ndim: {self.device_mesh.ndim}."
            )
        placements = _layout.normalized(placements, self.ndim)
        for old, new in zip(self.placements, placements):
            if new.is_partial() and old != new:
                raise RuntimeError(
                    f"Can not redistribute from {old} to {new}, redistributing to Partial is for internal use only!"
                )
        return changed(self, placements, forward_dtype, backward_dtype)

    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """Return the global tensor, as a plain tensor that all processes have.

        Args:
          grad_placements: the placements of the gradients of the result. By default, they are replicated.
        """
        whole = changed(self, (Replicate(),) * self.device_mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            return Tensor.__deepcopy__(self, memo)  # raises
        made = memo[id(self)] = of_spec(local_of(self).detach().clone(), self._spec)
        made.__dict__.update({name: held for name, held in self.__dict__.items() if name not in _NOT_COPIED})
        made._require_grad(self.requires_grad)
        if self.grad is not None:
            made._grad = copy.deepcopy(self.grad, memo)
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuilt, (self._local_tensor, self._spec, self.requires_grad, self._attributes())

    def _attributes(self) -> dict[str, Any]:
        """Return the attributes that PyTorch keeps in `__dict__`."""
        return {name: held for name, held in self.__dict__.items() if name not in NOT_IN_FILES}

    def _state_for_file(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        return self._attributes() or None, {"_local_tensor": self._local_tensor, "_spec": self._spec}

    @classmethod
    def _of_file(cls, described: Any, attributes: Mapping[str, Any], slots: Mapping[str, Any]) -> DTensor:
        """Return a tensor from PyTorch's form."""
        from torchlike.distributed.tensor import _files

        return _files.restored(described, attributes, slots)


_NOT_COPIED = ("_retains_grad", "_post_accumulate", "_copy", "_source")
NOT_IN_FILES = ("_spec", *_NOT_COPIED)


def _rebuilt(local: Tensor, spec: DTensorSpec, requires_grad: bool, attributes: dict[str, Any]) -> DTensor:
    made = DTensor(local, spec, requires_grad=requires_grad)
    made.__dict__.update(attributes)
    return made


def local_of(tensor: DTensor) -> Tensor:
    """Return the local tensor with its gradient edge, as a plain tensor."""
    return adopt(Tensor, tensor)


def distributed(local: Tensor, mesh: DeviceMesh, placements: Sequence[Placement], like: DTensorSpec) -> DTensor:
    """Return a local tensor, with its gradient edge, as a `DTensor` with the global geometry of `like`."""
    meta = TensorMeta(like.shape, like.stride, local.dtype)
    return of_spec(local, DTensorSpec(mesh, tuple(placements), meta))


def of_spec(local: Tensor, spec: DTensorSpec) -> DTensor:
    """Return a local tensor, with its gradient edge, as a `DTensor`."""
    made = adopt(DTensor, local)
    made._spec = spec
    return made


def changed(
    tensor: DTensor,
    placements: Sequence[Placement],
    forward_dtype: torchlike.dtype | None = None,
    backward_dtype: torchlike.dtype | None = None,
) -> DTensor:
    """Return a tensor with other placements, which may be partial."""
    local, spec = local_of(tensor), tensor._spec
    if forward_dtype is not None or backward_dtype is not None:
        local = Cast.apply(local, forward_dtype or local.dtype, local.dtype)
    made = redistributed(local, spec.shape, spec.mesh, spec.placements, placements)
    if backward_dtype is not None:
        made = Cast.apply(made, made.dtype, backward_dtype)
    found = distributed(made, spec.mesh, placements, spec)
    if forward_dtype is None and backward_dtype is None and made is not local and made.requires_grad:
        found._source = (made._edge, local, spec)  # see `_copies.py`
    return found
