"""Transforms of functions: backward passes, forward mode, vmap, checkpointing and custom functions."""
