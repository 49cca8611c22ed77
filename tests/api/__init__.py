"""Tests of the public names, and of running PyTorch scripts."""
