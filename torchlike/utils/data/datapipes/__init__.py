"""Data pipes: composable datasets that iterate over samples (`iter`) or return a sample for a key (`map`)."""

from torchlike.utils.data.datapipes import dataframe as dataframe
from torchlike.utils.data.datapipes import iter as iter
from torchlike.utils.data.datapipes import map as map
