"""Where programs look for the class of compiled modules."""

from torchlike._compile.module import OptimizedModule as OptimizedModule
