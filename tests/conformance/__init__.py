"""The conformance suite: PyTorch's own operator database, run under both libraries.

``python -m tests.conformance`` checks every entry of the database that ships in the PyTorch wheel and writes
``docs/coverage.md`` and ``docs/coverage.json``. ``python -m tests.conformance --entries add "nn.functional.*"`` checks
the matching entries and prints the differences.
"""
