"""`torch.backends.mkldnn`: oneDNN, which is not used directly.

The settings of `fp32_precision` are kept and take part in PyTorch's rules, but the CPU always computes in full float32:
a lower precision is permitted, never required.
"""

from __future__ import annotations

from torchlike.backends import _settings

matmul = _settings.precision_of("mkldnn", "matmul")
conv = _settings.precision_of("mkldnn", "conv")
rnn = _settings.precision_of("mkldnn", "rnn")


def is_available() -> bool:
    """Return False: operators do not run on oneDNN."""
    return False


# As in PyTorch, an assignment changes the setting of all backends.
_settings.attach(__name__, fp32_precision=_settings.fp32_precision("mkldnn", "all", "generic"))
