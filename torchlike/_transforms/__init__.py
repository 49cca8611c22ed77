"""Transforms of functions: backward passes, forward mode, vmap, checkpointing, custom functions."""
