"""`torchlike.compile`: a whole call as one executable."""

from torchlike._compile.api import compile as compile
