"""Ahead-of-time compiling: ``python -m torchlike.aot --target h100 script.py`` compiles the programs of a script's
first training step for a chip that this machine does not have, and prints what they need.
"""
