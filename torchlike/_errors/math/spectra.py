"""PyTorch's error messages about short-time Fourier transforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchlike._errors.dtypes import type_text


def _text(tensor: Any) -> str:
    return f"{type_text(tensor)}{list(tensor.shape)}"


def _window(window: Any) -> str:
    return "None" if window is None else f"{type_text(window)}{{{list(window.shape)}}}"


def _complex_text(tensor: Any) -> str:
    kind = {"torch.ComplexFloatTensor": "CPUComplexFloatType", "torch.ComplexDoubleTensor": "CPUComplexDoubleType"}
    return f"{kind.get(type_text(tensor), type_text(tensor))}{list(tensor.shape)}"


def _flag(given: bool | None) -> str:
    return "None" if given is None else str(int(given))


@dataclass
class Stft:
    """The arguments of a call of `stft`. Most of its error messages begin with them."""

    input: Any
    n_fft: int
    hop: int
    width: int
    window: Any
    normalized: bool
    onesided: bool | None
    return_complex: bool | None

    def check(self, is_complex: bool) -> None:
        """Raise PyTorch's error for the first invalid argument. `is_complex`: the input or the window is complex."""
        a, window = self.input, self.window
        if not (a.is_floating_point() or a.is_complex()):
            raise self._error("expected a tensor of floating point or complex values")
        if a.ndim not in (1, 2):
            raise self._error("expected a 1D or 2D tensor")
        size = a.shape[-1]
        if not 0 < self.n_fft <= size:
            raise self._error(f"expected 0 < n_fft < {size}, but got n_fft={self.n_fft}")
        if self.hop <= 0:
            raise self._error(f"expected hop_length > 0, but got hop_length={self.hop}")
        if not 0 < self.width <= self.n_fft:
            raise self._error(f"expected 0 < win_length <= n_fft, but got win_length={self.width}")
        if window is not None and tuple(window.shape) != (self.width,):
            raise self._error(
                f"expected a 1D window tensor of size equal to win_length={self.width}, but got window "
                f"with size {list(window.shape)}"
            )
        if is_complex and self.onesided:
            raise self._error("Cannot have onesided output if window or input is complex")
        if self.return_complex is None and not is_complex:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further "
                "require that return_complex=True in a future PyTorch release."
            )

    def _error(self, text: str) -> RuntimeError:
        call = (
            f"stft({_text(self.input)}, n_fft={self.n_fft}, hop_length={self.hop}, win_length={self.width}, "
            f"window={_window(self.window)}, normalized={int(self.normalized)}, onesided={_flag(self.onesided)}, "
            f"return_complex={_flag(self.return_complex)}, align_to_window=None) "
        )
        return RuntimeError(f"{call}: {text}")


def check_istft(
    input: Any,
    real: Any,
    n_fft: int,
    hop: int,
    width: int,
    window: Any,
    center: bool,
    normalized: bool,
    onesided: bool | None,
    length: int | None,
    return_complex: bool,
    one_sided: bool,
) -> None:
    """Raise PyTorch's error for the first invalid argument of `istft`.

    `real` is the input as a real tensor with a last dim of size 2. `onesided` is the user's argument, and `one_sided`
    is its value after None is replaced by the default.
    """
    shown = "None" if length is None else str(length)
    call = (
        f"istft({_complex_text(input)}, n_fft={n_fft}, hop_length={hop}, win_length={width}, window="
        f"{_window(window)}, center={int(center)}, normalized={int(normalized)}, onesided={_flag(onesided)}, "
        f"length={shown}, return_complex={int(return_complex)}) "
    )
    if not input.numel():
        raise RuntimeError(f"{call}: input tensor cannot be empty.")
    if real.ndim not in (3, 4):
        raise RuntimeError(f"{call}: expected a tensor with 3 or 4 dimensions, but got {real.ndim}")
    rows, due = real.shape[-3], n_fft // 2 + 1 if one_sided else n_fft
    if rows != due:
        rule = "n_fft / 2 + 1 when onesided=True" if one_sided else "n_fft when onesided=False"
        raise RuntimeError(
            f"{call}: expected the frequency dimension (3rd to the last) of the input tensor to match "
            f"{rule}, but got {rows}"
        )
    if not 0 < hop <= width:
        raise RuntimeError(f"{call}: expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise RuntimeError(f"{call}: expected 0 < win_length <= n_fft")
    if one_sided and (return_complex or (window is not None and window.is_complex())):
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    if window is not None and tuple(window.shape) != (width,):
        raise RuntimeError(f"{call}: Invalid window shape. window has to be 1D and length of `win_length`")
