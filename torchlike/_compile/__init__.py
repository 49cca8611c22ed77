"""`torchlike.compile`: capture a whole call and run it as one executable."""

from torchlike._compile.api import compile as compile
