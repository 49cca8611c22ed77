"""The precision of float32 products: PyTorch's switches, and their meaning on each platform.

PyTorch has two interfaces. The older one has one switch for matrix products (`set_float32_matmul_precision`) and one
for cuDNN (`backends.cudnn.allow_tf32`). The newer one has a setting `fp32_precision` for each backend and operator. A
setting of "none" falls back to the setting of its backend, and then to that of all backends. The older switches write
the newer settings. The reverse does not hold, so reading an older switch can raise an error.

The TPU is one more backend here. It has no settings of its own: `set_float32_matmul_precision` and the setting of all
backends decide. The CPU always computes in full float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torchlike import _errors

_VALUES = ("ieee", "tf32", "bf16", "none")
_OF_CUDA = ("ieee", "tf32", "none")  # cuBLAS and cuDNN have no bfloat16 mode for float32 products
# JAX's name for each setting. On a GPU, JAX's "default" is TensorFloat-32.
_ON_CUDA = {"none": "highest", "ieee": "highest", "tf32": "default"}
_ON_TPU = {"none": "highest", "ieee": "highest", "tf32": "high", "bf16": "default"}
_OF_MATMUL = {"highest": "ieee", "high": "tf32", "medium": "bf16"}
_CONTRADICTING = {"highest": ("tf32", "bf16"), "high": ("bf16",), "medium": ("tf32",)}  # settings of oneDNN


class Precision(NamedTuple):
    """The precision that a platform uses for float32 operands, by JAX's names: "highest", "high" or "default"."""

    matmul: str = "highest"
    conv: str = "highest"
    rnn: str = "highest"


class Switches:
    """The state of PyTorch's switches.

    Attributes:
      of: the precision of each device type. It is part of the key of every program of the device.
      accelerated: the precision of all accelerators. It is part of the key of every call of a compiled function.
      on_change: functions that are called before the precision of an accelerator changes.
    """

    def __init__(self) -> None:
        self._settings: dict[tuple[str, str], str | None] = {("cuda", op): None for op in ("conv", "rnn")}
        self._matmul, self._allows_cudnn = "highest", True
        self.of: dict[str, Precision] = {}
        self.accelerated: tuple[Precision, ...] = ()
        self.on_change: list[Callable[[], None]] = []
        self._derive()

    def setting(self, backend: str, op: str) -> str:
        """Return PyTorch's `fp32_precision` of an operator ("matmul", "conv", "rnn" or "all") of a backend."""
        places = (backend, op), (backend, "all"), ("generic", "all")
        found = next((s for place in places if (s := self._settings.get(place) or "none") != "none"), None)
        if found is None:  # cuDNN uses TensorFloat-32 until its setting is written
            return "tf32" if self._settings.get((backend, op), "") is None else "none"
        return found if found in (_OF_CUDA if backend == "cuda" else _VALUES) else "none"

    def set(self, backend: str, op: str, value: str) -> None:
        """Set PyTorch's `fp32_precision` of an operator of a backend."""
        if value not in _VALUES:
            raise _errors.precision.unknown(value)
        if backend == "cuda" and value not in _OF_CUDA:
            raise _errors.precision.not_of_backend(backend, value)
        self._settings[backend, op] = value
        self._derive()

    @property
    def matmul(self) -> str:
        """The precision of matrix products: "highest", "high" or "medium". Raise an error if the interfaces differ."""
        cuda, cpu = self.setting("cuda", "matmul"), self.setting("mkldnn", "matmul")
        if cpu in _CONTRADICTING[self._matmul] or (cuda == "tf32" and self._matmul == "highest"):
            raise _errors.precision.mixed_matmul()
        return self._matmul

    @matmul.setter
    def matmul(self, value: str) -> None:
        self._matmul = value
        setting = _OF_MATMUL[value]
        self._settings["cuda", "matmul"] = "ieee" if value == "highest" else "tf32"
        self._settings["mkldnn", "matmul"] = self._settings["tpu", "matmul"] = setting
        self._derive()

    @property
    def allows_cublas(self) -> bool:
        """Whether cuBLAS may use TensorFloat-32 in matrix products. Raise an error if the interfaces differ."""
        allows = self.setting("cuda", "matmul") == "tf32"
        if allows != (self._matmul != "highest"):
            raise _errors.precision.mixed_cublas()
        return allows

    @allows_cublas.setter
    def allows_cublas(self, value: bool) -> None:
        self._matmul = "high" if value else "highest"
        self._settings["cuda", "matmul"] = "tf32" if value else "ieee"
        self._derive()

    @property
    def allows_cudnn(self) -> bool:
        """Whether cuDNN may use TensorFloat-32. Raise an error if the interfaces differ."""
        if any((self.setting("cuda", op) == "tf32") != self._allows_cudnn for op in ("conv", "rnn")):
            raise _errors.precision.mixed_cudnn()
        return self._allows_cudnn

    @allows_cudnn.setter
    def allows_cudnn(self, value: bool) -> None:
        self._allows_cudnn = value
        self._settings["cuda", "conv"] = self._settings["cuda", "rnn"] = "tf32" if value else "none"
        self._derive()

    def _derive(self) -> None:
        on_cuda = Precision(*[_ON_CUDA[self.setting("cuda", op)] for op in Precision._fields])
        on_tpu = Precision(*[_ON_TPU[self.setting("tpu", "matmul")]] * 3)
        if self.accelerated == (on_cuda, on_tpu):
            return
        for told in self.on_change:
            told()
        self.of = {"cpu": Precision(), "meta": Precision(), "cuda": on_cuda, "tpu": on_tpu}
        self.accelerated = on_cuda, on_tpu


switches = Switches()


def set_float32_matmul_precision(precision: str) -> None:
    """Set the precision of float32 matrix products on accelerators. The CPU always computes in full float32.

    | precision | GPU | TPU |
    |---|---|---|
    | "highest" (default) | float32 | float32, as six bfloat16 products |
    | "high" | TensorFloat-32 | three bfloat16 products |
    | "medium" | TensorFloat-32 | one bfloat16 product |

    On a TPU, this also sets the precision of convolutions and recurrent layers. On a GPU,
    `torch.backends.cudnn.allow_tf32` sets those.

    Warning:
      For any other string. As in PyTorch, the call then has no effect.

    Args:
      precision: "highest", "high" or "medium".

    >>> import torchlike as torch
    >>> torch.set_float32_matmul_precision("high")
    >>> torch.get_float32_matmul_precision()
    'high'
    >>> torch.set_float32_matmul_precision("highest")
    """
    if not isinstance(precision, str):
        raise _errors.precision.wrong_type("set_float32_matmul_precision", "str", precision)
    if precision not in _OF_MATMUL:
        _errors.warned.warn(_errors.precision.no_effect(precision))
        return
    switches.matmul = precision


def get_float32_matmul_precision() -> str:
    """Return the precision of float32 matrix products; see `set_float32_matmul_precision`.

    Raises:
      RuntimeError: If `fp32_precision` of a backend contradicts the last call of `set_float32_matmul_precision`.
    """
    return switches.matmul
