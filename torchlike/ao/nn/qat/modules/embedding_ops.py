"""The embeddings of quantization-aware training."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike.ao.nn.qat.modules.linear import check_configured
from torchlike.nn import functional as F

__all__ = ["Embedding", "EmbeddingBag"]

_SHARED = ("max_norm", "norm_type", "scale_grad_by_freq", "sparse", "padding_idx")


class Embedding(nn.Embedding):
    """An embedding whose weight is rounded to quantized values.

    Args:
      num_embeddings: the number of vectors.
      embedding_dim: the size of a vector.
      padding_idx: the index whose vector gets no gradient.
      max_norm: longer vectors are scaled to this norm.
      norm_type: the p of the norm.
      scale_grad_by_freq: divide gradients by the frequency of the index.
      sparse: make sparse gradients.
      _weight: the vectors.
      device: of the weight.
      dtype: of the weight.
      qconfig: the configuration, whose `weight` makes the rounding module.

    Raises:
      AssertionError: there is no configuration, or its scheme has no float zero points.

    >>> import torchlike as torch
    >>> config = torch.ao.quantization.default_embedding_qat_qconfig
    >>> torch.ao.nn.qat.Embedding(4, 3, qconfig=config)(torch.tensor([0, 2])).shape
    torch.Size([2, 3])
    """

    _FLOAT_MODULE: Any = nn.Embedding

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        device: Any = None,
        dtype: Any = None,
        qconfig: Any = None,
    ) -> None:
        made = {"device": device, "dtype": dtype}
        sizes = num_embeddings, embedding_dim, padding_idx
        super().__init__(*sizes, max_norm, norm_type, scale_grad_by_freq, sparse, _weight, **made)
        _configure(self, qconfig, made, "Embedding")

    def forward(self, input: Any) -> Any:
        """Return the rounded vectors.

        Args:
          input: the indices.
        """
        weight = self.weight_fake_quant(self.weight)
        rest = self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        return F.embedding(input, weight, *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return a module with the weight of a float module.

        Args:
          mod: the float module, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or has no configuration.
        """
        return _of_float(cls, mod, mod.weight.device if isinstance(mod, nn.Embedding) else None)

    def to_float(self) -> Any:
        """Return a float module with the same weight."""
        return _to_float(self, nn.Embedding, _SHARED)


class EmbeddingBag(nn.EmbeddingBag):
    """Sums or means of embeddings whose weight is rounded to quantized values.

    Args:
      num_embeddings: the number of vectors.
      embedding_dim: the size of a vector.
      max_norm: longer vectors are scaled to this norm.
      norm_type: the p of the norm.
      scale_grad_by_freq: divide gradients by the frequency of the index.
      mode: `"sum"`, `"mean"` or `"max"`.
      sparse: make sparse gradients.
      _weight: the vectors.
      include_last_offset: the last offset is the number of indices.
      padding_idx: the index that is left out of the bags.
      qconfig: the configuration, whose `weight` makes the rounding module.
      device: of the weight.
      dtype: of the weight.

    Raises:
      AssertionError: there is no configuration, or its scheme has no float zero points.

    >>> import torchlike as torch
    >>> config = torch.ao.quantization.default_embedding_qat_qconfig
    >>> torch.ao.nn.qat.EmbeddingBag(4, 3, qconfig=config)(torch.tensor([[0, 2]])).shape
    torch.Size([1, 3])
    """

    _FLOAT_MODULE: Any = nn.EmbeddingBag

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        made = {"device": device, "dtype": dtype}
        norms = max_norm, norm_type, scale_grad_by_freq
        rest = mode, sparse, _weight, include_last_offset, padding_idx
        super().__init__(num_embeddings, embedding_dim, *norms, *rest, **made)
        _configure(self, qconfig, made, "Embedding Bag")

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """Return the sums or means of rounded vectors.

        Args:
          input: the indices.
          offsets: where each bag starts.
          per_sample_weights: a factor for each index.
        """
        weight = self.weight_fake_quant(self.weight)
        norms = self.max_norm, self.norm_type, self.scale_grad_by_freq
        rest = self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx
        return F.embedding_bag(input, weight, offsets, *norms, *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return a module with the weight of a float module.

        Args:
          mod: the float module, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or has no configuration.
        """
        return _of_float(cls, mod, mod.weight.device if isinstance(mod, nn.EmbeddingBag) else None)

    def to_float(self) -> Any:
        """Return a float module with the same weight."""
        return _to_float(self, nn.EmbeddingBag, (*_SHARED, "mode", "include_last_offset"))


def _configure(self: Any, qconfig: Any, made: dict[str, Any], shown: str) -> None:
    """Set the configuration and the rounding module."""
    if not qconfig:
        raise AssertionError("qconfig must be provided for QAT module")
    wanted, found = torch.per_channel_affine_float_qparams, qconfig.weight().qscheme
    if found is not wanted:
        raise AssertionError(f"{shown} weights requires a qscheme of {wanted} Got {found}")
    self.qconfig = qconfig
    self.weight_fake_quant = qconfig.weight(factory_kwargs=made)


def _of_float(cls: Any, mod: Any, device: Any) -> Any:
    if type(mod) is not cls._FLOAT_MODULE:
        raise AssertionError(f" qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}")
    check_configured(mod)
    names = (*_SHARED, "mode", "include_last_offset") if hasattr(mod, "mode") else _SHARED
    given = {name: getattr(mod, name) for name in names}
    sizes = mod.num_embeddings, mod.embedding_dim
    return cls(*sizes, **given, _weight=mod.weight, device=device, qconfig=mod.qconfig)


def _to_float(self: Any, kind: Any, names: tuple[str, ...]) -> Any:
    given = {name: getattr(self, name) for name in names}
    made = kind(self.num_embeddings, self.embedding_dim, **given, device=self.weight.device)
    made.weight = nn.Parameter(self.weight.detach())
    made.train(self.training)
    return made
