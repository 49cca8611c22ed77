"""Hostile checkpoints: real files that are damaged or forged in every known way, and the behavior of `load` on them."""
