"""Anomaly detection, where programs import it from."""

from torchlike._autograd.anomaly import detect_anomaly as detect_anomaly
from torchlike._autograd.anomaly import set_detect_anomaly as set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
