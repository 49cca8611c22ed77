"""`torch.utils`: data loading and smaller helpers."""

from torchlike.utils import data as data
