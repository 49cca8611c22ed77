"""Settings of work on GPUs."""

from __future__ import annotations

from typing import Any

from torchlike import _modes


def is_built() -> bool:
    """Whether JAX has a GPU client here."""
    from torchlike import _device

    return bool(_device.jax_devices("cuda"))


class _Matmul:
    """`allow_tf32` is `set_float32_matmul_precision("high")`."""

    @property
    def allow_tf32(self) -> bool:
        """Whether float32 products may round their inputs to TensorFloat-32."""
        return _modes.get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, wanted: bool) -> None:
        _modes.set_float32_matmul_precision("high" if wanted else "highest")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "allow_tf32":
            raise AttributeError(f"Unknown attribute {name}")
        object.__setattr__(self, name, value)


matmul = _Matmul()
