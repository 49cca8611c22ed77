"""Checks that need a GPU, against PyTorch on the same GPU. `python -m tests.gpu` runs them and writes docs/gpu_checks.md."""
