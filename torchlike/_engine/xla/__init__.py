"""The XLA executor: compiled programs, their targets, memory checks and the disk cache."""
