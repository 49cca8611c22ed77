"""`torch.autograd.anomaly_mode`: re-exports of anomaly detection."""

from torchlike._autograd.anomaly import detect_anomaly as detect_anomaly
from torchlike._autograd.anomaly import set_detect_anomaly as set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
