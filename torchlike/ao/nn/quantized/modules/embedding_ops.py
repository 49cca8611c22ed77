"""Embeddings with byte rows, each with a scale and a zero point of its own. The results are float tensors."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors import arguments
from torchlike.ao.nn import qat as nnqat
from torchlike.ao.nn.quantized.modules.utils import _hide_packed_params_repr, _quantize_weight

__all__ = ["EmbeddingPackedParams", "Embedding", "EmbeddingBag"]


class EmbeddingPackedParams(nn.Module):
    """The packed weight of an embedding.

    Args:
      num_embeddings: the number of vectors.
      embedding_dim: the size of a vector.
      dtype: `torch.quint8`.

    Raises:
      NotImplementedError: the dtype is another one.
    """

    _version = 1

    def __init__(self, num_embeddings: int, embedding_dim: int, dtype: Any = torch.quint8) -> None:
        super().__init__()
        self.dtype = dtype
        _check_dtype(dtype)
        shape = num_embeddings, embedding_dim
        ones, zeros = torch.ones(num_embeddings), torch.zeros(num_embeddings)
        self.set_weight(torch.quantize_per_channel(torch.zeros(shape), ones, zeros, 0, dtype))

    def set_weight(self, weight: Any) -> None:
        """Replace the weight.

        Args:
          weight: a quint8 tensor (num_embeddings, embedding_dim), with a float zero point for each row.
        """
        self._packed_weight = torch.ops.quantized.embedding_bag_prepack(weight)

    def _weight(self) -> Any:
        return torch.ops.quantized.embedding_bag_unpack(self._packed_weight)

    def forward(self, x: Any) -> Any:
        """Return `x`."""
        return x

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "dtype"] = self.dtype
        destination[prefix + "_packed_weight"] = self._weight()

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        self.dtype = state_dict.pop(prefix + "dtype")
        _check_dtype(self.dtype)
        self.set_weight(state_dict.pop(prefix + "_packed_weight"))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def __repr__(self) -> str:
        return repr(self._weight())


def _check_dtype(dtype: Any) -> None:
    if dtype is torch.quint4x2:
        raise arguments.kind_unsupported("torch.ao.nn.quantized.Embedding", "weights of dtype quint4x2")
    if dtype is not torch.quint8:
        raise NotImplementedError(
            f"Unsupported dtype on quantized embedding! Supports quint8 and quint4x2. Got dtype: {dtype}"
        )


class Embedding(nn.Module):
    """An embedding with byte rows.

    Args:
      num_embeddings: the number of vectors.
      embedding_dim: the size of a vector.
      padding_idx: not used.
      max_norm: not used.
      norm_type: not used.
      scale_grad_by_freq: not used.
      sparse: not used.
      _weight: a quint8 tensor (num_embeddings, embedding_dim), with a float zero point for each row.
      dtype: `torch.quint8`.

    Raises:
      AssertionError: the weight has another shape.
      NotImplementedError: the dtype is another one.

    >>> import torchlike as torch
    >>> torch.ao.nn.quantized.Embedding(4, 3)(torch.tensor([0, 2])).shape
    torch.Size([2, 3])
    """

    _version = 1
    _FLOAT_MODULE: Any = nn.Embedding
    _QAT_MODULE: Any = nnqat.Embedding

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
        dtype: Any = torch.quint8,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.dtype = dtype
        self._packed_params = EmbeddingPackedParams(num_embeddings, embedding_dim, dtype)
        if _weight is not None:
            wanted = [num_embeddings, embedding_dim]
            if list(_weight.shape) != wanted:
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim: "
                    f"expected {wanted}, got {list(_weight.shape)}"
                )
            self._packed_params.set_weight(_weight)

    def forward(self, indices: Any) -> Any:
        """Return the vectors at `indices`.

        Args:
          indices: int32 or int64, of any shape.
        """
        return torch.ops.quantized.embedding_byte(self._packed_params._packed_weight, indices)

    def _get_name(self) -> str:
        return "QuantizedEmbedding"

    def __repr__(self) -> str:
        return _hide_packed_params_repr(self, EmbeddingPackedParams)

    def extra_repr(self) -> str:
        """Return the sizes, the dtype and the scheme."""
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"dtype={self._packed_params.dtype}, qscheme={self.weight().qscheme()}"
        )

    def set_weight(self, w: Any) -> None:
        """Replace the weight.

        Args:
          w: a quint8 tensor (num_embeddings, embedding_dim), with a float zero point for each row.
        """
        self._packed_params.set_weight(w)

    def weight(self) -> Any:
        """Return the quantized weight."""
        return self._packed_params._weight()

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized module of a float module, or of one of quantization-aware training.

        Args:
          mod: the float module, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or its configuration has another scheme.
        """
        watcher = cls._watcher(mod)
        if watcher.qscheme is not torch.per_channel_affine_float_qparams:
            raise AssertionError(
                f"{cls.__name__} quantization is only supported with float_qparams_weight_only_qconfig."
            )
        _check_dtype(watcher.dtype)
        watcher(mod.weight)
        made = cls(mod.num_embeddings, mod.embedding_dim)
        made.set_weight(_quantize_weight(mod.weight.float(), watcher))
        return made

    @classmethod
    def _watcher(cls, mod: Any) -> Any:
        name = cls.__name__
        if hasattr(mod, "weight_fake_quant"):
            if type(mod) is not cls._QAT_MODULE:
                raise AssertionError(f"nnq.{name}.from_float with fake quant only works for {name}")
            return mod.weight_fake_quant
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(f"nnq.{name}.from_float only works for {name}")
        if not hasattr(mod, "qconfig"):
            raise AssertionError(f"{name} input float module must have qconfig defined")
        if mod.qconfig is not None and mod.qconfig.weight is not None:
            return mod.qconfig.weight()
        from torchlike.ao.quantization.qconfig import float_qparams_weight_only_qconfig

        return float_qparams_weight_only_qconfig.weight()


