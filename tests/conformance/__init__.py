"""The conformance suite: PyTorch's own operator database, run under both libraries.

``python -m tests.conformance`` judges every entry of the database that ships inside the PyTorch wheel and writes
``docs/coverage.md`` and ``docs/coverage.json``. ``python -m tests.conformance --entries add "nn.functional.*"`` judges
some and prints what differs.
"""
