"""How fast is torchlike, against PyTorch and against hand-written JAX? `python -m benchmarks` answers in one table."""
