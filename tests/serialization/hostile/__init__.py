"""Hostile checkpoints: real files, damaged and forged in every way we know, and what `load` does with each."""
