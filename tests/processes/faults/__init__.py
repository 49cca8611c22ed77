"""Ranks that are killed, stopped, or raise an exception during training."""
