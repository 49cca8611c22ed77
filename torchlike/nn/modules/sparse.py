"""Embedding layers."""

from __future__ import annotations

from typing import Any, Self

import torchlike
from torchlike import Tensor
from torchlike.nn import _errors_layers as _errors
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """The base class of `Embedding` and `EmbeddingBag`: the weight table."""

    weight: Parameter
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    _shards_rows = True  # over a mesh, the table is divided into groups of rows

    def _make_table(self, given: Tensor | None, freeze: bool, device: Any, dtype: Any) -> None:
        shape = [self.num_embeddings, self.embedding_dim]
        if given is None:
            self.weight = Parameter(torchlike.empty(shape, device=device, dtype=dtype), requires_grad=not freeze)
            self.reset_parameters()
        else:
            if list(given.shape) != shape:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(given, requires_grad=not freeze)

    def _row_number(self, padding_idx: int | None) -> int | None:
        """Return `padding_idx` as a non-negative row index."""
        if padding_idx is None:
            return None
        if not -self.num_embeddings <= padding_idx < self.num_embeddings:
            raise _errors.embedding_padding_index(type(self).__name__)
        return padding_idx % self.num_embeddings if padding_idx < 0 else padding_idx

    def reset_parameters(self) -> None:
        """Re-initialize the table from the standard normal distribution. The padding row becomes zeros."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torchlike.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """A lookup table of embedding vectors: integer indices of any shape (*) -> (*, embedding_dim).

    `weight` has shape (num_embeddings, embedding_dim) and is initialized from the standard normal distribution.

    Args:
      num_embeddings: the number of rows of the table.
      embedding_dim: the size of a row.
      padding_idx: the index of a row that is initialized to zeros and receives no gradient.
      max_norm: a lookup first scales down, in place, those of its rows whose norm exceeds this number.
      norm_type: the exponent p of this norm.
      scale_grad_by_freq: divide the gradient of a row by the number of its lookups.
      sparse: the gradient of `weight` is a sparse tensor.
      _weight: a table to use instead of a new one.
      _freeze: do not train the table.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      AssertionError: `padding_idx` is not a row, or `_weight` has another shape.
      IndexError: an index is out of range and the input is already on the host. The call raises this. Otherwise such an
        index gives NaN.

    >>> import torchlike as torch
    >>> torch.nn.Embedding(10, 3)(torch.tensor([[1, 2], [4, 5]])).shape
    torch.Size([2, 2, 3])
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "padding_idx",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "sparse",
    ]

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = self._row_number(padding_idx)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        self._make_table(_weight, _freeze, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        options = (self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
        return F.embedding(input, self.weight, *options)

    def extra_repr(self) -> str:
        shown = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            shown.append(f"padding_idx={self.padding_idx}")
        if self.max_norm is not None:
            shown.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            shown.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            shown.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        if self.sparse is not False:
            shown.append("sparse=True")
        return ", ".join(shown)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """Return a layer that shares the given table without copying it. It is not trained unless `freeze=False`.

        Args:
          embeddings: the table, (num_embeddings, embedding_dim).
          freeze: do not train the table.
          padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse: as for `Embedding`. The padding row keeps its
            values.

        Raises:
          AssertionError: the table has not two dimensions.
        """
        if embeddings.dim() != 2:
            raise _errors.embedding_table_dimensions()
        rows, columns = embeddings.shape
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls(rows, columns, *options, _weight=embeddings, _freeze=freeze)


class EmbeddingBag(_Table):
    """An embedding layer that reduces each bag of indices to one vector: the sum, mean or maximum of the rows.

    The bags are the rows of a 2-dimensional input (B, L), or the segments of a 1-dimensional input that start at
    `offsets` (B). The result has shape (B, embedding_dim). `per_sample_weights` scales each row. It is supported only
    with mode 'sum'.

    Args:
      num_embeddings: the number of rows of the table.
      embedding_dim: the size of a row.
      max_norm: a lookup first scales down, in place, those of its rows whose norm exceeds this number.
      norm_type: the exponent p of this norm.
      scale_grad_by_freq: divide the gradient of a row by the number of its lookups. Not supported with mode 'max'.
      mode: 'sum', 'mean' or 'max'.
      sparse: the gradient of `weight` is a sparse tensor. Not supported with mode 'max'.
      _weight: a table to use instead of a new one.
      include_last_offset: `offsets` has one more element, the end of the last bag.
      padding_idx: the index of a row that does not contribute.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      AssertionError: `padding_idx` is not a row, or `_weight` has another shape.
      ValueError: `mode` is unknown, or the shapes do not fit. The call raises this.

    >>> import torchlike as torch
    >>> bag = torch.nn.EmbeddingBag(10, 3, mode="sum")
    >>> bag(torch.tensor([1, 2, 4, 5]), offsets=torch.tensor([0, 2])).shape
    torch.Size([2, 3])
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "mode",
        "sparse",
        "include_last_offset",
        "padding_idx",
    ]

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = self._row_number(padding_idx)
        self._make_table(_weight, False, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        shown = [f"{self.num_embeddings!r}, {self.embedding_dim!r}"]
        if self.max_norm is not None:
            shown.append(f"max_norm={self.max_norm!r}")
        if self.norm_type != 2:
            shown.append(f"norm_type={self.norm_type!r}")
        if self.scale_grad_by_freq is not False:
            shown.append(f"scale_grad_by_freq={self.scale_grad_by_freq!r}")
        shown.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            shown.append(f"padding_idx={self.padding_idx!r}")
        return ", ".join(shown)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Return a layer that shares the given table without copying it. It is not trained unless `freeze=False`.

        Args:
          embeddings: the table, (num_embeddings, embedding_dim).
          freeze: do not train the table.
          max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx: as for
            `EmbeddingBag`.

        Raises:
          AssertionError: the table has not two dimensions.
        """
        if embeddings.dim() != 2:
            raise _errors.embedding_table_dimensions()
        rows, columns = embeddings.shape
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset, padding_idx)
        bag = cls(rows, columns, *options)
        bag.weight.requires_grad = not freeze
        return bag
