"""Objects made alike in both libraries, and comparison across them."""

import io

import numpy as np
import torch

import torchlike

LIBRARIES = [torch, torchlike]


def save_bytes(T, obj, **options):
    buffer = io.BytesIO()
    T.save(obj, buffer, **options)
    return buffer.getvalue()


def load_bytes(T, data, **options):
    return T.load(io.BytesIO(data), **options)


def is_tensor(x):
    return isinstance(x, torch.Tensor | torchlike.Tensor)


def plain(x):
    """`x` with tensors, dtypes and devices spelled out, so that `==` compares across libraries."""
    if is_tensor(x):
        return (
            type(x).__name__, str(x.dtype), str(x.device), tuple(x.shape), tuple(x.stride()), x.storage_offset(),
            x.requires_grad, None if x.device.type == "meta" else _bits(x), plain(_attributes(x)),
        )  # fmt: skip
    if isinstance(x, dict):
        extra = getattr(x, "__dict__", None)
        return (type(x).__name__, {k: plain(v) for k, v in x.items()}, plain(extra) if extra else None)
    if isinstance(x, list | tuple):
        return (type(x).__name__, [plain(v) for v in x])
    if isinstance(x, torch.dtype | torchlike.dtype | torch.device | torchlike.device):
        return repr(x)
    return x


def _attributes(x):
    return {k: v for k, v in x.__dict__.items() if k == "tag"}


def _bits(x):
    if x.dtype in (torch.bfloat16, torchlike.bfloat16):
        x = x.float()
    return np.asarray(x.detach().numpy()).tobytes()


def refusal(f):
    """The type and text of what `f()` raises."""
    try:
        f()
    except Exception as e:
        return type(e).__name__, str(e)
    return "nothing raised", ""
