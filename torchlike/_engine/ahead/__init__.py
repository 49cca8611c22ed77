"""Ahead-of-time compiling: programs are lowered and compiled for a chip that this machine does not have."""
