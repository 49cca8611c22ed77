"""PyTorch's optimizer database, run under both libraries.

``python -m tests.conformance.optimizers`` checks every sample and writes ``docs/optimizers.md``.
"""
