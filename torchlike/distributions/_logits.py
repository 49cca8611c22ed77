"""The base of distributions that take probabilities or logits."""

from __future__ import annotations

from typing import Any

from torchlike import Size, Tensor

from . import _errors
from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits


class OfProbability(Distribution):
    """A distribution that is given by `probs` or `logits`. The other attribute is computed on first use."""

    _is_binary = True

    def _set_either(self, probs: Any, logits: Any, **others: Any) -> Size:
        """Broadcast `probs` or `logits`, whichever is given, with `others`, and set the results as attributes.

        Return the batch shape.
        """
        if (probs is None) == (logits is None):
            raise _errors.probs_or_logits()
        return self._set(**others, **({"logits": logits} if probs is None else {"probs": probs}))

    @lazy_property
    def logits(self) -> Tensor:
        """The log-odds of a binary distribution, or the logarithms of probabilities that sum to one."""
        return probs_to_logits(self.probs, is_binary=self._is_binary)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=self._is_binary)

    @property
    def _param(self) -> Tensor:
        """`probs` or `logits`, whichever was given. If both are set, `probs`."""
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._param.size()

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)
