"""Restoring a `DTensor` from a file, after checking that its parts agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.distributed.tensor import _layout
from torchlike.distributed.tensor._api import NOT_IN_FILES, DTensor
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec
from torchlike.serialization._errors import Refused


def restored(described: Any, attributes: Mapping[str, Any], slots: Mapping[str, Any]) -> DTensor:
    """Return the tensor of a description, its attributes and its slots: the local tensor and the spec."""
    for name in attributes:
        if type(name) is not str or name in NOT_IN_FILES or name.startswith("__") or hasattr(DTensor, name):
            raise Refused(f"a DTensor in it has the attribute {name!r:.100}, which is reserved")
    if slots.keys() != {"_local_tensor", "_spec"}:
        raise Refused("a DTensor in it has other parts than a local tensor and a spec")
    local, spec = slots["_local_tensor"], slots["_spec"]
    if type(local) is not Tensor or local.layout is not torchlike.strided:
        raise Refused("a DTensor in it has no local tensor")
    if type(spec) is not DTensorSpec or spec.__dict__.get("tensor_meta") is None:
        raise Refused("a DTensor in it has no spec")
    meta = spec.tensor_meta
    told = (described.size, described.stride, described.dtype, described.dtype)
    if told != (tuple(meta.shape), meta.stride, meta.dtype, local.dtype):
        raise Refused(
            f"a DTensor in it has the size {list(described.size)}, the strides {described.stride} and the dtype "
            f"{described.dtype}, but its spec or its local tensor has others"
        )
    _check_parts(local, spec)
    made = DTensor(local, spec, requires_grad=described.requires_grad)
    made.__dict__.update(attributes)
    return made


def _check_parts(local: Tensor, spec: DTensorSpec) -> None:
    """Raise if the local tensor does not have the shape of the part of the process that saved it."""
    for placement in spec.placements:
        if isinstance(placement, _layout.Sharded) and not 0 <= placement.dim < spec.ndim:
            raise Refused(f"a DTensor in it has {spec.ndim} dims and the placement {placement}")
    place, here = spec.mesh._saved_coordinate(), spec.mesh.get_coordinate()
    if place is None:
        return
    if here is None or any(a != b and not each.is_replicate() for a, b, each in zip(place, here, spec.placements)):
        spec.mesh._keep_parts()
    expected = _layout.shape_at(place, spec.shape, spec.mesh, spec.placements)
    if tuple(local.shape) != expected:
        raise Refused(
            f"a DTensor in it has a local tensor of the shape {list(local.shape)}, and {list(expected)} is the part of "
            f"the process that saved it, for the shape {list(spec.shape)} and the placements {spec.placements} on "
            f"{spec.mesh}"
        )
