"""Tracing by tensors that stand for others: none is ever on."""


def get_proxy_mode() -> None:
    """The tracer that is on: none."""
