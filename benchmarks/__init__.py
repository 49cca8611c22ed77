"""Benchmarks of torchlike against PyTorch and hand-written JAX. `python -m benchmarks` writes one table."""
