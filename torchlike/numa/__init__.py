"""Binding of processes to the memory of a processor."""
