"""Helpers of data pipes: files, decoders, and snapshots."""
