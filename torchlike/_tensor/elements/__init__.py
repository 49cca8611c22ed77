"""Reads, writes and small operators of host tensors that happen at once."""
