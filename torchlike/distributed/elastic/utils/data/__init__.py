"""Data loading of programs whose number of processes changes."""

from .cycling_iterator import CyclingIterator as CyclingIterator
from .elastic_distributed_sampler import ElasticDistributedSampler as ElasticDistributedSampler
