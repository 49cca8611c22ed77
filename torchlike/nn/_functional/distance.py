"""Distances of the rows of one matrix."""

from ..._functions_more import pdist as pdist
