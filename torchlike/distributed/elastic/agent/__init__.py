"""The launcher's agent. Its classes are not supported: `torchrun` and `elastic_launch` start and restart processes."""
