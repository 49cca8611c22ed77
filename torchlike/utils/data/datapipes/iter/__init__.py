"""The names of data pipes that are iterated over."""

from torchlike.utils.data.datapipes.iter.combinatorics import SamplerIterDataPipe as Sampler
from torchlike.utils.data.datapipes.iter.combinatorics import ShufflerIterDataPipe as Shuffler

__all__ = ["Sampler", "Shuffler"]
