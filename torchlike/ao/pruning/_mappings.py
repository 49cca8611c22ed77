"""The quantized classes of sparse layers, which can be imported, but not made."""

from __future__ import annotations

from typing import Any

from torchlike import nn


def get_static_sparse_quantized_mapping() -> dict[Any, Any]:
    """Return the sparse quantized classes, by the classes that they replace.

    >>> import torchlike as torch
    >>> list(torch.ao.pruning.get_static_sparse_quantized_mapping())
    [<class 'torchlike.nn.modules.linear.Linear'>]
    """
    from torchlike.ao.nn.sparse.quantized import Linear

    return {nn.Linear: Linear}


def get_dynamic_sparse_quantized_mapping() -> dict[Any, Any]:
    """Return the dynamic sparse quantized classes, by the classes that they replace.

    >>> import torchlike as torch
    >>> list(torch.ao.pruning.get_dynamic_sparse_quantized_mapping())
    [<class 'torchlike.nn.modules.linear.Linear'>]
    """
    from torchlike.ao.nn.sparse.quantized.dynamic import Linear

    return {nn.Linear: Linear}
