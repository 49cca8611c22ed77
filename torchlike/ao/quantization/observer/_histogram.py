"""The observer that chooses the range with the least quantization error, from a histogram."""

from __future__ import annotations

from typing import Any

import numpy as np

import torchlike as torch
from torchlike._errors.warned import warn
from torchlike.ao.quantization import utils
from torchlike.ao.quantization.observer._base import _EPS, UniformQuantizationObserverBase

_STEP = 1e-5  # the share of elements that one step of the search cuts off


class HistogramObserver(UniformQuantizationObserverBase):
    """Record a histogram of all inputs, and choose the range that minimizes the quantization error.

    Args:
      bins: the number of bins.
      dtype: the dtype of the quantized values.
      qscheme: `torch.per_tensor_affine` or `torch.per_tensor_symmetric`.
      reduce_range: use half of the range of the dtype.
      quant_min: the lowest level; by default that of the dtype.
      quant_max: the highest level; by default that of the dtype.
      factory_kwargs: `device` and `dtype` of the buffers.
      eps: the smallest scale.
      is_dynamic: must be False.
      kwargs: arguments of `UniformQuantizationObserverBase`.

    Raises:
      NotImplementedError: the scheme has several scales, or the observer is dynamic.
    """

    def __init__(
        self,
        bins: int = 2048,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if not utils.is_per_tensor(qscheme):
            raise NotImplementedError(
                "HistogramObserver's qscheme only support torch.per_tensor_symmetric \
                    and torch.per_tensor_affine."
            )
        if is_dynamic:
            raise NotImplementedError("HistogramObserver doesn't support dynamic quantization")
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic, **kwargs)
        factory_kwargs = utils.factory_kwargs(factory_kwargs)
        self.bins = bins
        self.register_buffer("histogram", torch.zeros(bins, **factory_kwargs))
        self.register_buffer("min_val", torch.tensor(float("inf"), **factory_kwargs))
        self.register_buffer("max_val", torch.tensor(float("-inf"), **factory_kwargs))
        self.dst_nbins = 2 ** torch.iinfo(self.dtype).bits
        self.upsample_rate = 16

    def forward(self, x_orig: Any) -> Any:
        """Add the elements of `x_orig` to the histogram. Return `x_orig`."""
        if x_orig.numel() == 0:
            return x_orig
        x = x_orig.detach()
        least, most = torch.aminmax(x)
        if least.item() == -torch.inf or most.item() == torch.inf:
            warn("torch.inf detected in input tensor, ignoring input")
            x = x[x.abs() != torch.inf]
            if x.numel() == 0:
                return x_orig
            least, most = torch.aminmax(x)
        if self.min_val.item() == float("inf") or self.max_val.item() == float("-inf"):
            self._set(least, most, torch.histc(x, self.bins, min=least.item(), max=most.item()))
            return x_orig
        least, most = torch.min(self.min_val, least), torch.max(self.max_val, most)
        update = torch.histc(x, self.bins, min=least.item(), max=most.item()).to(self.histogram.device)
        self._set(least, most, self._combined(update, least, most))
        return x_orig

    def _set(self, least: Any, most: Any, histogram: Any) -> None:
        self.min_val.resize_(least.shape)
        self.min_val.copy_(least)
        self.max_val.resize_(most.shape)
        self.max_val.copy_(most)
        self.histogram.resize_(histogram.shape)
        self.histogram.copy_(histogram)

    def _combined(self, update: Any, least: Any, most: Any) -> Any:
        """Return the sum of the recorded histogram and `update`. The range is that of `update`, the wider one."""
        old_least, old_most = self.min_val, self.max_val
        if least.item() == old_least.item() and most.item() == old_most.item():
            return self.histogram + update
        if old_least.item() == old_most.item():
            one = torch.histc(old_least, bins=self.bins, min=least.item(), max=most.item())
            return one * torch.sum(self.histogram) + update
        return update + self._spread(least, most)

    def _spread(self, least: Any, most: Any) -> Any:
        """Return the recorded histogram, redistributed over a wider range."""
        count, old_least, old_most = self.bins * self.upsample_rate, self.min_val, self.max_val
        fine = self.histogram.repeat_interleave(self.upsample_rate) / self.upsample_rate
        edges = torch.linspace(old_least, old_most, count + 1, device=old_least.device)
        middles = edges[:-1].to(fine.device) + 0.5 * ((old_most - old_least) / count)
        bounds = torch.linspace(least, most, self.bins + 1, device=least.device).to(fine.device)
        places = (torch.bucketize(middles, bounds, right=True) - 1).clamp(0, self.bins - 1)
        return torch.bincount(places, weights=fine, minlength=self.bins)

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """Return the scale and the zero point, each as a tensor with one element.

        Raises:
          AssertionError: the histogram does not have the given number of bins.
        """
        if self.min_val.item() == float("inf") and self.max_val.item() == float("-inf"):
            warn(
                "must run observer before calling calculate_qparams.\
                                    Returning default scale and zero point "
            )
            kind = self.min_val.device.type
            return torch.tensor([1.0], device=kind), torch.tensor([0], device=kind)
        if self.bins != len(self.histogram):
            raise AssertionError(
                "The number of bins in histogram should be equal to the number of bins "
                "supplied while making this observer"
            )
        return self._calculate_qparams(*self._non_linear_param_search())

    def _non_linear_param_search(self) -> tuple[Any, Any]:
        """Return the range with the least error. The search narrows it by quantiles while the error falls."""
        width = (self.max_val - self.min_val) / self.bins
        sums = torch.cumsum(self.histogram, dim=0).cpu().numpy()
        first, last = self._narrowed(sums, torch.sum(self.histogram).item())
        return self.min_val + width * first, self.min_val + width * (last + 1)

    def _narrowed(self, sums: np.ndarray, total: float) -> tuple[int, int]:
        alpha, beta, first, last, least_error = 0.0, 1.0, 0, self.bins - 1, float("inf")
        while alpha < beta:
            next_alpha, next_beta = alpha + _STEP, beta - _STEP
            low = first + int(np.argmax(np.append(sums[first:last] >= np.float32(next_alpha * total), True)))
            over = sums[first + 1 : last + 1] > np.float32(next_beta * total)
            high = last - int(np.argmin(np.append(over[::-1], False)))
            next_first, next_last = first, last
            if low - first > last - high:
                next_first, alpha = low, next_alpha
            else:
                next_last, beta = high, next_beta
            if (next_first, next_last) == (first, last):
                continue
            error = self._compute_quantization_error(next_first, next_last)
            if error > least_error:
                break
            least_error, first, last = error, next_first, next_last
        return first, last

    def _compute_quantization_error(self, next_start_bin: int, next_end_bin: int) -> float:
        """Return the squared error of all elements if the given bins fill the range of the dtype."""
        width = (self.max_val.item() - self.min_val.item()) / self.bins
        level = width * (next_end_bin - next_start_bin + 1) / self.dst_nbins
        if level == 0.0:
            return 0.0
        begin = (torch.arange(self.bins, device=self.histogram.device) - next_start_bin) * width
        end = begin + width
        first, last = (
            torch.clamp(torch.div(x, level, rounding_mode="floor"), 0, self.dst_nbins - 1) for x in (begin, end)
        )
        density = self.histogram / width
        half = torch.full((self.bins,), level / 2, device=self.histogram.device)
        error = _norm(begin - (first + 0.5) * level, half, density)
        error = error + (last - first - 1) * _norm(-half, half, density)
        return (error + _norm(-half, end - (last * level + level / 2), density)).sum().item()

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "min_val"] = self.min_val
        destination[prefix + "max_val"] = self.max_val

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
        version = local_metadata.get("version")
        for name, unseen in (("min_val", float("inf")), ("max_val", float("-inf"))):
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            if (version is None or version < 3) and state_dict[key].shape == torch.Size([0]):
                state_dict[key] = torch.tensor(unseen)
            setattr(self, name, state_dict[key])
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def extra_repr(self) -> str:
        """Return the recorded range."""
        return f"min_val={self.min_val}, max_val={self.max_val}"


def _norm(begin: Any, end: Any, density: Any) -> Any:
    """Return the integral of x ** 2 over [begin, end], times the density."""
    return density * ((end * end * end - begin * begin * begin) / 3)
