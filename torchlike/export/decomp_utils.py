"""Tables of decompositions, which are not supported."""

from ._refused import CustomDecompTable as CustomDecompTable

__all__ = ["CustomDecompTable"]
