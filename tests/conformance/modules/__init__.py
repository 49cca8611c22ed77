"""PyTorch's module database, run under both libraries.

``python -m tests.conformance.modules`` checks every sample and writes ``docs/modules.md``.
"""