class EmbeddingBag(Embedding):
    """Sums of embeddings with byte rows.

    Args:
      num_embeddings: the number of vectors.
      embedding_dim: the size of a vector.
      max_norm: not used.
      norm_type: not used.
      scale_grad_by_freq: not used.
      mode: is only kept: as in PyTorch, the vectors are added.
      sparse: not used.
      _weight: a quint8 tensor (num_embeddings, embedding_dim), with a float zero point for each row.
      include_last_offset: the last offset is the number of indices.
      dtype: `torch.quint8`.

    >>> import torchlike as torch
    >>> torch.ao.nn.quantized.EmbeddingBag(4, 3)(torch.tensor([[0, 2]])).shape
    torch.Size([1, 3])
    """

    _FLOAT_MODULE: Any = nn.EmbeddingBag
    _QAT_MODULE: Any = nnqat.EmbeddingBag

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "sum",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        dtype: Any = torch.quint8,
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, _weight=_weight, dtype=dtype)
        self.mode = mode
        self.pruned_weights = False
        self.include_last_offset = include_last_offset

    def forward(
        self, indices: Any, offsets: Any = None, per_sample_weights: Any = None, compressed_indices_mapping: Any = None
    ) -> Any:
        """Return the sum of the vectors of each bag.

        Args:
          indices: the indices, one or two dims.
          offsets: where each bag starts.
          per_sample_weights: a factor for each index.
          compressed_indices_mapping: must be None.
        """
        given = per_sample_weights, compressed_indices_mapping, self.include_last_offset
        packed = self._packed_params._packed_weight
        return torch.ops.quantized.embedding_bag_byte(packed, indices, offsets, False, 0, self.pruned_weights, *given)

    def _get_name(self) -> str:
        return "QuantizedEmbeddingBag"

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized module of a float module, or of one of quantization-aware training.

        Args:
          mod: the float module, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, or its configuration has another scheme.
        """
        made = super().from_float(mod, use_precomputed_fake_quant)
        made.mode, made.include_last_offset = mod.mode, mod.include_last_offset
        return made
