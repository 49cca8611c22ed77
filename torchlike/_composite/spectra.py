"""The short-time Fourier transform and its inverse."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._composite.views.conversions import reshape
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._tensor import factories, public_calls
from torchlike._tensor.autocast import casting
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

_LEAST = 1e-11  # the smallest valid sum of the squared windows


@casting(FULL_ON_CPU)
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: Any = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Return the Fourier transform of each frame of a signal; (..., time) -> (..., frequency, frame).

    Frames of `n_fft` samples begin every `hop_length` samples, by default a quarter of `n_fft`. With `center`, frame t
    is centered at t * hop_length and the signal is padded at its ends. A window of `win_length` samples is centered in
    the frame. For a real signal and a real window, only the non-negative frequencies are returned, unless `onesided` is
    False.

    Args:
      input: a real or complex signal, (time) or (batch, time).
      n_fft: the number of samples of a frame.
      hop_length: the number of samples between the beginnings of frames.
      win_length: the number of samples of the window. Default: `n_fft`.
      window: the window, a vector of `win_length` numbers. Default: ones.
      center: pad the signal by n_fft / 2 samples at both ends.
      pad_mode: the mode of this padding, as for `nn.functional.pad`.
      normalized: divide the result by the square root of `n_fft`.
      onesided: return only non-negative frequencies. Default: True for real signals and windows.
      return_complex: return complex numbers, else real and imaginary parts in a last dim of size 2. It is required for
        real signals.
      align_to_window: not supported; it must be None.

    >>> torchlike.stft(torchlike.ones(16), 8, window=torchlike.ones(8), return_complex=True).shape
    torch.Size([5, 9])
    """
    if align_to_window is not None:
        raise _errors.arguments.unsupported("stft", "align_to_window")
    if window is None:
        _errors.deprecated.say("stft window")
    if center:
        input = _padded(input, n_fft // 2, pad_mode)
    hop, width = _sizes(n_fft, hop_length, win_length)
    say = _errors.spectra.Stft(input, n_fft, hop, width, window, normalized, onesided, return_complex)
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    say.check(is_complex)
    if return_complex is False:
        _errors.deprecated.say("stft of reals")
    single = input.ndim == 1
    frames = rows["unfold"](input.unsqueeze(0) if single else input, -1, n_fft, hop)  # (B, T, n_fft)
    if window is None and width < n_fft:
        window = factories.ones(width, dtype=input.dtype, device=input.device)
    if window is not None:
        frames = frames * _centred(window, n_fft)
    norm = "ortho" if normalized else None
    one_sided = not is_complex if onesided is None else onesided
    found = rows["rfft" if one_sided else "fft"](frames, None, -1, norm).transpose(1, 2)  # (B, F, T)
    found = found.squeeze(0) if single else found
    return found if return_complex or (return_complex is None and is_complex) else rows["view_as_real"](found)


def _sizes(n_fft: int, hop_length: int | None, win_length: int | None) -> tuple[int, int]:
    return n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length


def _padded(input: Tensor, size: int, mode: str) -> Tensor:
    from torchlike._composite.functional.shape import pad

    extra = 3 - input.ndim
    wide = reshape(input, (*[1] * extra, *input.shape))
    padded = pad(wide, (size, size), mode)
    return reshape(padded, tuple(padded.shape[extra:]))


def _centred(window: Tensor, n_fft: int) -> Tensor:
    """Return the window, padded with zeros on both sides to `n_fft` elements."""
    before = (n_fft - window.shape[0]) // 2
    if window.shape[0] == n_fft:
        return window
    zeros = lambda n: factories.zeros(n, dtype=window.dtype, device=window.device)
    return rows["cat"]([zeros(before), window, zeros(n_fft - before - window.shape[0])], 0)


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """Return the signal whose `stft` is `input`.

    The frames are multiplied by the window, added where they overlap, and divided by the sum of the squared windows.

    Args:
      input: the transform, (frequency, frame) or (batch, frequency, frame), complex.
      n_fft, hop_length, win_length, window, center, normalized, onesided: the arguments of `stft`.
      length: the number of samples of the signal. Default: all samples without the padding of `center`.
      return_complex: return a complex signal.
    """
    if window is None:
        _errors.deprecated.say("istft window")
    hop, width = _sizes(n_fft, hop_length, win_length)
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    real = rows["view_as_real"](input)
    is_complex = return_complex or (window is not None and window.is_complex())
    one_sided = real.shape[-3] != n_fft and not is_complex if onesided is None else onesided
    _errors.spectra.check_istft(
        input, real, n_fft, hop, width, window, center, normalized, onesided, length, return_complex, one_sided
    )
    if window is None:
        window = factories.ones(width, dtype=real.dtype, device=input.device)
    window = _centred(window, n_fft)
    spectra = input.transpose(-1, -2)  # (B, T, F)
    single = spectra.ndim == 2
    spectra = spectra.unsqueeze(0) if single else spectra
    norm = "ortho" if normalized else None
    if return_complex:
        frames = rows["ifft"](spectra, None, -1, norm)
    else:
        frames = rows["irfft"](spectra[..., : n_fft // 2 + 1], n_fft, -1, norm)
    signal = _added(frames, window, hop, center, length)
    return signal.squeeze(0) if single else signal


def _added(frames: Tensor, window: Tensor, hop: int, center: bool, length: int | None) -> Tensor:
    """Return the windowed frames (B, T, n_fft), added where they overlap, divided by the sum of the squared windows."""
    count, n_fft = frames.shape[1:]
    total = n_fft + hop * (count - 1)
    signal = _overlapped(frames * window, total, hop)
    weight = _overlapped(rows["expand"](window * window, (1, count, n_fft)), total, hop)
    start = n_fft // 2 if center else 0
    end = total if length is None and not center else total - n_fft // 2 if length is None else start + length
    signal, weight = signal[..., start:end], weight[..., start:end]
    if weight.device.type != "meta" and not bool((factories.all_examples(weight).abs() > _LEAST).all()):
        raise RuntimeError("window overlap add min: 1")
    signal = signal / weight
    if end > total:
        signal = rows["cat"]([signal, factories.zeros((signal.shape[0], end - total), dtype=signal.dtype)], 1)
    return signal


def _overlapped(frames: Tensor, total: int, hop: int) -> Tensor:
    """Add frames where they overlap; (B, T, n) -> (B, total)."""
    count, n = frames.shape[1:]
    place = factories.tensor([[t * hop + i for i in range(n)] for t in range(count)], device=frames.device).reshape(-1)
    none = factories.zeros((frames.shape[0], total), dtype=frames.dtype, device=frames.device)
    return none.index_add(1, place, frames.reshape(frames.shape[0], -1))


FUNCTIONS, METHODS = public_calls.functions(stft, istft), public_calls.methods(stft, istft)
