"""Data pipes that return a sample for a key."""

from torchlike.utils.data.datapipes.map.callable import MapperMapDataPipe as Mapper
from torchlike.utils.data.datapipes.map.combinatorics import ShufflerIterDataPipe as Shuffler
from torchlike.utils.data.datapipes.map.combining import ConcaterMapDataPipe as Concater
from torchlike.utils.data.datapipes.map.combining import ZipperMapDataPipe as Zipper
from torchlike.utils.data.datapipes.map.grouping import BatcherMapDataPipe as Batcher
from torchlike.utils.data.datapipes.map.utils import SequenceWrapperMapDataPipe as SequenceWrapper

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]
