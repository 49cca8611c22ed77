"""Distances of the rows of one matrix."""

from torchlike._composite.numeric import pdist as pdist
