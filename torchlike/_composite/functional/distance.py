"""Distances between the rows of a matrix."""

from torchlike._composite.numeric import pdist as pdist
