"""The names of data pipes that libraries use in `isinstance` checks. There are no data pipes: use datasets."""

from torchlike.utils.data.datapipes import iter as iter
