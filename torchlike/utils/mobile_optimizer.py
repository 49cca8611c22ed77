"""`torch.utils.mobile_optimizer`: the function can be imported, and raises."""

from __future__ import annotations

from typing import Any

from torchlike._internal import _errors


def optimize_for_mobile(script_module: Any, *args: Any, **kwargs: Any) -> Any:
    """Raise NotImplementedError. XLA optimizes exported programs when they are loaded.

    Args:
      script_module: a scripted or traced module.
      args, kwargs: not used.
    """
    raise _errors.arguments.cannot(
        "utils.mobile_optimizer.optimize_for_mobile", "use torch.export or torch.onnx.export"
    )
