"""Data pipes that are iterated over."""

from torchlike.utils.data.datapipes.iter.callable import CollatorIterDataPipe as Collator
from torchlike.utils.data.datapipes.iter.callable import MapperIterDataPipe as Mapper
from torchlike.utils.data.datapipes.iter.combinatorics import SamplerIterDataPipe as Sampler
from torchlike.utils.data.datapipes.iter.combinatorics import ShufflerIterDataPipe as Shuffler
from torchlike.utils.data.datapipes.iter.combining import ConcaterIterDataPipe as Concater
from torchlike.utils.data.datapipes.iter.combining import DemultiplexerIterDataPipe as Demultiplexer
from torchlike.utils.data.datapipes.iter.combining import ForkerIterDataPipe as Forker
from torchlike.utils.data.datapipes.iter.combining import MultiplexerIterDataPipe as Multiplexer
from torchlike.utils.data.datapipes.iter.combining import ZipperIterDataPipe as Zipper
from torchlike.utils.data.datapipes.iter.filelister import FileListerIterDataPipe as FileLister
from torchlike.utils.data.datapipes.iter.fileopener import FileOpenerIterDataPipe as FileOpener
from torchlike.utils.data.datapipes.iter.grouping import BatcherIterDataPipe as Batcher
from torchlike.utils.data.datapipes.iter.grouping import GrouperIterDataPipe as Grouper
from torchlike.utils.data.datapipes.iter.grouping import UnBatcherIterDataPipe as UnBatcher
from torchlike.utils.data.datapipes.iter.routeddecoder import RoutedDecoderIterDataPipe as RoutedDecoder
from torchlike.utils.data.datapipes.iter.selecting import FilterIterDataPipe as Filter
from torchlike.utils.data.datapipes.iter.sharding import ShardingFilterIterDataPipe as ShardingFilter
from torchlike.utils.data.datapipes.iter.streamreader import StreamReaderIterDataPipe as StreamReader
from torchlike.utils.data.datapipes.iter.utils import IterableWrapperIterDataPipe as IterableWrapper

__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Demultiplexer",
    "FileLister",
    "FileOpener",
    "Filter",
    "Forker",
    "Grouper",
    "IterableWrapper",
    "Mapper",
    "Multiplexer",
    "RoutedDecoder",
    "Sampler",
    "ShardingFilter",
    "Shuffler",
    "StreamReader",
    "UnBatcher",
    "Zipper",
]
