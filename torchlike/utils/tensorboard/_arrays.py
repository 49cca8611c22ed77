"""Conversion of logged values to NumPy arrays and to protocol buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

import torchlike as torch
from torchlike.utils.tensorboard import _errors


def make_np(x: Any) -> np.ndarray:
    """Convert a tensor, array or number to a NumPy array.

    A number becomes an array with one element. bfloat16 tensors are converted to float16.
    """
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if not isinstance(x, torch.Tensor):
        raise _errors.no_array(x)
    x = x.detach().cpu()
    return (x.to(torch.float16) if x.dtype == torch.bfloat16 else x).numpy()


def shape_of(*sizes: int) -> TensorShapeProto:
    """Return the protocol buffer of a shape."""
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def value_of(tag: str, plugin: str, content: bytes = b"", tensor: TensorProto | None = None) -> Summary:
    """Return a summary with one value for a TensorBoard plugin."""
    plugin_data = SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    return Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=plugin_data), tensor=tensor)])


def _plain(x: Any) -> list:
    return x.flatten().tolist()


def _halves(x: Any) -> list[int]:
    """Return the float32 bit patterns of the elements. As in PyTorch, they are stored in the field `half_val`."""
    return x.float().numpy().reshape(-1).view(np.int32).tolist()


def _pairs(x: Any) -> list[float]:
    return torch.view_as_real(x).flatten().tolist()


# dtype -> (TensorBoard's name, field of the protocol buffer, function that converts a tensor to the field's values).
_FIELDS = {
    torch.float16: ("DT_HALF", "half_val", _halves),
    torch.bfloat16: ("DT_BFLOAT16", "half_val", _halves),
    torch.float32: ("DT_FLOAT", "float_val", _plain),
    torch.float64: ("DT_DOUBLE", "double_val", _plain),
    torch.int8: ("DT_INT8", "int_val", _plain),
    torch.int16: ("DT_INT16", "int_val", _plain),
    torch.int32: ("DT_INT32", "int_val", _plain),
    torch.int64: ("DT_INT64", "int64_val", _plain),
    torch.uint8: ("DT_UINT8", "uint32_val", _plain),
    torch.bool: ("DT_BOOL", "bool_val", _plain),
    torch.complex64: ("DT_COMPLEX64", "scomplex_val", _pairs),
    torch.complex128: ("DT_COMPLEX128", "dcomplex_val", _pairs),
}


def tensor_proto(tag: str, tensor: Any) -> Summary:
    """Return a summary of a whole tensor."""
    if tensor.numel() * tensor.itemsize >= 2**31:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    if tensor.dtype not in _FIELDS:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    name, field, elements = _FIELDS[tensor.dtype]
    held: Any = {field: elements(tensor.detach().cpu())}
    return value_of(tag, "tensor", tensor=TensorProto(dtype=name, tensor_shape=shape_of(*tensor.shape), **held))
