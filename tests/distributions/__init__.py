"""Tests of `torchlike.distributions` against PyTorch."""
